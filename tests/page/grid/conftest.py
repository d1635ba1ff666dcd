"""Files, checked and shown as grids."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.nouns import Problem
from feedtool.model.sheet import CheckedSheet
from feedtool.page.grid import ALL, CHECK, Grid, GridWriter, RowFilter


def checked_into(grid: Path, *paths: Path, asked: ReadOptions | None = None) -> list[CheckedSheet]:
    """Files checked, each under its bare name, and their grid written."""
    inputs = [Input(path.name, path) for path in paths]
    with GridWriter(grid) as writer:
        sheets = check(inputs, replace(asked or ReadOptions(), see=writer.see), load())
        writer.conclude(sheets)
    return sheets


class Shown:
    """Makes grids in the test's folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "grid.sqlite"
        self.sheets: list[CheckedSheet] = []

    def __call__(self, *paths: Path, asked: ReadOptions | None = None) -> Grid:
        self.sheets = checked_into(self.path, *paths, asked=asked)
        return Grid(self.path)


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    return Shown(tmp_path)


def cells(grid: Grid, sheet: int = 0, which: str = ALL) -> dict[int, list[str]]:
    """The texts of rows by their numbers."""
    rows = grid.rows(RowFilter(sheet, which=which), 0, 10_000)
    return {row.row: list(row.cells) for row in rows}


def problems(grid: Grid, sheet: int = 0, view: str = CHECK) -> Iterator[Problem]:
    """All problems, the sheet's own first, then by row."""
    yield from grid.of_sheet(sheet, view)
    for row in grid.rows(RowFilter(sheet, view), 0, 1 << 20):
        yield from row.problems


def codes(grid: Grid, sheet: int = 0, view: str = CHECK) -> list[tuple[int | None, str]]:
    return [(problem.row, problem.code) for problem in problems(grid, sheet, view)]
