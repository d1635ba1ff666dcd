"""Any valid offers come back as they were, up to what `convert` lists."""

import json
import tempfile
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.writer import (
    KIND,
    NAMESPACE,
    STOCK_AND_PRICE_KIND,
    Shipping,
    XmlOffer,
)
from feedtool.areas.offers.columns import CONDITIONS
from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.check.requests import validator_of
from feedtool.model.nouns import Loss
from feedtool.model.settings import SMALL_PARCEL_MODES, AccountSettings
from feedtool.report.file import Conversion
from feedtool.runs.convert import ConversionOptions, convert, form_of
from tests.areas.legacy.conftest import HONEST, OFFERS_OF_ANY_KIND, SCHEMA, member, zipped
from tests.conftest import checked, gtin, offer, table

USUAL = AccountSettings()


def converted(
    source: Path,
    target: Path,
    *,
    to: str | None = None,
    kind: str | None = None,
    channel: str | None = None,
    dialect: AccountSettings = USUAL,
) -> Conversion:
    asked = ReadOptions(dialect, channel or dialect.primary_channel, kind)
    options = ConversionOptions(target, form_of(target, load()), to, "en", channel is not None)
    return convert(Input(source.name, source), asked, options, load())


def losses(found: Conversion) -> list[Loss]:
    return [loss for one in found.written for loss in one.losses]


def places(found: Conversion) -> set[tuple[int | None, str | None]]:
    """Row and field of every loss."""
    return {(loss.row, loss.field) for loss in losses(found)}


SENT_AS_ZERO = {"taxes.EcoPart": Decimal(0), "taxes.DEA": Decimal(0)}

ENDS = st.sampled_from(("", " é", "=A1", "&<>", "日本"))
CENTS = st.integers(0, 99_999).map(lambda cents: f"{cents / 100:.2f}")
OPTIONAL = {
    "product.reference": st.from_regex(r"[A-Z][A-Z0-9.-]{0,8}", fullmatch=True),
    "taxes.EcoPart": st.just("0.12"),
    "taxes.DEA": st.just("0.05"),
    "price.originPrice": st.just("2000"),
}


@st.composite
def upserts(draw: st.DrawFn, number: int) -> dict[str, str]:
    row = offer(
        number,
        condition=draw(st.sampled_from(list(CONDITIONS))),
        price__price=f"{draw(st.integers(100, 150_000)) / 100:.2f}",
        taxes__VAT=draw(st.sampled_from(("20", "5.5", "0"))),
        quantity=str(draw(st.integers(0, 10**9))),
        preparationTime=str(draw(st.integers(0, 30))),
        sellerExternalReference=f"{number}{draw(ENDS)}",
    )
    for key, values in OPTIONAL.items():
        if draw(st.booleans()):
            row[key] = draw(values)
    for mode in SMALL_PARCEL_MODES[1:]:
        if draw(st.booleans()):
            row[f"deliveryModes.{mode}.cost"] = draw(CENTS)
            row[f"deliveryModes.{mode}.additionalCost"] = draw(CENTS)
    return row


ROWS = st.integers(1, 4).flatmap(lambda count: st.tuples(*map(upserts, range(1, count + 1))))


def values(path: Path, kind: str | None = None) -> list[Mapping[str, Any]]:
    """The values of a file's cells, amounts as numbers."""
    (sheet,) = check([Input(path.name, path)], ReadOptions(kind=kind, with_values=True), load())
    assert sheet.is_clean(), list(sheet.problems())
    return [row.values() for row in sheet.rows.filled or ()]


@settings(max_examples=5)
@given(ROWS)
def test_a_sheet_through_a_zip_and_back(rows: tuple[dict[str, str], ...]) -> None:
    assert_back_from_zip(rows)


@pytest.mark.long
@settings(max_examples=400)
@given(ROWS)
def test_many_sheets_through_a_zip_and_back(
    rows: tuple[dict[str, str], ...],
) -> None:
    assert_back_from_zip(rows)


