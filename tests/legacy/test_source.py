"""An Offers.xml as the rows of a sheet."""

from pathlib import Path

import pytest

from feedtool.areas.legacy.offers_xml import Shipping, XmlOffer
from feedtool.areas.legacy.source import OffersSource, is_legacy
from feedtool.areas.legacy.writer import Head, Pool
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.settings import AccountSettings
from tests.conftest import Files, gtin, offer
from tests.legacy.conftest import (
    HONEST,
    OFFER,
    Put,
    changed,
    member,
    members_with,
    package_of,
    with_,
    zipped,
)

KEYS = [
    "sellerExternalReference",
    "product.gtin",
    "condition",
    "price.price",
    "taxes.EcoPart",
    "taxes.DEA",
    "taxes.VAT",
    "quantity",
    "price.originPrice",
    "comment",
    "preparationTime",
    "deliveryModes.Standard.cost",
    "deliveryModes.Standard.additionalCost",
    "deliveryModes.Tracked.cost",
    "deliveryModes.Tracked.additionalCost",
    "deliveryModes.Registered.cost",
    "deliveryModes.Registered.additionalCost",
]
RELAY = AccountSettings(legacy_modes={**AccountSettings().legacy_modes, "Relay": ""})


def table(source: OffersSource, after: int = 0) -> list[list[Cell]]:
    """The cells of all rows."""
    return [row for block in source.sheet().blocks(after) for row in rows(block)]


def rows(block: Block) -> list[list[Cell]]:
    columns = [[block.decode(key) for key in block.column(i)] for i in range(block.width)]
    return [list(row) for row in zip(*columns, strict=True)]


def text(value: str) -> Cell:
    return Cell(Kind.TEXT, value) if value else BLANK


def number(value: str) -> Cell:
    return Cell(Kind.NUMBER, value)


def cells(source: OffersSource, place: int = 0) -> dict[str, Cell]:
    """An offer's cells by the header above them."""
    header, *others = table(source)
    return dict(zip((cell.text for cell in header), others[place], strict=True))


