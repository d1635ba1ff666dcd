"""Offers as tuples, Offers.xml as text, and zips around it."""

import zipfile
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import strategies as st
from lxml import etree

from feedtool.areas.legacy.writer import (
    CONTENT_TYPES,
    NAMESPACE,
    OFFERS,
    RELATIONSHIPS,
    Head,
    Shipping,
    XmlOffer,
    write,
)
from tests.conftest import gtin

ATTRIBUTES = {
    "SellerProductId": "SKU-1",
    "ProductEan": gtin(1),
    "ProductCondition": "6",
    "Price": "19.99",
    "EcoPart": "0.12",
    "DeaTax": "0",
    "Vat": "20",
    "Stock": "7",
    "StrikedPrice": "24.99",
    "Comment": "With its manual",
    "PreparationTime": "2",
}
TRACKED = Shipping("Tracked", "4.9", "1.5")
OFFER = XmlOffer(ATTRIBUTES, (TRACKED,))


def changed(**changes: str | None) -> XmlOffer:
    """The offer with some attributes changed; a change of None leaves one out."""
    attributes = {**ATTRIBUTES, **changes}
    return OFFER._replace(attributes={k: v for k, v in attributes.items() if v is not None})


def zipped(offers: Sequence[XmlOffer], head: Head | None = None) -> bytes:
    target = BytesIO()
    write(target, head or Head("offers"), offers, len(offers))
    return target.getvalue()


def member(package: bytes, name: str = OFFERS) -> bytes:
    with zipfile.ZipFile(BytesIO(package)) as opened:
        return opened.read(name)


def package_of(members: Mapping[str, bytes]) -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members.items():
            package.writestr(name, data)
    return target.getvalue()


def members_with(xml: bytes) -> dict[str, bytes]:
    return {CONTENT_TYPES: b"<Types/>", RELATIONSHIPS: b"<Relationships/>", OFFERS: xml}


HONEST = f"""\
<?xml version="1.0" encoding="utf-8"?>
<OfferPackage xmlns="{NAMESPACE}" Name="n" PurgeAndReplace="false" PackageType="Full">
  <OfferPackage.Offers>
    <OfferCollection Capacity="1">
      <Offer SellerProductId="SKU-1" ProductEan="{gtin(1)}" ProductCondition="6" Price="19.99"
             EcoPart="0.12" DeaTax="0" Vat="20" Stock="7" Comment="" PreparationTime="2">
        <Offer.ShippingInformationList>
          <ShippingInformationList>
            <ShippingInformation ShippingCharges="4.9" AdditionalShippingCharges="1.5"
                                 DeliveryMode="Tracked" />
          </ShippingInformationList>
        </Offer.ShippingInformationList>
      </Offer>
    </OfferCollection>
  </OfferPackage.Offers>
</OfferPackage>
"""
"""A file in the form of common programs; the offer is in line 5."""


def with_(*changes: tuple[str, str]) -> str:
    """The honest one with some places changed; each must be there."""
    text = HONEST
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


SCHEMA = etree.RelaxNG(
    etree.fromstring((files("feedtool.areas.legacy") / "offers.rng").read_bytes())
)
"""The format's schema of an Offers.xml."""

Put = Callable[[str | bytes], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Writes an Offers.xml or a zip under a name that says nothing."""

    def write_file(content: str | bytes) -> Path:
        path = tmp_path / "anything"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


XML_TEXTS = st.text(
    st.characters(
        codec="utf-8",
        exclude_characters="".join(map(chr, {*range(0x20), 0xFFFE, 0xFFFF} - {9, 10, 13})),
    ),
    max_size=30,
)
"""Every character that XML 1.0 allows."""

_CENTS = st.integers(0, 999_999_999)


def _amount(cents: int) -> str:
    text = f"{cents // 100}.{cents % 100:02}"
    return text.rstrip("0").rstrip(".")


AMOUNTS = _CENTS.map(_amount)
PRICES = st.integers(1, 999_999_999).map(_amount)
WHOLES = st.integers(0, 9_999_999_999).map(str)

SHIPPING = st.lists(
    st.builds(Shipping, st.sampled_from(("Standard", "Tracked", "Registered")), AMOUNTS, AMOUNTS),
    max_size=3,
    unique_by=lambda one: one.mode,
).map(tuple)

OFFERS_OF_ANY_KIND = st.builds(
    XmlOffer,
    st.fixed_dictionaries(
        {
            "SellerProductId": XML_TEXTS.filter(bool),
            "ProductCondition": st.sampled_from("123456"),
            "Price": PRICES,
            "EcoPart": AMOUNTS,
            "DeaTax": AMOUNTS,
            "Vat": st.integers(0, 10_000).map(_amount),
            "Stock": WHOLES,
            "Comment": XML_TEXTS,
            "PreparationTime": st.integers(0, 365).map(str),
        },
        optional={"ProductEan": st.integers(0, 10**6).map(gtin), "StrikedPrice": PRICES},
    ),
    SHIPPING,
)
"""Every offer that a Full package may hold."""
