"""The zip as the format demands it (specification, "Legacy offer routes")."""

import zipfile
from importlib.resources import files
from io import BytesIO
from typing import Any

import pytest
from lxml import etree

from feedtool.areas.legacy.names import CONTENT_TYPES, MEMBERS, NAMESPACE, RELATIONSHIPS
from feedtool.areas.legacy.offers_xml import NAMES, STOCK_AND_PRICE, Shipping, XmlOffer
from feedtool.areas.legacy.writer import Head, Pool, offer_of, shares, write
from feedtool.areas.offers.package_types import PackageType
from tests.legacy.conftest import ATTRIBUTES, OFFER, TRACKED, changed, member, zipped

STOCK = PackageType.STOCK_AND_PRICE
SPACE = f"{{{NAMESPACE}}}"


def root_of(package: bytes) -> Any:
    return etree.fromstring(member(package))


def schema() -> etree.RelaxNG:
    return etree.RelaxNG(
        etree.fromstring((files("feedtool.areas.legacy") / "offers.rng").read_bytes())
    )


def outline(element: Any) -> list[tuple[int, str]]:
    """The names of all elements, each with its depth."""
    depth = {element: 0}
    found = []
    for one in element.iter():
        depth[one] = depth[one.getparent()] + 1 if one is not element else 0
        found.append((depth[one], one.tag.removeprefix(SPACE)))
    return found


def test_the_members_of_the_zip_are_dated_alike() -> None:
    with zipfile.ZipFile(BytesIO(zipped([OFFER]))) as package:
        assert tuple(package.namelist()) == MEMBERS
        assert {info.date_time for info in package.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert package.testzip() is None


def test_the_content_types_and_the_relationship() -> None:
    package = zipped([OFFER])
    types = etree.fromstring(member(package, CONTENT_TYPES))
    assert {one.get("Extension"): one.get("ContentType") for one in types} == {
        "xml": "text/xml",
        "rels": "application/vnd.openxmlformats-package.relationships+xml",
    }
    (relation,) = etree.fromstring(member(package, RELATIONSHIPS))
    assert relation.get("Target") == "/Content/Offers.xml"
    assert relation.get("Type") == "http://www.cdiscount.com/uri/document"


def test_the_profile_says_the_type_of_the_document() -> None:
    package = zipped([OFFER], Head("n", document_type="http://example/uri/document"))
    (relation,) = etree.fromstring(member(package, RELATIONSHIPS))
    assert relation.get("Type") == "http://example/uri/document"


def test_a_full_package() -> None:
    pools = (Pool("1", "Id"), Pool("SECOND"))
    root = root_of(zipped([OFFER, changed(SellerProductId="SKU-2")], Head("n", pools=pools)))
    assert outline(root) == [
        (0, "OfferPackage"),
        (1, "OfferPackage.OfferPublicationList"),
        (2, "OfferPublicationList"),
        (3, "PublicationPool"),
        (3, "PublicationPool"),
        (1, "OfferPackage.Offers"),
        (2, "OfferCollection"),
        *(
            (3, "Offer"),
            (4, "Offer.ShippingInformationList"),
            (5, "ShippingInformationList"),
            (6, "ShippingInformation"),
        )
        * 2,
    ]
    assert dict(root.attrib) == {"Name": "n", "PurgeAndReplace": "false", "PackageType": "Full"}
    assert [dict(pool.attrib) for pool in root.iter(f"{SPACE}PublicationPool")] == [
        {"Id": "1"},
        {"SalesChannelId": "SECOND"},
    ]
    (collection,) = root.iter(f"{SPACE}OfferCollection")
    assert dict(collection.attrib) == {"Capacity": "2"}
    assert [list(one.attrib.items()) for one in root.iter(f"{SPACE}Offer")] == [
        list(ATTRIBUTES.items()),
        list({**ATTRIBUTES, "SellerProductId": "SKU-2"}.items()),
    ]
    assert schema().validate(root)


def test_attributes_stand_in_their_order_whatever_that_of_the_offer() -> None:
    backwards = OFFER._replace(attributes=dict(reversed(ATTRIBUTES.items())))
    assert zipped([backwards]) == zipped([OFFER])
    (offer,) = root_of(zipped([backwards])).iter(f"{SPACE}Offer")
    assert tuple(offer.attrib) == NAMES


def test_stock_and_price_alone() -> None:
    root = root_of(zipped([OFFER], Head("n", STOCK)))
    (offer,) = root.iter(f"{SPACE}Offer")
    assert tuple(offer.attrib) == STOCK_AND_PRICE
    assert len(offer) == 0
    assert root.get("PackageType") == "StockAndPrice"
    assert schema().validate(root)


def test_a_purge_says_so() -> None:
    assert root_of(zipped([OFFER], Head("n", purges=True))).get("PurgeAndReplace") == "true"


def test_an_offer_without_shipping_has_no_list() -> None:
    root = root_of(zipped([OFFER._replace(shipping=())]))
    assert outline(root)[-1] == (3, "Offer")
    assert schema().validate(root)


def test_each_offer_has_a_line_of_its_own() -> None:
    lines = member(zipped([OFFER] * 3)).splitlines()
    assert [line.startswith(b"<Offer ") for line in lines] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("count", "most", "expected"),
    [
        (1, 40_000, [1]),
        (40_000, 40_000, [40_000]),
        (40_001, 40_000, [40_000, 1]),
        (90_000, 40_000, [40_000, 40_000, 10_000]),
        (0, 40_000, []),
    ],
)
def test_more_offers_than_fit_are_shared_out(count: int, most: int, expected: list[int]) -> None:
    assert shares(count, most) == expected