ROW = [
    text("SKU-1"),
    text(gtin(1)),
    text("New"),
    *map(number, ("19.99", "0.12", "0", "20", "7", "24.99")),
    text("With its manual"),
    number("2"),
    *(BLANK, BLANK),
    *map(number, ("4.9", "1.5")),
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


def test_rows_have_the_lines_of_their_offers(put: Put) -> None:
    with OffersSource(put(zipped([OFFER] * 1500))) as source:
        sheet = source.sheet("whatever")
        header, first, *others = sheet.blocks()
        assert (list(header.rows), header.lines) == ([1], [2])
        assert (first.rows[0], first.rows[-1], first.lines and first.lines[0]) == (2, 1001, 3)
        assert [number for block in others for number in block.rows] == list(range(1002, 1502))
        assert others[-1].lines
        assert others[-1].lines[-1] == 1502
        assert sheet.last_column == len(KEYS) - 1


def test_the_head(put: Put) -> None:
    sheet = OffersSource(put(HONEST)).sheet()
    head = sheet.head(40)
    assert [(row.number, row.line) for row in head] == [(1, 2), (2, 5)]
    assert [cell.text for cell in head[0].cells] == KEYS
    assert len(sheet.head(1)) == 1


CONDITIONS = {
    "1": "UsedLikeNew",
    "2": "UsedVeryGoodState",
    "3": "GoodState",
    "4": "UsedAverageState",
    "5": "Refurbished",
    "6": "New",
    "7": "7",
    "New": "New",
    "": "",
}


@pytest.mark.parametrize(("written", "read"), CONDITIONS.items())
def test_conditions_by_their_numbers(put: Put, written: str, read: str) -> None:
    source = OffersSource(put(with_(('ProductCondition="6"', f'ProductCondition="{written}"'))))
    assert cells(source)["condition"] == text(read)


def test_a_dialect_has_its_own_conditions(put: Put) -> None:
    source = OffersSource(
        put(with_(('ProductCondition="6"', 'ProductCondition="7"'))),
        AccountSettings(legacy_conditions={"Antique": "7"}),
    )
    assert cells(source)["condition"] == text("Antique")


NUMBERS = {
    "1.500": number("1.500"),
    "12": number("12"),
    "12,50": text("12,50"),
    "1 200.00": text("1 200.00"),
    "-1": text("-1"),
    "1e3": text("1e3"),
    "": BLANK,
}


@pytest.mark.parametrize(("written", "cell"), NUMBERS.items())
def test_a_plain_number_is_never_taken_for_thousands(put: Put, written: str, cell: Cell) -> None:
    source = OffersSource(put(with_(("19.99", written))))
    assert cells(source)["price.price"] == cell


SHIPPING = (
    Shipping("Standard", "3", "1"),
    Shipping("relay", "2", "0.5"),
    Shipping("Drone", "9", "9"),
)


def test_the_profile_adds_modes(put: Put) -> None:
    source = OffersSource(put(zipped([OFFER._replace(shipping=SHIPPING)])), RELAY)
    found = cells(source)
    assert [key for key in found if key.startswith("deliveryModes.Relay")] == [
        "deliveryModes.Relay.cost",
        "deliveryModes.Relay.additionalCost",
    ]
    assert found["deliveryModes.Standard.cost"] == number("3")
    assert found["deliveryModes.Relay.additionalCost"] == number("0.5")
    assert found["deliveryModes.Tracked.cost"] == BLANK


def test_modes_are_called_as_in_the_json_packages_if_asked(put: Put) -> None:
    found = cells(OffersSource(put(zipped([OFFER])), RELAY, as_json=True))
    modes = [key.split(".")[1] for key in found if key.endswith(".cost")]
    assert modes == [
        "NotTrackedHomeDelivery",
        "TrackedHomeDelivery",
        "SignedHomeDelivery",
        "Relay",
    ]
    assert found["deliveryModes.TrackedHomeDelivery.cost"] == number("4.9")


def test_stock_and_price_have_four_columns(put: Put) -> None:
    source = OffersSource(put(zipped([OFFER], Head("n", PackageType.STOCK_AND_PRICE))))
    assert list(cells(source)) == [
        "sellerExternalReference",
        "product.gtin",
        "price.price",
        "quantity",
    ]


LIBERTIES = {
    "a number with a comma": (
        changed(Price="19.99"),
        ('Price="19.99"', 'Price="19,99"'),
        "Price is not written as a plain number with a point (line 3)",
    ),
    "a condition that is none": (
        OFFER,
        ('ProductCondition="6"', 'ProductCondition="9"'),
        "ProductCondition is none of the numbers that it can be (line 3)",
    ),
    "a mode of nobody": (
        OFFER,
        ('"Tracked"', '"Drone"'),
        "the delivery mode Drone is none of the profile's, nor read (line 3)",
    ),
    "a mode in small letters": (
        OFFER,
        ('"Tracked"', '"tracked"'),
        "the delivery mode Tracked is written tracked (line 3)",
    ),
}


@pytest.mark.parametrize(("one", "change", "told"), LIBERTIES.values(), ids=LIBERTIES)
def test_liberties(put: Put, one: XmlOffer, change: tuple[str, str], told: str) -> None:
    sheet = OffersSource(put(member(zipped([one])).decode().replace(*change))).sheet()
    for _ in range(2):  # they are told once, however often the sheet is read
        assert sum(len(block.rows) for block in sheet.blocks(1)) == 1
        assert sheet.notices == {"xml-irregular": [told]}
        assert [notice.text for notice in sheet.warnings] == [told]


def test_an_honest_one_has_nothing_to_tell(put: Put) -> None:
    sheet = OffersSource(put(zipped([OFFER]))).sheet()
    assert list(sheet.blocks())
    assert sheet.notices == {}
    assert list(sheet.merges) == []


def test_it_is_stamped_as_what_it_is(put: Put) -> None:
    source = OffersSource(put(HONEST))
    assert source.properties == {"feedtool.template": "legacy-offers"}
    assert [(entry.name, entry.hidden) for entry in source.sheets] == [("Legacy offers", False)]
    assert source.format == "offers-xml"


LEGACY = {
    "an Offers.xml": HONEST,
    "one with a byte order mark": "\ufeff" + HONEST,
    "one in UTF-16": HONEST.replace("utf-8", "utf-16").encode("utf-16"),
    "one with a prefix": HONEST.replace("<OfferPackage", "<o:OfferPackage", 1),
    "one with a comment in front": with_(("<OfferPackage x", "<!-- <a> --> <OfferPackage x")),
    "one without a declaration": HONEST.partition("\n")[2],
    "one with a document type": "<!DOCTYPE a>" + HONEST.partition("\n")[2],
    "one with entities": '<!DOCTYPE a [<!ENTITY b "c">]>' + HONEST.partition("\n")[2],
    "its zip": zipped([OFFER]),
    "its zip with other names": package_of({"OFFERS.XML": HONEST.encode()}),
}
OTHERS = {
    "a CSV": "sku,price\n1,2\n",
    "a text of it": "OfferPackage,price\n",
    "another XML": "<?xml version='1.0'?><Catalogue><OfferPackage/></Catalogue>",
    "a longer name": "<OfferPackages/>",
    "a web page": "<html><OfferPackage/></html>",
    "nothing": "",
    "instructions without end": "<?a?>" * 1000,
    "blanks without end": " " * 5000,
    "document types without end": "<!DOCTYPE a [" * 500,
    "another zip": package_of({"a.xml": b"<OfferPackage/>"}),
    "a zip cut off": zipped([OFFER])[:-30],
    "a workbook with one in it": package_of(
        {"xl/workbook.xml": b"", **members_with(HONEST.encode())}
    ),
}


@pytest.mark.parametrize("content", LEGACY.values(), ids=LEGACY)
def test_it_is_known_by_its_content(put: Put, content: str | bytes) -> None:
    assert is_legacy(put(content))


@pytest.mark.parametrize("content", OTHERS.values(), ids=OTHERS)
def test_others_are_none(put: Put, content: str | bytes) -> None:
    assert not is_legacy(put(content))


def test_a_workbook_is_none(files: Files) -> None:
    assert not is_legacy(files.book({"Offers": [offer()]}))


def test_limits_are_the_profiles(tmp_path: Path) -> None:
    path = tmp_path / "offers.xml"
    path.write_text(with_(("<Offer.Ship", " " * MIB + "<Offer.Ship")))
    dialect = AccountSettings(reading=ReadingLimits(text=1000))
    with pytest.raises(Exception, match="beyond all measure"):
        table(OffersSource(path, dialect))
    assert len(table(OffersSource(path))) == 2


def test_stock_and_price_is_a_kind_of_its_own(put: Put) -> None:
    head = Head("n", PackageType.STOCK_AND_PRICE)
    source = OffersSource(put(zipped([OFFER], head)))
    assert source.properties == {"feedtool.template": "legacy-stock-and-price"}


CHANNELS: dict[str, tuple[list[Pool], str | None, str | None]] = {
    "none": ([], None, None),
    "the usual one": ([Pool("PRIMARY")], None, None),
    "the usual one by its id": ([Pool("1", "Id")], None, None),
    "another": ([Pool("SECOND")], "SECOND", None),
    "another by its id": ([Pool("7", "Id")], "SEVENTH", None),
    "an id that nobody knows": (
        [Pool("8", "Id")],
        None,
        "the publication pools 8 are not read: --channel says where (line 2)",
    ),
    "two": (
        [Pool("SECOND"), Pool("1", "Id")],
        None,
        "the publication pools SECOND, 1 are not read: --channel says where (line 2)",
    ),
}


@pytest.mark.parametrize(("pools", "channel", "said"), CHANNELS.values(), ids=CHANNELS)
def test_the_channel_of_the_pool(
    put: Put, pools: list[Pool], channel: str | None, said: str | None
) -> None:
    path = put(zipped([OFFER, changed(SellerProductId="SKU-2")], Head("n", pools=pools)))
    source = OffersSource(path, AccountSettings(legacy_pools={"SEVENTH": "7"}))
    header, *offers = table(source)
    keys = [cell.text for cell in header]
    assert keys == [*KEYS, *(["salesChannelId"] if channel else [])]
    assert {row[-1].text for row in offers} == {channel} or channel is None
    sheet = source.sheet()
    assert list(sheet.blocks())
    assert sheet.notices == ({"xml-irregular": [said]} if said else {})


@pytest.mark.parametrize("count", [1, 1500])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_the_channel_of_a_pool_behind_the_offers(put: Put, count: int, encoding: str) -> None:
    start, end = HONEST.index("      <Offer Seller"), HONEST.index("    </OfferCollection>")
    pools = (
        "<OfferPackage.OfferPublicationList><OfferPublicationList>"
        '<publicationPool SalesChannelId="SECOND"/>'
        "</OfferPublicationList></OfferPackage.OfferPublicationList>"
    )
    text = HONEST[:start] + count * HONEST[start:end] + HONEST[end:]
    text = text.replace("</OfferPackage>", f"{pools}</OfferPackage>").replace("utf-8", encoding)
    header, *offers = table(OffersSource(put(text.encode(encoding))))
    assert header[-1].text == "salesChannelId"
    assert [row[-1].text for row in offers] == ["SECOND"] * count


def test_a_purge_is_never_read_out_of_a_file(put: Put) -> None:
    sheet = OffersSource(put(zipped([OFFER], Head("n", purges=True)))).sheet()
    assert list(sheet.blocks())
    said = "PurgeAndReplace is true, and asked for by --purge-and-replace alone (line 2)"
    assert sheet.notices == {"xml-irregular": [said]}