def assert_back_from_zip(rows: tuple[dict[str, str], ...]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sheet, package = folder / "offers.csv", folder / "offers.zip"
        sheet.write_text(table(rows), "utf-8")
        there = converted(sheet, package)
        SCHEMA.assertValid(etree.fromstring(member(package.read_bytes())))
        back = converted(package, folder / "back.csv", to="offers-upsert")
        lost = places(there) | places(back)
        found = Path(folder / "back.csv")
        (read,) = check([Input("back", found)], ReadOptions(with_values=True), load())
        assert there.rows == back.rows == len(rows)
        for number, (before, after) in enumerate(
            zip(values(sheet), [row.values() for row in read.rows.filled or ()], strict=True),
            start=2,
        ):
            kept = {key: it for key, it in before.items() if (number, key) not in lost}
            assert {key: it for key, it in after.items() if (number, key) not in lost} == {
                **SENT_AS_ZERO,
                **kept,
            }


@settings(max_examples=5)
@given(ROWS)
def test_json_keeps_all_values(rows: tuple[dict[str, str], ...]) -> None:
    assert_nothing_lost_in_json(rows)


@pytest.mark.long
@settings(max_examples=250)
@given(ROWS)
def test_json_keeps_all_values_in_many_cases(rows: tuple[dict[str, str], ...]) -> None:
    assert_nothing_lost_in_json(rows)


def assert_nothing_lost_in_json(rows: tuple[dict[str, str], ...]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sheet, requests = folder / "offers.csv", folder / "requests.json"
        sheet.write_text(table(rows), "utf-8")
        assert losses(converted(sheet, requests)) == []
        assert losses(converted(requests, folder / "back.csv")) == []
        assert losses(converted(folder / "back.csv", folder / "again.json")) == []
        assert (folder / "again.json").read_bytes() == requests.read_bytes()
        assert values(folder / "back.csv") == [{**SENT_AS_ZERO, **row} for row in values(sheet)]


def unlike(number: int, one: XmlOffer) -> XmlOffer:
    """A row with its own reference and GTIN, complete enough for the checks of an offer."""
    attributes = {
        **one.attributes,
        "SellerProductId": f"SKU-{number}",
        "ProductEan": gtin(number),
        "ProductCondition": str(number % 6 + 1),
        "Price": "500.5",
        "EcoPart": "1",
        "DeaTax": "0.5",
        "Vat": "20",
        "Comment": f"No {number}: “à voir” & <b>",
        "PreparationTime": str(number),
    }
    attributes.pop("StrikedPrice", None)
    return XmlOffer(attributes, one.shipping)


@settings(max_examples=5)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=4))
def test_an_offers_xml_through_a_sheet_and_back(some: list[XmlOffer]) -> None:
    assert_back_from_sheet(some)


@pytest.mark.long
@settings(max_examples=300)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=4))
def test_many_offers_through_a_sheet_and_back(some: list[XmlOffer]) -> None:
    assert_back_from_sheet(some)


def assert_back_from_sheet(some: list[XmlOffer]) -> None:
    offers = [unlike(number, one) for number, one in enumerate(some, start=1)]
    dialect = AccountSettings(mandatory_mode=None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package, sheet, again = (folder / one for one in ("a.zip", "b.csv", "c.zip"))
        package.write_bytes(zipped(offers))
        assert losses(converted(package, sheet, dialect=dialect)) == []
        converted(sheet, again, kind="legacy-offers", dialect=dialect)
        in_order = [tuple(sorted(one.shipping)) for one in offers]
        read = [one.offer for one in OffersXml(again).read()]
        assert [dict(one.attributes) for one in read] == [dict(one.attributes) for one in offers]
        assert [tuple(sorted(one.shipping)) for one in read] == in_order


ENDINGS = (".xlsx", ".csv", ".zip", ".xml", ".json", "")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_second_run_writes_the_same_bytes(tmp_path: Path, ending: str) -> None:
    source = tmp_path / "offers.csv"
    source.write_text(table([offer(1), offer(2, condition="UsedLikeNew")]), "utf-8")
    contents = []
    for name in ("one", "two"):
        target = tmp_path / f"{name}{ending}"
        converted(source, target)
        some = sorted(target.rglob("*.json")) if target.is_dir() else [target]
        contents.append([one.read_bytes() for one in some])
    assert contents[0] == contents[1] != []


PLAIN, PLAIN_XML = {"sellerExternalReference": "SKU-1"}, {"SellerProductId": "SKU-1"}
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


@pytest.mark.parametrize(("name", "content"), NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize("ending", ["xml", "zip"])
def test_rows_without_stock_and_price_are_lost(
    tmp_path: Path, name: str, content: str, ending: str
) -> None:
    source, target = tmp_path / name, tmp_path / f"out.{ending}"
    source.write_text(content, "utf-8")
    if name != "in.json":
        (sheet,) = checked(source, kind=STOCK_AND_PRICE_KIND)
        assert not len(sheet.rows.items)
    conversion = converted(source, target, to=STOCK_AND_PRICE_KIND)
    assert (conversion.rows, conversion.has_losses) == (0, True)
    assert not target.exists()
    is_right = validator_of(load().feeds[STOCK_AND_PRICE_KIND])
    assert [is_right(PLAIN_XML | more) for more in ({}, {"Stock": "0"})] == [False, True]


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
