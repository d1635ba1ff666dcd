"""The values of a row, stored for writing them in another form."""

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
    """Return the values of a row; for a cell without a valid value, its text.

    With `is_by_channel` only the values for the row's channel, which may have its own columns.
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
            value = _content(cells.at(position, index))
        if value != "":
            contents[key] = value
    return Filled(row.number, line_of(cells, position), row.feed.kind, pickle.dumps(contents))


def without_values(cells: Cells, position: int, kind: str) -> Filled:
    """Return a record without values, for a skipped row."""
    return Filled(cells.block.rows[position], line_of(cells, position), kind, pickle.dumps({}))


def _content(cell: Cell) -> str | Decimal:
    """Return the content of a cell, independent of its column's type."""
    is_number = cell.kind is Kind.NUMBER and not (cell.percent or cell.zeros)
    return rounded(cell.text) if is_number else plain(shown(cell))
