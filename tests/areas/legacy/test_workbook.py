"""An Offers.xml as a workbook of the offers' columns."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from feedtool.areas.legacy.offers_xml import XmlOffer
from feedtool.areas.legacy.source import OffersSource
from feedtool.areas.legacy.workbook import write_workbook
from feedtool.areas.legacy.writer import Head
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.errors import FileProblem
from feedtool.model.settings import AccountSettings
from feedtool.sheets import HeadRow, Sheet, open_source
from tests.areas.legacy.conftest import OFFER, XML_TEXTS, Put, changed, zipped


def write(path: Path, target: Path, kind: str = "legacy-offers") -> None:
    write_workbook(path, target, AccountSettings(), [kind])


def rows(sheet: Sheet) -> list[HeadRow]:
    return [row._replace(line=None) for row in sheet.head(2000)]


ODD = changed(SellerProductId="=1+1", ProductEan="0012345678905", Comment="a\nb")


@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("offers", [[OFFER] * 1500, [ODD]], ids=["many", "odd"])
def test_it_has_the_rows_that_the_file_shows(
    put: Put, tmp_path: Path, offers: list[XmlOffer], *, as_json: bool
) -> None:
    path, target = put(zipped(offers)), tmp_path / "book.xlsx"
    write(path, target, "offers-upsert" if as_json else "legacy-offers")
    shown = OffersSource(path, as_json=as_json).sheet()
    with open_source(target) as book:
        assert rows(book.sheet("Legacy offers")) == rows(shown)
        stamp = None if as_json else "legacy-offers"
        assert book.properties.get("feedtool.template") == stamp


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
@given(st.lists(XML_TEXTS, min_size=1, max_size=3))
def test_texts_survive(put: Put, tmp_path: Path, comments: list[str]) -> None:
    offers = [changed(SellerProductId=f"SKU-{n}", Comment=text) for n, text in enumerate(comments)]
    path, target = put(zipped(offers)), tmp_path / "book.xlsx"
    write(path, target)
    with open_source(target) as book:
        assert rows(book.sheet("Legacy offers")) == rows(OffersSource(path).sheet())


def test_cells_have_the_format_of_their_column(put: Put, tmp_path: Path) -> None:
    write(put(zipped([OFFER], Head("n", PackageType.STOCK_AND_PRICE))), tmp_path / "book.xlsx")
    _, gtin, price, stock = load_workbook(tmp_path / "book.xlsx").worksheets[0][2]
    assert gtin.number_format == "@"
    assert (price.value, stock.value) == (19.99, 7)


def test_what_cannot_be_read(put: Put, tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        write(put("<OfferPackage>"), tmp_path / "book.xlsx")
    assert not (tmp_path / "book.xlsx").exists()
