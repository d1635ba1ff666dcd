"""Read lists that the service counts, each entry once; losses are noted.

No list shows more than 100 pages of 100 entries (specification, "Limits"). A longer list is divided
into windows of time that can be read. Pages are numbered, and an entry that moves between two
pages is missed or comes twice: so each window is counted again after it was read, and read again if
something has moved.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import NamedTuple

from feedtool.areas.finance import wire
from feedtool.areas.finance.wire import CountedList, ItemPage, Pairs
from feedtool.feeds.export import Filter, KeyedRow, ListedItem, ListPage, Query, moment_of
from feedtool.model.call import READ, Call, Reply
from feedtool.model.cells import Cell
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import EARLIEST
from feedtool.model.text import tr
from feedtool.service.answers import counted, moment, next_link

MOST = wire.PAGE * 100
"""Entries of a window that can be read."""
TRIES = 3
"""The most readings of a window that changes while it is read."""
STEP = timedelta(milliseconds=1)
STATES = ("NotPayable", "Estimated", "InProcess", "Paid", "Blocked")
RANGES = ("paidAt", "changedAt")
AGES = ("2000-01-01T00:00:00.000Z", "2100-01-01T00:00:00.000Z")
"""A range that holds all times."""

FACTS = "facts"
"""The key of the row with the facts of a list, whose members are the next three."""
COUNT, ROWS, TOTAL = "list.count", "list.rows", "list.total"
GONE = "gone"
"""In the tally: invoices whose lines do not exist."""


class Window(NamedTuple):
    """A part of a list."""

    subject: str
    """The invoice whose lines they are; empty for other lists."""
    query: Pairs

    def having(self, **values: str) -> "Window":
        return self._replace(query=tuple((dict(self.query) | values).items()))


def parts(window: Window) -> tuple[Window, ...]:
    """Windows that divide a window; none if it cannot be divided."""
    if halves := _halves(window):
        return halves
    query = dict(window.query)
    if "changedAtMin" not in query:
        return _halves(window.having(changedAtMin=AGES[0], changedAtMax=AGES[1]))
    if "states" not in query:
        return tuple(window.having(states=state) for state in STATES)
    return ()


def _halves(window: Window) -> tuple[Window, ...]:
    """Both halves of a window's time, to the millisecond; none without a time to divide."""
    query = dict(window.query)
    for name in RANGES:
        least, most = f"{name}Min", f"{name}Max"
        since, until = (moment(query.get(end)) for end in (least, most))
        if since and until and until - since >= STEP:
            middle = since + (until - since) // 2
            middle -= timedelta(microseconds=middle.microsecond % 1000)
            return (
                window.having(**{most: stamp(middle)}),
                window.having(**{least: stamp(middle + STEP)}),
            )
    return ()


