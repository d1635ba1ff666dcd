"""Kinds that become other kinds, and the form of the file."""

from decimal import Decimal
from pathlib import Path

import orjson
import pytest

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.registry import load
from feedtool.model.cells import Value
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import AccountSettings
from feedtool.runs.convert import Form, RequestMaker, form_of, kind_for, request_maker
from tests.conftest import gtin

UPSERT, UPDATE, DELETE, PRODUCTS = "offers-upsert", "offers-update", "offers-delete", "products"
FULL, STOCK = "legacy-offers", "legacy-stock-and-price"
AREAS = load()
SHEET, CSV, JSON, FOLDER = (Form(ending) for ending in (".xlsx", ".csv", ".json", ""))
ZIP, XML = (Form(ending, AREAS.outputs[ending]) for ending in (".zip", ".xml"))

WAYS = [
    (SHEET, FULL, UPSERT, UPSERT),
    (ZIP, UPSERT, None, FULL),
    (ZIP, UPDATE, None, STOCK),
    (XML, STOCK, None, STOCK),
    (ZIP, FULL, STOCK, STOCK),
    (JSON, FULL, None, UPSERT),
    (JSON, STOCK, None, UPDATE),
    (JSON, DELETE, None, DELETE),
    (FOLDER, FULL, None, UPSERT),
    (FOLDER, UPSERT, FULL, FULL),
    *((SHEET, kind, None, kind) for kind in AREAS.feeds),
]


@pytest.mark.parametrize(("form", "kind", "wanted", "became"), WAYS)
def test_a_way(form: Form, kind: str, wanted: str | None, became: str) -> None:
    assert kind_for(form, kind, wanted, AREAS) == became


CLOSED = [
    (ZIP, DELETE, None, "removed"),
    (ZIP, PRODUCTS, None, "no products"),
    (SHEET, UPDATE, UPSERT, "another meaning"),
    (SHEET, UPSERT, DELETE, "another meaning"),
    (SHEET, STOCK, UPSERT, "another meaning"),
    (SHEET, PRODUCTS, UPSERT, "another meaning"),
    (ZIP, UPSERT, UPDATE, "cannot be written as .zip"),
    (JSON, UPSERT, FULL, "cannot be written as .json"),
]


@pytest.mark.parametrize(("form", "kind", "wanted", "why"), CLOSED)
def test_no_way(form: Form, kind: str, wanted: str | None, why: str) -> None:
    with pytest.raises(UsageProblem, match=why) as refused:
        kind_for(form, kind, wanted, AREAS)
    assert refused.value.hint


FORMS = {"a.xlsx": SHEET, "a.CSV": CSV, "a.zip": ZIP, "a": FOLDER, "a.json": JSON}


def test_a_name_sets_the_form_and_a_folder_can_have_any(tmp_path: Path) -> None:
    assert {name: form_of(tmp_path / name, AREAS) for name in FORMS} == FORMS
    assert form_of(tmp_path.with_suffix(""), AREAS) == FOLDER
    (tmp_path / "offers.d").mkdir()
    assert form_of(tmp_path / "offers.d", AREAS) == FOLDER
    with pytest.raises(UsageProblem, match=r"nothing can be written as a\.xls"):
        form_of(tmp_path / "a.xls", AREAS)


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
    named, _ = maker("legacy-offers")(5, {**OFFER, "salesChannelId": "ES"})
    assert named
    assert named.channel == "ES"


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
def test_a_kind_needs_its_fields(kind: str, changes: dict[str, Value], field: str) -> None:
    values = {key: it for key, it in {**OFFER, **changes}.items() if it is not None}
    item, obstacles = maker(kind)(5, values)
    assert item is None
    assert field in {loss.field for loss in obstacles}
