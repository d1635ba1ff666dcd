"""Split rows for several sales channels: `price.price[CODE]` is the price on channel CODE."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from feedtool.feeds.feed import ACTION, CHANNEL, Feed, Row
from feedtool.model.cells import Cell
from feedtool.model.header import Column, Header
from feedtool.model.text import tr

OF_CHANNEL = re.compile(r"(?P<key>[^\[\]]+)\[(?P<code>[^\[\]]+)\]")
"""A key on one channel."""
FOOTNOTE = re.compile(r"\s*\d{1,2}\s*")
SKIP = "skip"
"""The name, instead of a key, of the condition that excludes a row from the channel."""


class Truth:
    """The type of a condition."""

    def read(self, cell: Cell, column: object) -> bool:
        del column
        return cell.text == "TRUE"


def of_channel(key: str, code: str) -> str:
    return f"{key}[{code}]"


def key_on(key: str, channel: str) -> str | None:
    """Return the key of a column on a channel; None for other channels, and for a condition."""
    match = OF_CHANNEL.fullmatch(key)
    if match is None:
        return key
    return match["key"] if match["code"] == channel and match["key"] != SKIP else None


def channel_column(header: str, columns: Mapping[str, Column]) -> Column | None:
    """Return the column of a key on one channel, `price.price[CODE]`; None for other headers."""
    match = OF_CHANNEL.fullmatch(header)
    base = columns.get(match["key"]) if match else None
    if match is None or base is None or FOOTNOTE.fullmatch(match["code"]):
        return None
    return replace(base, key=header, labels=("", "", ""), aliases=())


def refusal(column: Column, feed: Feed) -> str:
    """Return the reason why a column cannot be of one channel; empty if it can."""
    base = column.key.partition("[")[0]
    if not feed.sheet.has_channel:
        return tr("{kind} have no sales channels", kind=feed.sheet.name)
    if column.is_shared:
        return tr("all channels share one stock")
    is_of_row = base in {feed.requests.reference, CHANNEL, ACTION, *feed.requests.identity}
    return tr("{key} is of the row, not of a channel", key=base) if is_of_row else ""


def base_keys(header: Header) -> frozenset[str]:
    matches = (OF_CHANNEL.fullmatch(column.key) for column in header.columns.values())
    return frozenset(match["key"] for match in matches if match)


def channel_split(header: Header) -> Callable[[Row], Sequence[Row]] | None:
    """Return a function that splits rows by channel; None if no column is of one channel.

    A row is for another channel unless the channel's cells are blank or its condition is true. It
    is for its own channel if a column is of no channel, or of its own channel.
    """
    channels: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for column in header.columns.values():
        if match := OF_CHANNEL.fullmatch(column.key):
            channels[match["code"]][match["key"]] = column.key
    if not channels:
        return None
    has_base = any(column.key in base_keys(header) for column in header.columns.values())

    def split(row: Row) -> Sequence[Row]:
        rows = {row.channel: row} if has_base else {}
        for code, keys in channels.items():
            of_code = {key: row.values.get(column) for key, column in keys.items()}
            refused = {key for key, column in keys.items() if column in row.refused}
            is_left_out = of_code.pop(SKIP, None) is True
            is_filled = any(value is not None for value in of_code.values())
            if refused or (not is_left_out and is_filled):
                values = {**row.values, **of_code, CHANNEL: code}
                rows[code] = row._replace(
                    channel=code, values=values, refused=(row.refused - of_code.keys()) | refused
                )
        return list(rows.values()) or (row,)

    return split
