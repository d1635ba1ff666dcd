"""Legacy zips at the command line: sent, read, migrated, their answers written into a workbook."""

from pathlib import Path
from typing import Any

import pytest

from tests.areas.legacy.conftest import OFFER, changed, member, zipped
from tests.cli.conftest import Feedtool, coloured, rows_of, sandbox_offers
from tests.conftest import Files, gtin, offer

BAD = "2000000000008"
"""A GTIN without a product sheet."""
RESULT = "Offers.result.xlsx"


def listed_offers() -> dict[str, dict[str, Any]]:
    return {one["sellerExternalReference"]: one for one in sandbox_offers()}


def answered(key: str) -> list[Any]:
    return [row[key] for row in rows_of(RESULT, header=1)]


def test_a_sheet_of_json_columns_is_sent_as_a_zip(feedtool: Feedtool, files: Files) -> None:
    noted = offer(1) | {"comment": "Avec notice"}
    path = files.csv(noted, offer(2, product__gtin=BAD), offer(3, quantity="-1"))
    options = ("--as", "legacy-offers", "--sandbox", "--no-failed", "--format", "json")
    ran = feedtool("submit", path, *options)
    assert (ran.code, ran.only["kind"]) == (1, "legacy-offers")
    assert ran.statuses == ["Integrated", "Rejected", "Invalid"]
    [package] = ran.only["packages"]
    assert (package["packageType"], package["state"], package["rows"]) == ("Full", "Integrated", 2)
    assert listed_offers()["SKU-1"]["comments"] == "Avec notice"


@pytest.fixture
def offers_xml(files: Files) -> Path:
    """Two offers, the second of which the service refuses."""
    second = changed(SellerProductId="SKU-2", ProductEan=BAD)
    return files.text(member(zipped([OFFER, second])), "Offers.xml")


def edit(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text().replace(old, new, 1))


@pytest.mark.parametrize(
    "kind",
    [
        *("", "--as offers-upsert"),
        pytest.param("--as legacy-offers", marks=pytest.mark.long),
    ],
)
def test_its_answers_are_in_a_workbook(feedtool: Feedtool, offers_xml: Path, kind: str) -> None:
    if kind:
        assert feedtool(f"submit {offers_xml.name} --sandbox --no-failed {kind}").code == 1
    else:
        feedtool(f"submit {offers_xml.name} --sandbox --no-wait --no-failed")
        offers_xml.unlink()
        assert feedtool("results 1").code == 1
    mode = "TrackedHomeDelivery" if "upsert" in kind else "Tracked"
    assert answered("feedtool status") == ["Integrated", "Rejected"]
    assert answered("feedtool code") == ["8000", "1324"]
    assert answered("sellerExternalReference") == ["SKU-1", "SKU-2"]
    first = rows_of(RESULT, header=1)[0]
    assert (first["product.gtin"], first[f"deliveryModes.{mode}.cost"]) == (gtin(1), 4.9)
    assert coloured(RESULT) == {"B3"}
    assert list(listed_offers()) == ["SKU-1"]
    if not kind:  # it is an input as well
        judged = feedtool("validate", RESULT, "--format", "json")
        assert (judged.only["kind"], judged.counts[:2]) == ("legacy-offers", [2, 2])


def test_problems_are_in_the_workbook_too(feedtool: Feedtool, offers_xml: Path) -> None:
    edit(offers_xml, 'Price="19.99"', 'Price="0"')
    assert feedtool("validate", offers_xml.name, "--annotate").code == 1
    assert answered("feedtool status") == ["Invalid", "Valid"]
    assert coloured(RESULT) == {"D2"}


def test_stocks_and_prices(feedtool: Feedtool, files: Files, offers_xml: Path) -> None:
    feedtool("submit", offers_xml.name, "--sandbox", "--no-failed")
    sheet = files.csv({"sku": "SKU-1", "price": "9.5", "stock": ""}, name="stock.csv")
    ran = feedtool("submit", sheet, "--as", "legacy-stock-and-price", "--sandbox")
    assert ran.code == 0, ran.out
    assert listed_offers()["SKU-1"]["integrationPrice"]["price"] == 9.5
    edit(offers_xml, 'PackageType="Full"', 'PackageType="StockAndPrice"')
    ran = feedtool(f"submit {offers_xml.name} --sandbox --no-failed --format json")
    assert ran.only["kind"] == "legacy-stock-and-price"
    assert ran.statuses == ["Integrated", "Rejected"]
    assert listed_offers()["SKU-1"]["integrationPrice"]["price"] == 19.99
    keys = list(rows_of(RESULT, header=1)[0])
    assert keys[:4] == ["sellerExternalReference", "product.gtin", "price.price", "quantity"]
