"""Entries of the journal: what was paid, balanced operation by operation. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

import orjson

from feedtool.areas.finance.accounts import BANK, CLEARING, VAT_SALES, account_of
from feedtool.areas.finance.amounts import (
    NOTHING,
    OF_PARTS,
    REFUND,
    SALE,
    TOTAL,
    EventAmount,
    Signs,
    day_of,
    money,
    parts_of,
    rounded,
    types_of,
)
from feedtool.areas.finance.codes import ACCOUNT_MISSING, explained
from feedtool.areas.finance.proof import key_of_payment
from feedtool.feeds.export import KeyedRow
from feedtool.model.cells import Cell
from feedtool.model.entry import DraftEntry
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
    """The entry of such a text."""
    *facts, lines = orjson.loads(text)
    entries = (EntryLine(name, account, Decimal(amount)) for name, account, amount in lines)
    return JournalEntry._make((*facts, tuple(entries)))


def taken_back(old: str, new: str) -> str:
    """The text of what takes the first entry back, on the day of the second."""
    entry = read_entry(old)
    lines = tuple(line._replace(amount=-line.amount) for line in entry.lines)
    return entry._replace(day=read_entry(new).day, lines=lines).text


def drafts(
    operations: Iterable[KeyedRow],
    payments: Iterable[KeyedRow],
    signs: Signs,
    settings: AccountSettings,
) -> Iterator[DraftEntry]:
    """Entries of the operations that were paid, and of the payments, each with its key."""
    same: Counter[str] = Counter()
    for row in operations:
        if row.get("paymentState") == PAID:
            key = _key(row)
            same[key] += 1
            yield DraftEntry(f"{key}|{same[key]}", _of_operation(row, signs, settings).text)
    for row in payments:
        if row.get("paymentState") == PAID:
            yield DraftEntry(f"payment|{key_of_payment(row).text}", _of_payment(row, settings).text)


def _key(row: KeyedRow) -> str:
    """What stays of an operation, whatever becomes of it: the service gives it no identifier."""
    names = ("operationReference", "salesChannel", "eventTypes", "createdAt", "refundedAt")
    values = (row.get(name) for name in names)
    return "|".join(value.text if isinstance(value, Cell) else str(value or "") for value in values)


def _of_operation(row: KeyedRow, signs: Signs, settings: AccountSettings) -> JournalEntry:
    total = rounded(money(row, TOTAL) or NOTHING)
    lines = [_line(CLEARING, total, settings)]
    for part in parts_of(row, signs):
        gross, vat = rounded(part.gross), _vat(part, settings)
        lines.append(_line(part.type, vat - gross, settings))
        lines.append(_line(VAT_SALES, -vat, settings))
    # Differences within the tolerance: the clearing account takes what the parts come to.
    short = sum((line.amount for line in lines), NOTHING)
    lines[0] = lines[0]._replace(amount=total - short)
    return JournalEntry(
        day_of(row),
        str(row.get("operationReference") or ""),
        day_of(row, "createdAt"),
        str(row.get("salesChannel") or ""),
        str(row.get("currency") or ""),
        ", ".join(types_of(row)),
        tuple(line for line in lines if line.amount),
    )


def _vat(part: EventAmount, settings: AccountSettings) -> Decimal:
    if part.type not in WITH_VAT:
        return NOTHING
    rate = settings.vat_rate
    return rounded(part.vat or part.gross * rate / (100 + rate))


def _of_payment(row: KeyedRow, settings: AccountSettings) -> JournalEntry:
    key, total = key_of_payment(row), rounded(money(row, TOTAL) or NOTHING)
    lines = (_line(BANK, total, settings), _line(CLEARING, -total, settings))
    return JournalEntry(key.day, key.text, key.day, key.channel, key.currency, PAYMENT, lines)


def _line(name: str, amount: Decimal, settings: AccountSettings) -> EntryLine:
    account = account_of(name, settings)
    if account is None:
        raise UsageProblem(
            tr("there is no account for {name}: the journal was not written", name=name),
            explained(ACCOUNT_MISSING),
        )
    return EntryLine(name, account, amount)


def balance(entry: JournalEntry) -> Decimal:
    """The sum of an entry's lines: 0."""
    return sum((line.amount for line in entry.lines), NOTHING)
