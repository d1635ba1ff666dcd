"""The list of orders: its filters, and reading its pages to the end.

Specification, "Orders", rules 1 and 2. The list has no end but a short page, and changes while it
is read: `feeds.keyset` reads it so that no order is skipped. What can change about an order is
compared here, and never left out by the service.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, timedelta
from functools import partial

from feedtool.areas.listing import as_parameter
from feedtool.areas.orders import wire
from feedtool.areas.orders.acts import OPEN_LINES, SHIPPED
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.wire import Line, Order
from feedtool.feeds import keyset
from feedtool.feeds.export import (
    OF_FILTERS,
    OF_SELLER,
    ExportTally,
    Filter,
    KeyedRow,
    ListedItem,
    ListPage,
    Query,
    ServiceList,
    Wait,
)
from feedtool.model.call import Call, Reply
from feedtool.model.errors import NothingToDo
from feedtool.model.nouns import EARLIEST, Status
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import counted, moment, spelled

STATUSES = wire.STATUSES
MODES = ("Seller", "Fulfillment", "Xdock")
WAITING, PREPARING = "WaitingAcceptance", "InPreparation"

# Filters.


STATUS = Filter(
    "status",
    "STATUS[,STATUS]",
    tr("Only orders of these statuses."),
    is_list=True,
    choices=STATUSES,
)
TO_DO = Filter(
    "to-do",
    "",
    tr("Only what waits for you: orders to accept, to ship, and cancellations that are asked for."),
    is_flag=True,
)
BY_SALES_CHANNEL = Filter(
    "sales-channel", "ID[,ID]", tr("Only these sales channels."), is_list=True
)
BY_ORDER = Filter("order", "ID[,ID]", tr("Only these orders."), is_list=True)
NARROWING = (
    BY_SALES_CHANNEL,
    Filter(
        "supply-mode",
        "MODE",
        tr("Only what is delivered by: Seller, Fulfillment or Xdock."),
        read=partial(spelled, words=MODES),
        choices=MODES,
    ),
    Filter("country", "CODE[,CODE]", tr("Only orders to these countries."), is_list=True),
    Filter("business", "", tr("Only orders of companies."), is_flag=True),
    BY_ORDER,
    Filter("reference", "TEXT[,TEXT]", tr("Only orders of these references."), is_list=True),
)
MISSING_INVOICE = Filter(
    "missing-invoice",
    "",
    tr("Only shipped orders of which no invoice that was sent from here is taken."),
    is_flag=True,
)
FILTERS = (STATUS, TO_DO, *NARROWING)


INVOICES = "Invoices"
"""The package type of the area of invoices, which builds on this one."""


def invoice_status(query: Query, order: Order) -> str:
    """The last status of an order's invoice that was sent from here."""
    return query.last_status(INVOICES, order.id)


def _matches(query: Query, order: Order) -> bool:
    """True if an order passes all filters; the service does not filter by what can change."""
    fields = order.document
    values = {
        "sales-channel": order.channel,
        "country": str(fields.get("shippingCountry") or ""),
        "order": order.id,
        "reference": str(fields.get("reference") or ""),
        "status": order.status,
    }
    if any(query[name] and value not in query[name] for name, value in values.items()):
        return False
    if query["business"] and fields.get("businessOrder") is not True:
        return False
    if query.values.get(MISSING_INVOICE.name) and not (
        order.status in SHIPPED and invoice_status(query, order) != Status.SUCCESS
    ):
        return False
    mode = query["supply-mode"]
    modes = {line.supply_mode or order.supply_mode for line in order.lines} or {order.supply_mode}
    if mode and mode.casefold() not in map(str.casefold, modes):
        return False
    return not query["to-do"] or bool(to_do(order))


def to_do(order: Order) -> str:
    """The action that an order needs: `accept`, `ship`, `cancel`; empty for none."""
    if order.status == WAITING:
        return "accept"
    if order.status != PREPARING:
        return ""
    statuses = [order.status_of(line) for line in order.lines if order.is_sellers(line)]
    if "CancelRequest" in statuses:
        return "cancel"
    return "ship" if PREPARING in statuses else ""


# Pages.


