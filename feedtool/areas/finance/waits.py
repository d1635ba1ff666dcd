"""What of payments waits for the seller: a line of `feedtool todo`."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from feedtool.areas.finance import wire
from feedtool.feeds.export import Wait
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import counted, service_time

PAYMENT_DAYS, STATEMENT_DAYS = (1, 11, 21), (9, 19, 29)
"""Days of a month (specification, "Events", 3)."""
BLOCKED = "Blocked"


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Payments that are blocked, and when the next ones are."""
    blocked = (("paymentStates", BLOCKED),)
    yield Wait(
        "payments-blocked",
        tr("Payments blocked"),
        wire.count_payments(blocked),
        counted,
        _payments,
        ("export", "payments", "--state", BLOCKED),
        wire.read_payments(blocked, 1),
        calendar,
    )


def _payments(count: int) -> MessageText:
    return plural("{count:,} payment", "{count:,} payments", count)


def calendar(reply: Reply) -> str:
    """The next statement and the next payment after an answer."""
    now = service_time(reply)
    if now is None:
        return ""
    return tr(
        "next statement on {statement}, next payment on {payment}",
        statement=_next(now, STATEMENT_DAYS),
        payment=_next(now, PAYMENT_DAYS),
    )


def _next(after: datetime, days: tuple[int, ...]) -> date:
    day = after.date() + timedelta(days=1)
    while day.day not in days:
        day += timedelta(days=1)
    return day
