"""The columns of operations, payments and invoice lines, and the rows that they are filled with."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from feedtool.areas.finance.windows import STATES
from feedtool.areas.plain_list import DATE, NUMBER, KnownMembers, date_of, flat_row
from feedtool.feeds.rule import Problems, Rule
from feedtool.feeds.template import TEXT
from feedtool.model.cells import Value
from feedtool.model.nouns import Code
from feedtool.model.text import MessageText, tr
from feedtool.service.answers import amount, spelled, text

CHECK = "check"
CENTS = Decimal("0.00")
DAY = "yyyy-mm-dd"

OPERATIONS: KnownMembers = {
    "operationReference": (tr("Operation"), TEXT),
    CHECK: (tr("Check"), TEXT),
    "orderStatus": (tr("Order status"), TEXT),
    "invoiceId": (tr("Invoice"), TEXT),
    "currency": (tr("Currency"), TEXT),
    "eventTypes": (tr("Event types"), TEXT),
    "paymentState": (tr("Payment state"), TEXT),
    "stateMotive": (tr("Reason of the state"), TEXT),
    "createdAt": (tr("Created"), DATE),
    "acceptedAt": (tr("Accepted"), DATE),
    "shippedAt": (tr("Shipped"), DATE),
    "releasePaymentDate": (tr("Payment released"), DATE),
    "paidAt": (tr("Paid"), DATE),
    "refundedAt": (tr("Refunded"), DATE),
    "salesChannel": (tr("Sales channel"), TEXT),
    "sale.productAmount": (tr("Sale: products"), NUMBER),
    "sale.shippingFeesAmount": (tr("Sale: shipping"), NUMBER),
    "sale.processingFeesAmount": (tr("Sale: processing"), NUMBER),
    "sale.total": (tr("Sale"), NUMBER),
    "vatSale.salesVatAmount": (tr("VAT of products sold"), NUMBER),
    "vatSale.salesShippingCostVatAmount": (tr("VAT of shipping sold"), NUMBER),
    "vatSale.salesTotalVatAmount": (tr("VAT of the sale"), NUMBER),
    "refund": (tr("Refund"), NUMBER),
    "refund.productAmount": (tr("Refund: products"), NUMBER),
    "refund.shippingFeesAmount": (tr("Refund: shipping"), NUMBER),
    "refund.processingFeesAmount": (tr("Refund: processing"), NUMBER),
    "refund.total": (tr("Refund"), NUMBER),
    "vatRefund.salesVatAmount": (tr("VAT of products refunded"), NUMBER),
    "vatRefund.salesShippingCostVatAmount": (tr("VAT of shipping refunded"), NUMBER),
    "vatRefund.salesTotalVatAmount": (tr("VAT of the refund"), NUMBER),
    "commission": (tr("Commission"), NUMBER),
    "serviceFinancialFlow": (tr("Service fee"), NUMBER),
    "serviceFinancialFlow.label": (tr("Service"), TEXT),
    "serviceFinancialFlow.amount": (tr("Service fee"), NUMBER),
    "totalAmount": (tr("Total"), NUMBER),
    "vatTotalAmount": (tr("VAT"), NUMBER),
    "net": (tr("Net"), NUMBER),
    "invoiceServiceFilePath": (tr("Invoice document"), TEXT),
}
"""By key, the label and the format; what the specification does not show comes behind."""

PAYMENTS: KnownMembers = {
    "paymentDate": (tr("Payment date"), DATE),
    "salesChannelId": (tr("Sales channel"), TEXT),
    "paymentState": (tr("Payment state"), TEXT),
    "currency": (tr("Currency"), TEXT),
    "totalAmount": (tr("Total"), NUMBER),
}

DETAILS: KnownMembers = {
    "invoiceId": (tr("Invoice"), TEXT),
    "operationReference": (tr("Operation"), TEXT),
    "operationType": (tr("Event types"), TEXT),
    "operationDate": (tr("Date"), DATE),
    "salesChannelId": (tr("Sales channel"), TEXT),
    "amount": (tr("Amount"), NUMBER),
    "currency": (tr("Currency"), TEXT),
}

_DETAIL_LISTS = ("commissionsDetail", "commissionDetail")
"""Both spellings of the specification."""
_ALTERNATIVES = {
    "paymentDate": ("paymentDate", "paidAt", "date"),
    "paymentState": ("paymentState", "state"),
    "totalAmount": ("totalAmount", "totalGrossAmount", "total", "amount"),
}
"""Members of a payment, whose names the specification does not show."""
_PARTS = ("sale", "vatSale", "refund", "vatRefund", "commission", "serviceFinancialFlow")
_TYPES = ("type", "operationType", "eventType", "label")


def operation_row(document: Mapping[str, Any]) -> dict[str, Value]:
    """An operation under the keys of its columns; its lists as texts, or as a column for each."""
    types = document.get("eventTypes")
    listed = types if isinstance(types, list) else [types]
    row = flat_row({**document, **_channel(document, "salesChannel")}, known=OPERATIONS)
    row["eventTypes"] = ", ".join(filter(None, map(text, listed))) or None
    row["invoiceId"] = text(document.get("invoiceId")) or None
    row["paymentState"] = spelled(row.get("paymentState"), STATES) or None
    for name in _DETAIL_LISTS:
        row.pop(name, None)
        row |= _amounts("commission", document.get(name))
    for key, value in row.items():  # not all members of a part are known
        if key.partition(".")[0] in _PARTS and key not in OPERATIONS:
            number = amount(value)
            row[key] = value if number is None else number
    total, vat = row.get("totalAmount"), row.get("vatTotalAmount")
    if isinstance(total, Decimal) and isinstance(vat, Decimal):
        row["net"] = total - vat
    return _in_cents(row, OPERATIONS)


def payment_row(document: Mapping[str, Any]) -> dict[str, Value]:
    """A payment under the keys of its columns, with one for each type of operation."""
    channel = {"salesChannel": None, **_channel(document, "salesChannelId")}
    row = flat_row({**document, **channel}, known=PAYMENTS)
    for key, names in _ALTERNATIVES.items():
        values = [row.pop(name) for name in names if row.get(name) is not None]
        row[key] = values[0] if values else None
    if (total := amount(row["totalAmount"])) is not None:
        row["totalAmount"] = total
    row["paymentState"] = spelled(row["paymentState"], STATES) or None
    row["paymentDate"] = date_of(str(row["paymentDate"] or "")) or row["paymentDate"]
    for name, value in document.items():
        if isinstance(value, list | dict):
            row.pop(name, None)
            row |= _amounts("", value)
    return _in_cents(row, PAYMENTS)


def detail_row(document: Mapping[str, Any], invoice: str) -> dict[str, Value]:
    row = {**flat_row(document, known=DETAILS), "invoiceId": invoice}
    return _in_cents(row, DETAILS)


def _in_cents(row: dict[str, Value], known: KnownMembers) -> dict[str, Value]:
    """The same row with at least two decimals of each amount, as a CSV shows them."""
    amounts = {
        key: CENTS + value
        for key, value in row.items()
        if isinstance(value, Decimal) and known.get(key, ("", ""))[1] == NUMBER
    }
    return {**row, **amounts}


def _channel(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The sales channel: an identifier, or an object that has one."""
    for name in ("salesChannelId", "salesChannel"):
        value = document.get(name)
        identifier = text(value.get("id") if isinstance(value, dict) else value)
        if identifier:
            return {key: identifier}
    return {}


