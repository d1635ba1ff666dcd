"""One row for several sales channels: `price.price[CODE]` is the price on the channel CODE."""

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
"""In the place of a key: the condition by which a row is not for the channel."""


class Truth:
    """The type of a condition."""

    def read(self, cell: Cell, column: object) -> bool:
        """True or false."""
        del column
        return cell.text == "TRUE"


def of_channel(key: str, code: str) -> str:
    """A key on a channel."""
    return f"{key}[{code}]"


def key_on(key: str, channel: str) -> str | None:
    """The key that a column's key is on a channel; None where it is another's, or a condition."""
    match = OF_CHANNEL.fullmatch(key)
    if match is None:
        return key
    return match["key"] if match["code"] == channel and match["key"] != SKIP else None


def channel_column(header: str, columns: Mapping[str, Column]) -> Column | None:
    """The column of a key on one channel, `price.price[CODE]`; None where a header is none."""
    match = OF_CHANNEL.fullmatch(header)
    base = columns.get(match["key"]) if match else None
    if match is None or base is None or FOOTNOTE.fullmatch(match["code"]):
        return None
    return replace(base, key=header, labels=("", "", ""), aliases=())


def refusal(column: Column, feed: Feed) -> str:
    """The reason why a column cannot be of one channel alone; empty where it can."""
    base = column.key.partition("[")[0]
    if not feed.sheet.has_channel:
        return tr("{kind} have no sales channels", kind=feed.sheet.name)
    if column.is_shared:
        return tr("all channels share one stock")
    is_of_row = base in {feed.requests.reference, CHANNEL, ACTION, *feed.requests.identity}
    return tr("{key} is of the row, not of a channel", key=base) if is_of_row else ""


def base_keys(header: Header) -> frozenset[str]:
    """The keys that a header has on some channel."""
    matches = (OF_CHANNEL.fullmatch(column.key) for column in header.columns.values())
    return frozenset(match["key"] for match in matches if match)


def channel_split(header: Header) -> Callable[[Row], Sequence[Row]] | None:
    """The rows that a row of a sheet stands for; None where its columns are of one channel.

    A row is for a further channel unless the channel's cells are blank or its condition is true.
    For its own channel it is if there is a column that is of no channel, or its own channel's.
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
            own = {key: row.values.get(at) for key, at in keys.items()}
            refused = {key for key, at in keys.items() if at in row.refused}
            is_left_out = own.pop(SKIP, None) is True
            if refused or (not is_left_out and any(value is not None for value in own.values())):
                values = {**row.values, **own, CHANNEL: code}
                rows[code] = row._replace(
                    channel=code, values=values, refused=(row.refused - own.keys()) | refused
                )
        return list(rows.values()) or (row,)

    return split
