from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedtool.areas.products.wire import (
    NO_EDIT,
    NO_ENRICH,
    NOT_MARKETABLE,
    NOTHING_NEW,
    ProductSheet,
    batch_id,
    read_products,
    read_reports,
    reports_page,
    sheets_page,
    submit_products,
)
from feedtool.catalog.wire import CatalogPage, EntriesReply
from feedtool.feeds.delivery import ReportItem
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import READ, Call, Reply
from feedtool.model.nouns import Message, Severity, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import Language, Translator
from feedtool.service.answers import LONGEST_TEXT, MOST_MESSAGES, Unreadable
from tests.answers import reply

URL = "https://service.example/v2/products-integration-reports?packageId=p1"
AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
PACKAGE = PackageRef("Products", "", "en", AccountSettings(), "p1", page_size=50)
ITEM = {"packageId": "p1", "gtin": "2000000000008", "status": "Integrated"}


def item(**changes: Any) -> ReportItem:
    (found,) = reports_page(reply({"items": [{**ITEM, **changes}]})).items
    return found


def test_the_request_of_a_batch() -> None:
    call = submit_products(PACKAGE._replace(language="fr"), [b'{"gtin":"1"}', b'{"gtin":"2"}'])
    assert (call.method, call.target) == ("POST", "/products-integration")
    assert call.body == b'{"products":[{"gtin":"1"},{"gtin":"2"}]}'
    headers = {"Accept-Language": "fr-FR", "Content-Type": "application/json"}
    assert dict(call.headers) == headers


LANGUAGE = (("Accept-Language", "en-US"),)
ROUTE = "/products-integration-reports"
READS: dict[str, tuple[PackageRef, list[str], str, dict[str, str]]] = {
    "of a batch": (PACKAGE, [], ROUTE, {"packageId": "p1", "pageSize": "50"}),
    "of products": (PACKAGE._replace(page_size=None), ["1", "2"], ROUTE, {"gtin": "1,2"}),
    "the next page": (PACKAGE._replace(link=URL), [], URL, {}),
}


@pytest.mark.parametrize(("package", "gtins", "target", "query"), READS.values(), ids=READS)
def test_the_queries_of_reports(
    package: PackageRef, gtins: list[str], target: str, query: dict[str, str]
) -> None:
    call = Call("GET", target, READ, tuple(query.items()), LANGUAGE)
    assert read_reports(package, gtins) == call


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (reply({"packageId": "p1"}), "p1"),
        (reply({"packageId": 17}), "17"),
        (reply({"packageId": "p1"}, location="/v2/products-integration/p2"), "p1"),
        (reply(content_location="/v2/products-integration/p2"), "p2"),
        (reply(location="/v2/products-integration-reports/p3?a=b"), "p3"),
        (reply({}, content_location="/products-integration", location="p3"), "p3"),
    ],
)
def test_the_id_of_a_batch(found: Reply, expected: str) -> None:
    assert batch_id(found) == expected


NO_ID: list[Reply] = [
    *map(reply, [None, {}, [], {"packageId": None}, {"packageId": ""}]),
    *(reply({"packageId": "p" * 201}), reply(location="/v2/products-integration")),
    *(Reply(200, {}, body, URL) for body in (b"<html>", b"[" * 100_000)),
    reply({"packageId": "p1", "more": "x" * 1_100_000}),
]


@pytest.mark.parametrize("found", NO_ID, ids=range(len(NO_ID)))
def test_an_answer_without_an_id_is_unreadable(found: Reply) -> None:
    with pytest.raises(Unreadable):
        batch_id(found)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {}),
        ({"status": "REFUSED"}, {"word": "REFUSED", "status": Status.REFUSED}),
        ({"status": "Validated"}, {"word": "Validated", "status": None}),
        ({"status": "Thinking"}, {"word": "Thinking", "status": None}),
        ({"gtin": 2000000000008}, {}),
        ({"packageId": 5}, {"package_id": "5"}),
        ({"packageId": None}, {"package_id": None}),
        ({"sellerProductReference": " A,1 "}, {"reference": " A,1 "}),
        ({"sellerProductReference": 5}, {"reference": None}),
        ({"submissionDate": "2026-03-02T09:00:00Z"}, {"submitted_at": AT}),
        ({"createdAt": "2026-03-02T10:00:00+01:00"}, {"submitted_at": AT}),
        ({"submissionDate": "yesterday", "createdAt": 5}, {"submitted_at": None}),
    ],
)
def test_an_item_of_a_report(changes: dict[str, Any], expected: dict[str, Any]) -> None:
    plain = ReportItem("p1", "2000000000008", None, "Integrated", Status.INTEGRATED, None)
    assert item(**changes) == plain._replace(**expected)


