"""`feedtool export orders` and `shipments`: the seller's orders, ready to be handled."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from feedtool.areas.orders import columns, wire
from feedtool.areas.orders.acts import SHIPPED
from feedtool.areas.orders.feeds import SHIP, SHIPMENTS
from feedtool.areas.orders.listing import (
    FILTERS,
    MISSING_INVOICE,
    PREPARING,
    WAITING,
    Make,
    invoice_status,
    lines_to_ship,
    nothing,
    orders_list,
    reader,
    to_do,
    waits,
)
from feedtool.areas.orders.rows import order_rows
from feedtool.areas.orders.rules import REASONS
from feedtool.areas.orders.wire import Order
from feedtool.areas.plain_list import DATE, NUMBER, Template
from feedtool.feeds.export import (
    OF_FILTERS,
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    FilledTemplate,
    Filter,
    Increments,
    KeyedRow,
    KeyedRows,
    ListPage,
    OutputRow,
    Query,
    ServiceList,
)
from feedtool.model.call import READ, Call, Reply
from feedtool.model.cells import Value
from feedtool.model.text import MessageText, plural, tr

NO_ADDRESSES = Filter(
    "no-addresses",
    "",
    tr("Leave out the names and addresses of customers."),
    is_flag=True,
    narrows=False,
)

GESTURE_AMOUNTS = Filter(
    "gesture-amounts",
    "",
    tr("Also what may still be granted as gestures for a shipped order: a call for each."),
    is_flag=True,
    narrows=False,
)

# The sheet of orders.


def _make_rows(query: Query) -> Make:
    settings, has_addresses = query.settings, not query["no-addresses"]

    def make(order: Order) -> list[KeyedRow]:
        invoice = {columns.INVOICE: invoice_status(query, order) or None}
        rows = order_rows(order, settings, has_addresses=has_addresses)
        first, *others = (row | invoice for row in rows)
        return [{**first, _TO_DO: to_do(order)}, *others]

    return make


def _pages(query: Query) -> Callable[[Reply, Call], ListPage]:
    """The reader of pages, and of what may still be granted for each shipped order of a page.

    It gives a page once all amounts are there; until then the call for the next one.
    """
    read, is_asked = reader(query, _make_rows(query)), query[GESTURE_AMOUNTS.name]
    pages: list[ListPage] = []
    orders: list[str] = []  # of the page; the first is asked for
    amounts: dict[str, Value] = {}

    def page(reply: Reply, call: Call) -> ListPage:
        if pages:
            amounts[orders.pop(0)] = wire.available_of(reply)
        else:
            pages.append(read(reply, call))
            amounts.clear()
            orders.extend(
                thing.key
                for thing in pages[0].things
                if is_asked and any(row[columns.STATUS] in SHIPPED for row in thing.rows)
            )
        if orders:
            return ListPage(next=wire.read_available(orders[0]), is_again=True)
        whole, things = pages.pop(), []
        for thing in whole.things:
            amount = {columns.AVAILABLE: amounts.get(thing.key)}
            things.append(thing._replace(rows=[{**row, **amount} for row in thing.rows]))
        return whole._replace(things=things)

    return page


_TO_DO = "to do"
"""In the first row of an order, until the orders are counted."""


def _counted(_: Query, lists: Sequence[KeyedRows], __: ExportTally) -> Iterator[OutputRow]:
    """Count what waits for the seller among the rows that go into the file."""
    for row in lists[-1]:
        if _TO_DO in row:
            own = {key: value for key, value in row.items() if key != _TO_DO}
            yield OutputRow(own, {(_TO_DO, str(row[_TO_DO])): 1})
        else:
            yield OutputRow(row)


REASON_STATUSES = (WAITING, PREPARING, "Shipped")
"""Statuses of orders whose reasons are asked for: others have these, or none."""
_OF_REASON = "reason"


def _reason_page(reply: Reply, call: Call) -> ListPage:
    """The reasons for one channel and status; a service that lists none is no error here."""
    query = dict(call.query)
    place = f"{query['salesChannel']}|{query['orderStatus']}"
    reasons = wire.reasons_of(reply) if reply.status in READ else []
    tally = Counter({(_OF_REASON, f"{place}={reason.stamp}"): 1 for reason in reasons})
    return ListPage([(place, {columns.REASON: place})], tally=tally)


LISTED_REASONS = ServiceList(
    tr("reasons"),
    lambda query, _: [
        wire.read_reasons(channel, status, query.language)
        for channel in (query["sales-channel"] or (query.settings.primary_channel,))
        for status in REASON_STATUSES
    ],
    lambda _: _reason_page,
    nothing,
    OF_FILTERS,
)


def _reasons(tally: ExportTally) -> dict[str, list[str]]:
    """The reasons by channel and status, `PRIMARY|InPreparation`, as a stamp has them."""
    reasons: dict[str, list[str]] = {}
    for sort, name in tally:
        if sort == _OF_REASON:
            place, _, code = name.partition("=")
            reasons.setdefault(place, []).append(code)
    return reasons


SHEET = Template(
    SHIP,
    columns.SHOWN_COLUMNS,
    {
        **dict.fromkeys(
            ("unitSalesPrice", "shippingCost", columns.TOTAL, columns.AVAILABLE), NUMBER
        ),
        **dict.fromkeys(("createdAt", "updatedAt", "shippedAt", "deadline.accept"), DATE),
        **dict.fromkeys(("line.number", columns.LINES, "quantity"), "0"),
    },
    folded=columns.PERSONAL,
)


def _sheet(query: Query, rows: KeyedRows, tally: ExportTally) -> FilledTemplate:
    reasons = _reasons(tally)
    choices = {wire.Reason.stamped(entry).code for of in reasons.values() for entry in of}
    stamp = tuple(f"{place}={'|'.join(codes)}" for place, codes in reasons.items())
    return SHEET.sheet(query, rows, tally)._replace(
        choices={columns.REASON: tuple(sorted(choices))},
        stamps={REASONS.removeprefix("feedtool."): stamp},
    )


def _summary(_: Query, tally: ExportTally) -> ExportSummary:
    """Count the orders that wait for the seller."""
    texts: Mapping[str, Callable[[int], MessageText]] = {
        "accept": lambda n: plural(
            "{count:,} order waits to be accepted", "{count:,} orders wait to be accepted", n
        ),
        "ship": lambda n: plural("{count:,} order is to ship", "{count:,} orders are to ship", n),
        "cancel": lambda n: plural(
            "a customer wants to cancel {count:,} order",
            "customers want to cancel {count:,} orders",
            n,
        ),
    }
    counts = ((text, tally[_TO_DO, name]) for name, text in texts.items())
    return ExportSummary([ExportNote(text(count)) for text, count in counts if count])


def _missed(count: int) -> MessageText:
    return plural(
        "{count:,} order was missing from earlier exports, and is in this one",
        "{count:,} orders were missing from earlier exports, and are in this one",
        count,
    )


ORDERS = Export(
    "orders",
    """Export orders into a workbook in which they are accepted, shipped, cancelled.

    A row for each line of an order. Choose an action, fill what it needs, and submit the workbook:
    rows in which nothing is filled ask for nothing.
    """,
    lambda _: (LISTED_REASONS, orders_list(_pages)),
    _sheet,
    _summary,
    (*FILTERS, MISSING_INVOICE, NO_ADDRESSES, GESTURE_AMOUNTS),
    rows=_counted,
    asks_ledger=True,
    is_sent_back=True,
    # An invoice makes no new version of its order.
    increments=Increments(_missed, refused=(MISSING_INVOICE.name,)),
    waits=waits,
)


# Shipments: lines that are to be shipped, as a carrier's file has them.


def _lines(order: Order) -> list[KeyedRow]:
    return [
        {columns.ORDER: order.id, columns.LINE: line.id, columns.PRODUCT: line.product}
        for line in lines_to_ship(order)
    ]


SHIPMENT_EXPORT = Export(
    "shipments",
    """Export what is to be shipped into a workbook for parcel numbers.

    A row for each line in preparation that the seller ships.
    """,
    lambda _: (orders_list(lambda query: reader(query, _lines)),),
    lambda query, *_: FilledTemplate(SHIPMENTS, query.context, query.language),
    _summary,
    FILTERS,
    is_sent_back=True,
    increments=Increments(_missed),
)
