"""The kinds of a workbook's cells, from the file to the problem or the request."""

import json
import re
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from feedtool.model.sheet import CheckedSheet
from tests.conftest import Files, checked, offer

ORIGIN = "price.originPrice"
ROW = offer(price__originPrice="30")
TRACKED = [key for key in ROW if key.startswith("deliveryModes.")]
COLUMNS = {key: index for index, key in enumerate(ROW, 1)}


def with_cell(files: Files, key: str, value: object, number_format: str = "General") -> Path:
    """A workbook of one offer, one cell of which is this."""
    return with_cells(files, [(key, value, number_format)])


def with_cells(files: Files, cells: Iterable[tuple[str, object, str]]) -> Path:
    """A workbook of an offer for each of these cells, given as key, value and format."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Offers"
    sheet.append(list(ROW))
    for number, (key, value, number_format) in enumerate(cells, 1):
        sheet.append(list(offer(number, price__originPrice="30").values()))
        cell = sheet.cell(number + 1, COLUMNS[key])
        cell.value = value  # type: ignore[assignment]  # whatever the test puts there
        cell.number_format = number_format
    path = files.folder / "offers.xlsx"
    book.save(path)
    return path


def with_xml(files: Files, key: str, cell: str) -> Path:
    """A workbook of one offer, the XML of one cell of which is this, `@` its attributes."""
    path = files.book({"Offers": [ROW]})
    place = f"{'ABCDEFGHI'[COLUMNS[key] - 1]}2"
    with zipfile.ZipFile(path) as package:
        parts = {info.filename: package.read(info) for info in package.infolist()}
    sheet = parts["xl/worksheets/sheet1.xml"].decode()
    changed = re.sub(rf'<c r="{place}".*?</c>', cell.replace("@", f'r="{place}"'), sheet)
    assert changed != sheet
    with zipfile.ZipFile(path, "w") as package:
        for name, data in parts.items():
            package.writestr(name, changed if name == "xl/worksheets/sheet1.xml" else data)
    return path


def sent(sheet: CheckedSheet) -> dict[str, Any]:
    (item,) = sheet.valid_items()
    request: dict[str, Any] = json.loads(item.body)
    return request


REFERENCE, GTIN, PRICE = "sellerExternalReference", "product.gtin", "price.price"
VAT, STOCK = "taxes.VAT", "quantity"
DAY = datetime(2024, 5, 12, tzinfo=UTC).replace(tzinfo=None)

REFUSED = {
    "a date in a price": (PRICE, DAY, "dd/mm/yyyy", "date-in-number-cell"),
    "a date in a reference": (REFERENCE, DAY, "d-mmm", "date-in-number-cell"),
    "a number that a format shows as a date": (STOCK, 45000, "yyyy-mm-dd", "date-in-number-cell"),
    "a duration": (STOCK, 2.5, "[h]:mm", "date-in-number-cell"),
    "a boolean in a stock": (STOCK, True, "General", "boolean-in-cell"),
    "an error where nothing need be": (ORIGIN, "#REF!", "General", "formula-error"),
    "an error": (PRICE, "#N/A", "General", "formula-error"),
    "a formula without a result": (PRICE, "=1+1", "General", "formula-no-cache"),
    "a reference beyond 15 digits": (REFERENCE, 12345678901234567, "0", "precision-lost"),
}


def test_refused_cells(files: Files) -> None:
    (sheet,) = checked(with_cells(files, (case[:3] for case in REFUSED.values())))
    found = [(problem.row, problem.field, problem.code) for problem in sheet.problems()]
    expected = [(row, key, code) for row, (key, _, _, code) in enumerate(REFUSED.values(), 2)]
    assert found == expected


READ: dict[str, tuple[str, object, str, object]] = {
    "float noise": (PRICE, 19.989999999999998, "General", 19.99),
    "a price shown with fewer decimals": (PRICE, 19.99, "0", 19.99),
    "a GTIN as a number": (GTIN, 4006381333931, "0", "4006381333931"),
    "a GTIN shown as 3.76E+12": (GTIN, 3760452703306, "0.00E+00", "3760452703306"),
    "a format that pads": (GTIN, 36000291452, "0000000000000", "0036000291452"),
    "a reference as a float": (REFERENCE, 42.0, "0.00", "42"),
    "a padded reference": (REFERENCE, 42, "00000", "00042"),
    "a word as text": (REFERENCE, "TRUEST", "@", "TRUEST"),
}


def test_read_cells(files: Files) -> None:
    (sheet,) = checked(with_cells(files, (case[:3] for case in READ.values())))
    assert list(sheet.problems()) == []
    requests = [json.loads(item.body) for item in sheet.valid_items()]
    for request, (case, (key, _, _, expected)) in zip(requests, READ.items(), strict=True):
        assert reduce(getitem, key.split("."), request) == expected, case


def test_lost_zeros_are_put_back_with_a_warning(files: Files) -> None:
    (sheet,) = checked(with_cell(files, GTIN, 36000291452, "0"))
    (problem,) = sheet.problems()
    assert (problem.code, problem.severity) == ("gtin-padded", "warning")
    assert problem.value == "36000291452"
    assert sent(sheet)["product"] == {"gtin": "036000291452"}


def test_a_percent_format_on_vat_is_read_as_shown_with_a_warning(files: Files) -> None:
    (sheet,) = checked(with_cell(files, VAT, 0.055, "0.0%"))
    (problem,) = sheet.problems()
    assert (problem.code, problem.value) == ("percent-read", "5.5%")
    assert sent(sheet)["price"]["taxes"][0] == {"code": "VAT", "value": 5.5}


def test_the_stored_result_of_any_formula_counts(files: Files) -> None:
    path = with_xml(files, PRICE, "<c @><f>VLOOKUP(A2,Prices!A:B,2,0)</f><v>12.5</v></c>")
    (sheet,) = checked(path)
    assert sent(sheet)["price"]["price"] == 12.5


FORMULAS = {
    "a text": ('<c @ t="str"><f>A1</f><v>12,50</v></c>', None),
    "an error": ('<c @ t="e"><f>1/0</f><v>#DIV/0!</v></c>', "formula-error"),
    "a boolean": ('<c @ t="b"><f>1=1</f><v>1</v></c>', "boolean-in-cell"),
    "an empty text": ('<c @ t="str"><f>""</f><v></v></c>', "required-missing"),
    "no result at all": ("<c @><f>E5*1.2</f></c>", "formula-no-cache"),
}


@pytest.mark.parametrize(("cell", "code"), FORMULAS.values(), ids=FORMULAS)
def test_results_of_formulas(files: Files, cell: str, code: str | None) -> None:
    (sheet,) = checked(with_xml(files, PRICE, cell))
    assert [problem.code for problem in sheet.problems()] == ([] if code is None else [code])


@pytest.mark.parametrize("escape", ["_x0000_", "_x0009_", "_x200B_", "_x000D_"])
def test_escaped_invisible_characters_are_refused(files: Files, escape: str) -> None:
    cell = f'<c @ t="inlineStr"><is><t>A{escape}B</t></is></c>'
    (sheet,) = checked(with_xml(files, REFERENCE, cell))
    assert [problem.code for problem in sheet.problems()] == ["reference-format"]


MERGED: dict[str, tuple[list[dict[str, str]], str, list[tuple[int | None, str, str]]]] = {
    "a condition of several rows": (
        [offer(1), offer(2, condition=""), offer(3, condition="")],
        "C2:C4",
        [(3, "required-missing", "C2:C4"), (4, "required-missing", "C2:C4")],
    ),
    "a blank cell beside it": (
        [offer(1), offer(2, condition=""), offer(3, price__price="")],
        "C2:C3",
        [(3, "required-missing", "C2:C3"), (4, "required-missing", "price.price is missing")],
    ),
    "an amount over two columns": (
        [offer(1) | {TRACKED[1]: ""}],
        "F2:G2",
        [(2, "required-missing", "F2:G2")],
    ),
    "a list price, which a row need not have": (
        [offer(1, price__originPrice="30"), offer(2, price__originPrice="")],
        "J2:J3",
        [(None, "merged-cells", "J2:J3")],
    ),
    "several": (
        [offer(number, price__originPrice="") for number in range(12)],
        "J2:J3 J4:J5 J6:J7 J8:J9 J10:J11 J12:J13",
        [(None, "merged-cells", "J2:J3, J4:J5, J6:J7, J8:J9, J10:J11 and 1 more")],
    ),
    "a column that is not sent": (
        [offer(1, salesChannelFeedback="x"), offer(2, salesChannelFeedback="")],
        "J2:J3",
        [],
    ),
    "a column beside the table": ([offer(1), offer(2)], "K2:K3", []),
    "the rows below": ([offer(1), offer(2)], "A5:C9", []),
    "the first row alone": ([offer(1), offer(2)], "J1:K1", []),
}


@pytest.mark.parametrize(("rows", "ranges", "expected"), MERGED.values(), ids=MERGED)
def test_merged_cells_do_not_fill_down(
    files: Files,
    rows: list[dict[str, str]],
    ranges: str,
    expected: list[tuple[int | None, str, str]],
) -> None:
    path = files.book({"Offers": rows})
    book = load_workbook(path)
    for area in ranges.split():
        book["Offers"].merge_cells(area)
    book.save(path)
    (sheet,) = checked(path)
    problems = [problem for problem in sheet.problems() if problem.code != "unknown-column"]
    assert [(one.row, one.code) for one in problems] == [(row, code) for row, code, _ in expected]
    for problem, (_, _, words) in zip(problems, expected, strict=True):
        assert words in problem.message
        assert ("merged" in problem.message) == (":" in words)
