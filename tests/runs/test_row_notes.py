"""Notes of each row, and its guilty cells."""

import json
from itertools import product

import pytest

from feedtool.areas.legacy.wire import log_page
from feedtool.areas.offers.wire.packages import results_page
from feedtool.areas.registry import load
from feedtool.model.call import Reply
from feedtool.model.nouns import Message, Problem, RowResult, Severity, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import FieldName, Translator, tr
from feedtool.runs import row_notes
from tests.conftest import Files, checked, offer

COLUMNS = {
    "sellerExternalReference": (0,),
    "product.gtin": (1,),
    "price.price": (3,),
    "quantity": (8,),
}


def problem(code: str, column: str | None, severity: Severity = Severity.ERROR) -> Problem:
    return Problem(
        5, None, column, column and "header", None, code, severity, None, "what is wrong", "a way"
    )


WARNING = problem("trimmed", "A", Severity.WARNING)
ERROR = problem("gtin-checksum", "B")


def test_a_note_of_an_invalid_row() -> None:
    told = Message("gtin-checksum", row_notes.as_sentence(ERROR))
    verdict = RowResult(5, "SKU-1", Status.INVALID, (told,))
    note = row_notes.note([verdict], [WARNING, ERROR], COLUMNS)
    assert (note.row, note.status, note.code) == (5, "Invalid", "gtin-checksum, trimmed")
    assert note.message == (
        "B header: what is wrong (a way)\nwarning: A header: what is wrong (a way)"
    )
    assert note.guilty == ((0, "warning"), (1, "error"))
    assert row_notes.as_sentence(ERROR._replace(hint="")) == "B header: what is wrong"
    assert (
        row_notes.as_sentence(ERROR._replace(column=None, header=None)) == "what is wrong (a way)"
    )
    # An error outshines a warning, whichever comes first.
    both = (ERROR, WARNING._replace(column="B"))
    for problems in (both, both[::-1]):
        assert row_notes.note([verdict], problems, COLUMNS).guilty == ((1, "error"),)


REJECTED, INTEGRATED, REFUSED = Status.REJECTED, Status.INTEGRATED, Status.REFUSED
OF_OFFERS = {
    "a confirmation is no message to read": (INTEGRATED, "8000", "", ()),
    "a message of an integrated row blames nothing": (INTEGRATED, "1906", "No.", ()),
    "a message without a code": (INTEGRATED, "", "No.", ()),
    "a confirmation of what is not known": (Status.UNKNOWN, "8000", "No.", ()),
    "the price": (REJECTED, "1906", "No.", (3,)),
    "a column that the sheet has not": (REJECTED, "1108", "No.", ()),
    "no code of the derived form": (REJECTED, "ER-1", "No.", ()),
}


@pytest.mark.parametrize(("status", "code", "said", "cells"), OF_OFFERS.values(), ids=OF_OFFERS)
def test_an_answer_about_an_offer(
    status: Status, code: str, said: str, cells: tuple[int, ...]
) -> None:
    verdict = RowResult(5, "SKU-1", status, (Message(code, "No."),))
    note = row_notes.note([verdict], [], COLUMNS)
    assert (note.status, note.message, note.code) == (status.value, said, code)
    assert note.guilty == tuple((cell, "error") for cell in cells)


def no(field: str = "", severity: Severity = Severity.ERROR, text: str = "No.") -> Message:
    return Message("C", text, field, severity)


WARN = Severity.WARNING
PRODUCT = {
    "gtin": (0,),
    "title": (1,),
    "3263": (4,),
    "sellerPictureUrls_1": (2,),
    "sellerPictureUrls_2": (3,),
}
OF_PRODUCTS = {
    "a common field": (REFUSED, [no("title")], {1: "error"}, "B title: No."),
    "a property": (REFUSED, [no("3263")], {4: "error"}, "E 3263: No."),
    "one of several columns": (
        *(REFUSED, [no("sellerPictureUrls")], {2: "error"}),
        "C sellerPictureUrls_1: No.",
    ),
    "nothing was refused": (INTEGRATED, [no("title")], {1: "warning"}, "B title: No."),
    "the whole product": (REFUSED, [no()], {}, "No."),
    "a field without a column": (REFUSED, [no("brand")], {}, "brand: No."),
    "several fields are named once": (
        *(INTEGRATED, [no("title", WARN), no("brand", WARN), no("3263", WARN)]),
        *({1: "warning", 4: "warning"}, "B title, brand, E 3263: No."),
    ),
    "the error is seen": (
        *(REFUSED, [no("title"), no("title", WARN, "So.")]),
        *({1: "error"}, "B title: No.\nB title: So."),
    ),
    "what is said twice is written once": (REJECTED, [no(), no(), Message("", "No.")], {}, "No."),
}