def entry(**said: Any) -> dict[str, Any]:
    return {"code": "C", "field": "title", "message": "M", "type": "Error", **said}


def warn(text: str, code: str = "", field: str = "") -> Message:
    return Message(code, text, field, Severity.WARNING)


NO_REASON = "no reason was given"
MESSAGES: dict[str, tuple[dict[str, Any], Sequence[Message]]] = {
    "an error": ({"errors": [entry()]}, [Message("C", "M", "title")]),
    "of the product": ({"errors": [entry(field=None)]}, [Message("C", "M")]),
    "of a property": ({"errors": [entry(field=3263)]}, [Message("C", "M", "3263")]),
    "a warning": ({"warnings": [entry()]}, [warn("warning: M", "C", "title")]),
    "an info": ({"infos": [entry()]}, [warn("info: M", "C", "title")]),
    "errors first": (
        {"infos": [entry()], "errors": [entry()]},
        [Message("C", "M", "title"), warn("info: M", "C", "title")],
    ),
    "without a text": ({"errors": [entry(message=None)]}, [Message("C", NO_REASON, "title")]),
    "no messages": ({"errors": None, "infos": {}, "warnings": [1, None, {}]}, []),
    "no right to change": ({"wasAllowedToEdit": False}, [warn(NO_EDIT)]),
    "no right to add": ({"wasAllowedToEnrich": False}, [warn(NO_ENRICH)]),
    "not for sale": ({"wasMarketable": False}, [warn(NOT_MARKETABLE)]),
    "nothing new": ({"operationType": "Identical"}, [warn(NOTHING_NEW)]),
    "how complete": ({"publicationCompleteness": 57}, [warn("The sheet is 57 % complete.")]),
    "in percent": ({"publicationCompleteness": "57 %"}, [warn("The sheet is 57 % complete.")]),
    "all well": (
        {"wasAllowedToEdit": True, "wasAllowedToEnrich": None, "operationType": "Creation"},
        [],
    ),
    "of a refused product the rights": (
        {"status": "Refused", "wasMarketable": False, "wasAllowedToEnrich": False},
        [warn(NO_ENRICH)],
    ),
}


@pytest.mark.parametrize(("changes", "messages"), MESSAGES.values(), ids=MESSAGES)
def test_messages_of_a_report(changes: dict[str, Any], messages: Sequence[Message]) -> None:
    assert item(**changes).messages == tuple(messages)


@pytest.mark.parametrize("language", ["fr", "es"])
def test_our_texts_of_a_report_are_translated(language: Language) -> None:
    said = [message.text for _, messages in MESSAGES.values() for message in messages]
    ours = {
        message.text
        for changes, _ in MESSAGES.values()
        for message in item(**changes).messages
        if message.text != "M"
    }
    assert ours == {*said} - {"M"}
    assert [text for text in ours if Translator(language)(text) == text] == []


def test_a_hostile_report_is_cut_short() -> None:
    found = item(errors=[entry(message="x" * 10_000)] * 2_000)
    assert len(found.messages) == MOST_MESSAGES
    assert len(found.messages[0].text) == LONGEST_TEXT


@pytest.mark.parametrize("strange", [1, None, [], {}, {"gtin": "1"}, {"status": "Integrated"}])
def test_reports_without_a_product_are_left_out(strange: Any) -> None:
    page = reports_page(reply({"items": [strange, ITEM]}))
    assert [one.gtin for one in page.items] == ["2000000000008"]


ELSEWHERE = reply([], link='<https://elsewhere.example/>; rel="next"')


@pytest.mark.parametrize(
    "found",
    [reply(), reply({}), reply({"items": {}}), Reply(200, {}, b"oops", URL), ELSEWHERE],
    ids=["empty", "no items", "no list", "no JSON", "a link that leads away"],
)
def test_documents_that_are_no_pages_are_unreadable(found: Reply) -> None:
    with pytest.raises(Unreadable):
        reports_page(found)
    page = reports_page(reply([], link=f'<{URL}&pageIndex=2>; rel="next"'))
    assert page.next == f"{URL}&pageIndex=2"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
