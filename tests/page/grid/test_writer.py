"""Sheets as the browser shows them: their cells, columns and facts."""

import stat
from pathlib import Path

import pytest
from openpyxl import load_workbook

from feedtool.check import ReadOptions
from feedtool.model.errors import CannotWrite
from feedtool.model.nouns import Status
from feedtool.page.grid import PROBLEMS, GridWriter, RowFilter, of_status
from feedtool.page.grid.writer import LONGEST_TEXT, displayed
from feedtool.runs.recipes import RecipeFolders
from tests.check.recipes.conftest import HEADER, NOW, RECIPE
from tests.check.recipes.conftest import row as listed
from tests.conftest import Files, offer, table, update
from tests.overwritten import overwritten
from tests.page.grid.conftest import Shown, cells, checked_into, codes

DISPLAYED = {
    "as it is": ("Lampe à poser", "Lampe à poser"),
    "blanks": (" a  b ", " a  b "),
    "lines": ("one\r\ntwo\nthree", "one⏎two⏎three"),
    "an end of line": ("one\n", "one⏎"),
    "steering": ("a\u202eb\tc", "a<U+202E>b<U+0009>c"),
    "markup": ("<img onerror=alert(1)>", "<img onerror=alert(1)>"),
    "half a character": ("\ud800", "<U+D800>"),
    "the longest": ("x" * LONGEST_TEXT, "x" * LONGEST_TEXT),
    "longer": ("x" * 40_000, "x" * (LONGEST_TEXT - 1) + "…"),
}


@pytest.mark.parametrize(("text", "shown"), DISPLAYED.values(), ids=DISPLAYED)
def test_a_text_is_shown_on_one_line_without_control_characters(text: str, shown: str) -> None:
    assert displayed(text) == shown


def test_cells_are_those_of_the_sheet_and_blank_rows_are_left_out(
    files: Files, shown: Shown
) -> None:
    rows = [offer(number, quantity=str(number)) for number in range(1, 41)]
    blank = dict.fromkeys(rows[0], "")
    grid = shown(files.csv(*rows[:20], blank, *rows[20:]))
    numbers = [*range(2, 22), *range(23, 43)]
    assert cells(grid) == {
        number: list(row.values()) for number, row in zip(numbers, rows, strict=True)
    }
    assert list(grid.rows_of(RowFilter(0))) == numbers
    assert [row.position for row in grid.rows(RowFilter(0), 18, 4)] == [18, 19, 20, 21]


def test_cells_are_shown_as_the_workbook_shows_them(files: Files, shown: Shown) -> None:
    path = files.book({"Offers": [offer(1)]})
    book = load_workbook(path)
    sheet = book["Offers"]
    sheet["D2"].value = 19.989999999999998
    sheet["E2"].value = 0.2
    sheet["E2"].number_format = "0%"
    sheet["B2"].value = 36
    sheet["B2"].number_format = "0" * 13
    sheet["I2"].value = True
    sheet.row_dimensions[2].hidden = True
    book.save(path)
    (row,) = shown(path).rows(RowFilter(0), 0, 10)
    assert (row.cells[3], row.cells[4], row.cells[1], row.cells[8]) == (
        *("19.99", "20%", "0000000000036"),
        "TRUE",
    )
    assert row.is_hidden


def test_a_column_has_its_letters_header_key_and_width(files: Files, shown: Shown) -> None:
    grid = shown(files.text(table([offer(1) | {"Note": "to check"}]).replace("quantity", "Stock")))
    columns = grid.sheets[0].columns
    assert [(it.letters, it.header, it.key, it.width) for it in (columns[0], *columns[-2:])] == [
        ("A", "sellerExternalReference", "sellerExternalReference", 5),
        ("I", "Stock", "quantity", 1),
        ("J", "Note", "", 8),
    ]
    assert grid.sheets[0].reference == 0


def test_columns_without_a_header_are_shown_once_filled(files: Files, shown: Shown) -> None:
    """Columns between others, and columns that are blank at first, are shown, too."""
    path = files.book({"Offers": [offer(number) for number in range(1, 60)]})
    book = load_workbook(path)
    book["Offers"].insert_cols(3)
    book["Offers"]["C50"].value = "found late"
    book["Offers"]["Z2"].value = "far right"
    book.save(path)
    grid = shown(path)
    assert [column.letters for column in grid.sheets[0].columns] == [*"ABCDEFGHIJZ"]
    assert cells(grid)[50][2] == "found late"
    assert cells(grid)[2][1:4] == [offer(1)["product.gtin"], "", "New"]
    assert cells(grid)[2][-1] == "far right"


def test_the_columns_of_an_earlier_answer_are_not_shown(files: Files, shown: Shown) -> None:
    grid = shown(files.csv(offer(1) | {"feedtool status": "Invalid", "feedtool message": "old"}))
    assert [column.letters for column in grid.sheets[0].columns] == [*"ABCDEFGHI"]


