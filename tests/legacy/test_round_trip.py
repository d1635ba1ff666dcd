"""Any valid offers become a zip and come back as they were."""

import tempfile
from importlib.resources import files
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from feedtool.areas.legacy.offers_xml import STOCK_AND_PRICE, XmlOffer
from feedtool.areas.legacy.reader import OffersXml
from feedtool.areas.legacy.writer import Head, Pool
from feedtool.areas.offers.package_types import PackageType
from tests.legacy.conftest import OFFERS_OF_ANY_KIND, XML_TEXTS, member, zipped

SCHEMA = etree.RelaxNG(
    etree.fromstring((files("feedtool.areas.legacy") / "offers.rng").read_bytes())
)

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
        found = list(xml.read())
    assert [one.line for one in found] == list(range(3, 3 + len(found)))
    return xml, [one.offer for one in found]


@settings(max_examples=80)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=5), XML_TEXTS, st.booleans(), POOLS)
def test_a_full_package(offers: list[XmlOffer], name: str, purges: bool, pools: list[Pool]) -> None:  # noqa: FBT001  # Hypothesis passes it by place
    head = Head(name, purges=purges, pools=pools)
    package = zipped(offers, head)
    assert zipped(offers, head) == package
    xml = member(package)
    SCHEMA.assertValid(etree.fromstring(xml))
    for content in (package, xml):
        back, found = read(content)
        assert found == offers
        assert back.liberties.texts() == []
        assert (back.about.name, back.about.purges) == (name, purges)
        assert back.about.package_type == PackageType.FULL
        assert back.about.pools == [(pool.attribute, pool.value) for pool in pools]


@settings(max_examples=40)
@given(st.lists(OFFERS_OF_ANY_KIND, min_size=1, max_size=3))
def test_stock_and_price(offers: list[XmlOffer]) -> None:
    package = zipped(offers, Head("n", PackageType.STOCK_AND_PRICE))
    SCHEMA.assertValid(etree.fromstring(member(package)))
    back, found = read(package)
    assert back.liberties.texts() == []
    assert [one.attributes for one in found] == [
        {name: text for name, text in offer.attributes.items() if name in STOCK_AND_PRICE}
        for offer in offers
    ]
