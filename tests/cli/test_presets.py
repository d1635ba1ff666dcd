"""Recipes that ship: the exports of programs as they are, whole and without what is optional."""

import json
from datetime import date
from pathlib import Path

import pytest

from feedtool.check.recipes.recipe import RULES
from feedtool.model.text import Translator
from feedtool.runs.recipes import preset, presets
from tests.cli.conftest import Feedtool
from tests.conftest import Files, gtin

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
    "mirakl-export": (
        f"shop-sku=A1|product-sku={GTIN}|product-id-type=EAN|price=8.99|quantity=4|state-code=11",
        "offer-id=2001|origin-price=9.99|discount-price=8.99|currency-iso-code=EUR|active=true|deleted=",
        "shop-sku=A2|deleted=true",
    ),
}


SENT, SKIPPED, EMPTY, WARNED = "sent", "skipped", "quantity 0", "sent, with a warning"
MARKS: dict[str, dict[str, str]] = {
    # Of each: what else stands in a row, and what becomes of it.
    "shopify": {
        "Status=active|Published=true|Gift Card=false|Variant Requires Shipping=true": SENT,
        "Variant Inventory Policy=continue|Variant Inventory Qty=3": SENT,
        "Status=|Published=|Gift Card=|Variant Requires Shipping=": SENT,
        "Status=draft|Published=true": SKIPPED,
        "Status=Archived|Published=false": SKIPPED,
        "Gift Card=TRUE": SKIPPED,
        "Variant Requires Shipping=false": SKIPPED,
        "Status=active|Published=false": WARNED,
        "Status=unlisted": WARNED,
        "Status=paused": WARNED,
        "Variant Inventory Policy=continue|Variant Inventory Qty=0": WARNED,
    },
    "shopify-2025": {
        "Status=Active|Published on online store=TRUE|Gift card=FALSE|Requires shipping=TRUE": SENT,
        "Continue selling when out of stock=DENY|Inventory quantity=0": EMPTY,
        "Status=Draft": SKIPPED,
        "Status=Archived": SKIPPED,
        "Gift card=TRUE": SKIPPED,
        "Requires shipping=FALSE": SKIPPED,
        "Status=Active|Published on online store=FALSE": WARNED,
        "Status=Unlisted": WARNED,
        "Continue selling when out of stock=CONTINUE|Inventory quantity=-2": WARNED,
    },
    "woocommerce": {
        "Type=simple|Published=1|Visibility in catalog=visible|Backorders allowed?=0": SENT,
        "Type=variation|Published=1.0|Visibility in catalog=search": SENT,
        "Type=variation|Backorders allowed?=notify": SENT,
        "Published=": SENT,
        "Published=-1": SKIPPED,
        "Published=0": SKIPPED,
        "Type=simple, virtual": SKIPPED,
        "Type=variation, downloadable, virtual": SKIPPED,
        "Type=variable, virtual|Stock=": SKIPPED,
        "Type=external": SKIPPED,
        "In stock?=0": EMPTY,
        "In stock?=0|Stock=": EMPTY,
        "In stock?=backorder|Stock=-3|Backorders allowed?=1": WARNED,
        "In stock?=0|Backorders allowed?=1": EMPTY,
        "Backorders allowed?=notify|Stock=0": WARNED,
        "Visibility in catalog=hidden": WARNED,
    },
    "magento": {
        "product_online=1|is_in_stock=1|visibility=Catalog, Search|allow_backorders=0": SENT,
        "visibility=Not Visible Individually|allow_backorders=1": SENT,
        "product_online=|is_in_stock=": SENT,
        "product_online=2": SKIPPED,
        "product_online=0": SKIPPED,
        "product_type=virtual": SKIPPED,
        "product_type=downloadable": SKIPPED,
        "product_type=giftcard": SKIPPED,
        "product_type=configurable": SKIPPED,
        "is_in_stock=0": EMPTY,
        "allow_backorders=1|qty=-2.0000": WARNED,
    },
    "odoo": {
        "Active=True|Can be Sold=True|Sales=True|Product Type=Storable Product": SENT,
        "Active=|Can be Sold=|Sales=|Product Type=Goods": SENT,
        "Active=False": SKIPPED,
        "Can be Sold=FALSE": SKIPPED,
        "Sales=False": SKIPPED,
        "Product Type=Service": SKIPPED,
    },
    "odoo-fields": {
        "active=True|sale_ok=1|type=product|detailed_type=product": SENT,
        "active=False": SKIPPED,
        "sale_ok=0": SKIPPED,
        "type=service": SKIPPED,
        "detailed_type=service": SKIPPED,
    },
    "prestashop": {
        "Status=1": SENT,
        "Status=": SENT,
        "Status=0": SKIPPED,
        "Active=No": SKIPPED,
        "Status=new": WARNED,
    },
    "prestashop-fr": {
        "État=1": SENT,
        "État=Oui": SENT,
        "État=0": SKIPPED,
        "État=false": SKIPPED,
        "Actif=Non": SKIPPED,
        "État=neuf": WARNED,
    },
    "prestashop-es": {
        "Estado=1": SENT,
        "Estado=Sí": SENT,
        "Estado=0": SKIPPED,
        "Estado=nuevo": WARNED,
    },
    "google-merchant": {
        "availability=in stock|expiration_date=2099-01-01T10:00+0100": SENT,
        "availability=InStock": SENT,
        "availability=": SENT,
        "availability=discontinued": SKIPPED,
        "expiration_date=2020-01-01": SKIPPED,
        "availability=out_of_stock": EMPTY,
        "availability=out of stock|quantity=": EMPTY,
        "availability=preorder": WARNED,
        "availability=backorder": WARNED,
        "availability=soon": WARNED,
    },
    "amazon": {
        "status=Active|add-delete=": SENT,
        "status=|add-delete=a": SENT,
        "status=Inactive": SKIPPED,
        "status=Incomplete": SKIPPED,
        "add-delete=d": SKIPPED,
        "add-delete=x": SKIPPED,
        "status=Gesperrt": WARNED,
        "add-delete=?": WARNED,
    },
    "mirakl": {
        "update-delete=update|available-start-date=|available-end-date=": SENT,
        "available-start-date=2020-01-01|available-end-date=2099-12-31T23:59:59+01:00": SENT,
        "update-delete=DELETE": SKIPPED,
        "update-delete=x": WARNED,
        "available-start-date=2099-01-01": SKIPPED,
        "available-end-date=2020-01-01": SKIPPED,
    },
    "mirakl-export": {
        "active=true|deleted=false|available-start-date=|available-end-date=": SENT,
        "active=|deleted=|min-quantity-alert=2|leadtime-to-ship=3": SENT,
        "available-start-date=2020-01-01T00:00:00Z|available-end-date=2099-12-31": SENT,
        "deleted=TRUE|active=false": SKIPPED,
        "active=false": SKIPPED,
        "active=false|quantity=": SKIPPED,
        "available-start-date=2099-01-01T00:00:00Z": SKIPPED,
        "available-end-date=2020-01-01": SKIPPED,
        "active=false|quantity=0": EMPTY,
        "active=paused": WARNED,
    },
}


