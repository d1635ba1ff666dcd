"""An order as rows of a sheet."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.orders import columns, wire
from feedtool.areas.orders.rows import order_rows
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.plain_list import date_of
from feedtool.model.cells import Cell, Kind
from feedtool.model.settings import AccountSettings
from feedtool.service.answers import loads

ADDRESS = {"firstName": "Zoé", "city": "Brest", "pickupId": None}
LINE = {
    "orderLineId": "L1",
    "status": "Shipped",
    "offer": {
        "offerId": "F1",
        "productTitle": "Mug",
        "sellerProductId": "SKU-1",
        "productGtin": "0012",
    },
    "quantity": 2,
    "sellingPrice": {"unitSalesPrice": 144.99, "shippingCost": 4.5},
    "delivery": {"mode": "TrackedHomeDelivery"},
    "shippingAddress": ADDRESS,
    "parcels": [
        {"parcelNumber": "P1", "carrierName": "UPS", "trackingUrl": "https://t.example/P1"},
        {"parcelNumber": "P2", "trackingId": "T2"},
    ],
}
ORDER = {
    "orderId": "O1",
    "status": "InPreparation",
    "salesChannelId": "PRIMARY",
    "reference": "PRI-1",
    "businessOrder": True,
    "supplyMode": "Seller",
    "shippingCountry": "FR",
    "currencyCode": "EUR",
    "createdAt": "2026-11-20T10:00:00+02:00",
    "updatedAt": "2026-11-20T08:30:00.123456Z",
    "shippedAt": None,
    "billingAddress": {"name": "Zoé L.", "country": "FR"},
    "lines": [LINE],
}


def rows(
    settings: AccountSettings | None = None, *, has_addresses: bool = True, **fields: Any
) -> list[dict[str, Any]]:
    """The rows of an order, blanks left out."""
    order = wire.read_document(loads(json.dumps({**ORDER, **fields}).encode()))
    assert order
    made = order_rows(order, settings or AccountSettings(), has_addresses=has_addresses)
    return [{key: value for key, value in row.items() if value is not None} for row in made]


def date(text: str) -> Cell:
    return Cell(Kind.DATE, text)


def test_all_of_it() -> None:
    (row,) = rows()
    assert row == {
        "orderId": "O1",
        "lineId": "L1",
        "offerId": "F1",
        "status": "InPreparation",
        "line.status": "Shipped",
        "line.number": 1,
        "order.lines": 1,
        "salesChannelId": "PRIMARY",
        "reference": "PRI-1",
        "businessOrder": "true",
        "supplyMode": "Seller",
        "shippingCountry": "FR",
        "createdAt": date("2026-11-20T08:00:00"),
        "updatedAt": date("2026-11-20T08:30:00"),
        "product.title": "Mug",
        "product.reference": "SKU-1",
        "product.gtin": "0012",
        "deliveryMode": "TrackedHomeDelivery",
        "quantity": 2,
        "unitSalesPrice": Decimal("144.99"),
        "shippingCost": Decimal("4.5"),
        "line.total": Decimal("294.48"),
        "currencyCode": "EUR",
        "shippingAddress.firstName": "Zoé",
        "shippingAddress.city": "Brest",
        "billingAddress.name": "Zoé L.",
        "billingAddress.country": "FR",
        "parcels.number": "P1; P2",
        "parcels.carrier": "UPS",
        "parcels.url": "https://t.example/P1",
        "parcels.trackingId": "T2",
    }


@pytest.mark.parametrize(
    ("fields", "mode"),
    [
        ({"delivery": {"mode": "A"}, "deliveryMode": "B"}, "A"),
        ({"delivery": None, "deliveryMode": "B"}, "B"),
        ({"delivery": {"mode": ""}}, None),
    ],
)
def test_the_mode_of_a_delivery(fields: dict[str, Any], mode: str | None) -> None:
    (row,) = rows(lines=[{**LINE, **fields}])
    assert row.get("deliveryMode") == mode


def test_each_line_is_a_row_and_an_order_without_lines_is_one() -> None:
    made = rows(lines=[LINE, {"lineId": "L2"}])
    assert [(row["orderId"], row["lineId"], row["line.number"]) for row in made] == [
        ("O1", "L1", 1),
        ("O1", "L2", 2),
    ]
    assert made[1]["line.status"] == "InPreparation"
    assert {row["order.lines"] for row in made} == {2}
    (bare,) = rows(lines=[])
    assert (bare["orderId"], bare["order.lines"], "lineId" in bare) == ("O1", 0, False)


@pytest.mark.parametrize("lines", [[LINE], []])
def test_without_addresses_no_column_of_a_person_is_filled(lines: list[Any]) -> None:
    with_them, without = (rows(lines=lines, has_addresses=has) for has in (True, False))
    assert columns.PERSONAL & with_them[0].keys()
    assert not columns.PERSONAL & without[0].keys()
    assert without[0].keys() == with_them[0].keys() - columns.PERSONAL


PRICES: dict[str, tuple[dict[str, Any], Decimal | None]] = {
    "no shipping": ({"sellingPrice": {"unitSalesPrice": 5}}, Decimal(10)),
    "free shipping": ({"sellingPrice": {"unitSalesPrice": 5, "shippingCost": 0}}, Decimal(10)),
    "as text": ({"sellingPrice": {"unitSalesPrice": "5.05"}}, Decimal("10.10")),
    "no price": ({"sellingPrice": {}}, None),
    "no quantity": ({"quantity": None}, None),
    "half a piece": ({"quantity": 1.5}, None),
    "a price of another shape": ({"sellingPrice": [5]}, None),
}


@pytest.mark.parametrize(("fields", "total"), PRICES.values(), ids=PRICES)
def test_the_total_of_a_line(fields: dict[str, Any], total: Decimal | None) -> None:
    (row,) = rows(lines=[{**LINE, **fields}])
    assert row.get("line.total") == total


@pytest.mark.parametrize(
    ("status", "hours", "deadline"),
    [
        ("WaitingAcceptance", 48, date("2026-11-22T08:00:00")),
        ("WaitingAcceptance", 0, None),
        ("InPreparation", 48, None),
    ],
)
def test_the_deadline_of_an_acceptance(status: str, hours: int, deadline: Cell | None) -> None:
    shop = AccountSettings().having(OrderSettings(accept_within=hours))
    (row,) = rows(shop, status=status)
    assert row.get("deadline.accept") == deadline


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-20T08:00:00Z", date("2026-11-20T08:00:00")),
        ("2026-11-20T08:00:00.999Z", date("2026-11-20T08:00:00")),
        ("2026-11-20T23:30:00-02:00", date("2026-11-21T01:30:00")),
        ("2026-11-20", date("2026-11-20T00:00:00")),
        *((value, None) for value in ("soon", "", None, 7, "0001-01-01T00:00:00Z")),
    ],
)
def test_dates_are_in_utc(value: object, expected: Cell | None) -> None:
    assert date_of(value) == expected


def test_a_path_that_leads_nowhere() -> None:
    assert wire.value_at({"a": {"b": 1}}, "a.b") == 1
    assert wire.value_at({"a": [1]}, "a.b") is None
    assert wire.value_at({}, "a.b") is None


VALUES: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.just([]) | st.just({})
)


@given(
    order=st.dictionaries(st.sampled_from(sorted(ORDER.keys() - {"orderId", "status"})), VALUES),
    line=st.dictionaries(st.sampled_from(sorted(LINE)), VALUES),
)
def test_each_column_is_a_value_for_any_field(order: dict[str, Any], line: dict[str, Any]) -> None:
    lines = order.get("lines", [line])
    known = {column.key for column in columns.EVERY_COLUMN}
    for row in rows(**{**order, "lines": lines}):
        assert row.keys() <= known
        assert all(isinstance(value, str | int | Decimal | Cell) for value in row.values())
