"""The sales channels that exports read: the named ones, else all.

Specification, "Discussions": GET /sales-channel-configurations lists them for several channels by
a parameter that is not shown; without any it gives all. Where a service refuses that, the primary
channel is left.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from feedtool.areas.plain_list import nothing
from feedtool.feeds.export import Filter, KeyedRow, KeyedRows, ListPage, Query, ServiceList
from feedtool.feeds.feed import CHANNEL
from feedtool.model.call import READ, Call, Reply
from feedtool.service.answers import items_of, text

TARGET = "/sales-channel-configurations"
REFUSALS = frozenset({400, 403, 404, 405})
"""Not every account may read them, and nothing else depends on them."""
ENABLED, RECEIVERS, ASKED_AT = "isEnabled", "allowedReceivers", "askedAt"
"""Members of a channel's row; the last is the time of the answer by the service's clock."""
MOST_RECEIVERS = 20


def named_channels(query: Query, by: Filter) -> tuple[str, ...]:
    """The channels that an option names."""
    return tuple(query.values.get(by.name) or ())


def channel_list(name: str, by: Filter, hint: str) -> ServiceList:
    """The list of channels, a row for each; `by` is the option that names some."""

    def page(query: Query) -> Callable[[Reply, Call], ListPage]:
        def read(reply: Reply, _: Call) -> ListPage:
            items = items_of(reply, name) if reply.status in READ else []
            listed = {channel_of(item): item for item in items if isinstance(item, dict)}
            usual = tuple(filter(None, listed)) or (query.settings.primary_channel,)
            channels = named_channels(query, by) or usual
            date = reply.headers.get("date", "")
            return ListPage(
                [
                    (channel, {**_row(channel, listed.get(channel, {})), ASKED_AT: date})
                    for channel in channels
                ]
            )

        return read

    return ServiceList(name, lambda *_: [read_channels()], page, nothing(name, hint), hint)


def read_channels() -> Call:
    """The configurations of all sales channels; a refusal is an answer, too."""
    return Call("GET", TARGET, READ | REFUSALS)


def channel_of(item: Mapping[str, Any]) -> str:
    """The identifier of a channel's configuration, or an empty text."""
    names = (CHANNEL, "salesChannel", "id")
    return next(filter(None, (text(item.get(name)) for name in names)), "")


def receivers_of(item: Mapping[str, Any]) -> list[str]:
    """The receivers of a seller's messages, by a configuration."""
    receivers = item.get(RECEIVERS)
    return [*map(text, receivers[:MOST_RECEIVERS])] if isinstance(receivers, list) else []


def _row(channel: str, item: Mapping[str, Any]) -> KeyedRow:
    enabled = item.get(ENABLED)
    return {
        CHANNEL: channel,
        ENABLED: str(enabled).lower() if isinstance(enabled, bool) else None,
        RECEIVERS: ", ".join(receivers_of(item)) or None,
    }


def channels_in(rows: KeyedRows) -> Iterator[str]:
    """The identifiers of a list of channels."""
    return (str(row[CHANNEL]) for row in rows)
