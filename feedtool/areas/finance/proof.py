"""The sheets that prove an export of operations: totals, payments, and every difference.

A total that is not proved is never written as one: operations that do not add up are counted by
themselves, with the total that the service shows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct, field

from feedtool.areas.finance import windows
from feedtool.areas.finance.accounts import (
    NOTHING,
    PAYMENT_DATES,
    TOTAL,
    Signs,
    day_of,
    described,
    difference,
    money,
    parts_of,
)
from feedtool.areas.finance.columns import CHECK, DAY
from feedtool.areas.finance.windows import DayRange
from feedtool.areas.plain_list import NUMBER, KnownMembers
from feedtool.feeds.export import KeyedRow
from feedtool.feeds.template import FIRST_ROW, TEXT
from feedtool.model.cells import Cell, Kind, Value
from feedtool.model.text import Translator, tr

UNPROVED = tr("does not add up")
MOST_NAMED = 1_000
"""Rows that the sheet Check names; the column `check` marks all."""

TOTALS: KnownMembers = {
    "salesChannel": (tr("Sales channel"), TEXT),
    "eventType": (tr("Event type"), TEXT),
    "paymentState": (tr("Payment state"), TEXT),
    "paidAt": (tr("Payment date"), DAY),
    "currency": (tr("Currency"), TEXT),
    "count": (tr("Number"), "0"),
    "gross": (tr("Gross"), NUMBER),
    "vat": (tr("VAT"), NUMBER),
    "net": (tr("Net"), NUMBER),
}
OWN, DELTA = "operations", "difference"
OF_PAYMENTS: KnownMembers = {
    OWN: (tr("Sum of the operations"), NUMBER),
    DELTA: (tr("Difference"), NUMBER),
}
"""The columns behind those of a payment."""
CHECKS: KnownMembers = {
    "subject": (tr("What is compared"), TEXT),
    "row": (tr("Row of the sheet Operations"), "0"),
    "key": (tr("Which"), TEXT),
    "service": (tr("By the service"), NUMBER),
    "own": (tr("In this file"), NUMBER),
    DELTA: (tr("Difference"), NUMBER),
}

GroupKey = tuple[str, ...]


class PaymentKey(NamedTuple):
    """The members by which operations are paid together."""

    day: str
    channel: str
    state: str
    currency: str

    @property
    def text(self) -> str:
        return " ".join(filter(None, self))


def is_facts(row: KeyedRow) -> bool:
    """True for the row with the service's facts of a whole list."""
    return windows.COUNT in row


def payment_key(
    row: KeyedRow, dates: Sequence[str] = PAYMENT_DATES, channel: str = "salesChannel"
) -> PaymentKey:
    """The key of an operation's payment, or of a payment."""
    others = (str(row.get(key) or "") for key in (channel, "paymentState", "currency"))
    return PaymentKey(day_of(row, dates), *others)


class Proof(Struct):
    """The totals of the operations in a file, compared with the service's."""

    signs: Signs
    tolerance: Decimal
    count: int = 0
    total: Decimal = NOTHING
    odd: list[tuple[int, KeyedRow, Decimal]] = field(default_factory=list)
    """The first rows that do not add up, with their differences."""
    odds: int = 0
    totals: dict[GroupKey, list[Decimal]] = field(default_factory=dict)
    """By the keys of `TOTALS`, the number, gross and VAT."""
    paid: dict[PaymentKey, Decimal] = field(default_factory=dict)

    def add(self, row: KeyedRow) -> None:
        """Count an operation, the next row of the sheet."""
        total = money(row, TOTAL) or NOTHING
        key, delta = payment_key(row), difference(row, self.signs)
        self.total += total
        self.paid[key] = self.paid.get(key, NOTHING) + total
        parts = [(part.type, part.gross, part.vat) for part in parts_of(row, self.signs)]
        if abs(delta) > self.tolerance:
            self.odds += 1
            if len(self.odd) < MOST_NAMED:
                self.odd.append((FIRST_ROW + self.count, row, delta))
            parts = [(UNPROVED, total, NOTHING)]
        self.count += 1
        for name, gross, vat in parts:
            group = (key.channel, name, key.state, key.day, key.currency)
            sums = self.totals.setdefault(group, [NOTHING] * 3)
            for place, amount in enumerate((Decimal(1), gross, vat)):
                sums[place] += amount

    def totals_table(self, say: Translator) -> Iterator[KeyedRow]:
        for (channel, name, state, day, currency), (count, gross, vat) in sorted(
            self.totals.items()
        ):
            yield {
                "salesChannel": channel,
                "eventType": say(name),
                "paymentState": state,
                "paidAt": day_cell(day),
                "currency": currency,
                "count": int(count),
                "gross": gross,
                "vat": vat,
                "net": gross - vat,
            }


