"""All programs and formats yield the same rows."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.cells import BLANK, Cell, Kind, shown
from feedtool.sheets import open_source
from feedtool.sheets.fill import write_as_workbook
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


@cache
def cells(path: Path) -> tuple[list[tuple[str, bool]], frozenset[int], Cells]:
    """The sheets and, of the first one, the hidden rows and the cells that are not blank."""
    with open_source(path) as source:
        blocks = list(source.sheet(source.sheets[0].name).blocks())
        read = {
            (row, index): cell
            for block in blocks
            for index in range(block.width)
            for row, key in zip(block.rows, block.column(index), strict=True)
            if (cell := block.decode(key)) != BLANK
        }
        sheets = [(entry.name, entry.hidden) for entry in source.sheets]
        return sheets, frozenset[int]().union(*(block.hidden for block in blocks)), read


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


@pytest.mark.parametrize("ending", FORMATS)
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
    sheets, hidden, expected = cells(xlsx)
    assert (sheets, *hidden) == ([("Offers", False), ("Lists", True)], HIDDEN)
    *others, found = cells(sample(ending, folder))
    assert others == [sheets, hidden]
    assert dict(map(as_meant, found.items())) == dict(map(as_meant, expected.items()))


@pytest.mark.parametrize("ending", sorted({*FORMATS} - {*TABLES}))
def test_the_merged_cells_are_those_of_the_xlsx(folder: Path, ending: str) -> None:
    with open_source(sample(ending, folder)) as source:
        sheet = source.sheet("Offers")
        assert [*sheet.blocks()]
        assert list(map(str, sheet.merged)) == ["M2:N2"]


@pytest.mark.parametrize("ending", ["xls", "ods"])
def test_the_workbook_for_the_answers_has_the_same_cells(
    folder: Path, tmp_path: Path, ending: str
) -> None:
    book = tmp_path / "made.xlsx"
    path = sample(ending, folder)
    write_as_workbook(path, book)
    sheets, _, expected = cells(path)
    found, _, read = cells(book)
    assert found == sheets
    assert {at: (shown(cell), cell.kind) for at, cell in read.items()} == {
        at: (shown(cell), Kind.TEXT if cell.zeros > 1 else cell.kind)
        for at, cell in expected.items()
    }
