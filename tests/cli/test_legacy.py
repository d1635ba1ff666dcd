"""Legacy zips at the command line: sent, read, migrated, their answers written into a workbook."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from tests.areas.legacy.conftest import OFFER, changed, member, zipped
from tests.areas.offers.sandbox.records import stored_offers
from tests.cli.conftest import Feedtool
from tests.conftest import Files, gtin, offer

COMMENT = {"comment": "Avec notice"}
BAD = "2000000000008"
"""A GTIN without a product sheet."""


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a workbook's first sheet below its keys."""
    sheet = load_workbook(path).worksheets[0]
    keys, *found = sheet.iter_rows(values_only=True)
    return [dict(zip(map(str, keys), row, strict=True)) for row in found]


def guilty(path: Path) -> set[str]:
    sheet = load_workbook(path).worksheets[0]
    return {cell for one in sheet.conditional_formatting for cell in str(one.sqref).split()}


def shelf() -> dict[str, dict[str, Any]]:
    with Sandbox(sandbox_parts(), Path("home/sandbox.sqlite")) as sandbox:
        return {one["sellerExternalReference"]: one for one in stored_offers(sandbox)}


def test_a_sheet_of_json_columns_is_sent_as_a_zip(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(offer(1) | COMMENT, offer(2, product__gtin=BAD), offer(3, quantity="-1"))
    ran = feedtool("submit", path, "--as", "legacy-offers", "--sandbox", "--format", "json")
    assert ran.code == 1
    assert ran.only["kind"] == "legacy-offers"
    assert [(row["row"], row["status"]) for row in ran.only["results"]] == [
        (2, "Integrated"),
        (3, "Rejected"),
        (4, "Invalid"),
    ]
    [package] = ran.only["packages"]
    assert (package["packageType"], package["state"], package["rows"]) == ("Full", "Integrated", 2)
    assert shelf()["SKU-1"]["comments"] == "Avec notice"


@pytest.fixture
def offers_xml(files: Files) -> Path:
    """Two offers, the second of which the service refuses."""
    path = files.folder / "Offers.xml"
    path.write_bytes(member(zipped([OFFER, changed(SellerProductId="SKU-2", ProductEan=BAD)])))
    return path


@pytest.mark.parametrize(
    ("kind", "mode"),
    [(None, "Tracked"), ("legacy-offers", "Tracked"), ("offers-upsert", "TrackedHomeDelivery")],
)
def test_its_answers_are_in_a_workbook(
    feedtool: Feedtool, offers_xml: Path, kind: str | None, mode: str
) -> None:
    asked = ("--as", kind) if kind else ()
    ran = feedtool("submit", offers_xml.name, *asked, "--sandbox")
    assert ran.code == 1, ran.err
    found = rows(Path("Offers.result.xlsx"))
    assert [row["feedtool status"] for row in found] == ["Integrated", "Rejected"]
    assert [row["feedtool code"] for row in found] == ["8000", "1324"]
    assert [row["sellerExternalReference"] for row in found] == ["SKU-1", "SKU-2"]
    assert (found[0]["product.gtin"], found[0][f"deliveryModes.{mode}.cost"]) == (gtin(1), 4.9)
    assert guilty(Path("Offers.result.xlsx")) == {"B3"}
    assert list(shelf()) == ["SKU-1"]


def test_the_workbook_of_the_answers_is_an_input(feedtool: Feedtool, offers_xml: Path) -> None:
    feedtool("submit", offers_xml.name, "--sandbox")
    judged = feedtool("validate Offers.result.xlsx --format json").only
    assert (judged["kind"], judged["rows"], judged["valid"]) == ("legacy-offers", 2, 2)
    assert feedtool("submit Offers.result.xlsx --sandbox").code == 1


def test_what_is_wrong_is_in_the_workbook_too(feedtool: Feedtool, offers_xml: Path) -> None:
    text = offers_xml.read_text().replace('Price="19.99"', 'Price="0"', 1)
    offers_xml.write_text(text)
    assert feedtool("validate", offers_xml.name, "--annotate").code == 1
    found = rows(Path("Offers.result.xlsx"))
    assert [row["feedtool status"] for row in found] == ["Invalid", "Valid"]
    assert guilty(Path("Offers.result.xlsx")) == {"D2"}


def test_results_writes_it_again(feedtool: Feedtool, offers_xml: Path) -> None:
    feedtool("submit", offers_xml.name, "--sandbox", "--no-wait")
    offers_xml.unlink()
    assert feedtool("results 1").code == 1
    assert [row["feedtool code"] for row in rows(Path("Offers.result.xlsx"))] == ["8000", "1324"]


def test_stocks_and_prices(feedtool: Feedtool, files: Files, offers_xml: Path) -> None:
    feedtool("submit", offers_xml.name, "--sandbox")
    sheet = files.csv({"sku": "SKU-1", "price": "9.5", "stock": ""}, name="stock.csv")
    ran = feedtool("submit", sheet, "--as", "legacy-stock-and-price", "--sandbox")
    assert ran.code == 0, ran.out
    assert shelf()["SKU-1"]["integrationPrice"]["price"] == 9.5
    text = offers_xml.read_text().replace('PackageType="Full"', 'PackageType="StockAndPrice"')
    offers_xml.write_text(text)
    ran = feedtool("submit", offers_xml.name, "--sandbox", "--format", "json")
    assert ran.only["kind"] == "legacy-stock-and-price"
    assert [row["status"] for row in ran.only["results"]] == ["Integrated", "Rejected"]
    assert shelf()["SKU-1"]["integrationPrice"]["price"] == 19.99
    assert list(rows(Path("Offers.result.xlsx"))[0])[:4] == [
        "sellerExternalReference",
        "product.gtin",
        "price.price",
        "quantity",
    ]
