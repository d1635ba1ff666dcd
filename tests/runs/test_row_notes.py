"""What is said of each row, and which of its cells are guilty."""

import json
from itertools import product

import pytest

from feedtool.areas.legacy.wire import log_page
from feedtool.areas.offers.wire.packages import results_page
from feedtool.areas.registry import load
from feedtool.model.call import Reply
from feedtool.model.cells import index_of
from feedtool.model.nouns import Message, Problem, RowResult, Severity, Status
from feedtool.model.settings import AccountSettings
from feedtool.runs import row_notes
from tests.conftest import Files, checked, offer

COLUMNS = {"sellerExternalReference": 0, "product.gtin": 1, "price.price": 3, "quantity": 8}


def problem(code: str, column: str | None, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(
        5, None, column, column and "header", None, code, severity, None, "what is wrong", "a way"
    )


WARNING = problem("trimmed", "A", Severity.WARNING)
ERROR = problem("gtin-checksum", "B")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (ERROR, "B header: what is wrong (a way)"),
        (ERROR._replace(hint=""), "B header: what is wrong"),
        (ERROR._replace(column=None, header=None), "what is wrong (a way)"),
    ],
    ids=["whole", "no hint", "no column"],
)
def test_a_problem_as_one_sentence(found: Problem, said: str) -> None:
    assert row_notes.told(found) == said


def test_a_note_of_an_invalid_row() -> None:
    verdict = RowResult(
        5, "SKU-1", Status.INVALID, (Message("gtin-checksum", row_notes.told(ERROR)),)
    )
    note = row_notes.note([verdict], [WARNING, ERROR], COLUMNS)
    assert (note.row, note.status, note.code) == (5, "Invalid", "gtin-checksum, trimmed")
    assert note.message == (
        "B header: what is wrong (a way); warning: A header: what is wrong (a way)"
    )
    assert note.guilty == ((0, "warning"), (1, "error"))


def test_an_error_outshines_a_warning_of_the_same_cell() -> None:
    both = [ERROR, problem("trimmed", "B", Severity.WARNING)]
    for order in (both, both[::-1]):
        assert row_notes.note([RowResult(5, "", Status.INVALID)], order, COLUMNS).guilty == (
            (1, "error"),
        )


def test_a_missing_column_has_no_cell_to_blame() -> None:
    note = row_notes.note(
        [RowResult(5, "", Status.INVALID)], [problem("taxes-incomplete", None)], COLUMNS
    )
    assert note.guilty == ()


@pytest.mark.parametrize(
    ("status", "code", "message"),
    [
        (Status.INTEGRATED, "8000", ""),
        (Status.INTEGRATED, "9000", ""),
        (Status.INTEGRATED, "9005", ""),
        (Status.INTEGRATED, "1906", "Said."),
        (Status.INTEGRATED, "", "Said."),
        (Status.UNKNOWN, "8000", "Said."),
    ],
)
def test_a_confirmation_is_no_message_to_read(status: Status, code: str, message: str) -> None:
    note = row_notes.note([RowResult(5, "SKU-1", status, (Message(code, "Said."),))], [], COLUMNS)
    assert (note.status, note.message, note.code) == (status.value, message, code)


REFUSALS = {
    "the price": (Status.REJECTED, "1906", (index_of("D"),)),
    "the reference, twice": (Status.DUPLICATED, "2803", (index_of("A"),)),
    "the stock": (Status.REJECTED, "1705", (index_of("I"),)),
    "the product": (Status.REJECTED, "1324", (index_of("B"),)),
    "the whole offer": (Status.REJECTED, "1428", ()),
    "a column that the sheet has not": (Status.REJECTED, "1108", ()),
    "no code of the derived form": (Status.REJECTED, "ER-1", ()),
    "a confirmation blames nothing": (Status.INTEGRATED, "8000", ()),
    "a message of an integrated row blames nothing": (Status.INTEGRATED, "1906", ()),
}


@pytest.mark.parametrize(("status", "code", "cells"), REFUSALS.values(), ids=REFUSALS)
def test_a_refusal_by_the_service_points_to_its_cell(
    status: Status, code: str, cells: tuple[int, ...]
) -> None:
    verdict = RowResult(5, "SKU-1", status, (Message(code, "No."),))
    note = row_notes.note([verdict], [], COLUMNS)
    message = "" if code == "8000" else "No."
    assert (note.status, note.message, note.code) == (status.value, message, code)
    assert note.guilty == tuple((cell, "error") for cell in cells)


