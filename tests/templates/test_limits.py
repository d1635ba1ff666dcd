"""Texts of a workbook are cut, renamed or refused at the limits of spreadsheet programs."""

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from feedtool.feeds.template import is_whole, length
from feedtool.model.errors import UsageProblem
from feedtool.templates import limits

EMOJI = "\U0001f600"


@pytest.fixture
def sheet() -> Worksheet:
    return Workbook().worksheets[0]


CUT = [
    *(("", 3, ""), ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), (EMOJI, 2, EMOJI)),
    *((EMOJI * 2, 4, EMOJI * 2), (EMOJI * 2, 3, f"{EMOJI}…"), (f"a{EMOJI}b", 3, "a…")),
]


@pytest.mark.parametrize(("text", "longest", "expected"), CUT)
def test_cuts_with_an_ellipsis_and_counts_as_excel_does(
    text: str, longest: int, expected: str
) -> None:
    assert limits.cut(text, longest) == expected
    assert length(limits.cut(text, longest)) <= longest


WRITTEN = [
    *((text, text) for text in ("=1+1", "+33", "#N/A", "TRUE", "_x_")),
    *(("a\x0bb\x00", "a\ufffdb\ufffd"), ("half \ud83d", "half \ufffd")),
    *(("two\r\nlines", "two\nlines"), ("_x0041_", "_x005F_x0041_")),
    ("x" * 32_768, "x" * 32_766 + "…"),
]


@pytest.mark.parametrize(("text", "expected"), WRITTEN)
def test_a_cell_holds_text_that_begins_like_a_formula(
    sheet: Worksheet, text: str, expected: str
) -> None:
    cell = limits.put(sheet, 1, 1, text)
    assert (cell.value, cell.data_type) == (expected, "s")


def test_is_whole_knows_texts_that_fit_unchanged() -> None:
    assert is_whole("x" * 32_767)
    assert not any(map(is_whole, ("x" * 32_768, EMOJI * 16_384, "\x07")))


@pytest.mark.parametrize(("row", "column"), [(1_048_577, 1), (1, 16_385)])
def test_no_cell_lies_beyond_the_grid(sheet: Worksheet, row: int, column: int) -> None:
    with pytest.raises(UsageProblem, match="1,048,576 rows and 16,384 columns"):
        limits.put(sheet, row, column, "text")


LONGEST = {"promptTitle": 32, "prompt": 255, "errorTitle": 32, "error": 224}


@pytest.mark.parametrize(("attribute", "longest"), LONGEST.items())
def test_texts_of_a_validation_are_cut(sheet: Worksheet, attribute: str, longest: int) -> None:
    for size in (longest, longest + 1):
        rule = DataValidation()
        setattr(rule, attribute, "x" * size)
        limits.add_rule(sheet, rule)
    texts = [getattr(rule, attribute) for rule in sheet.data_validations.dataValidation]
    assert texts == ["x" * longest, "x" * (longest - 1) + "…"]


def test_widths_and_heights_end_somewhere(sheet: Worksheet) -> None:
    limits.shape(sheet, "A", 300)
    limits.raise_row(sheet, 1, 500)
    assert (sheet.column_dimensions["A"].width, sheet.row_dimensions[1].height) == (255, 409)


SHEETS = {
    "Products": "Products",
    "a/b\\c?d*e[f]g:h": "a_b_c_d_e_f_g_h",
    "'quoted'": "_quoted_",
    "History": "History_",
    "": "_",
    "x" * 31: "x" * 31,
    "x" * 32: "x" * 30 + "…",
}
RANGES = {
    "list_3263": "list_3263",
    "list 1": "list_1",
    "list-é": "list__",
    "Rate": "Rate",
    **{text: f"_{text}" for text in ("3263", "A1", "xfd1048576", "R", "c", "R1C1", "")},
    "x" * 256: "x" * 255,
}


def test_names_are_legal() -> None:
    assert {text: limits.sheet_name(text) for text in SHEETS} == SHEETS
    assert {text: limits.defined_name(text) for text in RANGES} == RANGES


def test_no_two_names_are_the_same() -> None:
    assert limits.sheet_name("Products", ["PRODUCTS"]) == "Products_2"
    assert limits.sheet_name("x" * 31, ["x" * 31]) == "x" * 29 + "_2"
    assert limits.defined_name("list_a", ["LIST_A", "list_a_2"]) == "list_a_3"
    assert limits.defined_name("x" * 255, ["x" * 255]) == "x" * 253 + "_2"


def test_a_list_too_long_for_one_property_goes_on_in_the_next() -> None:
    x, y = "x" * 127, "y" * 127
    for items in ([], ["0A0B0C"], ["0A0B0C", "0A0B0D"], [x, y]):
        assert dict(limits.properties("p", items)) == {"p": ",".join(items)}
    assert dict(limits.properties("p", [x, f"{y}y", "z"])) == {"p": x, "p.2": f"{y}y,z"}
    with pytest.raises(ValueError, match="255"):
        list(limits.properties("p", ["x" * 256]))
