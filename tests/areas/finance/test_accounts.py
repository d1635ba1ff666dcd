"""Parts of operations, from any members that the service shows; and their signs."""

import json
from decimal import Decimal
from typing import Any

import pytest

from feedtool.areas.finance.accounts import (
    READINGS,
    EventAmount,
    Signs,
    described,
    difference,
    find_signs,
    parts_of,
)
from feedtool.areas.finance.columns import operation_row, payment_row
from feedtool.model.cells import Cell, Kind

AS_SHOWN, ABOVE = Signs(), Signs(-1, -1, -1)
SOLD = {"eventTypes": ["Sale", "Commission"], "sale": {"total": Decimal(100)}}
BACK = {"eventTypes": ["Refund", "CommissionRestitution"]}


def row(**document: Any) -> dict[str, Any]:
    return dict(operation_row(document))


def part(name: str, gross: object, vat: object = 0) -> EventAmount:
    return EventAmount(name, Decimal(str(gross)), Decimal(str(vat)))


PARTS: dict[str, tuple[dict[str, Any], Signs, list[EventAmount]]] = {
    "a sale": ({**SOLD}, AS_SHOWN, [part("Sale", 100)]),
    "a sale and its commission": (
        {**SOLD, "commission": -12},
        AS_SHOWN,
        [part("Sale", 100), part("Commission", -12)],
    ),
    "a commission above 0": (
        {**SOLD, "commission": 12},
        ABOVE,
        [part("Sale", 100), part("Commission", -12)],
    ),
    "a commission by its details": (
        {**SOLD, "commissionDetail": [{"type": "A", "amount": -8}, {"type": "B", "amount": -4}]},
        AS_SHOWN,
        [part("Sale", 100), part("Commission", -12)],
    ),
    "a sale without a total": (
        {
            "eventTypes": ["Sale"],
            "sale": {"productAmount": 90, "shippingFeesAmount": 10, "vatAmount": 3},
        },
        AS_SHOWN,
        [part("Sale", 100)],
    ),
    "VAT": (
        {**SOLD, "vatSale": {"salesVatAmount": 15, "salesTotalVatAmount": 16}},
        AS_SHOWN,
        [part("Sale", 100, 16)],
    ),
    "VAT without a total": (
        {**SOLD, "vatSale": {"salesVatAmount": 15, "salesShippingCostVatAmount": 1}},
        AS_SHOWN,
        [part("Sale", 100, 16)],
    ),
    "a refund": (
        {**BACK, "refund": {"total": -50}, "commission": 6, "vatRefund": {"salesVatAmount": 8}},
        AS_SHOWN,
        [part("Refund", -50, -8), part("CommissionRestitution", 6)],
    ),
    "a refund above 0": (
        {**BACK, "refund": 50, "commission": 6},
        ABOVE,
        [part("Refund", -50), part("CommissionRestitution", 6)],
    ),
    "a fee": (
        {"eventTypes": ["Subscription"], "serviceFinancialFlow": {"label": "S", "amount": 40}},
        ABOVE,
        [part("Subscription", -40)],
    ),
    "a sale with a fee": (
        {**SOLD, "eventTypes": ["Sale", "LogisticFee"], "serviceFinancialFlow": -4},
        AS_SHOWN,
        [part("Sale", 100), part("LogisticFee", -4)],
    ),
    "parts of 0": ({**BACK, "refund": 0, "commission": 0}, AS_SHOWN, [part("Refund", 0)]),
    "no parts": (
        {"eventTypes": ["SecurityDeposit"], "totalAmount": -9},
        ABOVE,
        [part("SecurityDeposit", -9)],
    ),
    "nothing": ({}, AS_SHOWN, [part("", 0)]),
    "no numbers": ({"eventTypes": "Sale", "sale": {"total": "much"}}, AS_SHOWN, [part("Sale", 0)]),
}


@pytest.mark.parametrize(("document", "signs", "expected"), PARTS.values(), ids=PARTS)
def test_parts(document: dict[str, Any], signs: Signs, expected: list[EventAmount]) -> None:
    assert parts_of(row(**document), signs) == expected


