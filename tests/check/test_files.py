"""Files that cannot be read, sheets that are not meant, and several of both at once."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from tests.conftest import Files, checked, codes, offer, problems_of, table, update

TEXT = table([offer()])
NO_FEED: dict[str, tuple[Callable[[Files], Path], str]] = {
    "missing": (lambda files: files.folder / "nowhere.xlsx", "file-missing"),
    "a folder": (lambda files: files.folder, "file-missing"),
    "empty": (lambda files: files.text(b""), "empty-file"),
    "no known header": (lambda files: files.text("a,b\n1,2\n"), "header-not-found"),
    "prose": (lambda files: files.text("Dear all,\nplease find\n"), "header-not-found"),
    "a header and no row": (lambda files: files.text(TEXT.split("\n")[0]), "no-rows"),
    "blank rows": (lambda files: files.text(TEXT.split("\n")[0] + "\n,,\n\n ,\n"), "no-rows"),
    "two of one meaning": (lambda files: files.csv(offer() | {"EAN": "1"}), "header-duplicate"),
    "columns missing": (lambda files: files.csv(update(condition="New")), "header-missing"),
    "an open quote": (lambda files: files.text(TEXT + '"SKU-2,'), "csv-unterminated-quote"),
    "a NUL": (lambda files: files.text(TEXT.replace("New", "N\0w")), "csv-nul"),
    "two encodings": (lambda files: files.text(f"é{TEXT}".encode() + b"caf\xe9"), "csv-encoding"),
    "a PDF": (lambda files: files.text(b"%PDF-1.7\n"), "not-a-workbook"),
    "a web page": (lambda files: files.text("<html>Log in", "offers.xls"), "html-as-xls"),
    "half a zip": (lambda files: files.text(b"PK\x03\x04rest", "offers.xlsx"), "corrupt-zip"),
    # It stands for whatever the system refuses.
    "a name that is too long": (lambda files: files.folder / ("x" * 300), "file-missing"),
}


@pytest.mark.parametrize(("make", "code"), NO_FEED.values(), ids=NO_FEED)
def test_a_file_that_is_no_feed_is_reported_and_stops_no_other(
    files: Files, make: Callable[[Files], Path], code: str
) -> None:
    good = files.csv(offer(), name="good.csv")
    bad, after = checked(make(files), good)
    assert bad.error is not None
    assert (bad.error.code, bad.error.exit) == (code, 3)
    assert bad.error.message
    assert bad.error.hint
    assert (bad.counts().rows, codes(bad), list(bad.rows.items)) == (0, [], [])
    assert after.is_clean()
    assert after.counts().valid == 1


def test_each_kind_of_a_workbook_is_a_sheet_of_its_own(files: Files) -> None:
    feeds = {
        "New": [offer(1)],
        "Changed": [update(quantity="3")],
        "Gone": [update(action="Delete")],
    }
    sheets = checked(files.book({"Notes": [{"to do": "call the supplier"}], **feeds}))
    kinds = ("offers-upsert", "offers-update", "offers-delete")
    assert [(sheet.sheet, sheet.kind) for sheet in sheets] == list(zip(feeds, kinds, strict=True))
    assert {one.file for one in sheets} == {"offers.xlsx"}


def test_phantom_rows_are_no_rows_and_those_far_below_keep_their_numbers(files: Files) -> None:
    path = files.book({"Offers": [offer(1)]})
    book = load_workbook(path)
    for row in range(3, 2000):
        book["Offers"].cell(row, 1).number_format = "0.00"
    for column, value in enumerate(offer(2, quantity="-1").values(), 1):
        book["Offers"].cell(1_048_576, column).value = value
    book.save(path)
    (sheet,) = checked(path)
    assert (codes(sheet), sheet.counts().rows) == ([(1_048_576, "number-range")], 2)


def test_several_sheets_are_checked_for_duplicates_together(files: Files) -> None:
    """A broken file in between shifts no place."""
    first = files.csv(offer(1), name="first.csv")
    broken = files.text(b"", "broken.csv")
    last = files.csv(offer(2), offer(1), name="last.csv")
    one, _, three = checked(first, broken, last)
    assert "row 3 of last.csv" in problems_of(one, "duplicate-reference")[0].message
    assert "row 2 of first.csv" in problems_of(three, "duplicate-reference")[0].message


TWO = {"March": [offer(1)], "April": [offer(2)]}
SHEETS: dict[str, tuple[dict[str, Any], str | None, str, str | None, str]] = {
    "two of one kind": (TWO, None, "", "sheet-ambiguous", "March, April"),
    "named": (TWO, "April", "", None, "April"),
    "named in any case": (TWO, "aPRIL", "", None, "April"),
    "of no sheet": (TWO, "May", "", "sheet-missing", "March, April"),
    "hidden": (TWO, None, "hidden", None, "April"),
    "very hidden": (TWO, None, "veryHidden", None, "April"),
    "hidden and named": (TWO, "March", "hidden", None, "March"),
    "our own": ({"A": [offer(1)], "feedtool summary": [offer(2)]}, None, "", None, "A"),
}


@pytest.mark.parametrize("case", SHEETS)
def test_the_sheet_that_is_read(files: Files, case: str) -> None:
    sheets, name, state, code, told_of = SHEETS[case]
    path = files.book(sheets)
    if state:
        book = load_workbook(path)
        book["March"].sheet_state = state  # type: ignore[assignment]  # one of two words
        book.save(path)
    (sheet,) = checked(path, sheets=[name] if name else ())
    assert (sheet.error and sheet.error.code) == code
    where = f"{sheet.error.message} {sheet.error.hint}" if sheet.error else str(sheet.sheet)
    assert told_of in where
    assert sheet.error is None or "--sheet all" in sheet.error.hint or name


SHORT = {"sellerExternalReference": "SKU-3", "product.gtin": "3000000000021", "condition": "New"}
THREE = {**TWO, "Read me": [{"Prices of spring": "with VAT"}]}
SEVERAL: dict[str, tuple[dict[str, Any], list[str], str, list[str]]] = {
    "all, but those of no table": (THREE, ["all"], "", ["March", "April"]),
    "in the order named, once each": (THREE, ["april", "March", "April"], "", ["April", "March"]),
    "one that is called so": ({**TWO, "All": [offer(3)]}, ["all"], "", ["All"]),
    "one of several without a table": (THREE, ["March", "Read me"], "header-not-found", []),
    "one of all that lacks columns": (TWO | {"Short": [SHORT]}, ["all"], "header-missing", []),
    "one of several that is not there": (TWO, ["March", "May"], "sheet-missing", []),
    "none that is a table": ({"Read me": THREE["Read me"]}, ["all"], "header-not-found", []),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_several_sheets_are_read(files: Files, case: str) -> None:
    book, names, code, expected = SEVERAL[case]
    sheets = checked(files.book(book), sheets=names)
    if code:
        (error,) = [sheet.error for sheet in sheets]
        assert error
        assert error.code == code
        assert len(book) == 1 or any(name in error.message for name in ("Read", "Short", "May"))
    else:
        assert [(sheet.sheet, sheet.counts().valid) for sheet in sheets] == [
            (name, 1) for name in expected
        ]
