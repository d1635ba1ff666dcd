"""An Offers.xml as the rows of a sheet."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.source import OffersSource, write_workbook
from feedtool.areas.legacy.writer import Head, Pool, Shipping, XmlOffer
from feedtool.areas.offers.delivery import PackageType
from feedtool.model.cells import BLANK, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.settings import AccountSettings
from feedtool.sheets import Sheet, open_source
from feedtool.sheets.read.source import HeadRow
from tests.areas.legacy.conftest import (
    HONEST,
    OFFER,
    XML_TEXTS,
    Put,
    changed,
    member,
    with_,
    zipped,
)
from tests.areas.offers.test_requests import UPSERT, taxes
from tests.conftest import Files, checked, codes, gtin, problems_of

KEYS = [
    *("sellerExternalReference", "product.gtin", "condition", "price.price", "taxes.EcoPart"),
    *("taxes.DEA", "taxes.VAT", "quantity", "price.originPrice", "comment", "preparationTime"),
    *("deliveryModes.Standard.cost", "deliveryModes.Standard.additionalCost"),
    *("deliveryModes.Tracked.cost", "deliveryModes.Tracked.additionalCost"),
    *("deliveryModes.Registered.cost", "deliveryModes.Registered.additionalCost"),
]
RELAY = AccountSettings().having(
    LegacySettings(legacy_modes={**LegacySettings().legacy_modes, "Relay": ""})
)
STOCK = Head("n", PackageType.STOCK_AND_PRICE)


def table(source: OffersSource, after: int = 0) -> list[list[Cell]]:
    rows: list[list[Cell]] = []
    for block in source.sheet().blocks(after):
        columns = [[block.decode(key) for key in block.column(i)] for i in range(block.width)]
        rows += map(list, zip(*columns, strict=True))
    return rows


def text(value: str) -> Cell:
    return Cell(Kind.TEXT, value) if value else BLANK


def number(value: str) -> Cell:
    return Cell(Kind.NUMBER, value)


def cells(source: OffersSource) -> dict[str, Cell]:
    """The first offer's cells by their headers."""
    header, first, *_ = table(source)
    return dict(zip((cell.text for cell in header), first, strict=True))


ROW = [
    *map(text, ("SKU-1", gtin(1), "New")),
    *map(number, ("19.99", "0.12", "0", "20", "7", "24.99")),
    *(text("With its manual"), number("2"), BLANK, BLANK, number("4.9"), number("1.5")),
    *(BLANK, BLANK),
]


@pytest.mark.parametrize("is_zip", [True, False])
def test_a_header_of_keys_and_a_row_for_each_offer(put: Put, *, is_zip: bool) -> None:
    package = zipped([OFFER, changed(StrikedPrice=None, ProductEan=None)])
    source = OffersSource(put(package if is_zip else member(package)))
    header, first, second = table(source)
    assert header == list(map(text, KEYS))
    assert first == ROW
    assert [second[KEYS.index(key)] for key in ("product.gtin", "price.originPrice")] == [BLANK] * 2
    assert table(source, after=2) == [second]
    assert (source.notices, source.format) == ({}, "offers-xml")
    assert [(entry.name, entry.hidden) for entry in source.sheets] == [("Legacy offers", False)]


def test_rows_have_the_lines_of_their_offers(put: Put) -> None:
    with OffersSource(put(zipped([OFFER] * 1100))) as source:
        sheet = source.sheet("whatever")
        header, first, second = sheet.blocks()
        assert (list(header.rows), list(header.lines or ())) == ([1], [2])
        assert [*first.rows, *second.rows] == list(range(2, 1102))
        assert [*(first.lines or ()), *(second.lines or ())] == list(range(3, 1103))
        assert second.width == len(KEYS)


def test_the_head(put: Put) -> None:
    head = OffersSource(put(HONEST)).sheet().head(40)
    assert [(row.number, row.line) for row in head] == [(1, 2), (2, 5)]
    assert [cell.text for cell in head[0].cells] == KEYS


ANTIQUE = AccountSettings().having(LegacySettings(legacy_conditions={"Antique": "7"}))
CONDITIONS = [
    *(("1", "UsedLikeNew", None), ("6", "New", None), ("7", "7", None), ("New", "New", None)),
    *(("", "", None), ("7", "Antique", ANTIQUE)),
]


@pytest.mark.parametrize(("written", "read", "settings"), CONDITIONS)
def test_conditions_by_their_numbers(
    put: Put, written: str, read: str, settings: AccountSettings | None
) -> None:
    path = put(with_(('ProductCondition="6"', f'ProductCondition="{written}"')))
    assert cells(OffersSource(path, settings))["condition"] == text(read)


