"""Kinds of files that sellers have reported: each row is sent, skipped or refused as meant."""

from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, gtin, offer, table
from tests.sheets.read.others.samples import ROWS
from tests.sheets.read.others.test_ods import cell, content, row
from tests.sheets.read.others.test_xls import BESIDE, changed, with_dates_as

FIXED = (
    *("--default", "preparationTime=2", "--default", "taxes.VAT=20"),
    *("--default", "deliveryModes.TrackedHomeDelivery.cost=4.9"),
    *("--default", "deliveryModes.TrackedHomeDelivery.additionalCost=2"),
)
SHOPIFY = (
    "Handle,Title,Published,Variant SKU,Variant Inventory Qty,Variant Price,Variant Barcode,"
    "Gift Card,Status"
)
WOOCOMMERCE = 'ID,Type,SKU,"GTIN, UPC, EAN, or ISBN",Published,In stock?,Stock,Regular price'
MIRAKL = (
    "sku;product-id;product-id-type;price;quantity;state;available-start-date;"
    "available-end-date;update-delete"
)


class Reported(NamedTuple):
    """A file and its outcome."""

    content: str | bytes
    statuses: str
    """The first letter of each row's status: Valid, Invalid, Skipped, Held."""
    codes: frozenset[str] = frozenset()
    """The codes of the problems that are told."""
    preset: str = ""
    fallback: str = ""
    """The profile's `csv_fallback`."""


def marked(header: str, *marks: str) -> str:
    """Good offers with a column of the seller's own."""
    return table([{**offer(index), header: mark} for index, mark in enumerate(marks, 1)])


def known(*references: str) -> str:
    return table(
        [offer(index, sellerExternalReference=name) for index, name in enumerate(references, 1)]
    )


def shop(header: str, *rows: str) -> str:
    return "\n".join([header, *rows]) + "\n"


FRENCH = known("Réf-à-1", "Œuvre-2", "Pâté-3")
TWINS = known("R\u00e9f-1", "Re\u0301f-1")
REPORTED = {
    "Shopify: draft, archived with its variant, gift card": Reported(
        shop(
            SHOPIFY,
            f"mug,Mug,true,M-1,5,11.90,{gtin(1)},false,active",
            f"lamp,Lamp,false,L-1,5,21.90,{gtin(2)},false,draft",
            f"chair,Chair,true,C-1,3,31.90,{gtin(3)},false,archived",
            f"chair,,,C-2,3,31.90,{gtin(4)},,",
            "card,Gift card,true,GC-10,0,10.00,,true,active",
        ),
        "VSSSS",
        preset="shopify",
    ),
    "WooCommerce: draft, private, out of stock, download": Reported(
        shop(
            WOOCOMMERCE,
            f"1,simple,W-1,{gtin(1)},1,1,5,11.90",
            f"2,simple,W-2,{gtin(2)},-1,1,5,21.90",
            f"3,simple,W-3,{gtin(3)},0,1,5,31.90",
            f"4,simple,W-4,{gtin(4)},1,0,5,31.90",
            f'5,"simple, downloadable, virtual",W-5,{gtin(5)},1,1,5,1.90',
        ),
        "VSSVS",
        preset="woocommerce",
    ),
    "Google Merchant Center: out of stock, preorder": Reported(
        shop(
            "id\ttitle\tlink\tavailability\tprice\tgtin\tcondition\tquantity",
            f"N-1\tMug\thttps://a.example\tin_stock\t11.90 EUR\t{gtin(1)}\tnew\t5",
            f"N-2\tLamp\thttps://a.example\tout_of_stock\t21.90 EUR\t{gtin(2)}\tnew\t5",
            f"N-3\tChair\thttps://a.example\tpreorder\t19.00 EUR\t{gtin(3)}\tnew\t5",
        ),
        "VVV",
        frozenset({"recipe-warning"}),
        preset="google-merchant",
    ),
    "Mirakl: not yet, and no longer": Reported(
        shop(
            MIRAKL,
            f"K-1;{gtin(1)};EAN;11.90;5;11;;;update",
            f"K-2;{gtin(2)};EAN;11.90;5;11;2099-01-01;;",
            f"K-3;{gtin(3)};EAN;11.90;5;11;;2020-01-01;",
        ),
        "VSS",
        preset="mirakl",
    ),
    "update-delete": Reported(
        marked("update-delete", "update", "DELETE", ""), "VIV", frozenset({"sale-mark"})
    ),
    "add_delete": Reported(marked("add_delete", "a", "d", "x"), "VII", frozenset({"sale-mark"})),
    "Actif": Reported(marked("Actif", "oui", "non", "1", "0"), "VIVI", frozenset({"sale-mark"})),
    "Statut": Reported(
        marked("Statut", "actif", "supprimé", "archivé"), "VII", frozenset({"sale-mark"})
    ),
    "placeholders": Reported(
        known("nan", "NULL", "[object Object]", "n/a", "-", "False", "A-1"),
        "IIIIIIV",
        frozenset({"placeholder"}),
    ),
    "pandas": Reported(known("12345.0", "12346.0"), "HH", frozenset({"reference-rewritten"})),
    "one product under two references": Reported(
        table([offer(1), {**offer(2), "product.gtin": gtin(1)}, offer(3)]),
        "IIV",
        frozenset({"same-product"}),
    ),
    "Mac Roman": Reported(FRENCH.replace("\n", "\r").encode("mac_roman"), "VVV"),
    "ISO 8859-15": Reported(FRENCH.encode("iso8859-15"), "VVV"),
    "Windows-1250": Reported(known("Żółw-1", "Źdźbło-2", "Łódź-3").encode("cp1250"), "VVV"),
    "GB18030": Reported(known("全新-1", "商品-2").encode("gb18030"), "VV", fallback="gb18030"),
    "letters that look alike": Reported(TWINS, "VV", frozenset({"reference-alike"})),
    "Swiss amounts": Reported(
        table(
            [
                offer(1, price__price="1'299.90"),
                offer(2, price__price="1\u2019299.90"),
                offer(3, price__price="2'000"),
            ]
        ),
        "VVV",
    ),
    "days as sheets say them": Reported(
        table(
            [
                offer(index, preparationTime=text)
                for index, text in enumerate(("24h", "2 jours", "J+2", "2-3 jours", "immédiat"), 1)
            ]
        ),
        "VVVII",
        frozenset({"number-format"}),
    ),
}


