import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.offers.wire.packages import (
    commit,
    create_package,
    meaning_of,
    package_id,
    package_view,
    read_package,
    read_results,
    results_page,
    upload,
)
from feedtool.feeds.delivery import Meaning, RequestResult
from feedtool.model.call import COMMITTED, READ, Call, Reply
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Message, Status
from feedtool.service.answers import MOST_ITEMS, MOST_VALUES, Unreadable
from tests.answers import reply

BASE = "https://service.example/v2"
PAGE = f"{BASE}/offer-packages/p1/offer-requests-results"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        *((f"{BASE}/offer-packages/p1", "p1"), ("/v2/offer-packages/p1", "p1"), ("p1", "p1")),
        *(("/offer-packages/p1/?a=b/c#d/e", "p1"), ("/offer-packages/a%2Fb", "a/b")),
        (" urn:uuid:6e8b ", "urn:uuid:6e8b"),
        *((place, "p2") for place in ("", "/offer-packages/", "https://service.example")),
        *((place, "p2") for place in ("/offer-packages/..", "http://[broken/p1")),
        ("p" * 200, "p" * 200),
        ("p" * 201, "p2"),
    ],
)
def test_the_id_is_in_one_header_or_in_the_other(place: str, expected: str) -> None:
    found = reply({"packageId": "p3"}, content_location=place, location=f"{BASE}/packages/p2")
    assert package_id(found) == expected


@pytest.mark.parametrize(("value", "expected"), [("p3", "p3"), (12345, "12345")])
def test_the_id_is_in_the_body(value: object, expected: str) -> None:
    found = reply({"packageId": value}, content_location="/offer-packages")
    assert package_id(found) == expected


@pytest.mark.parametrize(
    "document",
    [None, {"id": "p1"}, {"packageId": None}, {"packageId": ""}, {"packageId": "p" * 201}, []],
)
def test_an_answer_without_an_id(document: object) -> None:
    for found in (reply(document, content_location="/offer-packages/"), Reply(201, body=b"<html>")):
        with pytest.raises(Unreadable, match=r"names no package|JSON"):
            package_id(found)


@pytest.mark.parametrize(
    ("state", "meaning"),
    [
        *(("WaitingForCompletion", Meaning.OPEN), ("Integrated", Meaning.INTEGRATED)),
        *(("Ready", Meaning.WORKING), ("IntegrationPending", Meaning.WORKING)),
        *(("Rejected", Meaning.REJECTED), ("Archived", Meaning.UNKNOWN_STATE)),
        ("Importing", Meaning.SETTLING),
    ],
)
def test_the_states_of_a_package(state: str, meaning: Meaning) -> None:
    assert package_view(reply({"state": state, "packageType": "Upsert"})) == (state, meaning, ())
    other = state.upper() if meaning is not Meaning.UNKNOWN_STATE else state
    assert package_view(reply({"state": other})) == (state, meaning, ())
    assert meaning_of(other.lower()) is meaning


@pytest.mark.parametrize(
    "said",
    [
        {"result": {"resultCode": "1023", "message": "The package is empty."}},
        {"results": [{"resultCode": 1023, "message": "The package is empty."}]},
        {"messages": [{"resultCode": "1023", "message": "The package is empty."}, {}, None]},
        {"message": {"resultCode": "1023", "message": "The package is empty."}},
    ],
)
def test_the_reason_of_a_rejected_package(said: dict[str, Any]) -> None:
    found = package_view(reply({"state": "Rejected", **said}))
    assert found.messages == (Message("1023", "The package is empty."),)


@pytest.mark.parametrize(
    "said",
    [
        {"message": "The package is empty."},
        {"message": ["The package is empty."]},
        {"messages": "The package is empty."},
        {"result": None, "message": "The package is empty."},
    ],
)
def test_the_reason_may_be_a_mere_text(said: dict[str, Any]) -> None:
    found = package_view(reply({"state": "Rejected", **said}))
    assert found.messages == (Message("", "The package is empty."),)


@pytest.mark.parametrize("document", [None, [], {}, {"state": None}, {"state": []}, "Ready"])
def test_an_answer_without_a_state(document: Any) -> None:
    with pytest.raises(Unreadable):
        package_view(reply(document))


DONE = Message("8000", "The offer has been created.")
CREATED = {"resultCode": "8000", "message": DONE.text}
LATER = {"results": [{"message": "Later."}]}
PARKED = (Message("", "The service gives this row the status “Parked”."), Message("", "Later."))


@pytest.mark.parametrize(
    ("word", "more", "status", "messages"),
    [
        ("Integrated", {"results": [CREATED]}, Status.INTEGRATED, (DONE,)),
        ("Integrated", {"messages": [CREATED | {"resultCode": 8000}]}, Status.INTEGRATED, (DONE,)),
        ("rejected", {}, Status.REJECTED, ()),
        ("Rejected", {"results": None}, Status.REJECTED, ()),
        ("Duplicated", {"results": LATER["results"][0]}, Status.DUPLICATED, PARKED[1:]),
        ("Parked", LATER, Status.UNKNOWN, PARKED),
    ],
)
def test_items(
    word: str, more: dict[str, Any], status: Status, messages: tuple[Message, ...]
) -> None:
    item = {"sellerExternalReference": " A ", "integrationStatus": word, **more}
    page = results_page(reply({"itemsPerPage": 1, "items": [item]}))
    assert page.items == [RequestResult(" A ", status, messages)]