@pytest.mark.parametrize("written", ["1.500", "12", "12,50", "1 200.00", "-1", "1e3", ""])
def test_a_plain_number_is_never_taken_for_thousands(put: Put, written: str) -> None:
    cell = number(written) if written in {"1.500", "12"} else text(written)
    assert cells(OffersSource(put(with_(("19.99", written)))))["price.price"] == cell


def test_the_profile_adds_modes(put: Put) -> None:
    shipping = (Shipping("Standard", "3", "1"), Shipping("relay", "2", "0.5"))
    drone = Shipping("Drone", "9", "9")
    path = put(zipped([OFFER._replace(shipping=(*shipping, drone))]))
    found = {key: cell.text for key, cell in cells(OffersSource(path, RELAY)).items() if cell.text}
    assert {key: text for key, text in found.items() if "Modes" in key} == {
        "deliveryModes.Standard.cost": "3",
        "deliveryModes.Standard.additionalCost": "1",
        "deliveryModes.Relay.cost": "2",
        "deliveryModes.Relay.additionalCost": "0.5",
    }


def test_modes_are_called_as_in_the_json_packages_if_asked(put: Put) -> None:
    found = cells(OffersSource(put(zipped([OFFER])), RELAY, as_json=True))
    modes = [key.split(".")[1] for key in found if key.endswith(".cost")]
    homes = [f"{mode}HomeDelivery" for mode in ("NotTracked", "Tracked", "Signed")]
    assert modes == [*homes, "Relay"]
    assert found["deliveryModes.TrackedHomeDelivery.cost"] == number("4.9")


@pytest.mark.parametrize(
    ("head", "kind", "keys"),
    [
        (None, "legacy-offers", KEYS),
        (STOCK, "legacy-stock-and-price", [*KEYS[:2], "price.price", "quantity"]),
    ],
)
def test_the_source_is_stamped_with_its_kind(
    put: Put, head: Head | None, kind: str, keys: list[str]
) -> None:
    source = OffersSource(put(zipped([OFFER], head)))
    assert source.properties == {"feedtool.template": kind}
    assert list(cells(source)) == keys


IRREGULAR = {
    "Price is not written as a plain number with a point (line 3)": ('"19.99"', '"19,99"'),
    "ProductCondition is not one of its possible numbers (line 3)": ('"6"', '"9"'),
    "the delivery mode Drone is not one of the profile's, and is not read (line 3)": (
        '"Tracked"',
        '"Drone"',
    ),
    "the delivery mode Tracked is written tracked (line 3)": ('"Tracked"', '"tracked"'),
    "PurgeAndReplace is true, and asked for by --purge-and-replace alone (line 2)": (
        *('PurgeAndReplace="false"', 'PurgeAndReplace="true"'),
    ),
}


@pytest.mark.parametrize(("notice", "change"), IRREGULAR.items(), ids=IRREGULAR)
def test_irregularities_are_reported_once(put: Put, notice: str, change: tuple[str, str]) -> None:
    sheet = OffersSource(put(member(zipped([OFFER])).decode().replace(*change))).sheet()
    for _ in range(2):  # they are told once, however often the sheet is read
        assert sum(len(block.rows) for block in sheet.blocks(1)) == 1
        assert sheet.notices == {"xml-irregular": [notice]}


def test_limits_are_the_profiles(put: Put) -> None:
    path = put(with_(("<Offer.Ship", " " * MIB + "<Offer.Ship")))
    with pytest.raises(FileProblem, match="beyond all measure"):
        table(OffersSource(path, AccountSettings(reading=ReadingLimits(text=1000))))
    assert len(table(OffersSource(path))) == 2


