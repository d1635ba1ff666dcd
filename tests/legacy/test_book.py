"""An Offers.xml as a workbook of the offers' columns."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from feedtool.areas.legacy.offers_xml import XmlOffer
from feedtool.areas.legacy.source import OffersSource
from feedtool.areas.legacy.workbook import write_book
from feedtool.areas.legacy.writer import Head
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.cells import Block, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.model.settings import AccountSettings
from feedtool.sheets import open_source
from tests.legacy.conftest import OFFER, XML_TEXTS, Put, changed, zipped


def cells(blocks: list[Block]) -> list[list[Cell]]:
    """The rows, without what is empty at their ends."""
    found = []
    for block in blocks:
        columns = [[block.decode(key) for key in block.column(at)] for at in range(block.width)]
        for row in zip(*columns, strict=True):
            kept = list(row)
            while kept and kept[-1].kind is Kind.BLANK:
                kept.pop()
            found.append(kept)
    return found


ODD = changed(SellerProductId="=1+1", ProductEan="0012345678905", Comment="a\nb")


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("offers", [[OFFER] * 1500, [ODD]], ids=["many", "odd"])
def test_it_has_the_rows_that_the_file_shows(
    put: Put, tmp_path: Path, offers: list[XmlOffer], *, as_json: bool
) -> None:
    path, target = put(zipped(offers)), tmp_path / "book.xlsx"
    write_book(path, target, AccountSettings(), ["offers-upsert" if as_json else "legacy-offers"])
    shown = OffersSource(path, as_json=as_json).sheet()
    with open_source(target) as book:
        assert cells(list(book.sheet("Legacy offers").blocks())) == cells(list(shown.blocks()))
        stamp = None if as_json else "legacy-offers"
        assert book.properties.get("feedtool.template") == stamp


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.lists(XML_TEXTS, min_size=1, max_size=3))
def test_texts_survive(put: Put, tmp_path: Path, comments: list[str]) -> None:
    offers = [changed(SellerProductId=f"SKU-{n}", Comment=text) for n, text in enumerate(comments)]
    path, target = put(zipped(offers)), tmp_path / "book.xlsx"
    write_book(path, target, AccountSettings(), ["legacy-offers"])
    shown = cells(list(OffersSource(path).sheet().blocks()))
    with open_source(target) as book:
        assert cells(list(book.sheet("Legacy offers").blocks())) == shown


def test_stock_and_price(put: Put, tmp_path: Path) -> None:
    path = put(zipped([OFFER], Head("n", PackageType.STOCK_AND_PRICE)))
    write_book(path, tmp_path / "book.xlsx", AccountSettings(), ["legacy-offers"])
    sheet = load_workbook(tmp_path / "book.xlsx").worksheets[0]
    assert [cell.value for cell in sheet[1]] == [
        "sellerExternalReference",
        "product.gtin",
        "price.price",
        "quantity",
    ]
    assert sheet["B2"].number_format == "@"
    assert (sheet["C2"].value, sheet["D2"].value) == (19.99, 7)


def test_what_cannot_be_read(put: Put, tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        write_book(
            put("<OfferPackage>"), tmp_path / "book.xlsx", AccountSettings(), ["legacy-offers"]
        )
    assert not (tmp_path / "book.xlsx").exists()