@pytest.mark.parametrize(
    "item",
    [
        *(None, "A", {}, {"sellerExternalReference": "A"}),
        {"sellerExternalReference": "A", "integrationStatus": None},
        *(
            {"sellerExternalReference": reference, "integrationStatus": "Integrated"}
            for reference in (5, "", "\ud800", "A\x00")
        ),
    ],
)
def test_an_invalid_item_spoils_no_other(item: Any) -> None:
    good = {"sellerExternalReference": "B", "integrationStatus": "Integrated"}
    page = results_page(reply([item, good]))
    assert page == ([RequestResult("B", Status.INTEGRATED, ())], None, 1)


@pytest.mark.parametrize("document", [None, {}, {"items": None}, {"items": {}}, 5])
def test_an_answer_without_results(document: Any) -> None:
    with pytest.raises(Unreadable):
        results_page(reply(document))


@pytest.mark.parametrize("read", [package_id, package_view])
def test_an_answer_about_one_package_is_only_so_long(read: Callable[[Reply], Any]) -> None:
    with pytest.raises(Unreadable, match="longer than 1048576 bytes"):
        read(reply({"packageId": "p1", "state": "Ready", "more": "x" * 1024 * 1024}))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"[" + b"{}," * MOST_ITEMS + b"{}]", "lists 100,001 results; the most is 100,000"),
        (b'{"items":[{"a":[' + b"0," * MOST_VALUES + b"0]},{}]}", "more than 1,000,000 values"),
    ],
    ids=["items", "values"],
)
def test_a_page_is_only_so_long(body: bytes, told: str) -> None:
    with pytest.raises(Unreadable, match=told):
        results_page(Reply(200, body=body))


def test_a_row_has_only_so_many_messages() -> None:
    messages = [{"resultCode": str(code), "message": "m"} for code in range(1000)]
    item = {"sellerExternalReference": "A", "integrationStatus": "Rejected", "results": messages}
    (found,) = results_page(reply({"items": [item]})).items
    assert [message.code for message in found.messages] == [str(code) for code in range(100)]


@pytest.mark.parametrize("number", ["1E99999999999999999999", "9" * 5000, "1" + "0" * 4000, "NaN"])
def test_no_number_is_too_large(number: str) -> None:
    body = b'{"state":"Ready","packageId":%s}' % number.encode()
    for read in (package_id, package_view, results_page):
        try:
            read(Reply(200, {}, body, PAGE))
        except Unreadable:
            continue


JSON = ("Content-Type", "application/json")


@pytest.mark.parametrize(
    ("language", "tag"), [("en", "en-US"), ("fr-FR", "fr-FR"), ("ES-es", "es-ES")]
)
def test_a_creation_is_bound_to_channel_type_and_language(language: str, tag: str) -> None:
    call = create_package("PRIMARY", PackageType.UPDATE, language)
    assert (call.method, call.target) == ("POST", "/offer-packages")
    assert call.headers == (("SalesChannelId", "PRIMARY"), ("Accept-Language", tag), JSON)
    assert json.loads(call.body or b"") == {"packageType": "Update"}


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        ("array", b'[{"a":1},{"b":2.50}]'),
        ("offerRequests", b'{"offerRequests":[{"a":1},{"b":2.50}]}'),
    ],
)
def test_bodies_are_sent_unchanged(shape: str, body: bytes) -> None:
    call = upload("p1", [b'{"a":1}', b'{"b":2.50}'], shape)
    assert (call.method, call.target) == ("POST", "/offer-packages/p1/offer-requests")
    assert call.body == body


def test_the_other_calls() -> None:
    assert read_package("p1") == Call("GET", "/offer-packages/p1", READ)
    assert read_package("a/b?c").target == "/offer-packages/a%2Fb%3Fc"
    assert commit("p1") == Call(
        "PATCH", "/offer-packages/p1", COMMITTED, headers=(JSON,), body=b'{"state":"Ready"}'
    )
    results = "/offer-packages/p1/offer-requests-results"
    assert read_results("p1") == Call("GET", results, READ)
    assert read_results("p1", limit=500).query == (("limit", "500"),)
    link = "https://service.example/v2/anything?cursor=%2B1"
    assert read_results("p1", link, limit=500) == Call("GET", link, READ)


@pytest.mark.parametrize(
    ("channel", "language", "told"),
    [
        *((name, "en", "sales channel") for name in ("", "ÉTÉ", "A\r\nX-Evil: 1", " A", "A\t")),
        ("PRIMARY", "de", "“de”.*en, fr, es"),
    ],
)
def test_channels_that_no_header_can_carry(channel: str, language: str, told: str) -> None:
    with pytest.raises(UsageProblem) as caught:
        create_package(channel, PackageType.UPSERT, language)
    assert re.search(told, f"{caught.value.message} {caught.value.hint}")