def table(always: str, optional: str, left_out: str) -> str:
    row = dict(cell.split("=", 1) for cell in f"{always}|{optional}".strip("|").split("|"))
    other = dict(cell.split("=", 1) for cell in left_out.split("|")) if left_out else {}
    rows = [row, *([{**row, **other}] if other else [])]
    lines = [[f'"{name}"' for name in row], *(line.values() for line in rows)]
    return "".join(";".join(line) + "\n" for line in lines)


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_read_without_changes(feedtool: Feedtool, files: Files, name: str) -> None:
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
def test_a_map_takes_a_shipped_preset(feedtool: Feedtool, files: Files, name: str) -> None:
    files.text(table(*EXPORTS[name]), "whole.csv")
    ran = feedtool("map --yes whole.csv --out a.toml", *FIXED)
    assert f"As in preset {name}, with its values and rules." in ran.out
    left_out = bool(EXPORTS[name][2])
    checked = feedtool("validate whole.csv --format json --recipe a.toml")
    assert checked.counts == [1 + left_out, 1, 0, left_out, 0], checked.only["problems"]


def test_each_is_tried() -> None:
    assert sorted(EXPORTS) == presets()


@pytest.mark.parametrize("name", MARKS)
def test_rows_not_for_sale_are_not_sent(feedtool: Feedtool, files: Files, name: str) -> None:
    always, optional, _ = EXPORTS[name]
    base = dict(cell.split("=", 1) for cell in f"{always}|{optional}".split("|"))
    rows = []
    for number, mark in enumerate(MARKS[name]):
        own = {
            "A1": f"A{number}",
            GTIN: gtin(number),
            f"'{GTIN}": gtin(number),
            "pen": f"p{number}",
        }
        changes = dict(cell.split("=", 1) for cell in mark.split("|"))
        stock = {key: "4" for key in base if key.casefold().endswith(("quantity", "qty"))}
        cells = {key: own.get(value, value) for key, value in base.items()}
        rows.append({**cells, **stock, **changes})
    header = dict.fromkeys(key for row in rows for key in row)
    lines = [header, *([row.get(key, "") for key in header] for row in rows)]
    text = "".join(";".join(f'"{cell}"' for cell in line) + "\n" for line in lines)
    files.text(text, "export.csv")
    command = "submit export.csv --dry-run --format json --requests out --recipe"
    ran = feedtool(command, f"preset:{name}", *FIXED)
    quantities = {
        request["sellerExternalReference"]: request["quantity"]
        for path in Path("out").rglob("upload-*.json")
        for request in json.loads(path.read_text())
    }
    warned = {problem["row"] for problem in ran.only["problems"]}
    assert {problem["code"] for problem in ran.only["problems"]} <= {"recipe-warning"}
    became = {}
    for number, mark in enumerate(MARKS[name]):
        quantity = quantities.get(f"A{number}")
        kept = WARNED if number + 2 in warned else EMPTY if quantity == 0 else SENT
        became[mark] = SKIPPED if quantity is None else kept
    assert became == MARKS[name]


