"""The accounts of amounts: the usual ones of the French plan, unless a profile says others."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import product
from typing import NamedTuple

from feedtool.areas.finance.settings import JournalSettings
from feedtool.feeds.export import KeyedRow
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, joined, tr

CLEARING, BANK, VAT_SALES = "clearing", "bank", "vat_sales"
FEES, LOGISTICS = "622200", "613500"

USUAL: Mapping[str, str] = {
    CLEARING: "467000",
    BANK: "512000",
    VAT_SALES: "445710",
    "Sale": "707000",
    "Refund": "709700",
    "Commission": FEES,
    "CommissionRestitution": FEES,
    "Subscription": FEES,
    "LogisticFee": FEES,
    "SecurityDeposit": "275000",
    "FfmOrdersReturns": LOGISTICS,
    "FfmStorage": LOGISTICS,
    "FfmShippingCost": LOGISTICS,
    "SplittedPaymentFees": FEES,
    "TradeMarketingFees": FEES,
    "AgecLawFees": "635800",
}
"""By the type of an event, or by the part that an account has in each entry."""
SERVICES = "Services"
"""The ending of the type of the channel operator's services, which begins with a brand."""

NAMES: Mapping[str, str] = {
    CLEARING: tr("Marketplace clearing"),
    BANK: tr("Bank"),
    VAT_SALES: tr("VAT on sales"),
    "Sale": tr("Sales"),
    "Refund": tr("Sales returns"),
    "SecurityDeposit": tr("Deposits"),
    "AgecLawFees": tr("Taxes"),
    "FfmOrdersReturns": tr("Logistics"),
    "FfmStorage": tr("Logistics"),
    "FfmShippingCost": tr("Logistics"),
}
"""Names of accounts; those of fees are not in it."""
OF_FEES = tr("Commissions and fees")


def account_of(name: str, settings: AccountSettings) -> str | None:
    """The number of an account by the type of an event, or by its part.

    Several types have an account if it is the same for each. None for an unknown type.
    """
    replaced = settings.of(JournalSettings).accounts
    accounts = {replaced.get(kind) or _usual(kind) for kind in name.split(", ")}
    return accounts.pop() if len(accounts) == 1 else None


def _usual(name: str) -> str | None:
    return FEES if name.endswith(SERVICES) else USUAL.get(name)


def unused_accounts(settings: AccountSettings, types: Collection[str]) -> list[str]:
    """The names of a profile's accounts that are neither known nor one of these event types."""
    replaced = settings.of(JournalSettings).accounts
    return [name for name in replaced if name not in types and not _usual(name)]


# The parts of an operation, and the signs of its amounts.


CENT, NOTHING = Decimal("0.01"), Decimal(0)
SALE, REFUND, COMMISSION, FLOW = "sale", "refund", "commission", "serviceFinancialFlow"
RESTITUTION = "CommissionRestitution"
OF_PARTS = {SALE: "Sale", REFUND: "Refund", COMMISSION: "Commission"}
"""The types of events whose amounts have a part of their own; all others are in the flow."""
TOTALS = ("total", "totalAmount", "amount")
"""Members of a part that are its whole (the specification does not show all of them)."""
TYPES, TOTAL = "eventTypes", "totalAmount"


class Signs(NamedTuple):
    """Signs of the amounts in a file: 1 as shown, -1 if the seller pays what is above 0."""

    refund: int = 1
    commission: int = 1
    flow: int = 1
    restitution: int = 1
    """The sign of commissions that the seller gets back: -1 if they are below 0."""


WITHOUT = Signs(0, 0, 0, 0)
"""Leaves out all amounts whose sign is searched."""
READINGS = tuple(Signs(*signs) for signs in product((1, -1), repeat=4))


class EventAmount(NamedTuple):
    """The amount of an operation for one type of event."""

    type: str
    gross: Decimal
    """With VAT; below 0 if the seller pays it."""
    vat: Decimal = NOTHING


def types_of(row: KeyedRow) -> list[str]:
    return [name for name in str(row.get(TYPES) or "").split(", ") if name]


def money(row: KeyedRow, key: str) -> Decimal | None:
    value = row.get(key)
    return Decimal(value) if isinstance(value, int | Decimal) else None


