"""The page's part about a grid, before any script runs."""

from collections.abc import Iterator
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.model.text import Language
from feedtool.page.grid import ALL, CHECK, PROBLEMS, Grid, RowFilter, of_code
from feedtool.page.grid_part import GridPart
from feedtool.runs.codes import all_codes
from tests.conftest import Files, offer, update
from tests.page.grid.conftest import checked_into


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Grid]:
    """A sheet of 250 offers, the first of them wrong, and one of updates."""
    offers = [offer(number) for number in range(1, 251)]
    offers[0] |= {"quantity": "-1", "price.price": "", "sellerExternalReference": " SKU-1 "}
    offers[1]["quantity"] = "-2"
    offers[2]["Farbe"] = "rot"
    updates = [update(number, quantity="1") for number in range(300, 303)]
    files = Files(tmp_path_factory.mktemp("part"))
    checked_into(files.folder / "grid", files.book({"New": offers, "Changed": updates}))
    with Grid(files.folder / "grid") as grid:
        yield grid


def part(grid: Grid, which: str = ALL, language: Language = "en", **how: Any) -> GridPart:
    rows = RowFilter(how.pop("sheet", 0), CHECK, which)
    return GridPart(grid, rows, all_codes(language), "/f/1", "/explain/CODE", **how)


def test_filters_are_all_rows_and_those_of_each_status(grid: Grid) -> None:
    assert [(it.which, it.rows, it.href, it.tone) for it in part(grid).filters] == [
        ("all", 250, "?", ""),
        ("status:Valid", 248, "?which=status%3AValid", "good"),
        ("status:Invalid", 2, "?which=status%3AInvalid", "bad"),
    ]


def test_groups_are_codes_with_their_meaning(grid: Grid) -> None:
    """A group about the whole sheet has no rows to show."""
    groups = part(grid, of_code("trimmed")).groups
    assert [(group.label, group.rows, group.tone, group.is_current) for group in groups] == [
        ("All problems", 2, "", False),
        ("number-range", 2, "error", False),
        ("required-missing", 1, "error", False),
        ("trimmed", 1, "warning", True),
        ("unknown-column", 0, "warning", False),
    ]
    assert groups[1].detail == "A number outside its bounds."
    assert [problem.code for problem in part(grid).problems] == ["unknown-column"]


LINKS: dict[str, tuple[dict[str, Any], tuple[str, str, str]]] = {
    "at the beginning": ({}, ("", "?from=100", "?plain=1")),
    "in the middle": ({"start": 100}, ("?", "?from=200", "?plain=1")),
    "at the end": ({"start": 200}, ("?from=100", "", "?plain=1")),
    "as a plain table": ({"is_plain": True}, ("", "?from=100&plain=1", "?")),
    "of a filter": ({"which": PROBLEMS}, ("", "", "?which=problems&plain=1")),
    "of another sheet": ({"sheet": 1}, ("", "", "?sheet=1&plain=1")),
}


@pytest.mark.parametrize(("how", "links"), LINKS.values(), ids=LINKS)
def test_links_keep_the_other_choices(
    grid: Grid, how: dict[str, Any], links: tuple[str, str, str]
) -> None:
    shown = part(grid, **how)
    assert (shown.before, shown.after, shown.other_form) == links


def test_each_sheet_has_a_link_to_all_its_rows(grid: Grid) -> None:
    assert [
        (sheet.sheet, href, is_current) for sheet, href, is_current in part(grid, PROBLEMS).sheets
    ] == [("New", "?", True), ("Changed", "?sheet=1", False)]


def test_the_plain_table_lists_the_problems_of_each_row(grid: Grid) -> None:
    shown = part(grid, PROBLEMS)
    assert shown.reference_header == "sellerExternalReference"
    (row, name, lines, notes), (_, other, _, _) = shown.table
    assert (row.row, name, other, notes) == (2, " SKU-1 ", "SKU-2", [])
    assert [(line.place, line.code, line.message, line.hint) for line in lines] == [
        (
            "A2 sellerExternalReference",
            "trimmed",
            "blanks were left out: read as “SKU-1”",
            "",
        ),
        ("D2", "required-missing", "price.price is missing", "Fill the cell"),
        ("I2 quantity", "number-range", "-1 must not be below 0", "Correct the number"),
    ]
    assert len(list(part(grid, start=200).table)) == 50


def test_the_plain_table_marks_hidden_rows(files: Files) -> None:
    path = files.book({"Offers": [offer(1), offer(2)]})
    book = load_workbook(path)
    book["Offers"].row_dimensions[3].hidden = True
    book.save(path)
    checked_into(files.folder / "grid", path)
    with Grid(files.folder / "grid") as grid:
        notes = [notes for *_, notes in part(grid, language="fr").table]
    assert notes == [[], ["masquée dans la feuille"]]


def test_the_data_of_the_script(grid: Grid) -> None:
    data = part(grid, PROBLEMS, "fr").data
    own = {name: data[name] for name in ("address", "sheet", "name", "view", "which", "total")}
    assert own == {
        "address": "/f/1",
        "sheet": 0,
        "name": "New",
        "view": "check",
        "which": "problems",
        "total": 2,
    }
    assert data["columns"][0] == ["A", "sellerExternalReference", 7]
    assert data["reference"] == 0
    assert data["statuses"] == ["Valide", "Invalide"]
    assert data["texts"]["row"] == "Ligne"


def test_the_column_that_names_a_row_may_be_another_than_the_first(files: Files) -> None:
    row = offer(1)
    first = {"quantity": row.pop("quantity")}
    checked_into(files.folder / "grid", files.csv(first | row))
    with Grid(files.folder / "grid") as grid:
        assert part(grid).data["reference"] == 1
        assert part(grid).reference_header == "sellerExternalReference"


def test_codes_lead_to_their_pages(grid: Grid) -> None:
    assert part(grid).explanation("number-range") == "/explain/number-range"


def test_a_sheet_that_could_not_be_read_has_its_error(files: Files) -> None:
    checked_into(files.folder / "grid", files.text(b"", "empty.csv"))
    with Grid(files.folder / "grid") as grid:
        shown = part(grid)
        assert shown.sheet.error
        assert (shown.sheet.error.code, shown.total, shown.groups) == ("empty-file", 0, [])
