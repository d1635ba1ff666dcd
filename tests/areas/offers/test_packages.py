import json
from collections.abc import Callable
from typing import Any

import pytest

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.offers.wire.packages import (
    UploadBody,
    commit,
    create_package,
    package_id,
    package_view,
    read_package,
    read_results,
    results_page,
    upload,
)
from feedtool.feeds.answers import Meaning, RequestResult
from feedtool.model.call import COMMITTED, READ, Call, Reply
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Message, Status
from feedtool.service.bodies import MOST_ITEMS, MOST_VALUES, Unreadable

BASE = "https://service.example/v2"
PAGE = f"{BASE}/offer-packages/p1/offer-requests-results"


def reply(document: Any = None, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = b"" if document is None else json.dumps(document).encode()
    return Reply(200, named, body, PAGE)


# The id of a package.


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (reply(content_location=f"{BASE}/offer-packages/p1"), "p1"),
        (reply(content_location="/v2/offer-packages/p1"), "p1"),
        (reply(content_location="offers-packages/p1"), "p1"),
        (reply(content_location="/offer-packages/p1/?a=b/c#d/e"), "p1"),
        (reply(content_location="p1"), "p1"),
        (reply(content_location=" urn:uuid:6e8b "), "urn:uuid:6e8b"),
        (reply(content_location="/offer-packages/a%2Fb"), "a/b"),
        (reply(location=f"{BASE}/offer-packages/p2"), "p2"),
        (reply(content_location="/offer-packages/p1", location="/offer-packages/p2"), "p1"),
        (reply(content_location="/offer-packages/", location="/offer-packages/p2"), "p2"),
        (reply({"packageId": "p3"}), "p3"),
        (reply({"packageId": 12345}), "12345"),
        (reply({"packageId": "p3"}, content_location="/offer-packages"), "p3"),
    ],
)
def test_the_id_is_found_wherever_it_is(found: Reply, expected: str) -> None:
    assert package_id(found) == expected


@pytest.mark.parametrize(
    "found",
    [
        reply(),
        reply(content_location=""),
        reply(content_location="/offer-packages/"),
        reply(content_location="https://service.example"),
        reply(content_location="/offer-packages/.."),
        reply(content_location="http://[broken/p1"),
        reply({"id": "p1"}),
        reply({"packageId": None}),
        reply({"packageId": ""}),
        reply([]),
        Reply(201, body=b"<html>"),
    ],
)
def test_an_answer_without_an_id(found: Reply) -> None:
    with pytest.raises(Unreadable):
        package_id(found)


# States.


@pytest.mark.parametrize(
    ("state", "meaning"),
    [
        ("WaitingForCompletion", Meaning.OPEN),
        ("Ready", Meaning.WORKING),
        ("IntegrationPending", Meaning.WORKING),
        ("Integrated", Meaning.INTEGRATED),
        ("Rejected", Meaning.REJECTED),
        ("Archived", Meaning.UNHEARD),
        ("integrated", Meaning.UNHEARD),
    ],
)
def test_the_states_of_a_package(state: str, meaning: Meaning) -> None:
    assert package_view(reply({"state": state, "packageType": "Upsert"})) == (state, meaning, ())


@pytest.mark.parametrize(
    "said",
    [
        {"result": {"resultCode": "1023", "message": "The package is empty."}},
        {"results": [{"resultCode": 1023, "message": "The package is empty."}]},
        {"messages": [{"resultCode": "1023", "message": "The package is empty."}, {}, None]},
    ],
)
def test_why_a_package_was_rejected(said: dict[str, Any]) -> None:
    found = package_view(reply({"state": "Rejected", **said}))
    assert found.messages == (Message("1023", "The package is empty."),)


@pytest.mark.parametrize("document", [None, [], {}, {"state": None}, {"state": []}, "Ready"])
def test_an_answer_without_a_state(document: Any) -> None:
    with pytest.raises(Unreadable):
        package_view(reply(document))


# Results.

DONE = Message("8000", "The offer has been created.")


@pytest.mark.parametrize(
    ("item", "status", "messages"),
    [
        (
            {
                "integrationStatus": "Integrated",
                "results": [{"resultCode": "8000", "message": DONE[1]}],
            },
            Status.INTEGRATED,
            (DONE,),
        ),
        (
            {
                "integrationStatus": "Integrated",
                "messages": [{"resultCode": 8000, "message": DONE[1]}],
            },
            Status.INTEGRATED,
            (DONE,),
        ),
        ({"integrationStatus": "rejected"}, Status.REJECTED, ()),
        ({"integrationStatus": "Rejected", "results": None}, Status.REJECTED, ()),
        (
            {"integrationStatus": "Duplicated", "results": {"message": "Twice."}},
            Status.DUPLICATED,
            (Message("", "Twice."),),
        ),
        (
            {"integrationStatus": "Parked", "results": [{"message": "Later."}]},
            Status.UNKNOWN,
            (
                Message("", "The service gives this row the status “Parked”."),
                Message("", "Later."),
            ),
        ),
    ],
)
def test_items(item: dict[str, Any], status: Status, messages: tuple[Message, ...]) -> None:
    document = {"itemsPerPage": 1, "items": [{"sellerExternalReference": " A ", **item}]}
    assert results_page(reply(document)).items == [RequestResult(" A ", status, messages)]


