"""Files fixed in copies: what is fixed, that it holds, and that nothing else is touched."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.check.fixes import all_fixes
from feedtool.check.kinds import KindUnclear
from feedtool.model.errors import UsageProblem
from feedtool.model.sheet import VALID
from feedtool.report.sheet_result import SheetResult
from feedtool.runs.fixes import validate_and_fix
from feedtool.runs.outputs import Outputs

SAMPLE = Path(__file__).parents[2] / "samples" / "offers-mistakes.xlsx"
CHOICES = tuple(
    fix.name for fix in all_fixes(load()) if not fix.is_safe and fix.name != "decimal-comma"
)


def fix(path: Path, target: Path, names: Iterable[str] = (), **more: bool) -> SheetResult:
    """The only sheet of a file, fixed in a copy at `target`."""
    outputs = Outputs({path.name: target}, is_in_place=path == target)
    (result,) = validate_and_fix([Input(path.name, path)], ReadOptions(), outputs, names, **more)
    return result


@pytest.fixture(scope="module")
def fixed_sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[SheetResult, Path]:
    target = tmp_path_factory.mktemp("fixed") / "fixed.xlsx"
    return fix(SAMPLE, target, CHOICES), target


def valid_rows(result: SheetResult) -> set[int]:
    return {row for row in result.checked.rows.marks if result.checked.rows.marks[row] == VALID}


BEFORE = {3, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46}
MADE_VALID = {
    12: "decimal-point",
    15: "stock",
    16: "round",
    17: "stock",
    19: "invisible",
    20: "product-reference",
    21: "list-price",
    25: "bar",
    26: "list-price",
    28: "retired",
    31: "free-delivery",
    32: "beyond",
    35: "no-tax",
}
"""The rows of the sample that are valid once they are fixed, and by which fix."""
NOT_TO_BE_MENDED = {
    4: "no price",
    5: "neither GTIN nor product reference",
    6: "no delivery",
    7: "a GTIN of 11 digits whose check digit is wrong",
    8: "a mistyped GTIN",
    9: "a GTIN whose digits are lost",
    10: "a reference whose digits are lost",
    11: "a price in words",
    13: "a price of zero",
    14: "a VAT of 200 %",
    18: "“As new”, which is like New in its letters alone",
    22: "a formula",
    23: "the same reference for two products",
    24: "the same reference for two products",
    27: "a price below its taxes",
    29: "a date in the place of the stock",
    30: "TRUE in the place of the stock",
    33: "a row that changes nothing",
    34: "no preparation time",
}


def test_the_rows_of_the_sample_that_are_fixed(fixed_sample: tuple[SheetResult, Path]) -> None:
    result, target = fixed_sample
    assert result.fixed
    assert result.fixed.valid_before == len(BEFORE) == 12
    assert valid_rows(result) == BEFORE | MADE_VALID.keys()
    assert len(valid_rows(result)) == 25
    by_row = {fix.row: fix.fix for fix in result.fixed.cells}
    assert by_row == MADE_VALID | {38: "blanks", 39: "zeros"}
    assert valid_rows(result).isdisjoint(NOT_TO_BE_MENDED)
    (again,) = check([Input("fixed.xlsx", target)], ReadOptions(), load())
    assert again.counts() == result.checked.counts()


def test_chosen_fixes_are_noted_in_cells_and_the_others_offered(tmp_path: Path) -> None:
    result = fix(SAMPLE, tmp_path / "fixed.xlsx", ["list-price"])
    assert result.fixed
    assert {fix.row: fix.fix for fix in result.fixed.cells} == {
        19: "invisible",
        21: "list-price",
        26: "list-price",
        38: "blanks",
        39: "zeros",
    }
    assert result.fixed.offered.keys() == {*MADE_VALID.values()} - {"invisible", "list-price"}
    # Each old value is noted in its cell, and beside its row.
    sheet = load_workbook(tmp_path / "fixed.xlsx")["Offers"]
    old = load_workbook(SAMPLE)["Offers"]
    status, note = (str(sheet.cell(26, sheet.max_column - left).value) for left in (2, 1))
    assert note == "fixed: F List price (strike-through): was “19.99”, is blank (list-price)"
    assert status == "Valid"
    assert (sheet["F26"].value, old["F26"].value) == (None, 19.99)
    assert sheet["F26"].comment
    assert sheet["F26"].comment.text == "feedtool: was “19.99” (list-price)"
    assert sheet["F26"].number_format == old["F26"].number_format
    assert sheet["B39"].value == "036000291452"
    green = [
        area.sqref
        for area in sheet.conditional_formatting
        for rule in area.rules
        if rule.dxf and rule.dxf.fill.bgColor.rgb == "FFC6EFCE"
    ]
    fixed = {str(part) for areas in green for part in areas.ranges}
    assert fixed == {"A38", "B39", "F21", "F26", "Z19"}


def test_no_other_part_and_no_other_cell_is_touched(
    fixed_sample: tuple[SheetResult, Path],
) -> None:
    result, target = fixed_sample
    assert result.fixed
    fixed = {f"{fix.column}{fix.row}" for fix in result.fixed.cells}
    old, new = load_workbook(SAMPLE)["Offers"], load_workbook(target)["Offers"]
    differing = {
        cell.coordinate
        for row in old.iter_rows()
        for cell in row
        if (cell.value, cell.number_format)
        != (new[cell.coordinate].value, new[cell.coordinate].number_format)
    }
    assert differing == fixed
    with ZipFile(SAMPLE) as before, ZipFile(target) as after:
        changed = {name for name in before.namelist() if before.read(name) != after.read(name)}
    assert changed == {
        "[Content_Types].xml",
        "xl/styles.xml",
        "xl/workbook.xml",
        "xl/_rels/workbook.xml.rels",
        "xl/worksheets/sheet3.xml",
    }


FORMULA = b'<c r="A3" t="str"><f>B9</f><v> A-2</v></c>'
"""A cell of a program that stores the text of a formula."""


def test_a_formula_is_never_overwritten(tmp_path: Path) -> None:
    plain, path, target = (tmp_path / name for name in ("plain.xlsx", "a.xlsx", "a.fixed.xlsx"))
    workbook = Workbook()
    for row in (LINE.decode().strip().split(";"), [" A-1", 20, 5], ["A-2", 20, 5]):
        workbook.worksheets[0].append(row)
    workbook.save(plain)
    with ZipFile(plain) as package, ZipFile(path, "w") as changed:
        for name in package.namelist():
            head, cell, rest = package.read(name).partition(b'<c r="A3"')
            new = head + FORMULA + rest.partition(b"</c>")[2] if cell else head
            changed.writestr(name, new)
    result = fix(path, target)
    assert result.fixed
    assert [fix.row for fix in result.fixed.cells] == [2]
    assert load_workbook(target)["Sheet"]["A3"].value == "=B9"


LINE = b"sellerExternalReference;price.price;quantity\r\n"
COPIES = {
    "quotes, separators and line ends": (
        LINE + b'"A-1 ";"19,99";5\r\nB-2; "20,5" ;"7"\r\n',
        ["A-1"],
        b'"A-1";"19,99";5;Valid;fixed',
        b'\r\nB-2; "20,5" ;"7"',
    ),
    "letters of the file's own encoding": (
        LINE + "\u00a0É-1;19,99;5\r\nÉ-2;3,50;1\r\n".encode("cp1252"),
        ["É-1"],
        "É-1;19,99;5;Valid;".encode("cp1252"),
        "É-2;3,50;1;Valid".encode("cp1252"),
    ),
    "the sheet's own decimals": (
        LINE + b"A-1;19,995;5\r\nB-2;2,50;7\r\n",
        ["20,00"],
        b"A-1;20,00;5;Valid;",
        b"B-2;2,50;7;Valid",
    ),
    "a number that the others settle": (
        b"sellerExternalReference;price.price;price.originPrice\r\nA-1;2,50;1.299\r\n",
        ["1299"],
        b"A-1;2,50;1299;Valid;",
        b"A-1",
    ),
}


@pytest.mark.parametrize(("content", "new", "fixed", "kept"), COPIES.values(), ids=COPIES)
def test_a_csv_keeps_its_writing(
    content: bytes, new: list[str], fixed: bytes, kept: bytes, tmp_path: Path
) -> None:
    path, target = tmp_path / "a.csv", tmp_path / "a.fixed.csv"
    path.write_bytes(content)
    result = fix(path, target, ["round"])
    assert result.fixed
    assert [fix.new for fix in result.fixed.cells] == new
    assert fixed in target.read_bytes()
    assert kept in target.read_bytes()
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("names", "price"),
    [
        ([], b"19,995"),
        (["round"], b"19,995"),
        (["decimal-comma"], b"19,995"),
        (["decimal-comma", "round"], b"20,00"),
        (["decimal-point", "round"], b"19995"),
    ],
)
def test_a_number_that_could_mean_two(names: list[str], price: bytes, tmp_path: Path) -> None:
    path, target = tmp_path / "a.csv", tmp_path / "a.fixed.csv"
    path.write_bytes(LINE + b"A-1;19,995;5\r\n")
    fix(path, target, names, always=True)
    assert target.read_bytes().splitlines()[1].split(b";")[1] == price


KEPT = {
    "two references that would be one": LINE + b"A|1;5;5\r\nA-1;5;5\r\n",
    "a text that would be a formula": LINE + b' "=1+1";5;5\r\n',
    "what stands in wrong columns": LINE + b"A-1;5;5;7\r\n",
}


@pytest.mark.parametrize("content", KEPT.values(), ids=KEPT)
def test_a_fix_that_does_harm_is_not_made(content: bytes, tmp_path: Path) -> None:
    path, target = tmp_path / "a.csv", tmp_path / "a.fixed.csv"
    path.write_bytes(content)
    result = fix(path, target, CHOICES)
    assert result.fixed
    assert not result.fixed.cells
    assert result.annotated is None
    assert not target.exists()
    assert fix(path, target, always=True).annotated == target


def test_fixing_in_place_twice_changes_the_file_once(tmp_path: Path) -> None:
    (path := tmp_path / "a.csv").write_bytes(LINE + b" A-1;19,995;5\r\n")
    first = fix(path, path, CHOICES)
    once = path.read_bytes()
    second = fix(path, path, CHOICES)
    assert first.fixed
    assert len(first.fixed.cells) == 2
    assert first.annotated == path
    assert second.fixed
    assert not second.fixed.cells
    assert path.read_bytes() == once


def test_a_file_that_cannot_be_copied_keeps_back_no_other(tmp_path: Path) -> None:
    full, other = tmp_path / "full.csv", tmp_path / "other.csv"
    full.write_bytes(LINE + b" A-1;5;5" + b";" * 16_381 + b"x\r\n")
    other.write_bytes(LINE + b" B-2;5;5\r\n")
    targets = {path.name: path.with_suffix(".fixed.csv") for path in (full, other)}
    inputs = [Input(path.name, path) for path in (full, other)]
    results = validate_and_fix(inputs, ReadOptions(), Outputs(targets), ())
    failed, fixed = (result.fixed for result in results)
    assert failed
    assert fixed
    assert not failed.cells
    assert "no room" in str(results[0].copy_failed)
    assert [fix.new for fix in fixed.cells] == ["B-2"]
    assert results[1].annotated == targets["other.csv"]
    assert not targets["full.csv"].exists()


def test_a_fix_corrects_problems_shown_by_another(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"sellerExternalReference;price.price;price.originPrice\r\nA-1;19.9951;15\r\n")
    alone = fix(path, tmp_path / "b.csv", ["round"])
    both = fix(path, tmp_path / "c.csv", ["round", "list-price"])
    assert alone.fixed
    assert both.fixed
    assert [fix.fix for fix in alone.fixed.cells] == ["round"]
    assert [problem.code for problem in alone.checked.problems()] == ["origin-price-below-price"]
    assert [fix.fix for fix in both.fixed.cells] == ["round", "list-price"]
    assert valid_rows(both) == {2}


def test_the_kind_of_a_sheet_is_asked_once(tmp_path: Path) -> None:
    path, asked = tmp_path / "a.csv", []

    def settle(file: str, _: str | None, unclear: KindUnclear) -> str:
        asked.append(file)
        return unclear.kinds[1]

    path.write_bytes(b"SKU;EAN;Price;Stock\r\n A-1;4006381333931;5;5\r\n")
    outputs = Outputs({"a.csv": tmp_path / "a.fixed.csv"})
    reading = ReadOptions(settle=settle)
    (result,) = validate_and_fix([Input("a.csv", path)], reading, outputs, ())
    assert result.fixed
    assert len(result.fixed.cells) == len(asked) == 1


def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    result = fix(tmp_path / "none.csv", tmp_path / "none.fixed.csv")
    assert result.checked.error
    assert result.fixed
    assert not result.fixed.cells


def test_files_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "Offers.xml"
    path.write_text("<OfferPackage><Offers/></OfferPackage>", "utf-8")
    with pytest.raises(UsageProblem) as caught:
        fix(path, tmp_path / "a.xlsx")
    assert caught.value.hint == "make a workbook of it with feedtool convert, and fix that"


REFERENCES = st.sampled_from(["A-1", " A-1", "A|1", "A\u200b-1", "B-2\u00a0", "B|2", "C-3"])
PRICES = st.sampled_from(["5", "19.995", "19,995", "1,299", "1.299", "2,50", "2.50", "x", "0"])
STOCKS = st.sampled_from(["5", "2.5", "-3", "1,500", "TRUE", "", "many"])
STATES = st.sampled_from(["New", "nwe", "Used - like new", "Used - like nw", "As new"])
ROWS = st.lists(st.tuples(REFERENCES, PRICES, STOCKS, STATES, PRICES), min_size=1, max_size=6)


NAMES = st.lists(st.sampled_from([*CHOICES, "decimal-comma"]), unique=True).filter(
    lambda names: not {"decimal-comma", "decimal-point"} <= {*names}
)
ONE_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(ONE_FOLDER, max_examples=15)
@given(rows=ROWS, names=NAMES)
def test_fixing_twice_is_fixing_once(
    rows: Sequence[tuple[str, ...]], names: list[str], tmp_path: Path
) -> None:
    assert_fixed_once(rows, names, tmp_path)


@pytest.mark.long
@settings(ONE_FOLDER, max_examples=60)
@given(rows=ROWS, names=NAMES)
def test_fixing_twice_is_fixing_once_for_many(
    rows: Sequence[tuple[str, ...]], names: list[str], tmp_path: Path
) -> None:
    assert_fixed_once(rows, names, tmp_path)


def assert_fixed_once(rows: Sequence[tuple[str, ...]], names: list[str], tmp_path: Path) -> None:
    head = "sellerExternalReference;price.price;quantity;condition;price.originPrice"
    lines = [head, *(";".join(row) for row in rows)]
    path, once, twice = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    once.unlink(missing_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    first = fix(path, once, names, always=True)
    second = fix(once, twice, names)
    assert first.fixed
    assert second.fixed
    assert not second.fixed.cells
    assert second.checked.counts() == first.checked.counts()
    assert first.checked.counts().valid >= first.fixed.valid_before