@pytest.mark.parametrize(
    ("status", "messages", "guilty", "said"), OF_PRODUCTS.values(), ids=OF_PRODUCTS
)
def test_an_answer_about_a_product(
    status: Status, messages: list[Message], guilty: dict[int, str], said: str
) -> None:
    note = row_notes.note([RowResult(5, "P1", status, tuple(messages))], [], PRODUCT)
    assert (dict(note.guilty), note.message, note.code) == (guilty, said, "C")


def test_a_row_of_several_requests_has_a_line_for_each() -> None:
    results = [
        RowResult(5, "A", INTEGRATED, (Message("8000", "Created."),), "FR"),
        RowResult(5, "A", REJECTED, (Message("1906", "No."), Message("", "So.")), "ES"),
        RowResult(5, "A", Status.PENDING),
    ]
    note = row_notes.note(results, [WARNING], COLUMNS)
    assert (note.row, note.status, note.code) == (5, "Pending", f"8000, 1906, {WARNING.code}")
    first, second, third, warning = note.message.split("\n")
    assert (first, second, third) == ("FR Integrated", "ES Rejected: No.; So.", "A Pending")
    assert warning.startswith("warning: ")


CHANNELS = {**COLUMNS, "price.price": (3, 4), "price.price[DE]": (6,)}
OF_CHANNELS = {
    "what it is computed of": ("FR", {3: "error", 4: "error"}, "D price.price: No."),
    "a column of its own": ("DE", {6: "error"}, "G price.price: No."),
}


@pytest.mark.parametrize(("channel", "guilty", "said"), OF_CHANNELS.values(), ids=OF_CHANNELS)
def test_an_answer_of_a_channel_is_at_its_column(
    channel: str, guilty: dict[int, str], said: str
) -> None:
    message = Message("1325", "No.", "price.price")
    note = row_notes.note([RowResult(5, "A", REJECTED, (message,), channel)], [], CHANNELS)
    assert (dict(note.guilty), note.message) == (guilty, said)


def test_notes_of_a_sheet_are_its_rows_with_their_warnings(files: Files) -> None:
    rows = [offer(1), offer(2, sellerExternalReference=" SKU-2"), offer(3, quantity="-1"), offer(4)]
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
    of_verdicts = row_notes.notes(sheet, lambda: row_notes.check_results(sheet)).notes
    assert list(row_notes.notes(sheet).notes) == list(of_verdicts)


# A code is two digits for the error and two for the property: the field's knowledge, once more.

NUMBERS = (10, 11, 12, 13, 14, 17, 19, 23, 24, 25, 28, 29, 30, 34, 35, 36, 40, 43)
ERRORS = [str(number) for number in NUMBERS]
CONFIRMATIONS = ("80", "90")
PROPERTIES = {
    "01": "product.gtin",
    "02": "condition",
    "03": "sellerExternalReference",
    "05": "quantity",
    "06": "price.price",
    "07": "taxes.VAT",
    "08": "taxes.EcoPart",
    "09": "preparationTime",
    "10": "preparationTime",
    "11": "deliveryModes.NotTrackedHomeDelivery.cost",
    "12": "deliveryModes.TrackedHomeDelivery.cost",
    "13": "deliveryModes.SignedHomeDelivery.cost",
    "14": "comment",
    "15": "deliveryModes.NotTrackedHomeDelivery.additionalCost",
    "16": "deliveryModes.TrackedHomeDelivery.additionalCost",
    "17": "deliveryModes.SignedHomeDelivery.additionalCost",
    "18": "price.originPrice",
    "24": "product.gtin",
    "31": "taxes.DEA",
    # The whole offer, and what nobody knows, mark the row alone.
    **dict.fromkeys(("23", "28", "04", "99"), ""),
}
"""The key of the cell; the JSON packages have no comment."""
LEGACY_MODES = {"NotTracked": "Standard", "Tracked": "Tracked", "Signed": "Registered"}


