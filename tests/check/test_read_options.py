"""Cells shown while they are read, beside the results."""

from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.cells import Block, Cells, shown
from feedtool.model.sheet import CheckedSheet
from feedtool.sheets.read.source import LAST_COLUMN
from tests.check.recipes.conftest import RECIPE, read_by, row
from tests.conftest import Files, offer, table, update
from tests.overwritten import overwritten

Reading = dict[int, list[str]]
"""The texts of each row, by its number."""
AT_ITS_ROWS = 5
"""The opening of a CSV for its rows; those before are for its encoding and its header."""


class Seen:
    """The readings of all sheets, each with the sheet's number."""

    def __init__(self) -> None:
        self.readings: list[tuple[int, Reading]] = []

    def __call__(self, checked: CheckedSheet, number: int) -> Callable[[Block], None]:
        assert checked.header
        reading: Reading = {}
        self.readings.append((number, reading))

        def see(block: Block) -> None:
            cells = Cells(block)
            own = [index for index in block.used(0) if index <= LAST_COLUMN]
            for position, number_of_row in enumerate(block.rows):
                reading[number_of_row] = [shown(cells.at(position, index)) for index in own]

        return see

    @property
    def last(self) -> Reading:
        return self.readings[-1][1]


@pytest.fixture
def seen() -> Seen:
    return Seen()


def read(seen: Seen, *paths: Path) -> list[CheckedSheet]:
    inputs = [Input(path.name, path) for path in paths]
    return check(inputs, ReadOptions(see=seen), load())


def test_every_row_is_shown_as_the_sheet_shows_it(files: Files, seen: Seen) -> None:
    rows = [offer(1), offer(2, quantity="none")]
    read(seen, files.csv(*rows))
    assert seen.readings == [(0, {2: [*rows[0].values()], 3: [*rows[1].values()]})]


def test_sheets_are_numbered_over_all_files_with_those_that_cannot_be_read(
    files: Files, seen: Seen
) -> None:
    book = files.book({"New": [offer(1)], "Changed": [update(2, quantity="3")]})
    read(seen, files.text(b"", "broken.csv"), book, files.csv(offer(3)))
    assert [number for number, _ in seen.readings] == [1, 2, 3]


def test_a_second_reading_shows_all_rows_anew(files: Files, seen: Seen) -> None:
    """The second row settles what the first one means."""
    read(seen, files.csv(offer(1, price__price="1,234"), offer(2, price__price="19,99")))
    assert [(number, list(rows)) for number, rows in seen.readings] == [(0, [2, 3])] * 2


def test_a_file_that_changes_meanwhile_is_shown_again_under_the_same_number(
    files: Files, seen: Seen
) -> None:
    path = files.csv(offer(1))
    changes = overwritten(path, {AT_ITS_ROWS: table([offer(7)]).encode()})
    read(seen, files.text(b"", "broken.csv"), changes)
    assert [number for number, _ in seen.readings] == [1, 1]
    assert seen.last[2][0] == "SKU-7"


def test_a_sheet_read_by_a_recipe_shows_its_own_columns(files: Files, seen: Seen) -> None:
    read_by(files, RECIPE, [row(1), row(2)], asked=ReadOptions(see=seen))
    assert seen.last == {2: row(1).split(";"), 3: row(2).split(";")}