MIXED = Signs(refund=1, commission=-1, flow=1)
READ: dict[str, tuple[list[dict[str, Any]], Signs]] = {
    "as they stand": ([{**SOLD, "commission": -12, "totalAmount": 88}], AS_SHOWN),
    "above 0": ([{**SOLD, "commission": 12, "totalAmount": 88}], Signs(commission=-1)),
    "each in its own way": (
        [
            {**SOLD, "commission": 12, "totalAmount": 88},
            {**BACK, "refund": {"total": -50}, "commission": 6, "totalAmount": -44},
        ],
        MIXED,
    ),
    "below 0 what comes back, above 0 what is paid": (
        [
            {**SOLD, "commission": 12, "totalAmount": 88},
            {**BACK, "refund": {"total": 50}, "commission": -6, "totalAmount": -44},
        ],
        Signs(refund=-1, commission=-1, restitution=-1),
    ),
    "nothing that tells": ([{**SOLD, "totalAmount": 100}], AS_SHOWN),
    "one that is odd": (
        [
            {**SOLD, "commission": 12, "totalAmount": 88},
            {**SOLD, "commission": 12, "totalAmount": 89},
        ],
        Signs(commission=-1),
    ),
    "no operations": ([], AS_SHOWN),
}


@pytest.mark.parametrize(("documents", "expected"), READ.values(), ids=READ)
def test_signs_are_found(documents: list[dict[str, Any]], expected: Signs) -> None:
    assert find_signs([row(**it) for it in documents], Decimal(0)) == expected


def test_a_difference_stays_one_in_every_reading() -> None:
    odd = row(**SOLD, commission=Decimal("12.00"), totalAmount=Decimal("88.01"))
    assert min(abs(difference(odd, it)) for it in READINGS) == Decimal("0.01")
    assert "commissions above 0 where you pay" in described(MIXED)
    assert "get back" not in described(MIXED)
    assert "commissions that you get back below 0" in described(Signs(restitution=-1))


def test_a_payment_is_read_by_its_present_names() -> None:
    day = Cell(Kind.DATE, "2026-11-21T00:00:00")
    expected = {
        "paymentDate": day,
        "salesChannelId": "P",
        "paymentState": "Paid",
        "totalAmount": Decimal(7),
        "Sale": Decimal(9),
        "Commission": Decimal(-2),
    }
    parts = [{"operationType": "Sale", "amount": 9}, {"type": "Commission", "totalAmount": -2}]
    for names in (
        {"paymentDate": "2026-11-21", "salesChannelId": "P", "paymentState": "Paid"},
        {"paidAt": "2026-11-21T00:00:00Z", "salesChannel": "P", "state": "Paid"},
        {"date": "2026-11-21", "salesChannel": {"id": "P", "name": "x"}, "state": "Paid"},
    ):
        for total in ("totalAmount", "totalGrossAmount", "amount"):
            found = payment_row({**names, total: 7, "breakdown": parts})
            assert {key: value for key, value in found.items() if value is not None} == expected


def test_an_operation_has_texts_and_a_column_for_each_type_of_commission() -> None:
    found = row(
        eventTypes=["Sale", "Commission"],
        invoiceId=20261119042,
        salesChannel={"id": "P"},
        commissionsDetail=[{"type": "A", "amount": -1}, {"type": "A", "amount": -2}, "x", {}],
        totalAmount=Decimal("10.50"),
        vatTotalAmount=Decimal("0.50"),
    )
    assert (found["eventTypes"], found["invoiceId"], found["salesChannel"]) == (
        *("Sale, Commission", "20261119042", "P"),
    )
    assert (found["commission.A"], found["net"]) == (Decimal(-3), Decimal(10))


TEXTS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "an operation": (
        operation_row,
        {"totalAmount": "88.00", "vatTotalAmount": "14.67", "commission": "-12"},
        {"totalAmount": 88, "vatTotalAmount": 14.67, "commission": -12},
    ),
    "its parts": (
        operation_row,
        {"sale": {"total": "100.0"}, "refund": {"totalAmount": "-3.5", "note": "x"}},
        {"sale": {"total": 100.0}, "refund": {"totalAmount": -3.5, "note": "x"}},
    ),
    "a payment": (
        payment_row,
        {"total": "88.00", "salesChannelId": "1", "types": [{"type": "A", "amount": "2"}]},
        {"total": 88, "salesChannelId": "1", "types": [{"type": "A", "amount": 2}]},
    ),
}
"""Documents with amounts as texts, and the same as numbers."""


@pytest.mark.parametrize(("read", "texts", "numbers"), TEXTS.values(), ids=TEXTS)
def test_an_amount_as_a_text_is_a_number(
    read: Any, texts: dict[str, Any], numbers: dict[str, Any]
) -> None:
    as_decimals = json.loads(json.dumps(numbers), parse_float=Decimal)
    assert read(texts) == read(as_decimals)
    total = read(texts).get("totalAmount")
    assert total is None or total == 88