def _call(query: Query, page: keyset.PageRequest) -> Call:
    pairs = [("updatedAtMin", as_parameter(page.since))] if page.since else []
    pairs += [("pageIndex", str(page.number)), ("sort", page.sort)]
    if len(query["sales-channel"]) == 1:  # an order never changes it
        pairs.append(("salesChannelId", query["sales-channel"][0]))
    return wire.read_orders(pairs)


Make = Callable[[Order], list[KeyedRow]]


def reader(query: Query, make: Make) -> Callable[[Reply, Call], ListPage]:
    """The reader of pages of orders; each order is a thing with a row for each of its lines."""

    def read(reply: Reply) -> ListPage:
        things = []
        for order in wire.orders_of(reply):
            rows = make(order) if _matches(query, order) else []
            changed_at = moment(order.updated_at) or EARLIEST
            things.append(ListedItem(order.id, order.updated_at, changed_at, rows))
        return ListPage(things=things, progress=len(things))

    begin = keyset.first(query.since)
    return keyset.page_reader(begin, partial(_call, query), read, wire.PAGE)


def nothing(query: Query, _: ExportTally) -> NothingToDo:
    """The reason why there are no orders."""
    if any(query.values.get(option.name) for option in (*FILTERS, MISSING_INVOICE)):
        return NothingToDo(tr("there are no orders like that"), OF_FILTERS)
    return NothingToDo(tr("there are no orders"), OF_SELLER)


def orders_list(page: Callable[[Query], Callable[[Reply, Call], ListPage]]) -> ServiceList:
    """The list of orders, whose pages are read so."""
    return ServiceList(
        tr("orders"),
        lambda query, _: [_call(query, keyset.first(query.since))],
        page,
        nothing,
        OF_FILTERS,
        unit=tr("orders"),
    )


def lines_to_ship(order: Order) -> Iterable[Line]:
    """The lines that the seller is to ship."""
    if order.status != PREPARING:
        return ()
    return (
        line
        for line in order.lines
        if order.is_sellers(line) and order.status_of(line) in OPEN_LINES
    )


# Lines of `feedtool todo`.

SELLERS = (("status", PREPARING), ("supplyMode", wire.SELLER))


def waits(settings: AccountSettings) -> Iterator[Wait]:
    """Orders to accept, cancellations that customers ask for, orders to ship."""
    waiting = ("status", WAITING)
    yield Wait(
        "to-accept",
        tr("To accept"),
        wire.read_count(waiting),
        counted,
        _orders,
        ("export", "orders", "--status", WAITING),
        wire.read_orders((waiting, ("sort", "createdAt"))),
        lambda reply: oldest(reply, settings.of(OrderSettings).accept_within),
    )
    # Nothing counts them. An order that a customer wants to cancel has just changed.
    yield Wait(
        "to-cancel",
        tr("Customers cancel"),
        wire.read_orders((*SELLERS, ("sort", "updatedAt"), ("desc", "updatedAt"))),
        cancelling,
        _orders,
        ("export", "orders", "--to-do"),
    )
    yield Wait(
        "to-ship",
        tr("To ship"),
        wire.read_count(*SELLERS),
        counted,
        _orders,
        ("export", "shipments"),
        wire.read_orders((*SELLERS, ("sort", "createdAt"))),
        oldest,
    )


def _orders(count: int) -> MessageText:
    return plural("{count:,} order", "{count:,} orders", count)


def cancelling(reply: Reply) -> int:
    """The orders of a page with a line that its customer wants to cancel."""
    return sum(to_do(order) == "cancel" for order in wire.orders_of(reply))


def oldest(reply: Reply, hours: int = 0) -> str:
    """The due time of a page's first order if `hours` is set, else its creation."""
    created = [moment(order.document.get("createdAt")) for order in wire.orders_of(reply)]
    first = min((time.astimezone(UTC) for time in created if time), default=None)
    if first is None:
        return ""
    if not hours:
        return tr("the oldest of {at} UTC", at=f"{first:%Y-%m-%d %H:%M}")
    return tr("the first by {at} UTC", at=f"{first + timedelta(hours=hours):%Y-%m-%d %H:%M}")
