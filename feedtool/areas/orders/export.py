"""`feedtool export orders` and `shipments`: the seller's orders, ready to be handled.

Specification, "Orders", rules 1 and 2. The list has no end but a short page, and changes while it
is read: `feeds.keyset` reads it so that no order is skipped.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial

from feedtool.areas.orders import columns, wire
from feedtool.areas.orders.acts import OPEN_LINES
from feedtool.areas.orders.feeds import SHIP, SHIPMENTS
from feedtool.areas.orders.rows import order_rows
from feedtool.areas.orders.rules import REASONS
from feedtool.areas.orders.wire import Order
from feedtool.feeds import keyset
from feedtool.feeds.export import (
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
    MadeRow,
    Query,
    ServiceList,
    Thing,
)
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.header import Column
from feedtool.model.nouns import EARLIEST
from feedtool.model.text import LANGUAGES, MessageText, plural, tr
from feedtool.service.answers import moment

STATUSES = (
    *("Processing", "WaitingAcceptance", "Accepted", "Refused", "InPreparation", "Shipped"),
    *("Delivered", "Cancelled", "Rejected"),
)
WAITING, PREPARING = "WaitingAcceptance", "InPreparation"

# What is asked for.


STATUS = Filter("status", "STATUS[,STATUS]", tr("Only orders of these statuses."), is_list=True)
TO_DO = Filter(
    "to-do",
    "",
    tr("Only what waits for you: orders to accept, to ship, and cancellations that are asked for."),
    is_flag=True,
)
NARROWING = (
    Filter("sales-channel", "ID[,ID]", tr("Only orders of these sales channels."), is_list=True),
    Filter("supply-mode", "MODE", tr("Only what is delivered by: Seller, Fulfillment or Xdock.")),
    Filter("country", "CODE[,CODE]", tr("Only orders to these countries."), is_list=True),
    Filter("business", "", tr("Only orders of companies."), is_flag=True),
    Filter("order", "ID[,ID]", tr("Only these orders."), is_list=True),
    Filter("reference", "TEXT[,TEXT]", tr("Only orders of these references."), is_list=True),
)
NO_ADDRESSES = Filter(
    "no-addresses",
    "",
    tr("Leave out the names and addresses of customers."),
    is_flag=True,
    narrows=False,
)


def check(query: Query) -> None:
    """Refuse statuses that there are not."""
    if strangers := [status for status in query["status"] if status not in STATUSES]:
        raise UsageProblem(
            tr("there is no status “{status}”", status=strangers[0]),
            tr("statuses: {statuses}", statuses=", ".join(STATUSES)),
        )


def _matches(query: Query, order: Order) -> bool:
    """True if an order is asked for: what can change is never left out by the service."""
    fields = order.document
    wanted = {
        "sales-channel": order.channel,
        "country": str(fields.get("shippingCountry") or ""),
        "order": order.id,
        "reference": str(fields.get("reference") or ""),
        "status": order.status,
    }
    if any(query[name] and value not in query[name] for name, value in wanted.items()):
        return False
    if query["business"] and fields.get("businessOrder") is not True:
        return False
    mode = query["supply-mode"]
    modes = {line.supply_mode or order.supply_mode for line in order.lines} or {order.supply_mode}
    if mode and mode.casefold() not in map(str.casefold, modes):
        return False
    return not query["to-do"] or bool(to_do(order))


def to_do(order: Order) -> str:
    """What an order waits for: `accept`, `ship` or `cancel`; empty where the seller has nothing."""
    if order.status == WAITING:
        return "accept"
    if order.status != PREPARING:
        return ""
    own = [order.status_of(line) for line in order.lines if order.is_sellers(line)]
    if "CancelRequest" in own:
        return "cancel"
    return "ship" if PREPARING in own else ""


# Pages.


def _call(query: Query, asked: keyset.Asked) -> Call:
    def pairs() -> Iterator[tuple[str, str]]:
        if asked.since:
            yield (
                "updatedAtMin",
                f"{asked.since.astimezone(UTC).isoformat()}".replace("+00:00", "Z"),
            )
        yield "pageIndex", str(asked.number)
        yield "sort", asked.sort
        if len(query["sales-channel"]) == 1:  # an order never changes it
            yield "salesChannelId", query["sales-channel"][0]

    return wire.read_orders(pairs())


def _at(order: Order) -> datetime:
    return moment(order.updated_at) or EARLIEST


Make = Callable[[Order], list[KeyedRow]]


def reader(query: Query, make: Make) -> Callable[[Reply, Call], ListPage]:
    """The reader of pages of orders; each order is a thing with a row for each of its lines."""

    def read(reply: Reply) -> ListPage:
        things = []
        for order in wire.orders_of(reply):
            rows = make(order) if _matches(query, order) else []
            things.append(Thing(order.id, order.updated_at, _at(order), rows))
        return ListPage(things=things, progress=len(things))

    begin = keyset.first(query.since)
    return keyset.page_reader(begin, partial(_call, query), read, wire.PAGE)


def _first(query: Query, _: KeyedRows) -> list[Call]:
    return [_call(query, keyset.first(query.since))]


def _nothing(query: Query, _: ExportTally) -> NothingToDo:
    if any(query[given.name] for given in FILTERS if given.narrows):
        return NothingToDo(
            tr("there are no orders like that"), tr("look at the filters; nothing was written")
        )
    return NothingToDo(tr("there are no orders"), tr("look at --seller; nothing was written"))


HINT = tr("look at the filters; nothing was written")


def orders_list(make: Callable[[Query], Make]) -> ServiceList:
    """The list of orders, of which each becomes rows."""
    return ServiceList(
        tr("orders"),
        _first,
        lambda query: reader(query, make(query)),
        _nothing,
        HINT,
        unit=tr("orders"),
    )


# The sheet of orders.


def _make_rows(query: Query) -> Make:
    settings, has_addresses = query.dialect, not query["no-addresses"]

    def make(order: Order) -> list[KeyedRow]:
        first, *others = order_rows(order, settings, has_addresses=has_addresses)
        return [{**first, _TO_DO: to_do(order)}, *others]

    return make


_TO_DO = "to do"
"""In the first row of an order, until the orders are counted."""


def _counted(_: Query, __: ExportTally) -> Callable[[KeyedRow], MadeRow]:
    """Counts what waits for the seller among the rows that go into the file."""

    def made(row: KeyedRow) -> MadeRow:
        if _TO_DO not in row:
            return MadeRow(row)
        own = {key: value for key, value in row.items() if key != _TO_DO}
        return MadeRow(own, {(_TO_DO, str(row[_TO_DO])): 1})

    return made


REASON_STATUSES = (WAITING, PREPARING, "Shipped")
"""Statuses of orders whose reasons are asked for: others have these, or none."""
_OF_REASON = "reason"


def _reason_page(reply: Reply, call: Call) -> ListPage:
    """The reasons for one channel and status; a service that lists none is no error here."""
    asked = dict(call.query)
    place = f"{asked['salesChannel']}|{asked['orderStatus']}"
    reasons = wire.reasons_of(reply) if reply.status in READ else []
    tally = Counter({(_OF_REASON, f"{place}={reason.code}"): 1 for reason in reasons})
    return ListPage([(place, {columns.REASON: place})], tally=tally)


LISTED_REASONS = ServiceList(
    tr("reasons"),
    lambda query, _: [
        wire.read_reasons(channel, status)
        for channel in (query["sales-channel"] or (query.dialect.primary_channel,))
        for status in REASON_STATUSES
    ],
    lambda _: _reason_page,
    _nothing,
    HINT,
)


def _reasons(tally: ExportTally) -> dict[str, list[str]]:
    """The reasons by channel and status: `PRIMARY|InPreparation`."""
    found: dict[str, list[str]] = {}
    for sort, name in tally:
        if sort == _OF_REASON:
            place, _, code = name.partition("=")
            found.setdefault(place, []).append(code)
    return found


def _sheet(query: Query, rows: KeyedRows, tally: ExportTally) -> FilledTemplate:
    reasons = _reasons(tally)
    shown = [column for column in columns.SHOWN_COLUMNS if column.key in rows.columns]
    return FilledTemplate(
        SHIP,
        query.context,
        query.language,
        further=[shown_field(column, query) for column in shown],
        choices={columns.REASON: tuple(sorted({code for of in reasons.values() for code in of}))},
        stamps={
            REASONS.removeprefix("feedtool."): tuple(
                f"{place}={'|'.join(codes)}" for place, codes in reasons.items()
            )
        },
    )


MONEY = frozenset(("unitSalesPrice", "shippingCost", columns.TOTAL))
DATES = frozenset(("createdAt", "updatedAt", "shippedAt", "deadline.accept"))
WHOLES = frozenset(("line.number", columns.LINES, "quantity"))


def shown_field(column: Column, query: Query) -> Field:
    """A column that is but shown."""
    at = LANGUAGES.index(query.language)
    number_format = TEXT
    if column.key in MONEY:
        number_format = "0.00"
    elif column.key in DATES:
        number_format = "yyyy-mm-dd hh:mm"
    elif column.key in WHOLES:
        number_format = "0"
    return Field(
        column.key,
        column.labels[at],
        column.help[at],
        CellEntry(number_format, 18),
        is_folded=column.key in columns.PERSONAL,
        group=column.group[at],
    )


def _summary(_: Query, tally: ExportTally) -> ExportSummary:
    """What waits for the seller, in numbers."""
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


FILTERS = (STATUS, TO_DO, *NARROWING, NO_ADDRESSES)

ORDERS = Export(
    "orders",
    """Export orders into a workbook in which they are accepted, shipped, cancelled.

    A row for each line of an order. Choose an action, fill what it needs, and submit the workbook:
    rows in which nothing is filled ask for nothing.
    """,
    lambda _: (LISTED_REASONS, orders_list(_make_rows)),
    _sheet,
    _summary,
    FILTERS,
    check,
    rows=_counted,
    is_sent_back=True,
    increments=Increments(_missed),
)


# Shipments: lines that are to be shipped, as a carrier's file has them.


def lines_to_ship(order: Order) -> Iterable[str]:
    """The identifiers of the lines that the seller is to ship."""
    if order.status != PREPARING:
        return ()
    return (
        line.id
        for line in order.lines
        if order.is_sellers(line) and order.status_of(line) in OPEN_LINES
    )


SHIPMENT_EXPORT = Export(
    "shipments",
    """Export what is to be shipped into a workbook for parcel numbers.

    A row for each line in preparation that the seller ships.
    """,
    lambda _: (
        orders_list(
            lambda _: (
                lambda order: [
                    {columns.ORDER: order.id, columns.LINE: line} for line in lines_to_ship(order)
                ]
            )
        ),
    ),
    lambda query, *_: FilledTemplate(SHIPMENTS, query.context, query.language),
    _summary,
    (STATUS, TO_DO, *NARROWING),
    check,
    is_sent_back=True,
    increments=Increments(_missed),
)