@pytest.mark.parametrize(
    ("pools", "channel", "strange"),
    [
        ([], None, ""),
        ([Pool("PRIMARY")], None, ""),
        ([Pool("1", "Id")], None, ""),
        ([Pool("SECOND")], "SECOND", ""),
        ([Pool("7", "Id")], "SEVENTH", ""),
        ([Pool("8", "Id")], None, "8"),
        ([Pool("SECOND"), Pool("1", "Id")], None, "SECOND, 1"),
    ],
)
def test_the_channel_of_the_pool(
    put: Put, pools: list[Pool], channel: str | None, strange: str
) -> None:
    path = put(zipped([OFFER, changed(SellerProductId="SKU-2")], Head("n", pools=pools)))
    source = OffersSource(
        path, AccountSettings().having(LegacySettings(legacy_pools={"SEVENTH": "7"}))
    )
    header, *offers = table(source)
    assert [cell.text for cell in header] == [*KEYS, *(["salesChannelId"] if channel else [])]
    assert {row[-1].text for row in offers} == {channel} or channel is None
    notice = f"the publication pools {strange} are not read: --channel says where (line 2)"
    assert source.notices == ({"xml-irregular": [notice]} if strange else {})


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_channel_of_a_pool_behind_the_offers(put: Put, encoding: str) -> None:
    start, end = HONEST.index("      <Offer Seller"), HONEST.index("    </OfferCollection>")
    pools = (
        "<OfferPackage.OfferPublicationList><OfferPublicationList>"
        '<publicationPool SalesChannelId="SECOND"/>'
        "</OfferPublicationList></OfferPackage.OfferPublicationList>"
    )
    text = HONEST[:start] + 1100 * HONEST[start:end] + HONEST[end:]
    text = text.replace("</OfferPackage>", f"{pools}</OfferPackage>").replace("utf-8", encoding)
    header, *offers = table(OffersSource(put(text.encode(encoding))))
    assert header[-1].text == "salesChannelId"
    assert [row[-1].text for row in offers] == ["SECOND"] * 1100


def write(path: Path, target: Path, kind: str = "legacy-offers") -> None:
    write_workbook(path, target, AccountSettings(), [kind])


def rows(sheet: Sheet) -> list[HeadRow]:
    return [row._replace(line=None) for row in sheet.head(2000)]


ODD = changed(SellerProductId="=1+1", ProductEan="0012345678905", Comment="a\nb")


@pytest.mark.parametrize(
    ("offers", "as_json"),
    [
        pytest.param([OFFER] * 1100, False, id="many"),
        pytest.param([ODD], False, id="odd"),
        pytest.param([ODD], True, id="odd as JSON"),
        pytest.param([OFFER] * 1100, True, id="many as JSON", marks=pytest.mark.long),
    ],
)
def test_the_workbook_has_the_rows_of_the_file(
    put: Put, tmp_path: Path, offers: list[XmlOffer], *, as_json: bool
) -> None:
    path, target = put(zipped(offers)), tmp_path / "book.xlsx"
    write(path, target, "offers-upsert" if as_json else "legacy-offers")
    shown = OffersSource(path, as_json=as_json).sheet()
    with open_source(target) as book:
        assert rows(book.sheet("Legacy offers")) == rows(shown)
        stamp = None if as_json else "legacy-offers"
        assert book.properties.get("feedtool.template") == stamp


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=6)
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


def test_an_unreadable_file_leaves_no_workbook(put: Put, tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        write(put("<OfferPackage>"), tmp_path / "book.xlsx")
    assert not (tmp_path / "book.xlsx").exists()


@pytest.mark.parametrize("content", [zipped([OFFER]), member(zipped([OFFER]))], ids=["zip", "xml"])
def test_an_offer_becomes_a_request(files: Files, content: bytes) -> None:
    (sheet,) = checked(files.text(content, "anything.csv"), kind="offers-upsert")
    assert (sheet.kind, sheet.error) == ("offers-upsert", None)
    (item,) = sheet.valid_items()
    assert (item.row, item.package_type) == (2, PackageType.UPSERT)
    price = {"price": 19.99, "originPrice": 24.99, "taxes": taxes(20, 0.12, 0)}
    assert json.loads(item.body) == {**UPSERT, "price": price}
    assert [(problem.code, problem.value) for problem in sheet.problems()] == [
        ("unknown-column", "comment")
    ]


def test_problems_name_the_line_of_their_offer(files: Files) -> None:
    wrong = changed(ProductEan="3000000000018")
    path = files.text(zipped([changed(SellerProductId="SKU-0"), wrong]))
    (sheet,) = checked(path, kind="offers-upsert")
    first = problems_of(sheet, "gtin-checksum")[0]
    assert (first.row, first.line, first.field) == (3, 4, "product.gtin")
    assert sheet.counts().invalid == 1


def test_stock_and_price_become_updates(files: Files) -> None:
    path = files.text(zipped([OFFER], Head("n", PackageType.STOCK_AND_PRICE)))
    (sheet,) = checked(path, kind="offers-update")
    (item,) = sheet.valid_items()
    assert json.loads(item.body) == {
        "sellerExternalReference": "SKU-1",
        "price": {"price": 19.99},
        "quantity": 7,
    }
    assert codes(sheet) == [(None, "identity-not-sent")]
