"""The values of a row as they are kept for whoever writes them otherwise."""

import pickle
from decimal import Decimal

from feedtool.check.locate import Locator, line_of
from feedtool.check.recipes.channels import key_on
from feedtool.feeds.columns.choice import Ignored
from feedtool.feeds.columns.text import plain
from feedtool.feeds.feed import CHANNEL, Row
from feedtool.model.cells import Cell, Cells, Kind, rounded, shown
from feedtool.model.header import Header
from feedtool.model.sheet import Filled


def filled(
    cells: Cells, position: int, row: Row, header: Header, locator: Locator, *, is_by_channel: bool
) -> Filled:
    """The values of a row; where a cell has none of its own type, the text as shown.

    With `is_by_channel` those of the row's channel, whose columns may be its own.
    """
    contents: dict[str, object] = {}
    if is_by_channel and (code := row.values.get(CHANNEL)):
        contents[CHANNEL] = code
    for index, column in header.columns.items():
        key = key_on(column.key, row.channel) if is_by_channel else column.key
        if key is None or (key == column.key and locator.has_own(key, row.channel)):
            continue
        value = row.values.get(key)
        if value is None or not isinstance(value, str | int | Decimal):
            is_read = value is None and key not in row.refused
            if is_read and not isinstance(column.type, Ignored):
                continue
            value = _standing(cells.at(position, index))
        if value != "":
            contents[key] = value
    return Filled(row.number, line_of(cells, position), row.feed.kind, pickle.dumps(contents))


def nothing_filled(cells: Cells, position: int, kind: str) -> Filled:
    """A row of which nothing is kept, since it is skipped."""
    return Filled(cells.block.rows[position], line_of(cells, position), kind, pickle.dumps({}))


def _standing(cell: Cell) -> str | Decimal:
    """The content of a cell, whatever its column makes of it."""
    is_number = cell.kind is Kind.NUMBER and not (cell.percent or cell.zeros)
    return rounded(cell.text) if is_number else plain(shown(cell))
