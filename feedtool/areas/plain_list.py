"""Rows and sheets of lists that the service gives.

Members that the specification does not show are exported, too, under the service's names.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

from feedtool.feeds.export import (
    LABELS,
    ExportSummary,
    ExportTally,
    FilledTemplate,
    Filter,
    KeyedRow,
    KeyedRows,
    ListPage,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.feed import CHANNEL, Feed
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import READ, Call, Reply
from feedtool.model.cells import Cell, Column, Kind, Value
from feedtool.model.errors import NothingToDo
from feedtool.model.text import LANGUAGES, Translator
from feedtool.service.answers import amount, items_of, moment, text

DATE, NUMBER = "yyyy-mm-dd hh:mm", "0.00"
WIDTH = 24
MOST_MEMBERS = 50

KnownMembers = Mapping[str, tuple[str, str]]
"""By key, the label and the format of a column, in the order of columns; others come behind."""


def flat_row(
    document: Mapping[str, Any], *, known: KnownMembers, prefix: str = ""
) -> dict[str, Value]:
    """The texts, numbers and dates of a document, and of the objects in it as `offer.offerId`."""
    row: dict[str, Value] = {}
    for name, value in islice(document.items(), MOST_MEMBERS):
        key = prefix + text(name)
        if isinstance(value, dict) and not prefix:
            row |= flat_row(value, known=known, prefix=f"{key}.")
        else:
            row[key] = _value(value, known.get(key, ("", TEXT))[1])
    return row


def _value(value: object, number_format: str) -> Value:
    if isinstance(value, bool):
        return str(value).lower()
    number = amount(value) if number_format == NUMBER else None
    if number is not None or isinstance(value, int | Decimal):
        return amount(value)
    return (date_of(value) if number_format == DATE else None) or text(value) or None


def date_of(value: object) -> Value:
    """A date-time as a cell with a date in UTC; None for another value."""
    read = moment(value)
    if read is None:
        return None
    return Cell(Kind.DATE, read.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="seconds"))


class Table(NamedTuple):
    """A sheet whose columns are the members that any row fills."""

    title: str
    known: KnownMembers
    is_personal: bool = False
    """True if its rows may name people."""

    def sheet(self, query: Query, rows: KeyedRows, _: ExportTally) -> PlainTable:
        """The sheet of an export."""
        translate = Translator(query.language).message
        known = {**self.known, **{key: (label, TEXT) for key, label in LABELS.items()}}
        rank = {key: place for place, key in enumerate(known)}
        fields = []
        for key in sorted(rows.columns, key=lambda key: rank.get(key, len(rank))):
            label, number_format = known.get(key, (key, TEXT))
            entry = CellEntry(number_format, WIDTH)
            fields.append(Field(key, translate(label) if key in known else key, "", entry))
        return PlainTable(translate(self.title), fields, is_personal=self.is_personal)


class Template(NamedTuple):
    """The sheet of a feed, which may be sent back, with further columns that are only shown."""

    feed: Feed
    shown: Sequence[Column]
    """Columns that no row fills are left out."""
    formats: Mapping[str, str]
    """Formats by key; text for others."""
    width: float = 18
    folded: Collection[str] = ()
    """Keys of columns that are folded away."""

    def sheet(self, query: Query, rows: KeyedRows, _: ExportTally) -> FilledTemplate:
        """The sheet for rows."""
        place = LANGUAGES.index(query.language)
        fields = [
            Field(
                column.key,
                column.labels[place],
                column.help[place],
                CellEntry(self.formats.get(column.key, TEXT), self.width),
                is_folded=column.key in self.folded,
                group=column.group[place] if column.group else "",
            )
            for column in self.shown
            if column.key in rows.columns
        ]
        return FilledTemplate(self.feed, query.context, query.language, extra_columns=fields)


def nothing(reason: str, hint: str) -> Callable[[Query, ExportTally], NothingToDo]:
    """The end of an export whose list is empty."""
    return lambda _, __: NothingToDo(reason, hint)


def no_loss(_: Query, __: ExportTally) -> ExportSummary:
    """The summary of an export that can leave nothing out."""
    return ExportSummary(())


# The sales channels that exports read.


TARGET = "/sales-channel-configurations"
REFUSALS = frozenset({400, 403, 404, 405})
"""Not every account may read them, and nothing else depends on them."""
ENABLED, RECEIVERS, ASKED_AT = "isEnabled", "allowedReceivers", "askedAt"
"""Members of a channel's row; the last is the time of the answer by the service's clock."""
MOST_RECEIVERS = 20


def channel_list(name: str, by: Filter, hint: str) -> ServiceList:
    """The list of channels, a row for each; `by` is the option that names some."""

    def page(query: Query, reply: Reply, _: Call) -> ListPage:
        items = items_of(reply, name) if reply.status in READ else []
        listed = {channel_of(item): item for item in items if isinstance(item, dict)}
        usual = tuple(filter(None, listed)) or (query.settings.primary_channel,)
        date = reply.headers.get("date", "")
        return ListPage(
            [
                (channel, {**_row(channel, listed.get(channel, {})), ASKED_AT: date})
                for channel in query.values.get(by.name) or usual
            ]
        )

    return ServiceList(
        name,
        lambda *_: [read_channels()],
        lambda query: partial(page, query),
        nothing(name, hint),
        hint,
    )


def read_channels() -> Call:
    """The configurations of all sales channels; a refusal is an answer, too."""
    return Call("GET", TARGET, READ | REFUSALS)


def channel_of(item: Mapping[str, Any]) -> str:
    """The identifier of a channel's configuration, or an empty text."""
    names = (CHANNEL, "salesChannel", "id")
    return next(filter(None, (text(item.get(name)) for name in names)), "")


def _row(channel: str, item: Mapping[str, Any]) -> KeyedRow:
    enabled, receivers = item.get(ENABLED), item.get(RECEIVERS)
    names = receivers[:MOST_RECEIVERS] if isinstance(receivers, list) else ()
    return {
        CHANNEL: channel,
        ENABLED: str(enabled).lower() if isinstance(enabled, bool) else None,
        RECEIVERS: ", ".join(map(text, names)) or None,
    }


def channels_in(rows: KeyedRows) -> Iterator[str]:
    return (str(row[CHANNEL]) for row in rows)
