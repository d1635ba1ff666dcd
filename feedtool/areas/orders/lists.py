"""Further lists: gestures, parcels of a warehouse, reasons, channels, and the picking list.

Members that the specification does not show are exported unchanged, under the service's names.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import unquote

from feedtool.areas.listing import Empty, Entries, ListFilter, Listing, export_of
from feedtool.areas.orders import columns, wire
from feedtool.areas.orders.listing import (
    BY_ORDER,
    BY_SALES_CHANNEL,
    FILTERS,
    STATUSES,
    lines_to_ship,
    orders_list,
    reader,
)
from feedtool.areas.orders.rows import order_rows
from feedtool.areas.orders.wire import Order
from feedtool.areas.plain_list import (
    DATE,
    ENABLED,
    NUMBER,
    RECEIVERS,
    Table,
    channel_list,
    channels_in,
    flat_row,
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
    OutputRow,
    PlainTable,
    Query,
    ServiceList,
)
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import READ, Call, Reply
from feedtool.model.cells import Value
from feedtool.model.text import LANGUAGES, Translator, tr

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

OF_CHANNELS = tr("look at --sales-channel")

flat = partial(flat_row, known=KNOWN)


# Gestures.


def _gesture_rows(gesture: wire.Gesture, query: Query) -> list[KeyedRow]:
    """The row of a gesture of the chosen orders; a service need not show its order."""
    if query["order"] and gesture.order not in {"", *query["order"]}:
        return []
    return [{**flat(gesture.document), "requestId": gesture.id, "orderId": gesture.order}]


GESTURE_LIST = Listing(
    "gestures",
    """Export the requested commercial gestures, with the result of each, into a table.

    A gesture is granted or rejected some time after it was asked for.
    """,
    noun=tr("gestures"),
    page=wire.read_gestures(),
    sheet=Table(tr("Commercial gestures"), KNOWN),
    empty=Empty(tr("there are no commercial gestures")),
    filters=(ListFilter(BY_ORDER, "orderId", is_single=True),),
    entries=Entries(
        wire.gestures_of, _gesture_rows, key=lambda gesture: gesture.id or repr(gesture)
    ),
)

# Parcels that a warehouse of the service ships.


def events(parcel: Mapping[str, Any]) -> Iterator[dict[str, Value]]:
    """A row for each event of a parcel; a row without an event if it has none."""
    common = flat(parcel)
    lists = (value for value in parcel.values() if isinstance(value, list))
    listed = next(
        ([event for event in value if isinstance(event, dict)] for value in lists if value), []
    )
    for event in islice(listed or [{}], MOST_EVENTS):
        yield common | flat(event, prefix="event.")


TRACKING_LIST = Listing(
    "order-tracking",
    """Export where the parcels are that the service's warehouse ships for you, into a table.

    A row for each event of a parcel. The service looks for new events every 8 hours.
    """,
    noun=tr("parcels"),
    page=Call("GET", "/parcel-trackings", READ),
    sheet=Table(tr("Parcels"), KNOWN),
    empty=Empty(
        tr("there are no parcels to follow"),
        tr("only orders that the service's warehouse ships are here; nothing was written"),
    ),
    entries=Entries(rows=lambda parcel, _: events(parcel), key=lambda parcel: repr(flat(parcel))),
    tries_pages=True,
)
GESTURES, ORDER_TRACKING = export_of(GESTURE_LIST), export_of(TRACKING_LIST)


# Rules of channels.


CHANNELS = channel_list(tr("channels"), BY_SALES_CHANNEL, OF_CHANNELS)


def _reasons(reply: Reply, call: Call) -> ListPage:
    query = dict(call.query)
    place = {"salesChannelId": query["salesChannel"], "orderStatus": query["orderStatus"]}
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

_UNKNOWN_CHANNEL = "unknown channel"


def _configurations(_: Query) -> tuple[ServiceList, ServiceList]:
    """The list of channels, and the configuration of gestures of each."""
    listed: dict[str, KeyedRow] = {}

    def first(_: Query, channels: KeyedRows) -> Iterator[Call]:
        listed.update((str(row["salesChannelId"]), row) for row in channels)
        return map(wire.read_configuration, listed)

    def read(reply: Reply, call: Call) -> ListPage:
        channel = unquote(call.target.rpartition("/")[2])
        known = listed.get(channel, {})
        row = {f"discussions.{name}": known[name] for name in (ENABLED, RECEIVERS) if name in known}
        if reply.status in READ:
            row = {**row, **flat(wire.configuration_of(reply))}
        elif not row:
            return ListPage(tally={(_UNKNOWN_CHANNEL, channel): 1})
        return ListPage([(channel, row | {"salesChannelId": channel})], progress=1)

    unknown = nothing(tr("the service has no channel like that"), OF_CHANNELS)
    return CHANNELS, ServiceList(tr("channels"), first, lambda _: read, unknown, OF_CHANNELS)


def _unknown_channels(_: Query, tally: ExportTally) -> ExportSummary:
    """A note for each channel of which the service has no configuration."""
    return ExportSummary(
        [
            ExportNote(
                tr("the service has no channel {channel}", channel=name), OF_CHANNELS, is_loss=True
            )
            for sort, name in tally
            if sort == _UNKNOWN_CHANNEL
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
    _unknown_channels,
    (BY_SALES_CHANNEL,),
)

LISTS = (GESTURES, ORDER_TRACKING, CANCELLATION_REASONS, CHANNEL_EXPORT)


# The picking list.

_COLUMNS = {
    columns.PRODUCT: ("Seller's reference", TEXT, 24.0),
    "product.title": ("Product", TEXT, 48.0),
    "product.gtin": ("GTIN", TEXT, 18.0),
    "quantity": ("Quantity", "0", 12.0),
    columns.ORDER: ("Order", TEXT, 40.0),
}
"""By key, the label, the format and the width of a column."""


_LineKey = tuple[str, Value]
"""An order, and the number of a line: identifiers may be unique only within an order."""


def _picked(lines: Iterable[KeyedRow]) -> KeyedRow:
    """The row of a product, from all its lines; without lines nothing of it is to be taken."""
    rows = list(lines)
    orders = dict.fromkeys(str(row[columns.ORDER]) for row in rows)
    quantities = (row["quantity"] for row in rows)
    picked: Mapping[str, Value] = {
        "quantity": sum(number for number in quantities if isinstance(number, int)),
        columns.ORDER: ", ".join(orders),
    }
    return {**rows[0], **picked} if rows else picked


def _page(query: Query) -> Callable[[Reply, Call], ListPage]:
    """The reader of pages, with the rows of all products that the orders of a page change."""
    lines: defaultdict[str, dict[_LineKey, KeyedRow]] = defaultdict(dict)
    places: defaultdict[str, list[tuple[str, _LineKey]]] = defaultdict(list)

    def make(order: Order) -> list[KeyedRow]:
        line_ids = {line.id for line in lines_to_ship(order)}
        rows = order_rows(order, query.settings, has_addresses=False)
        return [row for row in rows if row.get(columns.LINE) in line_ids]

    read = reader(query, make)

    def page(reply: Reply, call: Call) -> ListPage:
        listed = read(reply, call)
        changed: dict[str, None] = {}
        for order in listed.things:
            for product, place in places.pop(order.key, ()):  # it is read again
                del lines[product][place]
                changed[product] = None
            for row in order.rows:
                key = row[columns.PRODUCT] or row["product.gtin"] or row["product.title"]
                product, place = str(key or ""), (order.key, row["line.number"])
                places[order.key].append((product, place))
                lines[product][place] = row
                changed[product] = None
        rows = [(product, _picked(lines[product].values())) for product in changed]
        return listed._replace(things=(), rows=rows)

    return page


def _table(query: Query, *_: Any) -> PlainTable:
    place = LANGUAGES.index(query.language)
    fields = (
        Field(key, columns.WORDS.of(label)[place], "", CellEntry(number_format, width))
        for key, (label, number_format, width) in _COLUMNS.items()
    )
    title = Translator(query.language).message(tr("Picking list"))
    return PlainTable(title, tuple(fields), has_labels=True)


PICKING = Export(
    "picking",
    """Export what to take from the shelves: a row for each product, with the sum of its pieces.

    Of all lines in preparation that the seller ships.
    """,
    lambda _: (orders_list(_page),),
    _table,
    no_loss,
    FILTERS,
    # The other products have nothing left to take.
    rows=lambda _, lists, __: (OutputRow(row) for row in lists[-1] if columns.ORDER in row),
)
