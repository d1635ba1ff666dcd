"""Requests that an Offers.xml has no place for never reach its writer, whatever they come from."""

import json
from pathlib import Path

import pytest

from feedtool.areas.legacy.offers_xml import KIND, NAMESPACE, STOCK_AND_PRICE_KIND, Shipping
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.registry import load
from feedtool.check.requests import gate
from tests.areas.legacy.conftest import HONEST
from tests.conftest import checked, offer, table
from tests.runs.convert.conftest import converted

PLAIN = {"sellerExternalReference": "SKU-1"}
EMPTY = f"""\
<OfferPackage xmlns="{NAMESPACE}" Name="n" PurgeAndReplace="false" PackageType="StockAndPrice">
  <OfferPackage.Offers><OfferCollection Capacity="1"><Offer SellerProductId="SKU-1" />
  </OfferCollection></OfferPackage.Offers>
</OfferPackage>"""
NOTHING = {
    "a sheet": ("in.csv", table([PLAIN | {"price.price": "", "quantity": ""}])),
    "a sheet of updates": ("in.csv", table([PLAIN | {"taxes.VAT": "20", "quantity": ""}])),
    "JSON": ("in.json", json.dumps([PLAIN | {"preparationTime": 3}])),
    "an Offers.xml": ("in.xml", EMPTY),
    "a whole Offers.xml": (
        "in.xml",
        HONEST.replace(' Price="19.99"', "").replace(' Stock="7"', ""),
    ),
}


def test_the_schema_asks_for_stock_or_price() -> None:
    is_right = gate(load().feeds[STOCK_AND_PRICE_KIND])
    assert not is_right({"SellerProductId": "SKU-1"})
    assert is_right({"SellerProductId": "SKU-1", "Stock": "0"})


@pytest.mark.parametrize(
    ("name", "content"), [NOTHING[name] for name in NOTHING if "JSON" not in name]
)
def test_neither_is_submitted(tmp_path: Path, name: str, content: str) -> None:
    source = tmp_path / name
    source.write_text(content, "utf-8")
    (sheet,) = checked(source, kind=STOCK_AND_PRICE_KIND)
    assert not len(sheet.items)


@pytest.mark.parametrize(("name", "content"), NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize("ending", ["xml", "zip"])
def test_neither_stock_nor_price(tmp_path: Path, name: str, content: str, ending: str) -> None:
    source, target = tmp_path / name, tmp_path / f"out.{ending}"
    source.write_text(content, "utf-8")
    conversion = converted(source, target, to=STOCK_AND_PRICE_KIND)
    assert (conversion.rows, conversion.has_losses) == (0, True)
    assert not target.exists()


FIRST = HONEST[HONEST.index("            <ShippingInformation ") : HONEST.index("/>") + 2]
SECOND = FIRST.replace("4.9", "3.9")
BOTH_NAMES = offer(1) | {
    "deliveryModes.Tracked.cost": "3.9",
    "deliveryModes.Tracked.additionalCost": "1.5",
}
TWICE = {
    "an Offers.xml": ("in.xml", HONEST.replace(FIRST, FIRST + SECOND)),
    "in other letters": ("in.xml", HONEST.replace(FIRST, FIRST + SECOND.replace("Tra", "tra"))),
    "JSON": ("in.json", ""),
    "a sheet with both names": ("in.csv", table([BOTH_NAMES])),
}


@pytest.mark.parametrize(("name", "content"), TWICE.values(), ids=TWICE)
def test_a_delivery_mode_twice(tmp_path: Path, name: str, content: str) -> None:
    source, target = tmp_path / name, tmp_path / "out.xml"
    source.write_text(content or requests_with_a_mode_twice(tmp_path), "utf-8")
    conversion = converted(source, target, to=KIND)
    (place,) = OffersXml(target).read()
    assert place.offer.shipping == (Shipping("Tracked", "4.9", "1.5"),)
    assert conversion.has_losses


def requests_with_a_mode_twice(folder: Path) -> str:
    sheet, target = folder / "sheet.csv", folder / "plain.json"
    sheet.write_text(table([offer(1)]), "utf-8")
    converted(sheet, target)
    (body,) = json.loads(target.read_text("utf-8"))
    (mode,) = body["deliveryModes"]
    return json.dumps([body | {"deliveryModes": [mode, mode | {"cost": 3.9}]}])