def stamp(time: datetime) -> str:
    """Format a time for a query, in milliseconds."""
    text = time.astimezone(UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


Make = Callable[[Window, ItemPage], Sequence[KeyedRow]]
"""The rows of a page of a list that are in a window."""


class WindowReader:
    """The reader of lists, one after the other, each begun by its count."""

    def __init__(self, listed: CountedList, make: Make, most: int = MOST) -> None:
        self._listed, self._make, self._most = listed, make, most
        self._is_open = False

    def page(self, reply: Reply, call: Call) -> ListPage:
        """The entries of an answer, and the next call."""
        if not self._is_open:
            self._is_open = True
            self._top = Window(wire.invoice_of(call), call.query)
            self._name = f"{FACTS} {self._top}"
            self._left: list[Window] = []
            self._count = self._all = 0
            self._total: Decimal | None = Decimal(0)
            self._read = self._begin(self._top)
        if reply.status not in READ:
            self._is_open = False
            return ListPage(tally={(GONE, self._top.subject): 1})
        return self._read(reply)

    def _begin(self, window: Window) -> Callable[[Reply], ListPage]:
        self._window, self._tries, self._pages = window, 0, 0
        return self._counted

    def _counted(self, reply: Reply) -> ListPage:
        self._wanted = counted(reply)
        divided = parts(self._window) if self._wanted > self._most else ()
        if divided:
            self._left = [*divided, *self._left]
            return self._following()
        self._again()
        return self._ask_page() if self._wanted else self._end()

    def _again(self) -> None:
        self._tries, self._index, self._rows = self._tries + 1, 1, 0
        self._sum, self._totals = Decimal(0), set[Decimal | None]()
        self._last: Sequence[object] = ()

    def _ask_page(
        self, things: Sequence[ListedItem] = (), progress: int = 0, link: str | None = None
    ) -> ListPage:
        self._read = self._paged
        window = self._window
        call = self._listed.reading(window.query, self._index, window.subject)
        call = Call("GET", link, READ) if link else call
        return ListPage(things=things, next=call, progress=progress, is_again=True)

    def _paged(self, reply: Reply) -> ListPage:
        page = wire.page_of(reply)
        rows = self._make(self._window, page)
        self._rows += len(rows)
        self._totals.add(page.total)
        amounts = (row.get("totalAmount") for row in rows)
        self._sum += sum(amount for amount in amounts if isinstance(amount, Decimal))
        things = [self._thing(self._index, rows)]
        self._pages = max(self._pages, self._index)
        # A short page need not be the last: a service may give fewer entries than requested.
        is_next = self._rows < self._wanted and page.items and page.items != self._last
        self._last, self._index = page.items, self._index + 1
        if is_next and self._index <= MOST // wire.PAGE:
            return self._ask_page(things, len(rows), next_link(reply))
        self._read = self._recounted
        call = self._counting(self._window)
        return ListPage(things=things, next=call, progress=len(rows), is_again=True)

    def _counting(self, window: Window) -> Call:
        return self._listed.counting(window.query, window.subject)

    def _thing(self, number: int, rows: Sequence[KeyedRow]) -> ListedItem:
        """A page as one item, which replaces itself when it is read again."""
        return ListedItem(f"{self._window} {number}", "", EARLIEST, rows)

    def _recounted(self, reply: Reply) -> ListPage:
        self._wanted = counted(reply)
        (total, *others) = self._totals
        is_whole = self._wanted == self._rows and not others and total in {None, self._sum}
        if not is_whole and self._tries < TRIES:
            self._again()
            return self._ask_page()
        self._total = None if self._total is None or total is None else self._total + total
        gone = [self._thing(number, ()) for number in range(self._index, self._pages + 1)]
        return self._end(gone)

    def _end(self, gone: Sequence[ListedItem] = ()) -> ListPage:
        self._count += self._wanted
        self._all += self._rows
        return self._following(gone)

    def _following(self, gone: Sequence[ListedItem] = ()) -> ListPage:
        if self._left:
            self._read = self._begin(self._left.pop(0))
            return self._with_facts(gone, self._counting(self._window))
        if self._window == self._top:
            self._is_open = False
            return self._with_facts(gone)
        self._read = self._confirmed
        return self._with_facts(gone, self._counting(self._top))

    def _confirmed(self, reply: Reply) -> ListPage:
        """Count a divided list as a whole: entries that moved between windows were missed."""
        self._count, self._is_open = counted(reply), False
        return self._with_facts()

    def _with_facts(
        self, gone: Sequence[ListedItem] = (), following: Call | None = None
    ) -> ListPage:
        facts = {COUNT: self._count, ROWS: self._all, TOTAL: self._total}
        is_any = self._count or self._all
        rows = [(self._name, facts)] if is_any else []
        return ListPage(rows, following, things=gone, is_again=True)


# The filters of operations and payments, and the windows that they select.


DAY = timedelta(days=1)
MONTHLY = timedelta(days=31)


class DayRange(NamedTuple):
    """A range of days, in UTC."""

    since: datetime
    until: datetime
    """The beginning of the day after the last."""

    @property
    def pairs(self) -> Pairs:
        return ("paidAtMin", stamp(self.since)), ("paidAtMax", stamp(self.until - STEP))

    def has(self, day: str) -> bool:
        """True if a day, like `2026-11-21`, is one of them."""
        return f"{self.since:%Y-%m-%d}" <= day < f"{self.until:%Y-%m-%d}"


def read_month(text: str) -> DayRange:
    """A month like `2026-11`."""
    try:
        first = datetime.strptime(text.strip(), "%Y-%m").replace(tzinfo=UTC)
        return DayRange(first, (first + MONTHLY).replace(day=1))
    except (ValueError, OverflowError) as error:
        raise UsageProblem(
            tr("{text} is not a month", text=text), tr("write it like 2026-11")
        ) from error


def _read_day(text: str) -> DayRange:
    try:
        day = datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC)
        return DayRange(day, day + DAY)
    except (ValueError, OverflowError) as error:
        raise UsageProblem(
            tr("{text} is not a day", text=text), tr("write it like 2026-11-21")
        ) from error


def _read_days(text: str) -> DayRange:
    since, dots, until = text.partition("..")
    days = DayRange(_read_day(since).since, _read_day(until if dots else since).until)
    if days.since >= days.until:
        raise UsageProblem(
            tr("{text} ends before it begins", text=text),
            tr("write it like 2026-11-01..2026-11-30"),
        )
    return days


def _read_tolerance(text: str) -> Decimal:
    try:
        tolerance = Decimal(text.strip().replace(",", "."))
        if tolerance.is_finite() and tolerance >= 0:
            return tolerance
    except InvalidOperation:
        pass
    raise UsageProblem(tr("{text} is not an amount", text=text), tr("write --tolerance like 0.01"))