def test_the_marks_of_each_are_tried() -> None:
    assert sorted(MARKS) == presets()


@pytest.mark.parametrize("name", presets())
def test_reasons_of_presets_are_translated(name: str) -> None:
    file = preset(name, date(2026, 11, 20)).file
    reasons = [reason for table in RULES for reason in getattr(file, table)]
    for language in ("fr", "es"):
        say = Translator(language)
        assert [reason for reason in reasons if say.message(reason) == reason] == []


def test_a_variant_has_the_status_of_its_product(feedtool: Feedtool, files: Files) -> None:
    header = "Handle;Variant SKU;Variant Barcode;Variant Price;Variant Inventory Qty;Status"
    rows = [f"a;A{it};{gtin(it)};9.99;4;{status}" for it, status in enumerate(("archived", ""))]
    other = f"b;B1;{gtin(9)};9.99;4;"
    files.text("\n".join([header, *rows, other]) + "\n", "export.csv")
    ran = feedtool("submit export.csv --dry-run --format json --recipe preset:shopify", *FIXED)
    assert ran.statuses == ["Skipped", "Skipped", "Valid"]
    ran = feedtool("submit export.csv --dry-run --language fr --recipe preset:shopify", *FIXED)
    assert "2 archivé (Status)" in ran.out


def test_the_price_of_an_offer_is_that_without_its_discount(
    feedtool: Feedtool, files: Files
) -> None:
    always, optional, _ = EXPORTS["mirakl-export"]
    files.text(table(always, optional, ""), "export.csv")
    feedtool("submit export.csv --dry-run --requests out --recipe preset:mirakl-export", *FIXED)
    (path,) = Path("out").rglob("upload-*.json")
    (request,) = json.loads(path.read_text())
    assert request["price"]["price"] == 9.99
