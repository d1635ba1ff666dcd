"""Entries of the journal: paid operations, each balanced."""

from collections.abc import Iterable, Iterator
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

import orjson

from feedtool.areas.finance.accounts import (
    BANK,
    CLEARING,
    NOTHING,
    OF_PARTS,
    REFUND,
    SALE,
    TOTAL,
    VAT_SALES,
    EventAmount,
    Signs,
    account_of,
    day_of,
    money,
    parts_of,
    rounded,
    types_of,
)
from feedtool.areas.finance.columns import ACCOUNT_MISSING, explained
from feedtool.areas.finance.proof import PaymentProof
from feedtool.areas.finance.settings import JournalSettings
from feedtool.feeds.export import KeyedRow
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.model.text import tr

PAID = "Paid"
PAYMENT = tr("Payment")
"""The text of an entry that is a payment; of operations it has the types of events."""
WITH_VAT = {OF_PARTS[SALE], OF_PARTS[REFUND]}


class EntryLine(NamedTuple):
    """One line: what it is for, its account, its amount."""

    name: str
    account: str
    amount: Decimal
    """Above 0 in debit, below in credit."""


class JournalEntry(NamedTuple):
    """An entry whose lines come to 0."""

    day: str
    piece: str
    piece_day: str
    channel: str
    currency: str
    label: str
    lines: tuple[EntryLine, ...]

    @property
    def text(self) -> str:
        """All of it, as the ledger keeps it."""
        lines = [(name, account, f"{amount:f}") for name, account, amount in self.lines]
        return orjson.dumps((*self[:-1], lines)).decode()


def read_entry(text: str) -> JournalEntry:
    *facts, lines = orjson.loads(text)
    entries = (EntryLine(name, account, Decimal(amount)) for name, account, amount in lines)
    return JournalEntry._make((*facts, tuple(entries)))


def taken_back(text: str) -> str:
    """The text of what takes an entry back, on the same day."""
    entry = read_entry(text)
    lines = tuple(line._replace(amount=-line.amount) for line in entry.lines)
    return entry._replace(lines=lines).text


def texts(
    operations: Iterable[KeyedRow],
    payments: Iterable[PaymentProof],
    signs: Signs,
    settings: AccountSettings,
) -> Iterator[str]:
    """The entries of the operations that were paid, and of the payments; none that is empty."""
    of_operations = (
        _of_operation(row, signs, settings) for row in operations if row.get("paymentState") == PAID
    )
    of_payments = (
        _of_payment(payment, settings) for payment in payments if payment.key.state == PAID
    )
    return (entry.text for entry in chain(of_operations, of_payments) if entry.lines)


def _of_operation(row: KeyedRow, signs: Signs, settings: AccountSettings) -> JournalEntry:
    total = rounded(money(row, TOTAL) or NOTHING)
    lines = [_line(CLEARING, total, settings)]
    for part in parts_of(row, signs):
        gross, vat = rounded(part.gross), _vat(part, settings)
        lines.append(_line(part.type, vat - gross, settings, row))
        lines.append(_line(VAT_SALES, -vat, settings))
    # Differences within the tolerance: the clearing account takes what the parts come to.
    short = sum((line.amount for line in lines), NOTHING)
    lines[0] = lines[0]._replace(amount=total - short)
    return JournalEntry(
        day_of(row),
        str(row.get("operationReference") or ""),
        day_of(row, ["createdAt"]),
        str(row.get("salesChannel") or ""),
        str(row.get("currency") or ""),
        ", ".join(types_of(row)),
        tuple(line for line in lines if line.amount),
    )


def _vat(part: EventAmount, settings: AccountSettings) -> Decimal:
    if part.type not in WITH_VAT:
        return NOTHING
    rate = settings.of(JournalSettings).vat_rate
    return rounded(part.vat or part.gross * rate / (100 + rate))


def _of_payment(payment: PaymentProof, settings: AccountSettings) -> JournalEntry:
    key, total = payment.key, rounded(payment.paid or NOTHING)
    lines = (_line(BANK, total, settings), _line(CLEARING, -total, settings)) if total else ()
    return JournalEntry(key.day, key.text, key.day, key.channel, key.currency, PAYMENT, lines)


def _line(
    name: str, amount: Decimal, settings: AccountSettings, operation: KeyedRow | None = None
) -> EntryLine:
    account = account_of(name, settings)
    if account is None:
        reference = (operation or {}).get("operationReference")
        values = {"name": name, "operation": reference or ""}
        text = tr(
            "operation {operation}: there is no account for {name}: the journal was not written",
            **values,
        )
        if ", " in name:
            text = tr(
                "operation {operation}: its amount cannot be divided into {name}, which have"
                " several accounts: the journal was not written",
                **values,
            )
        raise UsageProblem(text, explained(ACCOUNT_MISSING))
    return EntryLine(name, account, amount)