def day_cell(day: str) -> Value:
    return Cell(Kind.DATE, day) if day else None


class PaymentProof(NamedTuple):
    """A payment beside the operations that it pays; either may be missing."""

    key: PaymentKey
    row: KeyedRow
    operations: Decimal | None
    """The sum of the operations; None without operations."""

    @property
    def paid(self) -> Decimal | None:
        """The amount of the service's payment; None if it has no such payment."""
        return money(self.row, TOTAL)

    @property
    def delta(self) -> Decimal:
        return (self.paid or NOTHING) - (self.operations or NOTHING)


def compared(
    payments: Iterable[KeyedRow], paid: Mapping[PaymentKey, Decimal], days: DayRange
) -> list[PaymentProof]:
    """The payments of these days beside their operations, and operations without a payment."""
    rows = summed(row for row in payments if not is_facts(row))
    listed = {key: row for key, row in rows.items() if days.has(key.day)}
    if not any(key.currency for key in listed):  # the service need not name it
        sums: dict[PaymentKey, Decimal] = {}
        for key, total in paid.items():
            bare = key._replace(currency="")
            sums[bare] = sums.get(bare, NOTHING) + total
        paid = sums
    proofs = [PaymentProof(key, row, paid.get(key)) for key, row in listed.items()]
    proofs += (PaymentProof(key, {}, total) for key, total in paid.items() if key not in listed)
    return sorted(proofs, key=lambda proof: proof.key)


def summed(payments: Iterable[KeyedRow]) -> dict[PaymentKey, KeyedRow]:
    """The payments by key; several of the same key are added."""
    sums: dict[PaymentKey, KeyedRow] = {}
    for row in payments:
        key = payment_key(row, ["paymentDate"], "salesChannelId")
        before = sums.get(key, {})
        amounts = {name: number for name in (*before, *row) if (number := money(row, name))}
        more = {name: amount + (money(before, name) or NOTHING) for name, amount in amounts.items()}
        sums[key] = {**row, **before, **more}
    return sums


class ListFacts(NamedTuple):
    """The service's count and sum of a whole list, and the number of rows that were read."""

    entries: int
    rows: int
    total: Decimal | None
    """None if the service gives no sum."""


def facts_of(rows: Iterable[KeyedRow]) -> ListFacts:
    facts = [row for row in rows if is_facts(row)]
    totals = [money(row, windows.TOTAL) for row in facts]
    count, came = (
        sum(int(money(row, key) or 0) for row in facts) for key in (windows.COUNT, windows.ROWS)
    )
    known = [total for total in totals if total is not None]
    return ListFacts(count, came, sum(known, NOTHING) if len(known) == len(totals) else None)


def checks(
    proof: Proof,
    facts: ListFacts,
    payments: Sequence[PaymentProof] | None,
    say: Translator,
    *,
    is_lacking: bool,
) -> Iterator[KeyedRow]:
    """The rows of the sheet Check; `payments` is None if they cannot be compared.

    `is_lacking` is true if the service did not give them.
    """
    yield {"subject": say(tr("Signs of the amounts")), "key": say(described(proof.signs))}
    yield _checked(say(tr("Number of operations")), facts.entries, proof.count)
    if facts.total is not None:
        yield _checked(say(tr("Sum of all operations")), facts.total, proof.total)
    for row, operation, delta in proof.odd:
        total = money(operation, TOTAL) or NOTHING
        subject, key = say(tr("Operation that does not add up")), operation["operationReference"]
        yield {**_checked(subject, total, total - delta), "row": row, "key": key}
    for payment in payments or ():
        subject = tr("Payment")
        if payment.operations is None:
            subject = tr("Payment without operations")
        elif payment.paid is None:
            subject = tr("Operations without a payment")
        compared = _checked(say(subject), payment.paid, payment.operations)
        yield {**compared, "key": payment.key.text, DELTA: payment.delta}
    if payments is None:
        text = tr("not compared: only --month, --paid and --payment-date ask for whole payments")
        if is_lacking:
            text = tr("not compared: the service did not give them")
        yield {"subject": say(tr("Payments")), "key": say(text)}


def _checked(subject: str, service: Value, in_file: Value) -> dict[str, Value]:
    row: dict[str, Value] = {"subject": subject, "service": service, "own": in_file}
    if isinstance(service, int | Decimal) and isinstance(in_file, int | Decimal):
        row[DELTA] = service - in_file
    return row


def marked(row: KeyedRow, signs: Signs, tolerance: Decimal, say: Translator) -> KeyedRow:
    """The row, with a difference in the column `check`."""
    delta = difference(row, signs)
    if abs(delta) <= tolerance:
        return row
    mark = tr("the total differs by {delta:+.2f} from the sum of its parts", delta=delta)
    return {**row, CHECK: say(mark)}