@pytest.mark.parametrize(
    "item",
    [
        None,
        "A",
        {},
        {"sellerExternalReference": "A"},
        {"sellerExternalReference": 5, "integrationStatus": "Integrated"},
        {"sellerExternalReference": "", "integrationStatus": "Integrated"},
        {"sellerExternalReference": "\ud800", "integrationStatus": "Integrated"},
        {"sellerExternalReference": "A\x00", "integrationStatus": "Integrated"},
        {"sellerExternalReference": "A", "integrationStatus": None},
    ],
)
def test_an_item_that_is_none_spoils_no_other(item: Any) -> None:
    good = {"sellerExternalReference": "B", "integrationStatus": "Integrated"}
    page = results_page(reply([item, good]))
    assert page == ([RequestResult("B", Status.INTEGRATED, ())], None, 1)


@pytest.mark.parametrize("document", [None, {}, {"items": None}, {"items": {}}, 5])
def test_an_answer_without_results(document: Any) -> None:
    with pytest.raises(Unreadable):
        results_page(reply(document))


# No answer is too large.


def test_an_id_is_only_so_long() -> None:
    assert package_id(reply(content_location="p" * 200)) == "p" * 200
    assert package_id(reply(content_location="p" * 201, location="/p2")) == "p2"
    with pytest.raises(Unreadable, match="names no package"):
        package_id(reply({"packageId": "p" * 201}))


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


# Calls.

JSON = ("Content-Type", "application/json")


@pytest.mark.parametrize(
    ("language", "tag"),
    [("en", "en-US"), ("fr", "fr-FR"), ("es", "es-ES"), ("fr-FR", "fr-FR"), ("ES-es", "es-ES")],
)
def test_a_creation_is_bound_to_channel_type_and_language(language: str, tag: str) -> None:
    call = create_package("PRIMARY", PackageType.UPDATE, language)
    assert (call.method, call.target) == ("POST", "/offer-packages")
    assert call.headers == (("SalesChannelId", "PRIMARY"), ("Accept-Language", tag), JSON)
    assert json.loads(call.body or b"") == {"packageType": "Update"}


@pytest.mark.parametrize(
    ("shape", "body"),
    [
        (UploadBody.ARRAY, b'[{"a":1},{"b":2.50}]'),
        (UploadBody.OFFER_REQUESTS, b'{"offerRequests":[{"a":1},{"b":2.50}]}'),
    ],
)
def test_bodies_travel_as_they_are(shape: UploadBody, body: bytes) -> None:
    call = upload("p1", [b'{"a":1}', b'{"b":2.50}'], shape)
    assert (call.method, call.target) == ("POST", "/offer-packages/p1/offer-requests")
    assert call.body == body


def test_the_other_calls() -> None:
    assert read_package("p1") == Call("GET", "/offer-packages/p1", READ)
    assert commit("p1") == Call(
        "PATCH", "/offer-packages/p1", COMMITTED, headers=(JSON,), body=b'{"state":"Ready"}'
    )
    results = "/offer-packages/p1/offer-requests-results"
    assert read_results("p1") == Call("GET", results, READ)
    assert read_results("p1", limit=500).query == (("limit", "500"),)
    link = "https://service.example/v2/anything?cursor=%2B1"
    assert read_results("p1", link, limit=500) == Call("GET", link, READ)


def test_an_id_stays_one_segment() -> None:
    assert read_package("a/b?c").target == "/offer-packages/a%2Fb%3Fc"


@pytest.mark.parametrize("channel", ["", "ÉTÉ", "A\r\nX-Evil: 1", " A", "A\t"])
def test_a_channel_that_no_header_carries(channel: str) -> None:
    with pytest.raises(UsageProblem, match="sales channel"):
        create_package(channel, PackageType.UPSERT, "en")


def test_a_language_that_the_service_has_not() -> None:
    with pytest.raises(UsageProblem, match="“de”") as caught:
        create_package("PRIMARY", PackageType.UPSERT, "de")
    assert "en, fr, es" in caught.value.hint
