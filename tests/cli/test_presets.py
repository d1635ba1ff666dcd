"""Recipes that ship: the exports of programs as they are, whole and without what is optional."""

import pytest

from feedtool.runs.presets import presets
from tests.cli.conftest import Feedtool
from tests.conftest import Files

GTIN = "4006381333931"
FIXED = (
    *("--default", "preparationTime=2", "--default", "taxes.VAT=20"),
    *("--default", "deliveryModes.TrackedHomeDelivery.cost=4.9"),
    *("--default", "deliveryModes.TrackedHomeDelivery.additionalCost=1"),
)
EXPORTS: dict[str, tuple[str, str, str]] = {
    # Of each: columns that are always there, optional ones, and rows of both that are left out.
    "shopify": (
        f"Handle=pen|Title=Pen|Variant SKU=A1|Variant Price=9.99|Variant Barcode='{GTIN}",
        "Variant Compare At Price=12.99|Variant Inventory Qty=-2|Image Src=https://a.example/1.png",
        "Handle=pen|Variant SKU=|Image Src=https://a.example/2.png",
    ),
    "shopify-2025": (
        f"Title=Pen|URL handle=pen|SKU=A1|Barcode='{GTIN}|Price=9.99|Compare-at price=12.99",
        "Inventory quantity=4|Charge tax=TRUE",
        "URL handle=pen|SKU=",
    ),
    "woocommerce": (
        f"ID=7|SKU=A1|GTIN, UPC, EAN, or ISBN={GTIN}|In stock?=1|Stock=4|Regular price=12.99",
        "Type=simple|Sale price=9.99",
        "Type=variable|SKU=P1|Stock=",
    ),
    "magento": (
        f"sku=A1|product_type=simple|price=12.9900|qty=4.0000|ean={GTIN}",
        "store_view_code=|special_price=9.9900|special_price_from_date=|special_price_to_date=",
        "sku=A1|store_view_code=fr",
    ),
    "odoo": (
        f"Internal Reference=A1|Barcode={GTIN}|Sales Price=9.99|Quantity On Hand=4.00",
        "Cost=3.00|Forecasted Quantity=8.00",
        "",
    ),
    "odoo-fields": (
        f"default_code=A1|barcode={GTIN}|list_price=9.99|qty_available=4.0",
        "standard_price=3.0",
        "",
    ),
    "prestashop": (
        f"Product ID=1|Reference=A1|EAN-13={GTIN}|Price (tax incl.)=9.99|Quantity=-1",
        "Price (tax excl.)=8.325|Status=1",
        "",
    ),
    "prestashop-fr": (
        f"ID=1|Nom=Stylo|Référence=A1|EAN-13={GTIN}|Prix (TTC)=9.99|Quantité=4",
        "Prix (HT)=8.325|État=1",
        "",
    ),
    "prestashop-es": (
        f"ID=1|Nombre=Boli|Referencia=A1|EAN-13={GTIN}|Precio (imp. incl.)=9.99|Cantidad=4",
        "Precio (imp. excl.)=8.325",
        "",
    ),
    "google-merchant": (
        f"id=A1|title=Pen|link=https://a.example|availability=in_stock|price=12.99 EUR|gtin={GTIN}",
        "quantity=4|condition=new|sale_price=9.99 EUR|sale_price_effective_date=",
        "",
    ),
    "amazon": (
        f"seller-sku=A1|price=9.99|quantity=4|item-condition=11|product-id={GTIN}",
        "product-id-type=4|status=Active",
        "",
    ),
    "mirakl": (
        f"sku=A1|product-id={GTIN}|product-id-type=EAN|price=9.99|quantity=4|state=11",
        "discount-price=8.99|update-delete=",
        "sku=A2|update-delete=delete",
    ),
}


def table(always: str, optional: str, left_out: str) -> str:
    row = dict(cell.split("=", 1) for cell in f"{always}|{optional}".strip("|").split("|"))
    other = dict(cell.split("=", 1) for cell in left_out.split("|")) if left_out else {}
    rows = [row, *([{**row, **other}] if other else [])]
    lines = [[f'"{name}"' for name in row], *(line.values() for line in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_as_it_is(feedtool: Feedtool, files: Files, name: str) -> None:
    always, optional, left_out = EXPORTS[name]
    preset = ("--recipe", f"preset:{name}", *FIXED)
    files.text(table(always, optional, left_out), "whole.csv")
    whole = feedtool("validate whole.csv --format json", *preset)
    is_without_stock = "quantity=" in optional.casefold() or "inventory" in optional.casefold()
    files.text(table(always, "", ""), "bare.csv")
    stock = ("--default", "quantity=5") if is_without_stock else ()
    bare = feedtool("validate bare.csv --format json", *preset, *stock)
    assert (whole.counts, bare.counts) == (
        *([1 + bool(left_out), 1, 0, bool(left_out), 0], [1, 1, 0, 0, 0]),
    ), (whole.only["problems"], bare.only["problems"])


@pytest.mark.parametrize("name", EXPORTS)
def test_a_map_takes_what_ships(feedtool: Feedtool, files: Files, name: str) -> None:
    files.text(table(*EXPORTS[name]), "whole.csv")
    ran = feedtool("map --yes whole.csv --out a.toml", *FIXED)
    assert f"As in preset {name}, with its values and rules." in ran.out
    left_out = bool(EXPORTS[name][2])
    checked = feedtool("validate whole.csv --format json --recipe a.toml")
    assert checked.counts == [1 + left_out, 1, 0, left_out, 0], checked.only["problems"]


def test_each_is_tried() -> None:
    assert sorted(EXPORTS) == presets()
