"""Rows that were carried over become requests, or say why they cannot."""

from decimal import Decimal

import orjson
import pytest

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.registry import load
from feedtool.model.cells import Value
from feedtool.model.settings import AccountSettings
from feedtool.runs.convert.request_maker import RequestMaker, request_maker
from tests.conftest import gtin

OFFER: dict[str, Value] = {
    "sellerExternalReference": "A",
    "product.gtin": gtin(1),
    "condition": "New",
    "price.price": Decimal("19.90"),
    "taxes.VAT": Decimal(20),
    "deliveryModes.Tracked.cost": Decimal("4.90"),
    "deliveryModes.Tracked.additionalCost": Decimal("1.50"),
    "preparationTime": 2,
    "quantity": 7,
}


def maker(kind: str) -> RequestMaker:
    return request_maker(load().feeds[kind], "FR", AccountSettings(), load())


def test_a_request() -> None:
    item, obstacles = maker("legacy-offers")(5, OFFER)
    assert obstacles == []
    assert item
    assert (item.row, item.package_type, item.channel) == (5, PackageType.FULL, "FR")
    assert (item.reference, item.product) == ("A", f"{gtin(1)}||New")
    assert orjson.loads(item.body)["Price"] == "19.9"


def test_a_row_may_name_its_channel() -> None:
    item, _ = maker("legacy-offers")(5, {**OFFER, "salesChannelId": "ES"})
    assert item
    assert item.channel == "ES"


@pytest.mark.parametrize(
    ("kind", "changes", "field"),
    [
        ("legacy-offers", {"price.price": None}, "price.price"),
        ("legacy-offers", {"taxes.EcoPart": Decimal(20)}, "price.price"),
        ("offers-upsert", {}, "deliveryModes.TrackedHomeDelivery.cost"),
        ("offers-update", {"quantity": None, "price.price": None}, "taxes.EcoPart"),
        ("offers-delete", {"sellerExternalReference": None}, "sellerExternalReference"),
    ],
)
def test_what_a_kind_asks_for(kind: str, changes: dict[str, Value], field: str) -> None:
    values = {key: it for key, it in {**OFFER, **changes}.items() if it is not None}
    item, obstacles = maker(kind)(5, values)
    assert item is None
    assert field in {loss.field for loss in obstacles}
