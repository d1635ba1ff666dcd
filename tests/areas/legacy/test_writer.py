"""The zip as the format demands it (specification, "Legacy offer routes"), and read again."""

import json
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.legacy.writer import (
    CONTENT_TYPES,
    MEMBERS,
    NAMES,
    NAMESPACE,
    RELATIONSHIPS,
    STOCK_AND_PRICE,
    Head,
    Pool,
    XmlOffer,
    head_of,
    offers_of,
    write,
)
from feedtool.areas.offers.delivery import PackageType
from feedtool.model.settings import AccountSettings
from tests.areas.legacy.conftest import (
    ATTRIBUTES,
    OFFER,
    OFFERS_OF_ANY_KIND,
    SCHEMA,
    XML_TEXTS,
    changed,
    member,
    zipped,
)

STOCK = PackageType.STOCK_AND_PRICE
SPACE = f"{{{NAMESPACE}}}"


def root_of(package: bytes) -> Any:
    root = etree.fromstring(member(package))
    SCHEMA.assertValid(root)
    return root


def test_the_members_of_the_zip() -> None:
    package = zipped([OFFER], Head("n", document_type="http://example/uri/document"))
    with zipfile.ZipFile(BytesIO(package)) as opened:
        assert tuple(opened.namelist()) == MEMBERS
        assert {info.date_time for info in opened.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert opened.testzip() is None
    types = etree.fromstring(member(package, CONTENT_TYPES))
    assert {kind.get("Extension"): kind.get("ContentType") for kind in types} == {
        "xml": "text/xml",
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
    }
    (relation,) = etree.fromstring(member(package, RELATIONSHIPS))
    assert relation.get("Target") == "/Content/Offers.xml"
    assert relation.get("Type") == "http://example/uri/document"
    assert b'"http://www.cdiscount.com/uri/document"' in member(zipped([OFFER]), RELATIONSHIPS)


def test_a_full_package() -> None:
    backwards = OFFER._replace(attributes=dict(reversed(ATTRIBUTES.items())))
    root = root_of(zipped([backwards, OFFER._replace(shipping=())]))
    (collection,) = root.iter(f"{SPACE}OfferCollection")
    assert dict(collection.attrib) == {"Capacity": "2"}
    first, second = root.iter(f"{SPACE}Offer")
    assert tuple(first.attrib) == tuple(second.attrib) == NAMES
    assert (len(first), len(second)) == (1, 0)


REFUSED = {
    "no comment": (changed(Comment=None), "lacks ..Comment"),
    "an unknown attribute": (changed(Colour="red"), "has ..Colour"),
    "a control character": (changed(Comment="a\x0bb"), "XML"),
    "half a character": (changed(Comment="\ud800"), "."),
    "no character": (changed(Comment="\ufffe"), "XML"),
}


@pytest.mark.parametrize(("offer", "why"), REFUSED.values(), ids=REFUSED)
def test_values_that_the_format_forbids_are_never_written(offer: XmlOffer, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        zipped([offer])


@pytest.mark.parametrize(("announced", "offers"), [(1, 2), (3, 2), (0, 0)])
def test_the_number_of_offers_must_be_as_announced(announced: int, offers: int) -> None:
    with pytest.raises(ValueError, match=f"{announced} offers were announced"):
        write(BytesIO(), Head("n"), [OFFER] * offers, announced)


@pytest.mark.parametrize("pool", [("", "SalesChannelId"), ("PRIMARY", "Id"), ("1", "Name")])
def test_a_pool_is_a_channel_or_a_number(pool: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="pool"):
        Pool(*pool)


SECOND = [Pool("SECOND")]


@pytest.mark.parametrize(
    ("package_type", "channel", "head"),
    [
        (PackageType.FULL, "SECOND", Head(pools=SECOND)),
        (PackageType.FULL, "PRIMARY", Head(pools=[Pool("1", "Id")])),
        (PackageType.FULL, "", Head()),
        (PackageType.PURGE, "SECOND", Head(purges=True, pools=SECOND)),
        (STOCK, "SECOND", Head(package_type=STOCK)),
    ],
)
def test_the_head_of_a_package(package_type: str, channel: str, head: Head) -> None:
    made = head_of(
        package_type,
        channel,
        AccountSettings().having(LegacySettings(legacy_pools={"PRIMARY": "1"})),
    )
    assert (made.purges, made.package_type) == (head.purges, head.package_type)
    assert list(made.pools) == list(head.pools)


def test_the_request_of_the_feed_is_an_offer() -> None:
    names = ("DeliveryMode", "ShippingCharges", "AdditionalShippingCharges")
    shipping = [dict(zip(names, mode, strict=True)) for mode in OFFER.shipping]
    body = json.dumps({"ShippingInformation": shipping, **ATTRIBUTES}).encode()
    assert list(offers_of([body])) == [OFFER]


# Any valid offers come back as they were.

POOLS = st.lists(
    st.one_of(
        st.builds(Pool, st.integers(1, 99).map(str), st.just("Id")),
        st.builds(Pool, XML_TEXTS.filter(bool)),
    ),
    max_size=3,
)


def read(content: bytes) -> tuple[OffersXml, list[XmlOffer]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offers"
        path.write_bytes(content)
        xml = OffersXml(path)
        places = list(xml.read())
    assert [place.line for place in places] == list(range(3, 3 + len(places)))
    assert xml.irregularities.texts() == []
    return xml, [place.offer for place in places]


@settings(max_examples=12)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=5), XML_TEXTS, st.booleans(), POOLS)
def test_a_round_trip(offers: list[XmlOffer], name: str, purges: bool, pools: list[Pool]) -> None:  # noqa: FBT001  # Hypothesis passes it by place
    assert_round_trip(offers, name, pools, purges=purges)


@pytest.mark.long
@settings(max_examples=800)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=5), XML_TEXTS, st.booleans(), POOLS)
def test_many_round_trips(
    offers: list[XmlOffer],
    name: str,
    purges: bool,  # noqa: FBT001  # Hypothesis passes it by place
    pools: list[Pool],
) -> None:
    assert_round_trip(offers, name, pools, purges=purges)


def assert_round_trip(
    offers: list[XmlOffer], name: str, pools: list[Pool], *, purges: bool
) -> None:
    head = Head(name, purges=purges, pools=pools)
    package = zipped(offers, head)
    assert zipped(offers, head) == package
    xml = member(package)
    SCHEMA.assertValid(etree.fromstring(xml))
    for content in (package, xml):
        back, found = read(content)
        assert found == offers
        assert (back.head.name, back.head.purges) == (name, purges)
        assert back.head.package_type == PackageType.FULL
        assert back.head.pools == [(pool.attribute, pool.value) for pool in pools]


@settings(max_examples=15)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=3))
def test_a_round_trip_of_stock_and_price(offers: list[XmlOffer]) -> None:
    package = zipped(offers, Head("n", STOCK))
    assert root_of(package).get("PackageType") == "StockAndPrice"
    assert [dict(offer.attributes) for offer in read(package)[1]] == [
        {name: text for name, text in offer.attributes.items() if name in STOCK_AND_PRICE}
        for offer in offers
    ]