MONTH = Filter("month", "YYYY-MM", tr("Only what is paid in this month."), read=read_month)
PAID = Filter(
    "paid", "FROM..TO", tr("Only what is paid on these days, both included."), read=_read_days
)
PAYMENT_DATE = Filter("payment-date", "DAY", tr("Only what is paid on this day."), read=_read_day)
DATES = (MONTH, PAID, PAYMENT_DATE)
ORDER = Filter("order", "ID[,ID]", tr("Only of these orders."), is_list=True)
INVOICE = Filter("invoice", "ID[,ID]", tr("Only of these invoices."), is_list=True)
CHANGED = Filter(
    "changed-since",
    "WHEN",
    tr("Only what has changed since then; faster with --state."),
    read=moment_of("--changed-since"),
)
TYPE = Filter("type", "TYPE[,TYPE]", tr("Only of these types of events."), is_list=True)
STATE = Filter(
    "state", "STATE[,STATE]", tr("Only of these payment states."), is_list=True, choices=STATES
)
BY_SALES_CHANNEL = Filter(
    "sales-channel", "ID[,ID]", tr("Only these sales channels."), is_list=True
)
TOLERANCE = Filter(
    "tolerance",
    "AMOUNT",
    tr("Differences up to this amount do not count."),
    default="0.00",
    narrows=False,
    read=_read_tolerance,
)
NEEDED = (*DATES, ORDER, INVOICE, CHANGED)


def check(query: Query) -> None:
    """Refuse what the service cannot be asked for."""
    if not any(query[entry.name] for entry in NEEDED):
        raise UsageProblem(
            tr("say which operations: the service lists none without a filter"),
            tr("for example --month 2026-11; or {options}", options=_options(NEEDED[1:])),
        )
    check_dates(query)
    invoices(query)


def check_dates(query: Query) -> None:
    if sum(bool(query.values.get(entry.name)) for entry in DATES) > 1:
        raise UsageProblem(tr("give one of {options}", options=_options(DATES)))


def _given(query: Query, entry: Filter) -> tuple[str, ...]:
    """The values of a filter, which an export need not have, each once."""
    return tuple(dict.fromkeys(query.values.get(entry.name) or ()))


def _options(filters: tuple[Filter, ...]) -> str:
    return ", ".join(f"--{entry.name}" for entry in filters)


def invoices(query: Query) -> tuple[str, ...]:
    """The invoices that are asked for; their identifiers are whole numbers."""
    for text in _given(query, INVOICE):
        if not (text.isascii() and text.isdigit()):
            raise UsageProblem(
                tr("{text} is not an invoice: their identifiers are numbers", text=text),
                tr("take them from the column Invoice of `feedtool export operations`"),
            )
    return tuple(dict.fromkeys(text.lstrip("0") or "0" for text in _given(query, INVOICE)))


def days_of(query: Query) -> DayRange | None:
    days: DayRange | None = next(
        filter(None, (query.values.get(option.name) for option in DATES)), None
    )
    return days


def operation_windows(query: Query) -> Iterator[Call]:
    days = days_of(query)
    common = (*(days.pairs if days else ()), *_listed("states", _given(query, STATE)))
    common += _listed("eventTypes", _given(query, TYPE))
    if since := query.values.get(CHANGED.name):
        common += (("changedAtMin", stamp(since)), ("changedAtMax", AGES[1]))
    choices = (
        _each("orderReference", _given(query, ORDER)),
        _each("invoiceId", invoices(query)),
        _each("salesChannelId", _given(query, BY_SALES_CHANNEL)),
    )
    for chosen in product(*choices):
        yield wire.count_operations((*common, *(pair for pairs in chosen for pair in pairs)))


def recent_windows(query: Query) -> Iterator[Call]:
    """The call that counts the operations of the month, else of the last three and the next."""
    days = days_of(query) or DayRange(query.now - 3 * MONTHLY, query.now + MONTHLY)
    yield wire.count_operations(days.pairs)


def payment_windows(query: Query) -> Iterator[Call]:
    days = days_of(query)
    common = (*(days.pairs if days else ()), *_listed("paymentStates", _given(query, STATE)))
    for pairs in _each("salesChannelId", _given(query, BY_SALES_CHANNEL)):
        yield wire.count_payments((*common, *pairs))


def is_asked_for(window: Window, payment: KeyedRow) -> bool:
    """True if a payment is in a window: a service may ignore filters, the specification shows none.

    A payment without a date, state or channel may be of any window.
    """
    query, date = dict(window.query), payment.get("paymentDate")
    paid = moment(f"{date.text}Z") if isinstance(date, Cell) else None
    since, until = (moment(query.get(name)) for name in ("paidAtMin", "paidAtMax"))
    is_paid = paid is None or ((not since or since <= paid) and (not until or paid <= until))
    chosen = {"paymentState": "paymentStates", "salesChannelId": "salesChannelId"}
    return is_paid and all(
        name not in query or payment.get(key) in {None, "", *query[name].split(",")}
        for key, name in chosen.items()
    )


def _listed(name: str, values: tuple[str, ...]) -> Pairs:
    return ((name, ",".join(values)),) if values else ()


def _each(name: str, values: Iterable[str]) -> list[Pairs]:
    """A query for each value; a query for everything without values."""
    return [((name, value),) for value in values] or [()]


def has_whole_payments(query: Query) -> bool:
    """True if the filters leave all operations of each payment."""
    others = (ORDER, INVOICE, CHANGED, TYPE)
    return days_of(query) is not None and not any(query.values.get(entry.name) for entry in others)