def legacy(key: str) -> str:
    """The key of the same cell in a sheet of legacy offers."""
    for mode, name in LEGACY_MODES.items():
        key = key.replace(f".{mode}HomeDelivery.", f".{name}.")
    return key


def guilty(kind: str, verdict: RowResult) -> list[str]:
    """The keys of the cells that are coloured beside a verdict, in the template's columns."""
    keys = [column.key for column in load().feeds[kind].sheet.columns(AccountSettings())]
    columns = {key: (index,) for index, key in enumerate(keys)}
    return [keys[index] for index, _ in row_notes.note([verdict], (), columns).guilty]


def json_result(code: str, status: str) -> RowResult:
    results = [{"resultCode": code, "message": "Why."}]
    item = {"sellerExternalReference": "A", "integrationStatus": status, "results": results}
    [found] = results_page(Reply(200, {}, json.dumps({"items": [item]}).encode())).items
    return RowResult(3, *found)


def log_result(code: str, status: str) -> RowResult:
    said = {"property_code": code[2:], "property_error": code[:2], "log_message": "Why."}
    entry = {"offer_integration_status": status, "property_list": [said]}
    entries = [{"seller_product_id": "A", **entry}]
    document = {"integration_state": "Integrated", "offer_log_paged_list": entries}
    [found] = log_page(Reply(200, {}, json.dumps(document).encode())).entries
    return RowResult(3, found.reference, found.status, found.messages)


@pytest.mark.parametrize("about", PROPERTIES)
@pytest.mark.parametrize("status", ["Rejected", "Duplicated"])
def test_every_code_lands_on_its_cell(about: str, status: str) -> None:
    for code in (error + about for error in ERRORS):
        keys = [] if about == "14" else [PROPERTIES[about]]
        assert guilty("offers-upsert", json_result(code, status)) == list(filter(None, keys)), code
        logged = log_result(code, status)
        assert guilty("legacy-offers", logged) == list(filter(None, [legacy(PROPERTIES[about])])), (
            code
        )
        assert (logged.messages[0].code, logged.messages[0].text) == (code, "Why.")
    if about == "06":
        assert guilty("legacy-stock-and-price", log_result("1906", status)) == ["price.price"]


BLAMELESS = [
    *((error + about, "Integrated") for error, about in product(CONFIRMATIONS, PROPERTIES)),
    *((f"{error}06", "Rejected") for error in ("15", "44", "00")),  # nobody knows these
]


@pytest.mark.parametrize(("code", "status"), BLAMELESS)
def test_messages_that_blame_no_cell(code: str, status: str) -> None:
    assert guilty("offers-upsert", json_result(code, status)) == []
    assert guilty("legacy-offers", log_result(code, status)) == []


FRENCH = Translator("fr", {"price.price": "Prix (TTC)"})
MISSING = ERROR._replace(
    column="E",
    header="price.price",
    field="price.price",
    message=tr("{field} is missing", field=FieldName("price.price")),
    hint=tr("fill the cell"),
)


def test_a_note_in_another_language_names_the_status_and_the_columns_of_the_sheet() -> None:
    told = Message("required-missing", row_notes.as_sentence(MISSING))
    verdict = RowResult(5, "SKU-1", Status.INVALID, (told,))
    french = row_notes.note([verdict], [MISSING], COLUMNS, FRENCH)
    assert french.status == "Invalid"
    assert french.message.startswith("Invalide\u00a0: E\u00a0: Prix (TTC)")
    assert "price.price" not in french.message
    english = row_notes.note([verdict], [MISSING], COLUMNS)
    assert english.message == "E: price.price is missing (fill the cell)"


def test_texts_of_the_service_stay_unchanged() -> None:
    refused = RowResult(5, "SKU-1", Status.REJECTED, (Message("1324", "Pas de fiche.", "taxes"),))
    note = row_notes.note([refused], [], {}, FRENCH)
    assert note.message == "Rejetée\u00a0: taxes\u00a0: Pas de fiche."
    taken = row_notes.note([RowResult(5, "SKU-1", Status.INTEGRATED, ())], [], {}, FRENCH)
    assert (taken.status, taken.message) == ("Integrated", "Intégrée")
