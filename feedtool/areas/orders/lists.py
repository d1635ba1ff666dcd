"""Lists beside the orders, to look at: gestures, parcels of a warehouse, reasons, channels.

Members that the specification does not show are brought as they come, under the service's names.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import unquote

from feedtool.areas.channel_list import ENABLED, RECEIVERS, channel_list, channels_in
from feedtool.areas.orders import wire
from feedtool.areas.orders.listing import BY_ORDER, BY_SALES_CHANNEL, STATUSES
from feedtool.areas.plain_list import (
    DATE,
    NUMBER,
    Table,
    flat_row,
    following,
    no_loss,
    nothing,
)
from feedtool.feeds.export import (
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    KeyedRow,
    KeyedRows,
    ListPage,
    Query,
    ServiceList,
)
from feedtool.feeds.template import TEXT
from feedtool.model.call import READ, Call, Reply
from feedtool.model.cells import Value
from feedtool.model.text import tr
from feedtool.service.answers import items_of

KNOWN = {
    "salesChannelId": (tr("Sales channel"), TEXT),
    "orderStatus": (tr("Order status"), TEXT),
    "orderId": (tr("Order"), TEXT),
    "requestId": (tr("Request"), TEXT),
    "status": (tr("Status"), TEXT),
    "amount": (tr("Amount"), NUMBER),
    "reason": (tr("Reason"), TEXT),
    "label": (tr("Meaning"), TEXT),
    "reasonDetails": (tr("Details"), TEXT),
    "createdAt": (tr("Created"), DATE),
    "updatedAt": (tr("Updated"), DATE),
    "parcelNumber": (tr("Parcel number"), TEXT),
    "carrierName": (tr("Carrier"), TEXT),
    "trackingUrl": (tr("Tracking address"), TEXT),
    "trackingId": (tr("Tracking id"), TEXT),
    "event.status": (tr("Event"), TEXT),
    "event.date": (tr("Time of the event"), DATE),
    "refreshedAt": (tr("Refreshed"), DATE),
    "discussions.isEnabled": (tr("Discussions possible"), TEXT),
    "discussions.allowedReceivers": (tr("Who may be written to"), TEXT),
    "isEnabled": (tr("Gestures possible"), TEXT),
    "maximumAmount": (tr("Largest gesture"), NUMBER),
    "maximumRate": (tr("Largest gesture, in %"), NUMBER),
}
MOST_EVENTS = 1000

HINT = tr("look at --seller; nothing was written")
OF_CHANNELS = tr("look at --sales-channel")

flat = partial(flat_row, known=KNOWN)


# Gestures.


def _gestures(orders: Collection[str], reply: Reply, _: Call) -> ListPage:
    gestures, link = wire.gestures_of(reply)
    rows = [
        (it.id or repr(it), {**flat(it.document), "requestId": it.id, "orderId": it.order})
        for it in gestures
        if not orders or it.order in {"", *orders}
    ]
    return ListPage(rows, Call("GET", link, READ) if link else None, progress=len(rows))


GESTURES = Export(
    "gestures",
    """Export the commercial gestures that were asked for, with what became of each, into a table.

    A gesture is granted or rejected some time after it was asked for.
    """,
    lambda _: (
        ServiceList(
            tr("gestures"),
            lambda query, _: [wire.read_gestures(order) for order in query["order"] or ("",)],
            lambda query: partial(_gestures, query["order"]),
            nothing(tr("there are no commercial gestures"), HINT),
            HINT,
            unit=tr("gestures"),
        ),
    ),
    Table(tr("Commercial gestures"), KNOWN).sheet,
    no_loss,
    (BY_ORDER,),
)


# Parcels that a warehouse of the service ships.


def _trackings(reply: Reply, call: Call) -> ListPage:
    """The parcels of a page, by their events."""
    if reply.status not in READ:
        return ListPage()
    parcels = [it for it in items_of(reply, tr("parcels")) if isinstance(it, dict)]
    rows = [(repr(row), row) for parcel in parcels for row in events(parcel)]
    return following(ListPage(rows, progress=len(parcels)), reply, call, wire.read_trackings)


def events(parcel: Mapping[str, Any]) -> Iterator[dict[str, Value]]:
    """A row for each event of a parcel; one without, where it has none yet."""
    common = flat(parcel)
    lists = (value for value in parcel.values() if isinstance(value, list))
    listed = next(([it for it in value if isinstance(it, dict)] for value in lists if value), [])
    for event in islice(listed or [{}], MOST_EVENTS):
        yield common | flat(event, prefix="event.")


ORDER_TRACKING = Export(
    "order-tracking",
    """Export where the parcels are that the service's warehouse ships for you, into a table.

    A row for each event of a parcel. The service looks for new events every 8 hours.
    """,
    lambda _: (
        ServiceList(
            tr("parcels"),
            lambda *_: [wire.read_trackings()],
            lambda _: _trackings,
            nothing(
                tr("there are no parcels to follow"),
                tr("only orders that the service's warehouse ships are here; nothing was written"),
            ),
            HINT,
            unit=tr("parcels"),
        ),
    ),
    Table(tr("Parcels"), KNOWN).sheet,
    no_loss,
)


# What channels allow.


CHANNELS = channel_list(tr("channels"), BY_SALES_CHANNEL, OF_CHANNELS)


def _reasons(reply: Reply, call: Call) -> ListPage:
    asked = dict(call.query)
    place = {"salesChannelId": asked["salesChannel"], "orderStatus": asked["orderStatus"]}
    reasons = wire.reasons_of(reply) if reply.status in READ else []
    rows = [{**place, "reason": reason.code, "label": reason.label} for reason in reasons]
    return ListPage([(None, row) for row in rows], progress=len(rows))


CANCELLATION_REASONS = Export(
    "cancellation-reasons",
    """Export the reasons that you may cancel for, into a table.

    A row for each status of orders and reason, as the column Reason takes them, of every channel.
    """,
    lambda _: (
        CHANNELS,
        ServiceList(
            tr("reasons"),
            lambda query, channels: [
                wire.read_reasons(channel, status, query.language)
                for channel in channels_in(channels)
                for status in STATUSES
            ],
            lambda _: _reasons,
            nothing(tr("the service names no reasons"), OF_CHANNELS),
            OF_CHANNELS,
            unit=tr("reasons"),
        ),
    ),
    Table(tr("Reasons"), KNOWN).sheet,
    no_loss,
    (BY_SALES_CHANNEL,),
)

_UNKNOWN = "unknown channel"
DISCUSSIONS = (ENABLED, RECEIVERS)
"""What the list of channels says of discussions."""


def _configurations(_: Query) -> tuple[ServiceList, ServiceList]:
    """The list of channels, and what each says of gestures."""
    listed: dict[str, KeyedRow] = {}

    def first(_: Query, channels: KeyedRows) -> Iterator[Call]:
        listed.update((str(row["salesChannelId"]), row) for row in channels)
        return map(wire.read_configuration, listed)

    def read(reply: Reply, call: Call) -> ListPage:
        channel = unquote(call.target.rpartition("/")[2])
        known = listed.get(channel, {})
        row = {f"discussions.{name}": known[name] for name in DISCUSSIONS if name in known}
        if reply.status in READ:
            row = {**row, **flat(wire.configuration_of(reply))}
        elif not row:
            return ListPage(tally={(_UNKNOWN, channel): 1})
        return ListPage([(channel, row | {"salesChannelId": channel})], progress=1)

    unknown = nothing(tr("the service has no channel like that"), OF_CHANNELS)
    return CHANNELS, ServiceList(tr("channels"), first, lambda _: read, unknown, OF_CHANNELS)


def _unknown(_: Query, tally: ExportTally) -> ExportSummary:
    """The channels of which the service has no configuration."""
    return ExportSummary(
        [
            ExportNote(
                tr("the service has no channel {channel}", channel=name), OF_CHANNELS, is_loss=True
            )
            for sort, name in tally
            if sort == _UNKNOWN
        ]
    )


CHANNEL_EXPORT = Export(
    "channels",
    """Export what sales channels allow, into a table: discussions and gestures.

    A row for each: whether you can open discussions, whom you may write to, whether gestures are
    possible, and how large.
    """,
    _configurations,
    Table(tr("Sales channels"), KNOWN).sheet,
    _unknown,
    (BY_SALES_CHANNEL,),
)

LISTS = (GESTURES, ORDER_TRACKING, CANCELLATION_REASONS, CHANNEL_EXPORT)