def whole_of(row: KeyedRow, name: str) -> Decimal | None:
    """The whole of a part: its amount, its total, or the sum of its members."""
    for key in (name, *(f"{name}.{member}" for member in TOTALS)):
        if (amount := money(row, key)) is not None:
            return amount
    members = [key for key in row if key.startswith(f"{name}.") and "vat" not in key.casefold()]
    amounts = [amount for key in members if (amount := money(row, key)) is not None]
    return sum(amounts, NOTHING) if amounts else None


def _vat(row: KeyedRow, name: str) -> Decimal:
    known = money(row, f"{name}.salesTotalVatAmount")
    if known is None:
        known = sum((money(row, key) or NOTHING for key in row if key.startswith(name)), NOTHING)
    return known


def parts_of(row: KeyedRow, signs: Signs) -> list[EventAmount]:
    """The parts of an operation; its total if it shows no part."""
    types = types_of(row)
    parts = []
    if (sale := whole_of(row, SALE)) is not None:
        parts.append(EventAmount(OF_PARTS[SALE], sale, _signed(_vat(row, "vatSale"), sale)))
    if (refund := whole_of(row, REFUND)) is not None:
        refunded = refund * signs.refund
        parts.append(
            EventAmount(OF_PARTS[REFUND], refunded, _signed(_vat(row, "vatRefund"), refunded))
        )
    if (commission := whole_of(row, COMMISSION)) is not None:
        is_back = _is_back(types)
        sign = signs.restitution if is_back else signs.commission
        parts.append(
            EventAmount(RESTITUTION if is_back else OF_PARTS[COMMISSION], commission * sign)
        )
    if (flow := whole_of(row, FLOW)) is not None:
        others = [name for name in types if name not in {*OF_PARTS.values(), RESTITUTION}]
        parts.append(EventAmount(", ".join(others or types), flow * signs.flow))
    whole = EventAmount(", ".join(types), money(row, TOTAL) or NOTHING)
    return [part for part in parts if part.gross] or parts[:1] or [whole]


def _is_back(types: Sequence[str]) -> bool:
    """True if the seller gets the commission back."""
    return RESTITUTION in types and OF_PARTS[COMMISSION] not in types


def _signed(amount: Decimal, like: Decimal) -> Decimal:
    return abs(amount) if like >= 0 else -abs(amount)


def difference(row: KeyedRow, signs: Signs) -> Decimal:
    gross = sum((part.gross for part in parts_of(row, signs)), NOTHING)
    return (money(row, TOTAL) or NOTHING) - gross


def find_signs(rows: Iterable[KeyedRow], tolerance: Decimal) -> Signs:
    """The signs by which the most operations add up; of several the first of `READINGS`."""
    fitting: Counter[Signs] = Counter()
    for row in rows:
        rest = difference(row, WITHOUT)
        refund, commission, flow = (
            whole_of(row, part) or NOTHING for part in (REFUND, COMMISSION, FLOW)
        )
        is_back = _is_back(types_of(row))
        for signs in READINGS:
            sign = signs.restitution if is_back else signs.commission
            read = signs.refund * refund + sign * commission + signs.flow * flow
            fitting[signs] += abs(rest - read) <= tolerance
    return max(READINGS, key=lambda reading: fitting[reading])


def described(signs: Signs) -> MessageText:
    """A reading in words."""
    above = tr("above 0 where you pay")
    as_shown = tr("with their own sign")
    names = (tr("refunds"), tr("commissions"), tr("service fees"))
    texts = [
        joined((name, above if sign < 0 else as_shown), " ")
        for name, sign in zip(names, signs, strict=False)
    ]
    if signs.restitution < 0:
        texts.append(tr("commissions that you get back below 0"))
    return joined(texts)


PAYMENT_DATES = ("paidAt", "releasePaymentDate")
"""An operation may have both; a forecast has only the second."""


def day_of(row: KeyedRow, keys: Sequence[str] = PAYMENT_DATES) -> str:
    """The day of the first of these dates that a row has, in UTC: `2026-11-21`."""
    value = next((value for key in keys if (value := row.get(key))), None)
    return (value.text if isinstance(value, Cell) else str(value or ""))[:10]


def rounded(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
