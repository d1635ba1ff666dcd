"""Offers become the legacy zip: three members, in constant memory, the same bytes each time.

The writer is strict: what is not as the format demands is a bug of ours, and raises ValueError.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from lxml import etree

from feedtool.areas.legacy.names import CONTENT_TYPES, NAMESPACE, OFFERS, RELATIONSHIPS, XAML
from feedtool.areas.legacy.offers_xml import NAMES, REQUIRED, STOCK_AND_PRICE, Shipping, XmlOffer
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.settings import AccountSettings

DOCUMENT_TYPE = AccountSettings().legacy_document_type
_PACKAGES = "http://schemas.openxmlformats.org/package/2006/"
_DATE = (1980, 1, 1, 0, 0, 0)
"""Of every member: the earliest that a zip knows."""
_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]{1,2})?", re.ASCII)
_WHOLE = re.compile("[0-9]+", re.ASCII)
_EAN = re.compile("[0-9]{8,14}", re.ASCII)
_DIFFERENT = 1 << 14
"""Different numbers that are remembered: most offers share a few."""


@lru_cache(_DIFFERENT)
def _is_amount(text: str) -> bool:
    return _AMOUNT.fullmatch(text) is not None


@lru_cache(_DIFFERENT)
def _is_whole(text: str) -> bool:
    return _WHOLE.fullmatch(text) is not None


def _is_ean(text: str) -> bool:
    return _EAN.fullmatch(text) is not None


_FORMS: Mapping[str, Callable[[str], bool]] = {
    "SellerProductId": bool,
    "ProductEan": _is_ean,
    "ProductCondition": _is_whole,
    "Price": _is_amount,
    "EcoPart": _is_amount,
    "DeaTax": _is_amount,
    "Vat": _is_amount,
    "Stock": _is_whole,
    "StrikedPrice": _is_amount,
    "PreparationTime": _is_whole,
}
"""How a value is written; a comment may be any text."""


@dataclass(frozen=True, slots=True)
class Pool:
    """A publication pool: a channel on which a Full package is published."""

    value: str
    attribute: str = "SalesChannelId"
    """Or `Id`, its older form: a number, 1 for the primary channel."""

    def __post_init__(self) -> None:
        is_id = self.attribute == "Id" and _WHOLE.fullmatch(self.value)
        if not (is_id or (self.attribute == "SalesChannelId" and self.value)):
            raise ValueError(f"a publication pool cannot have {self.attribute}={self.value!r}")


@dataclass(frozen=True, slots=True)
class Head:
    """What a zip says of itself."""

    name: str
    package_type: str = PackageType.FULL
    """Full, or StockAndPrice: then of each offer only its identity, stock and price travel."""
    purges: bool = False
    """Whether all offers that are not in it are removed: PurgeAndReplace."""
    pools: Sequence[Pool] = ()
    document_type: str = DOCUMENT_TYPE

    def __post_init__(self) -> None:
        if self.package_type not in (PackageType.FULL, PackageType.STOCK_AND_PRICE):
            raise ValueError(f"a legacy zip is never of type {self.package_type}")
        if self.pools and self.package_type != PackageType.FULL:
            raise ValueError("only a Full package has publication pools")


def shares(count: int, most: int) -> list[int]:
    """How many offers each zip takes, in order: 90,000 are 40,000, 40,000 and 10,000."""
    return [min(most, count - done) for done in range(0, count, most)]


def offer_of(body: Mapping[str, Any]) -> XmlOffer:
    """The Offer of a request as the feed makes it."""
    shipping = tuple(
        Shipping(one["DeliveryMode"], one["ShippingCharges"], one["AdditionalShippingCharges"])
        for one in body.get("ShippingInformation", ())
    )
    return XmlOffer({name: body[name] for name in NAMES if name in body}, shipping)


def write(target: IO[bytes], head: Head, offers: Iterable[XmlOffer], count: int) -> None:
    """Writes one zip.

    Args:
        target: A binary file that can be sought in, or memory.
        head: What it says of itself.
        offers: Its offers, in order; taken one by one.
        count: How many they are, since the file says so before the first.

    Raises:
        ValueError: an offer is not as the format demands, or there are more or fewer of them.
    """
    with ZipFile(target, "w") as package:
        with _member(package, CONTENT_TYPES) as member:
            member.write(_content_types())
        with _member(package, RELATIONSHIPS) as member:
            member.write(_relationships(head.document_type))
        with _member(package, OFFERS) as member:
            write_xml(member, head, offers, count)


def write_xml(target: IO[bytes], head: Head, offers: Iterable[XmlOffer], count: int) -> None:
    """Writes the Offers.xml alone; see `write`."""
    if count < 1:
        raise ValueError("a package has at least one offer")
    root = {
        "Name": head.name,
        "PurgeAndReplace": "true" if head.purges else "false",
        "PackageType": str(head.package_type),
    }
    with etree.xmlfile(target, encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element(_tag("OfferPackage"), root, nsmap={None: NAMESPACE, "x": XAML}):
            if head.pools:
                _write_pools(xml, head.pools)
            _write_offers(xml, offers, count, head.package_type)


def _write_offers(xml: Any, offers: Iterable[XmlOffer], count: int, package_type: str) -> None:
    with (
        xml.element(_tag("OfferPackage.Offers")),
        xml.element(_tag("OfferCollection"), {"Capacity": str(count)}),
    ):
        written = 0
        for offer in offers:
            xml.write("\n")  # so that what is said of an offer can name its line
            _write_offer(xml, offer, package_type)
            written += 1
    if written != count:
        raise ValueError(f"{count} offers were announced, and there are {written}")


def _write_pools(xml: Any, pools: Sequence[Pool]) -> None:
    with (
        xml.element(_tag("OfferPackage.OfferPublicationList")),
        xml.element(_tag("OfferPublicationList"), {"Capacity": str(len(pools))}),
    ):
        for pool in pools:
            with xml.element(_tag("PublicationPool"), {pool.attribute: pool.value}):
                pass


def _write_offer(xml: Any, offer: XmlOffer, package_type: str) -> None:
    is_full = package_type == PackageType.FULL
    attributes = _attributes(offer, is_full=is_full)
    if len({one.mode for one in offer.shipping}) < len(offer.shipping):
        raise ValueError("an offer has a delivery mode twice")
    with xml.element(_OFFER, attributes):
        if not (is_full and offer.shipping):
            return
        with xml.element(_SHIPPING_LIST_OF_OFFER), xml.element(_SHIPPING_LIST):
            for one in offer.shipping:
                with xml.element(_SHIPPING, _shipping(one)):
                    pass


def _attributes(offer: XmlOffer, *, is_full: bool) -> dict[str, str]:
    """The attributes of an offer in order. Raises ValueError where one is not as it must be."""
    given = offer.attributes
    unknown = given.keys() - _NAMES
    missing = REQUIRED - given.keys() if is_full else {"SellerProductId"} - given.keys()
    if unknown or missing:
        raise ValueError(f"an offer has {sorted(unknown)} and lacks {sorted(missing)}")
    if not (is_full or {"Stock", "Price"} & given.keys()):
        raise ValueError("an offer has neither stock nor price")
    names = NAMES if is_full else STOCK_AND_PRICE
    attributes = {name: given[name] for name in names if name in given}
    for name, is_well_formed in _FORMS.items():
        if name in attributes and not is_well_formed(attributes[name]):
            raise ValueError(f"{name} cannot be {attributes[name]!r}")
    return attributes


def _shipping(one: Shipping) -> dict[str, str]:
    mode, charges, additional = one
    if not (mode and _is_amount(charges) and _is_amount(additional)):
        raise ValueError(f"shipping cannot be {one}")
    return {
        "ShippingCharges": charges,
        "AdditionalShippingCharges": additional,
        "DeliveryMode": mode,
    }


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


_NAMES = frozenset(NAMES)
_OFFER = _tag("Offer")
_SHIPPING_LIST_OF_OFFER = _tag("Offer.ShippingInformationList")
_SHIPPING_LIST = _tag("ShippingInformationList")
_SHIPPING = _tag("ShippingInformation")


@contextmanager
def _member(package: ZipFile, name: str) -> Iterator[IO[bytes]]:
    info = ZipInfo(name, _DATE)
    info.compress_type = ZIP_DEFLATED
    info.create_system = 0  # else it is that of the machine
    with package.open(info, "w") as member:
        yield member


def _content_types() -> bytes:
    space = f"{_PACKAGES}content-types"
    root = etree.Element(f"{{{space}}}Types", nsmap=_default(space))
    for extension, kind in (
        ("xml", "text/xml"),
        ("rels", "application/vnd.openxmlformats-package.relationships+xml"),
    ):
        about = {"Extension": extension, "ContentType": kind}
        etree.SubElement(root, f"{{{space}}}Default", about)
    return _document(root)


def _relationships(document_type: str) -> bytes:
    space = f"{_PACKAGES}relationships"
    root = etree.Element(f"{{{space}}}Relationships", nsmap=_default(space))
    about = {"Type": document_type, "Target": f"/{OFFERS}", "Id": "R1"}
    etree.SubElement(root, f"{{{space}}}Relationship", about)
    return _document(root)


def _default(space: str) -> dict[str, str]:
    """A namespace without prefix; lxml's stubs know of none."""
    return cast("dict[str, str]", {None: space})


def _document(root: etree._Element) -> bytes:
    return etree.tostring(root, encoding="utf-8", xml_declaration=True)