def test_each_sheet_has_its_facts(files: Files, shown: Shown) -> None:
    book = files.book(
        {"New": [offer(1), offer(2, quantity="-1")], "Changed": [update(3, quantity="3")]}
    )
    grid = shown(files.text(b"", "broken.csv"), book)
    assert [
        (sheet.file, sheet.sheet, sheet.kind, sheet.rows, sheet.error and sheet.error.code)
        for sheet in grid.sheets
    ] == [
        ("broken.csv", "", "", 0, "empty-file"),
        ("offers.xlsx", "New", "offers-upsert", 2, None),
        ("offers.xlsx", "Changed", "offers-update", 1, None),
    ]
    assert grid.sheets[0].error
    assert (grid.sheets[0].error.message, grid.sheets[0].error.hint) == (
        shown.sheets[0].error and shown.sheets[0].error.message,
        shown.sheets[0].error and shown.sheets[0].error.hint,
    )
    assert grid.sheets[1].counts == {
        "rows": 2,
        "valid": 1,
        "invalid": 1,
        "skipped": 0,
        "warnings": 0,
    }
    assert grid.sheets[1].header_row == 1


def test_each_row_has_its_status(files: Files, shown: Shown) -> None:
    total = dict.fromkeys(offer(), "") | {"sellerExternalReference": "Total", "quantity": "8"}
    grid = shown(files.csv(offer(1), offer(2, quantity="-1"), total))
    assert [row.status for row in grid.rows(RowFilter(0), 0, 9)] == [
        *(Status.VALID, Status.INVALID),
        Status.SKIPPED,
    ]
    assert grid.statuses(0) == dict.fromkeys((Status.VALID, Status.INVALID, Status.SKIPPED), 1)
    assert list(grid.rows_of(RowFilter(0, which=of_status(Status.SKIPPED)))) == [4]


def test_a_skipped_row_names_its_reason(files: Files, shown: Shown) -> None:
    """A problem or a recipe names the reason."""
    total = dict.fromkeys(offer(), "") | {"sellerExternalReference": "Total", "quantity": "8"}
    (row,) = shown(files.csv(offer(1), total)).rows(RowFilter(0, which=PROBLEMS), 0, 9)
    assert ([problem.code for problem in row.problems], list(row.notes)) == (["not-a-row"], [])
    path = files.text(f"{HEADER}\n{listed(1)}\n{listed(2, stock='0')}\n", "list.csv")
    recipe = files.text(RECIPE + '[skip]\n"no stock" = "quantity == 0"\n', "dupont.toml")
    grid = shown(path, asked=ReadOptions(recipes=RecipeFolders(lambda: NOW, str(recipe))))
    assert [list(row.notes) for row in grid.rows(RowFilter(0), 0, 9)] == [[], ["no stock"]]
    assert grid.count(RowFilter(0, which=PROBLEMS)) == 0


def test_a_sheet_read_by_a_recipe_shows_its_own_columns(files: Files, shown: Shown) -> None:
    """Problems of a computed field are shown in its source column."""
    path = files.text(f"{HEADER}\n{listed(1, cost='none')}\n", "list.csv")
    recipe = files.text(RECIPE, "dupont.toml")
    grid = shown(path, asked=ReadOptions(recipes=RecipeFolders(lambda: NOW, str(recipe))))
    assert [column.header for column in grid.sheets[0].columns] == HEADER.split(";")
    assert [it.key for it in grid.sheets[0].columns] == [
        *("sellerExternalReference", "product.gtin", "price.price", "quantity"),
        "",
    ]
    ((at, problem),) = [
        (row.row, problem) for row in grid.rows(RowFilter(0), 0, 9) for problem in row.problems
    ]
    assert (at, problem.column, problem.field) == (2, "C", "price.price")


def test_only_the_last_reading_is_shown(files: Files, shown: Shown) -> None:
    """For a column whose decimals are settled late, and a file that is changed meanwhile."""
    rows = [offer(1, price__price="1,234"), offer(2, price__price="19,99")]
    assert list(cells(shown(files.csv(*rows)))) == [2, 3]
    path = files.csv(offer(1))
    grid = shown(overwritten(path, {5: table([offer(7), offer(8)]).encode()}))
    assert [row[0] for row in cells(grid).values()] == ["SKU-7", "SKU-8"]


def test_a_sheet_that_is_gone_when_its_file_is_read_again_is_not_shown(
    files: Files, shown: Shown
) -> None:
    new = files.csv(offer(1), name="new.csv").read_bytes()
    path = files.book({"New": [offer(1)], "Changed": [update(quantity="3")]})
    moments = range(1, 12)
    old = path.read_bytes()
    for moment in moments:
        path.write_bytes(old)
        grid = shown(overwritten(path, {moment: new}))
        assert len(grid.sheets) == len(shown.sheets)
        assert [len(cells(grid, number)) for number in range(len(grid.sheets))] == [
            sheet.counts().rows for sheet in shown.sheets
        ]


def test_the_file_is_private_and_appears_whole(files: Files, tmp_path: Path) -> None:
    path = tmp_path / "shelf" / "grid.sqlite"
    path.parent.mkdir()
    checked_into(path, files.csv(offer(1)))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    with GridWriter(path):
        assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_an_unwritable_place_is_reported(files: Files, tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match=r"grid\.sqlite cannot be written"):
        checked_into(tmp_path / "nowhere" / "grid.sqlite", files.csv(offer(1)))


def test_problems_of_the_sheet_are_in_no_row(files: Files, shown: Shown) -> None:
    grid = shown(files.csv(offer(1) | {"Farbe": "rot"}))
    assert codes(grid) == [(None, "unknown-column")]
    assert [it.code for it in grid.of_sheet(0)] == ["unknown-column"]
    assert grid.count(RowFilter(0, which=PROBLEMS)) == 0