@pytest.mark.parametrize("case", REPORTED)
def test_rows(feedtool: Feedtool, files: Files, case: str) -> None:
    file = REPORTED[case]
    files.text(file.content, "reported.csv")
    if file.fallback:
        settings = f'csv_fallback = "{file.fallback}"\nseller = "1"\nchannel = "PRIMARY"\n'
        files.text(f"[profile.shop]\n{settings}", "feedtool.toml")
    options = ["--recipe", f"preset:{file.preset}", *FIXED] if file.preset else []
    options += ["--profile", "shop"] if file.fallback else []
    ran = feedtool("submit reported.csv --dry-run --format json", *options)
    assert "".join(status[0] for status in ran.statuses) == file.statuses, ran.only["problems"]
    assert {problem["code"] for problem in ran.only["problems"]} >= file.codes


CHINESE = "商家编码,条形码,售价,采购价,库存,成色,税率,备货时间"
RUSSIAN = "Артикул,Штрихкод,Цена,Закупка,Остаток,Состояние,НДС,Срок"


@pytest.mark.parametrize("header", [CHINESE, RUSSIAN])
def test_unknown_headers_are_mapped_by_their_cells(
    feedtool: Feedtool, files: Files, header: str
) -> None:
    rows = [
        f"C{number},{gtin(number)},{number + 20}.90,{number + 9}.10,{number + 3},New,20,2"
        for number in range(6)
    ]
    files.text("\n".join([header, *rows]) + "\n", "list.csv")
    ran = feedtool("map list.csv --yes --format json --out a.toml")
    keys = {column["header"]: column["key"] for column in ran.json["columns"]}
    assert ran.json["headerRow"] == 1
    assert keys[header.split(",")[1]] == "product.gtin"


def test_a_sheet_that_is_no_example_is_mapped(feedtool: Feedtool, files: Files) -> None:
    rows = [{**offer(number), "Titre": f"Lampe {number}"} for number in range(4)]
    files.book({"Example": rows[:1], "Mon catalogue": rows}, name="list.xlsx")
    ran = feedtool("map list.xlsx --yes --format json --out a.toml")
    assert (ran.json["sheet"], ran.json["otherSheets"]) == ("Mon catalogue", ["Example"])


def opened(feedtool: Feedtool, name: str, content: bytes, *options: str) -> Any:
    """The only sheet of a file of another format."""
    Path(name).write_bytes(content)
    return feedtool(f"submit {name} --dry-run --format json", *options).only


@pytest.mark.parametrize("number", [27, 31])
def test_dates_of_east_asia_in_an_xls(feedtool: Feedtool, tmp_path: Path, number: int) -> None:
    assert opened(feedtool, "a.xls", with_dates_as(number, tmp_path))["error"] is None


def test_an_xls_with_streams_in_a_shared_sector_is_read(feedtool: Feedtool, tmp_path: Path) -> None:
    change = BESIDE["small streams in a sector of the workbook"]
    assert opened(feedtool, "a.xls", changed(change, tmp_path))["rows"] == ROWS


def test_a_long_name_of_a_sheet_in_an_ods(feedtool: Feedtool) -> None:
    name = "Catalogue of autumn and winter, 2026"
    keys, texts = offer().keys(), offer().values()
    table_rows = "".join(row(*(cell(text) for text in texts_)) for texts_ in (keys, texts))
    flat = content(f'<table:table table:name="{name}">{table_rows}</table:table>', root="document")
    assert opened(feedtool, "a.fods", flat.encode(), "--sheet", name)["valid"] == 1


def test_a_document_of_numbers(feedtool: Feedtool) -> None:
    with ZipFile("a.numbers", "w") as file:
        file.writestr("Index/Document.iwa", b"x")
    error = opened(feedtool, "a.numbers", Path("a.numbers").read_bytes())["error"]
    assert "Numbers" in error["hint"]
    assert "Excel" in error["hint"]