PRODUCT = {"gtin": 0, "title": 1, "sellerPictureUrls_1": 2, "sellerPictureUrls_2": 3, "3263": 4}
FIELDS = {
    "a common field": (Status.REFUSED, Message("C", "No.", "title"), ((1, "error"),)),
    "a property": (Status.REFUSED, Message("C", "No.", "3263"), ((4, "error"),)),
    "one of several columns": (
        Status.REFUSED,
        Message("C", "No.", "sellerPictureUrls"),
        ((2, "error"),),
    ),
    "a warning of a refused row": (
        Status.REFUSED,
        Message("C", "No.", "title", Severity.WARNING),
        ((1, "warning"),),
    ),
    "a value that was ignored": (
        Status.INTEGRATED,
        Message("C", "No.", "title", Severity.WARNING),
        ((1, "warning"),),
    ),
    "no error where nothing was refused": (
        Status.INTEGRATED,
        Message("C", "No.", "title"),
        ((1, "warning"),),
    ),
    "the whole product": (Status.REFUSED, Message("C", "No."), ()),
}


@pytest.mark.parametrize(("status", "message", "guilty"), FIELDS.values(), ids=FIELDS)
def test_a_field_that_the_service_names_is_its_column(
    status: Status, message: Message, guilty: object
) -> None:
    note = row_notes.note([RowResult(5, "P1", status, (message,))], [], PRODUCT)
    place = f"{'BCE'[[1, 2, 4].index(note.guilty[0][0])]} {message.field}: " if guilty else ""
    assert (note.guilty, note.message) == (guilty, f"{place}No.")


def test_what_is_said_of_several_fields_is_written_once() -> None:
    said = tuple(
        Message("C", "It is kept.", field, Severity.WARNING) for field in ("title", "brand", "3263")
    )
    note = row_notes.note([RowResult(5, "P1", Status.INTEGRATED, said)], [], PRODUCT)
    assert note.message == "B title, brand, E 3263: It is kept."
    assert note.guilty == ((1, "warning"), (4, "warning"))


def test_a_field_without_a_column_is_told() -> None:
    refusal = RowResult(5, "P1", Status.REFUSED, (Message("C", "No.", "brand"),))
    note = row_notes.note([refusal], [], PRODUCT)
    assert (note.guilty, note.message) == ((), "brand: No.")


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_messages_on_a_cell_the_error_is_seen(order: int) -> None:
    both = (Message("C", "No.", "title"), Message("D", "So.", "title", Severity.WARNING))
    note = row_notes.note([RowResult(5, "P1", Status.REFUSED, both[::order])], [], PRODUCT)
    assert note.guilty == ((1, "error"),)


def test_what_is_said_twice_is_written_once() -> None:
    twice = (Message("1906", "No."), Message("1906", "No."), Message("", "No."))
    note = row_notes.note([RowResult(5, "", Status.REJECTED, twice)], [], COLUMNS)
    assert (note.message, note.code) == ("No.", "1906")


def test_a_row_of_several_requests_has_a_line_for_each() -> None:
    results = [
        RowResult(5, "A", Status.INTEGRATED, (Message("8000", "Created."),), "FR"),
        RowResult(5, "A", Status.REJECTED, (Message("1906", "No."), Message("", "So.")), "ES"),
        RowResult(5, "A", Status.PENDING),
    ]
    note = row_notes.note(results, [WARNING], COLUMNS)
    assert (note.row, note.status, note.code) == (5, "Pending", f"8000, 1906, {WARNING.code}")
    first, second, third, warning = note.message.split("\n")
    assert (first, second, third) == ("FR Integrated", "ES Rejected: No.; So.", "A Pending")
    assert warning.startswith("warning: ")


def test_notes_of_a_sheet_are_its_rows_with_their_warnings(files: Files) -> None:
    rows = [
        offer(1),
        offer(2, sellerExternalReference=" SKU-2"),
        offer(3, quantity="-1"),
        offer(4),
    ]
    (sheet,) = checked(files.csv(*rows))
    notes = row_notes.notes(sheet)
    assert (notes.sheet, notes.header_row) == ("", 1)
    assert notes.headings == ("feedtool status", "feedtool message", "feedtool code")
    assert [(note.row, note.status, note.code) for note in notes.notes] == [
        (2, "Valid", ""),
        (3, "Valid", "trimmed"),
        (4, "Invalid", "number-range"),
        (5, "Valid", ""),
    ]
    of_verdicts = row_notes.notes(sheet, lambda: row_notes.of_check(sheet)).notes
    assert list(row_notes.notes(sheet).notes) == list(of_verdicts)


def test_the_services_verdicts_and_ours_come_by_row(files: Files) -> None:
    rows = [offer(1, quantity="-1"), offer(2), offer(3, quantity="-1"), offer(4)]
    (sheet,) = checked(files.csv(*rows))
    sent = [RowResult(3, "SKU-2", Status.INTEGRATED), RowResult(5, "SKU-4", Status.REJECTED)]
    found = list(row_notes.every_row(sheet, iter(sent)))
    assert [(one.row, one.reference, one.status) for one in found] == [
        (2, "SKU-1", "Invalid"),
        (3, "SKU-2", "Integrated"),
        (4, "SKU-3", "Invalid"),
        (5, "SKU-4", "Rejected"),
    ]