def _amounts(prefix: str, entries: object) -> dict[str, Value]:
    """A list of types and amounts, as a column for each type."""
    listed: Sequence[object] = entries if isinstance(entries, list) else ()
    sums: dict[str, Decimal] = {}
    for entry in listed:
        fields = entry if isinstance(entry, dict) else {}
        name = next(filter(None, (text(fields.get(key)) for key in _TYPES)), "")
        amounts = (amount(fields.get(key)) for key in _ALTERNATIVES["totalAmount"])
        value = next((number for number in amounts if number is not None), None)
        if name and value is not None:
            key = f"{prefix}.{name}".strip(".")
            sums[key] = sums.get(key, CENTS) + value
    return dict(sums)


PROBLEMS = Problems("feedtool.areas.finance")

ACCOUNT_MISSING = PROBLEMS.error("account-missing")
AMOUNTS_DO_NOT_ADD_UP = PROBLEMS.error("amounts-do-not-add-up")
TOTALS_DIFFER = PROBLEMS.error("totals-differ")


def explained(code: Code) -> MessageText:
    return tr("`feedtool explain {code}` says what to do", code=code.name)


RULES = tuple(
    Rule(code, kinds=()) for code in (ACCOUNT_MISSING, AMOUNTS_DO_NOT_ADD_UP, TOTALS_DIFFER)
)
"""Found when money is exported."""
