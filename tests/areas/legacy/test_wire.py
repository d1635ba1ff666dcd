"""Answers about legacy zips, in all their forms."""

from typing import Any

import pytest

from feedtool.areas.legacy.wire import log_page, read_log, submit_zip, zip_id
from feedtool.feeds.delivery import LogEntry, Meaning
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import Reply
from feedtool.model.nouns import Message, Status
from feedtool.model.settings import AccountSettings
from feedtool.service.answers import Unreadable
from tests.answers import reply


@pytest.mark.parametrize(
    "answer",
    [
        *map(reply, ({"package_id": 77}, {"package_id": "77"}, {"packageId": 77}, 77, "77")),
        reply(b"", content_location="https://a.example/v2/offer-integration-packages/77"),
        reply({}, location="/offer-integration-packages/77?x"),
        reply({"package_id": None}, location="77"),
    ],
)
def test_the_id_of_a_zip(answer: Reply) -> None:
    assert zip_id(answer) == "77"


@pytest.mark.parametrize(
    "answer",
    [
        *map(reply, (b"", b"<html>", {}, [77], True, 7.5)),
        *(reply({"package_id": package_id}) for package_id in ("", "7" * 201)),
        reply({}, location="https://a.example/v2/offer-integration-packages"),
    ],
)
def test_an_answer_that_names_no_package(answer: Reply) -> None:
    with pytest.raises(Unreadable, match=r"names no package|not JSON"):
        zip_id(answer)


@pytest.mark.parametrize(
    ("state", "meaning"),
    [
        ("Integrated", Meaning.INTEGRATED),
        ("Rejected", Meaning.REJECTED),
        ("IntegrationPending", Meaning.WORKING),
        ("Queued", Meaning.UNKNOWN_STATE),
    ],
)
def test_the_state(state: str, meaning: Meaning) -> None:
    page = log_page(reply({"integration_state": state}))
    assert (page.state, page.meaning, page.entries) == (state, meaning, [])


@pytest.mark.parametrize(
    "document",
    [b"", [], {}, {"integration_state": ""}, {"integration_state": "A", "offer_log_paged_list": 1}],
)
def test_no_page_of_a_log(document: Any) -> None:
    with pytest.raises(Unreadable):
        log_page(reply(document))


@pytest.mark.parametrize(
    ("total", "size", "pages"),
    [
        *((5, 2, 3), (4, 2, 2), (0, 2, 0), ("5", "2", 3)),
        *((total, 2, None) for total in (None, -1, True, 1.5, "x")),
        *((5, size, None) for size in (0, None)),
    ],
)
def test_the_number_of_pages(total: Any, size: Any, pages: int | None) -> None:
    document = {"integration_state": "A", "total_logs_count": total, "count_by_page": size}
    assert log_page(reply(document)).pages == pages


@pytest.mark.parametrize(
    ("number", "asked", "is_other"),
    [
        *((2, 2, False), ("2", 2, False), (1, 2, True), (0, 2, True)),
        *((None, 2, False), ("x", 2, False), (0, 1, False)),
    ],
)
def test_a_page_of_another_number_is_recognised(number: Any, asked: int, *, is_other: bool) -> None:
    page = log_page(reply({"integration_state": "A", "page": number, "number_of_errors": "3"}))
    assert (page.is_other(asked), page.errors) == (is_other, 3)


def property_errors(**changes: Any) -> list[dict[str, Any]]:
    return [{"property_code": "06", "property_error": "19", "log_message": "No price.", **changes}]


def entry(**changes: Any) -> dict[str, Any]:
    return {
        "seller_product_id": "A-1",
        "product_ean": "4006381333931",
        "offer_integration_status": "Rejected",
        "property_list": property_errors(),
        **changes,
    }


NO_PRICE = Message("1906", "No price.", "price.price")
NO_CHARGES = Message("1011", "No price.", "deliveryModes.Standard.cost")
PARKED = Message("", "The service gives this row the status “Parked”.")
WHOLE = LogEntry("A-1", "4006381333931", Status.REJECTED, (NO_PRICE,))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, WHOLE),
        ({"offer_integration_status": "DUPLICATED"}, WHOLE._replace(status=Status.DUPLICATED)),
        ({"offer_integration_status": "integrated"}, WHOLE._replace(status=Status.INTEGRATED)),
        ({"seller_product_id": " A|1 "}, WHOLE._replace(reference=" A|1 ")),
        *(({"seller_product_id": other}, WHOLE._replace(reference="")) for other in (None, 7)),
        ({"product_ean": 4006381333931}, WHOLE),
        ({"product_ean": None}, WHOLE._replace(gtin="")),
        (
            {"offer_integration_status": "Parked"},
            WHOLE._replace(status=Status.UNKNOWN, messages=(PARKED, NO_PRICE)),
        ),
        *(
            ({"property_list": properties}, WHOLE._replace(messages=messages))
            for properties, messages in (
                *((None, ()), ([1, {}, {"other": 1}], ())),
                (property_errors(property_code=6, property_error=19), (NO_PRICE,)),
                (property_errors(property_code="6"), (NO_PRICE,)),
                (property_errors(property_code="Price"), (Message("19 Price", "No price."),)),
                (property_errors(property_error=None), (Message("06", "No price."),)),
                (property_errors(property_code="106"), (Message("19 106", "No price."),)),
                (property_errors(property_code="11", property_error="10"), (NO_CHARGES,)),
                (
                    property_errors(property_error="80", property_code="00"),
                    (Message("8000", "No price."),),
                ),
            )
        ),
    ],
)
def test_an_entry(changes: dict[str, Any], expected: LogEntry) -> None:
    document = {"integration_state": "Integrated", "offer_log_paged_list": [entry(**changes)]}
    assert log_page(reply(document)).entries == [expected]


def test_entries_without_an_offer_are_about_all() -> None:
    entries = [entry(seller_product_id=None, product_ean=None), entry(), 7]
    document = {"integration_state": "Rejected", "offer_log_paged_list": entries}
    page = log_page(reply(document))
    assert [found.reference for found in page.entries] == ["A-1"]
    assert page.about_all == (NO_PRICE,)


def test_the_calls() -> None:
    zip_ = submit_zip(b"PK", "fr")
    assert (zip_.method, zip_.target, zip_.body) == ("POST", "/offer-integration-packages", b"PK")
    assert dict(zip_.headers) == {"Accept-Language": "fr-FR", "Content-Type": "application/zip"}
    address = submit_zip(b'"https://a.example/1.zip"', "en", "application/json")
    assert address.body == b'"https://a.example/1.zip"'
    assert dict(address.headers)["Content-Type"] == "application/json"
    package = PackageRef("Full", "", "en", AccountSettings(), "7/7")
    log = read_log(package._replace(page=2, page_size=50))
    assert log.target == "/offer-integration-packages/7%2F7"
    assert dict(log.query) == {"page": "2", "count_by_page": "50"}
    assert read_log(package).query == ()
