"""Financial operations: sales, refunds, fees (part "Financial operation").

All amounts are whole cents; they are shown in the currency's unit.
"""

from datetime import date, datetime, timedelta
from typing import Any

from msgspec import Struct, field

from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.sandbox.state import stamp

SALE, COMMISSION = "Sale", "Commission"
REFUND, RESTITUTION = "Refund", "CommissionRestitution"
FEES = {
    1: ("Subscription", 3999),
    3: ("LogisticFee", 1250),
    5: ("SecurityDeposit", 5000),
    7: ("FfmOrdersReturns", 480),
    10: ("FfmStorage", 1745),
    13: ("FfmShippingCost", 2130),
    16: ("SplittedPaymentFees", 310),
    20: ("TradeMarketingFees", 1500),
    23: ("AgecLawFees", 95),
    26: ("ChannelServices", 990),
}
"""The fees of every month: the day, the type of the event, and the cents that it costs."""
EVENT_TYPES = (SALE, COMMISSION, REFUND, RESTITUTION, *(name for name, _ in FEES.values()))

PAYMENT_DAYS = (1, 11, 21)
STATEMENT_DAYS = (9, 19, 29)
"""Days of a month (part "Events", 3)."""
VAT = 20
"""In percent, for shipments that leave the EU."""


class Sold(Struct):
    """A purchase of a customer; amounts are in cents."""

    reference: str
    channel: str
    products: int
    shipping: int
    accepted_at: datetime
    shipped_at: str | None = None
    order_status: str = "Shipped"
    is_exported: bool = False
    """True if it leaves the EU, so that VAT is broken out."""

    @property
    def total(self) -> int:
        return self.products + self.shipping


class Operation(Struct):
    """A new operation; members that change over time are added when it is read."""

    reference: str
    channel: str
    types: tuple[str, ...]
    created_at: datetime
    parts: dict[str, int]
    """By type of event, the cents that the seller gets; below 0 the seller pays."""
    vat: int = 0
    document: dict[str, Any] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The cents that the seller gets."""
        return sum(self.parts.values())


def sale(sold: Sold, moment: datetime, behaviour: FinanceBehaviour) -> Operation:
    """The operation of a sale, with its commission."""
    commission = round(sold.total * behaviour.commission / 100)
    vat = _vat(sold) if sold.is_exported else {}
    document = {
        "orderStatus": sold.order_status,
        "acceptedAt": stamp(sold.accepted_at),
        "shippedAt": sold.shipped_at,
        "sale": _amounts(sold, 1),
        "vatSale": _shown(vat),
        **_commission(sold, -commission, behaviour),
    }
    parts = {SALE: sold.total, COMMISSION: -commission}
    return Operation(
        sold.reference, sold.channel, (SALE, COMMISSION), moment, parts, sum(vat.values()), document
    )


def refund(sold: Sold, moment: datetime, behaviour: FinanceBehaviour) -> Operation:
    """The operation of a refund, with the commission that the seller gets back."""
    commission = round(sold.total * behaviour.commission / 100)
    vat = _vat(sold) if sold.is_exported else {}
    sign = -1 if behaviour.negative_fees else 1
    document = {
        "orderStatus": sold.order_status,
        "acceptedAt": stamp(sold.accepted_at),
        "shippedAt": sold.shipped_at,
        "refundedAt": stamp(moment),
        "refund": _amounts(sold, sign),
        "vatRefund": _shown({name: sign * cents for name, cents in vat.items()}),
        **_commission(sold, commission, behaviour),
    }
    parts = {REFUND: -sold.total, RESTITUTION: commission}
    types = (REFUND, RESTITUTION)
    total_vat = -sum(vat.values())
    return Operation(sold.reference, sold.channel, types, moment, parts, total_vat, document)


def fee(
    name: str, cents: int, channel: str, moment: datetime, behaviour: FinanceBehaviour
) -> Operation:
    """A fee; it belongs to the invoice of its time."""
    shown = -cents if behaviour.negative_fees else cents
    document = {"serviceFinancialFlow": {"label": name, "amount": shown / 100}}
    return Operation("", channel, (name,), moment, {name: -cents}, 0, document)


def _amounts(sold: Sold, sign: int) -> dict[str, float]:
    amounts = {
        "productAmount": sold.products,
        "shippingFeesAmount": sold.shipping,
        "processingFeesAmount": 0,
        "total": sold.total,
    }
    return _shown({name: sign * cents for name, cents in amounts.items()})


def _vat(sold: Sold) -> dict[str, int]:
    """The VAT in what was paid, on products and on shipping."""
    return {
        "salesVatAmount": round(sold.products * VAT / (100 + VAT)),
        "salesShippingCostVatAmount": round(sold.shipping * VAT / (100 + VAT)),
    }


def _shown(cents: dict[str, int]) -> dict[str, float]:
    shown = {name: amount / 100 for name, amount in cents.items()}
    if "salesVatAmount" in cents:
        shown["salesTotalVatAmount"] = sum(cents.values()) / 100
    return shown


def _commission(sold: Sold, cents: int, behaviour: FinanceBehaviour) -> dict[str, Any]:
    """A commission and its details: on the products, and what is left on the shipping."""
    is_shown_below = behaviour.negative_restitutions and cents > 0
    shown = cents if behaviour.negative_fees else -cents if is_shown_below else abs(cents)
    on_products = round(shown * sold.products / sold.total) if sold.total else 0
    details = {"Product": on_products, "Shipping": shown - on_products}
    return {
        "commission": shown / 100,
        "commissionsDetail": [
            {"type": name, "amount": amount / 100} for name, amount in details.items() if amount
        ],
    }


# Days.


def next_day(after: date, days: tuple[int, ...]) -> date:
    """The first of these days of a month that is later than a day."""
    following = after + timedelta(days=1)
    while following.day not in days:
        following += timedelta(days=1)
    return following


def midnight(day: date, moment: datetime) -> datetime:
    """The beginning of a day, in the time zone of `moment`."""
    return datetime(day.year, day.month, day.day, tzinfo=moment.tzinfo)


def payment_at(created: datetime, number: int) -> datetime:
    """The time of an operation's payment: in the evening of a payment day, two days later."""
    day = next_day((created + timedelta(days=2)).date(), PAYMENT_DAYS)
    return midnight(day, created) + timedelta(hours=18, seconds=number * 37 % 3600)


def statement_at(created: datetime) -> datetime:
    """The time when the statement with an operation is issued."""
    return midnight(next_day(created.date(), STATEMENT_DAYS), created) + timedelta(hours=6)
