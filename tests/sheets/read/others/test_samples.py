"""All programs and formats yield the same rows."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.cells import BLANK, Cell, Kind, shown
from feedtool.sheets import open_source
from feedtool.sheets.fill import write_as_workbook
from tests.pairs import sample as some
from tests.sheets.read.others.samples import FAILING, FORMATS, HIDDEN, ROWS, sample

TABLES = ("html", "html.xls")
"""Web pages, which know neither hidden rows and sheets nor truths and errors."""
Place = tuple[int, int]
Cells = Mapping[Place, Cell]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("samples")


@pytest.fixture(scope="module")
def xlsx(folder: Path) -> Path:
    return sample("xlsx", folder)


class Contents(NamedTuple):
    """The sheets of a file and, of the first one, the rest."""

    sheets: list[tuple[str, bool]]
    hidden: frozenset[int]
    merged: list[str]
    cells: Cells
    """The cells that are not blank."""


@cache
def contents(path: Path) -> Contents:
    with open_source(path) as source:
        sheet = source.sheet(source.sheets[0].name)
        blocks = list(sheet.blocks())
        read = {
            (row, index): cell
            for block in blocks
            for index in range(block.width)
            for row, key in zip(block.rows, block.column(index), strict=True)
            if (cell := block.decode(key)) != BLANK
        }
        sheets = [(entry.name, entry.hidden) for entry in source.sheets]
        hidden = frozenset[int]().union(*(block.hidden for block in blocks))
        return Contents(sheets, hidden, list(map(str, sheet.merged)), read)


def as_meant(item: tuple[Place, Cell]) -> tuple[Place, Cell]:
    """A cell without what each format says in its own way: a truth is 1 to some."""
    place, cell = item
    if cell.kind is Kind.BOOLEAN:
        return place, Cell(Kind.NUMBER, str(int(cell.text == "TRUE")))
    return place, cell._replace(zeros=cell.zeros if cell.zeros > 1 else 0)


@cache
def requests(
    path: Path,
) -> tuple[dict[int | None, object], list[tuple[int | None, str | None, str]]]:
    """The request of each row, and the problems."""
    (sheet,) = check([Input(path.name, path)], ReadOptions(kind="offers-upsert"), load())
    assert sheet.error is None, sheet.error
    problems = [(each.row, each.column, each.code) for each in sheet.problems()]
    return {item.row: json.loads(item.body) for item in sheet.valid_items()}, problems


# The next test has the cells of the others, from which the requests follow.
@pytest.mark.parametrize("ending", [*some(("xlsx", *TABLES, "xlsb", "xls", "xml.xls", "ods"), 3)])
def test_the_requests_are_those_of_the_xlsx(folder: Path, xlsx: Path, ending: str) -> None:
    expected, problems = requests(xlsx)
    if ending in TABLES:
        problems = [*problems]
        problems.remove((None, None, "hidden-rows"))
    sold = [row for row in range(1, ROWS + 1) if row % FAILING and row % 3]
    assert [row - 1 for row in expected if row] == sold  # the others are not active, or fail
    assert requests(sample(ending, folder)) == (expected, problems)


@pytest.mark.parametrize("ending", sorted({*FORMATS} - {*TABLES}))
def test_the_cells_are_those_of_the_xlsx(folder: Path, xlsx: Path, ending: str) -> None:
    expected = contents(xlsx)
    assert (expected.sheets, *expected.hidden) == ([("Offers", False), ("Lists", True)], HIDDEN)
    found = contents(sample(ending, folder))
    assert (found.sheets, found.hidden) == (expected.sheets, expected.hidden)
    assert found.merged == ["M2:N2"]
    both = found.cells.items(), expected.cells.items()
    assert dict(map(as_meant, both[0])) == dict(map(as_meant, both[1]))


@pytest.mark.parametrize("ending", [*some(("xls", "ods"), 1)])
def test_the_workbook_for_the_answers_has_the_same_cells(
    folder: Path, tmp_path: Path, ending: str
) -> None:
    book = tmp_path / "made.xlsx"
    path = sample(ending, folder)
    write_as_workbook(path, book)
    expected, found = contents(path), contents(book)
    assert found.sheets == expected.sheets
    assert {at: (shown(cell), cell.kind) for at, cell in found.cells.items()} == {
        at: (shown(cell), Kind.TEXT if cell.zeros > 1 else cell.kind)
        for at, cell in expected.cells.items()
    }