NAMES = st.sampled_from(
    [*ITEM, "errors", "infos", "warnings", "submissionDate", "publicationCompleteness"]
)


@settings(max_examples=5)
@given(st.dictionaries(NAMES, json_values))
def test_no_item_is_too_strange(document: dict[str, Any]) -> None:
    assert_item_is_read(document)


@pytest.mark.long
@settings(max_examples=1_000)
@given(st.dictionaries(NAMES, json_values))
def test_no_item_of_many_is_too_strange(document: dict[str, Any]) -> None:
    assert_item_is_read(document)


def assert_item_is_read(document: dict[str, Any]) -> None:
    for found in reports_page(reply({"items": [document]})).items:
        assert found.gtin
        assert all(isinstance(message, Message) for message in found.messages)


LIST = "https://service.example/v2/products?pageIndex=1"
WHOLE = {
    "gtin": "3760452700039",
    "reference": "P0001",
    "label": "Kettle ",
    "description": "Boils.\nQuickly.",
    "marketingDescription": "<p>Boils</p>",
    "language": "fr-FR",
    "brand": {"name": "Alder", "reference": "7"},
    "category": {"label": "Kettles", "reference": "010101", "referencePath": "01/0101/010101"},
    "groupReference": "G-1",
    "pictures": [
        {"index": 2, "url": "https://a.example/2.jpg"},
        {"index": 1, "url": "https://a.example/1.jpg"},
        {"url": "https://a.example/3.jpg"},
    ],
    "attributes": [
        {"reference": "3001", "label": "Energy", "values": ["A", 7, None], "files": []},
        {"reference": 3006, "values": [], "files": [{"index": 1, "url": "https://a.example/m"}]},
        {"reference": "3002", "values": []},
    ],
    "variantAttributes": [{"reference": "4001", "values": ["M"]}],
    "sellers": [
        {"reference": 12, "productReference": " A,1", "gtinReference": None, "isCreator": True},
        {"reference": "13", "isCreator": False},
        {"productReference": "B"},
    ],
}


def products(items: object) -> EntriesReply:
    return sheets_page(reply({"items": items}), CatalogPage(), "12")


def only(item: dict[str, Any]) -> ProductSheet:
    sheet: ProductSheet = products([item]).entries[0]
    return sheet


def test_all_that_a_creator_sees() -> None:
    row, is_creator = only(WHOLE)
    assert is_creator
    assert {name: value for name, value in row.items() if value is not None} == {
        "gtin": "3760452700039",
        "sellerProductReference": " A,1",
        "title": "Kettle ",
        "description": "Boils.\nQuickly.",
        "richMarketingDescription": "<p>Boils</p>",
        "language": "fr-FR",
        "brand": "Alder",
        "categoryCode": "010101",
        "variantGroupReference": "G-1",
        **{f"sellerPictureUrls_{n}": f"https://a.example/{n}.jpg" for n in (1, 2, 3)},
        "values:3001": "A\0007",
        "urls:3006": "https://a.example/m",
        "values:4001": "M",
    }


@pytest.mark.parametrize("sellers", [[{"reference": "12", "isCreator": "yes"}], [], None])
def test_products_created_by_others(sellers: object) -> None:
    assert not only({**WHOLE, "sellers": sellers}).is_creator


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [1], [{}], {"name": 1}])
def test_fields_of_another_shape_are_blank(value: object) -> None:
    names = [name for name in WHOLE if name not in {"gtin", "reference", "label"}]
    for name in (name for name in names if not (isinstance(value, str) and name != "pictures")):
        assert only({"gtin": "12", name: value}) == only({"gtin": "12"}), name


def test_items_that_are_no_products_are_counted() -> None:
    found = products([None, 1, {}, {"gtin": None}, {"label": "x"}, {"gtin": "12"}])
    assert (len(found.entries), found.strange) == (1, 5)


def test_pages_of_products_are_asked_for() -> None:
    call = read_products(CatalogPage(3))
    assert (call.target, call.query) == ("/products", (("pageIndex", "3"), ("pageSize", "100")))
    assert read_products(CatalogPage(4, LIST)).target == LIST
