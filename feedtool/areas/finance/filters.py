"""The filters of operations and payments, and the windows that they select."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import NamedTuple

from feedtool.areas.finance import wire
from feedtool.areas.finance.windows import AGES, STATES, STEP, Window, stamp
from feedtool.areas.finance.wire import Pairs
from feedtool.feeds.export import Filter, KeyedRow, Query, moment_of
from feedtool.model.call import Call
from feedtool.model.cells import Cell
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr
from feedtool.service.answers import moment

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
            tr("{text} is no month", text=text), tr("write it like 2026-11")
        ) from error


def _read_day(text: str) -> DayRange:
    try:
        day = datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC)
        return DayRange(day, day + DAY)
    except (ValueError, OverflowError) as error:
        raise UsageProblem(
            tr("{text} is no day", text=text), tr("write it like 2026-11-21")
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
    raise UsageProblem(tr("{text} is no amount", text=text), tr("write --tolerance like 0.01"))


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
    "state",
    "STATE[,STATE]",
    tr("Only of these payment states."),
    is_list=True,
    choices=STATES,
)
BY_SALES_CHANNEL = Filter(
    "sales-channel", "ID[,ID]", tr("Only these sales channels."), is_list=True
)
TOLERANCE = Filter(
    "tolerance",
    "AMOUNT",
    tr("Differences up to this amount are none."),
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
    """Refuse several ranges of days."""
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
                tr("{text} is no invoice: their identifiers are numbers", text=text),
                tr("take them from the column Invoice of `feedtool export operations`"),
            )
    return tuple(dict.fromkeys(text.lstrip("0") or "0" for text in _given(query, INVOICE)))


def days_of(query: Query) -> DayRange | None:
    """The range of days of the options, or None."""
    days: DayRange | None = next(
        filter(None, (query.values.get(option.name) for option in DATES)), None
    )
    return days


def operation_windows(query: Query) -> Iterator[Call]:
    """The calls that count the chosen operations."""
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
    """The calls that count the chosen payments."""
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