REFUSED = {
    "a decimal comma": changed(Price="19,99"),
    "three decimals": changed(Price="19.999"),
    "an exponent": changed(Price="1e3"),
    "a sign": changed(EcoPart="-1"),
    "another script's digits": changed(Stock="٣"),
    "a blank reference": changed(SellerProductId=""),
    "a condition by name": changed(ProductCondition="New"),
    "half a day": changed(PreparationTime="0.5"),
    "no comment": changed(Comment=None),
    "no price": changed(Price=None),
    "an unknown attribute": changed(Colour="red"),
    "a control character": changed(Comment="a\x0bb"),
    "half a character": changed(Comment="\ud800"),
    "no character": changed(Comment="\ufffe"),
    "shipping without its price": OFFER._replace(shipping=(Shipping("Tracked", "", "1"),)),
    "shipping without a mode": OFFER._replace(shipping=(Shipping("", "1", "1"),)),
    "a mode twice": OFFER._replace(shipping=(TRACKED, TRACKED)),
}


@pytest.mark.parametrize("offer", REFUSED.values(), ids=REFUSED)
def test_what_the_format_forbids_is_never_written(offer: XmlOffer) -> None:
    with pytest.raises(ValueError, match=r"."):
        zipped([offer])


def test_stock_and_price_need_one_of_them() -> None:
    with pytest.raises(ValueError, match="neither stock nor price"):
        zipped([changed(Price=None, Stock=None)], Head("n", STOCK))


@pytest.mark.parametrize("announced", [1, 3])
def test_the_number_of_offers_must_be_as_announced(announced: int) -> None:
    with pytest.raises(ValueError, match=f"{announced} offers were announced"):
        write(BytesIO(), Head("n"), [OFFER, OFFER], announced)


def test_a_package_is_never_empty() -> None:
    with pytest.raises(ValueError, match="at least one"):
        zipped([])


def test_a_type_of_the_json_packages_is_none_of_a_zip() -> None:
    with pytest.raises(ValueError, match="Upsert"):
        Head("n", PackageType.UPSERT)
    with pytest.raises(ValueError, match="pools"):
        Head("n", STOCK, pools=[Pool("1", "Id")])


@pytest.mark.parametrize("pool", [("", "SalesChannelId"), ("PRIMARY", "Id"), ("1", "Name")])
def test_a_pool_is_a_channel_or_a_number(pool: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="pool"):
        Pool(*pool)


def test_the_request_of_the_feed_is_an_offer() -> None:
    body = {
        "ShippingInformation": [
            {
                "DeliveryMode": "Tracked",
                "ShippingCharges": "4.9",
                "AdditionalShippingCharges": "1.5",
            }
        ],
        **ATTRIBUTES,
    }
    assert offer_of(body) == OFFER