def test_warnings_are_no_reason_to_be_invalid(files: Files) -> None:
    (sheet,) = checked(files.csv(offer(1, sellerExternalReference=" SKU-1", quantity="-1")))
    (verdict,) = row_notes.of_check(sheet)
    assert [message.code for message in verdict.messages] == ["number-range"]


ERRORS = (
    *("10", "11", "12", "13", "14", "17", "19", "23", "24", "25", "28", "29", "30", "34", "35"),
    *("36", "40", "43"),
)
CONFIRMATIONS = ("80", "90")
PROPERTIES = {
    "01": ("product.gtin", "product.gtin"),
    "02": ("condition", "condition"),
    "03": ("sellerExternalReference", "sellerExternalReference"),
    "05": ("quantity", "quantity"),
    "06": ("price.price", "price.price"),
    "07": ("taxes.VAT", "taxes.VAT"),
    "08": ("taxes.EcoPart", "taxes.EcoPart"),
    "09": ("preparationTime", "preparationTime"),
    "10": ("preparationTime", "preparationTime"),
    "11": ("deliveryModes.NotTrackedHomeDelivery.cost", "deliveryModes.Standard.cost"),
    "12": ("deliveryModes.TrackedHomeDelivery.cost", "deliveryModes.Tracked.cost"),
    "13": ("deliveryModes.SignedHomeDelivery.cost", "deliveryModes.Registered.cost"),
    "14": (None, "comment"),
    "15": (
        "deliveryModes.NotTrackedHomeDelivery.additionalCost",
        "deliveryModes.Standard.additionalCost",
    ),
    "16": (
        "deliveryModes.TrackedHomeDelivery.additionalCost",
        "deliveryModes.Tracked.additionalCost",
    ),
    "17": (
        "deliveryModes.SignedHomeDelivery.additionalCost",
        "deliveryModes.Registered.additionalCost",
    ),
    "18": ("price.originPrice", "price.originPrice"),
    "23": (None, None),
    "24": ("product.gtin", "product.gtin"),
    "28": (None, None),
    "31": ("taxes.DEA", "taxes.DEA"),
    # What nobody knows marks the row alone.
    "04": (None, None),
    "99": (None, None),
}
"""The key of the cell in a sheet of offers, and in one of legacy offers; the JSON packages have no
comment."""


def guilty(kind: str, verdict: RowResult) -> list[str]:
    """The keys of the cells that are coloured beside a verdict, in the template's columns."""
    keys = [column.key for column in load().feeds[kind].columns(AccountSettings())]
    columns = {key: index for index, key in enumerate(keys)}
    return [keys[index] for index, _ in row_notes.note([verdict], (), columns).guilty]


def of_json(code: str, status: str) -> RowResult:
    item = {
        "sellerExternalReference": "A",
        "integrationStatus": status,
        "results": [{"resultCode": code, "message": "Why."}],
    }
    [found] = results_page(Reply(200, {}, json.dumps({"items": [item]}).encode())).items
    return RowResult(3, *found)


def of_log(error: str, about: str, status: str) -> RowResult:
    said = {"property_code": about, "property_error": error, "log_message": "Why."}
    entry = {
        "seller_product_id": "A",
        "offer_integration_status": status,
        "property_list": [said],
    }
    document = {"integration_state": "Integrated", "offer_log_paged_list": [entry]}
    [found] = log_page(Reply(200, {}, json.dumps(document).encode())).entries
    return RowResult(3, found.reference, found.status, found.messages)


@pytest.mark.parametrize("about", PROPERTIES)
@pytest.mark.parametrize("status", ["Rejected", "Duplicated"])
def test_every_code_lands_on_its_cell(about: str, status: str) -> None:
    key, legacy_key = PROPERTIES[about]
    for error in ERRORS:
        verdict = of_json(error + about, status)
        assert guilty("offers-upsert", verdict) == [key] * (key is not None), error
        logged = of_log(error, about, status)
        assert guilty("legacy-offers", logged) == [legacy_key] * (legacy_key is not None), error
        assert logged.messages[0].code == error + about
        assert logged.messages[0].text == "Why."


@pytest.mark.parametrize(("error", "about"), [*product(CONFIRMATIONS, PROPERTIES)])
def test_a_confirmation_blames_no_cell(error: str, about: str) -> None:
    assert guilty("offers-upsert", of_json(error + about, "Integrated")) == []
    assert guilty("legacy-offers", of_log(error, about, "Integrated")) == []


@pytest.mark.parametrize("error", ["15", "44", "00"])
def test_an_unknown_error_blames_no_cell(error: str) -> None:
    assert guilty("offers-upsert", of_json(f"{error}06", "Rejected")) == []
    assert guilty("legacy-offers", of_log(error, "06", "Rejected")) == []


def test_what_is_about_a_stock_and_price_lands_there_too() -> None:
    verdict = of_log("19", "06", "Rejected")
    assert guilty("legacy-stock-and-price", verdict) == ["price.price"]
