"""One row for several sales channels: `price.price[CODE]` is the price on the channel CODE."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from feedtool.feeds.feed import CHANNEL, Row
from feedtool.model.cells import Cell
from feedtool.model.header import Header

OF_CHANNEL = re.compile(r"(?P<key>[^\[\]]+)\[(?P<code>[^\[\]]+)\]")
"""A key on one channel."""
SKIP = "skip"
"""In the place of a key: the condition by which a row is not for the channel."""


class Truth:
    """The type of a condition."""

    def read(self, cell: Cell, column: object) -> bool:
        """True or false."""
        del column
        return cell.text == "TRUE"


def channel_split(header: Header) -> Callable[[Row], Sequence[Row]] | None:
    """The rows that a row of a sheet stands for; None where its columns are of one channel.

    A row is for a further channel unless the channel's cells are blank or its condition is true.
    """
    channels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for column in header.columns.values():
        if match := OF_CHANNEL.fullmatch(column.key):
            channels[match["code"]][match["key"]] = column.key
    if not channels:
        return None

    def split(row: Row) -> list[Row]:
        rows = [row]
        for code, keys in channels.items():
            own = {key: row.values.get(at) for key, at in keys.items()}
            is_left_out = own.pop(SKIP, None) is True
            is_refused = not row.refused.isdisjoint(keys.values())
            if is_refused or (not is_left_out and any(value is not None for value in own.values())):
                rows.append(row._replace(channel=code, values={**row.values, **own, CHANNEL: code}))
        return rows

    return split
