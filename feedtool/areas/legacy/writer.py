"""The legacy zip of some offers: three members, in constant memory, reproducible bytes.

The feed's rules have checked the values; anything else that breaks the format is a bug of
feedtool, and raises ValueError.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from lxml import etree
from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.legacy.settings import LegacySettings
from feedtool.areas.offers.delivery import PackageType
from feedtool.model.settings import AccountSettings

# The elements and attributes of an Offers.xml, and the keys of their columns.


NAMESPACE = (
    "clr-namespace:Cdiscount.Service.OfferIntegration.Pivot;"
    "assembly=Cdiscount.Service.OfferIntegration"
)
XAML = "http://schemas.microsoft.com/winfx/2006/xaml"

CONTENT_TYPES = "[Content_Types].xml"
RELATIONSHIPS = "_rels/.rels"
OFFERS = "Content/Offers.xml"
MEMBERS = (CONTENT_TYPES, RELATIONSHIPS, OFFERS)

PARENTS = {
    "OfferPackage": "",
    "OfferPackage.OfferPublicationList": "OfferPackage",
    "OfferPublicationList": "OfferPackage.OfferPublicationList",
    "PublicationPool": "OfferPublicationList",
    "OfferPackage.Offers": "OfferPackage",
    "OfferCollection": "OfferPackage.Offers",
    "Offer": "OfferCollection",
    "Offer.PriceAndDiscountList": "Offer",
    "DiscountComponentList": "Offer.PriceAndDiscountList",
    "DiscountComponent": "DiscountComponentList",
    "Offer.ShippingInformationList": "Offer",
    "ShippingInformationList": "Offer.ShippingInformationList",
    "ShippingInformation": "ShippingInformationList",
}
"""The parent of each element, in the required order."""
PRIMARY_POOL = "1"
"""The Id of the primary channel's publication pool."""


class XmlAttribute(NamedTuple):
    name: str
    key: str
    """The key of its column in the sheet."""
    is_required: bool = True
    """Every Offer of a Full package has it."""
    has_stock_or_price: bool = False
    """An Offer of a StockAndPrice package may have it."""


ATTRIBUTES = (
    XmlAttribute("SellerProductId", "sellerExternalReference", has_stock_or_price=True),
    XmlAttribute("ProductEan", "product.gtin", is_required=False, has_stock_or_price=True),
    XmlAttribute("ProductCondition", "condition"),
    XmlAttribute("Price", "price.price", has_stock_or_price=True),
    XmlAttribute("EcoPart", "taxes.EcoPart"),
    XmlAttribute("DeaTax", "taxes.DEA"),
    XmlAttribute("Vat", "taxes.VAT"),
    XmlAttribute("Stock", "quantity", has_stock_or_price=True),
    XmlAttribute("StrikedPrice", "price.originPrice", is_required=False),
    XmlAttribute("Comment", "comment"),
    XmlAttribute("PreparationTime", "preparationTime"),
)
"""The attributes in the order of writing."""

NAMES = tuple(attribute.name for attribute in ATTRIBUTES)
REQUIRED = frozenset(attribute.name for attribute in ATTRIBUTES if attribute.is_required)
STOCK_AND_PRICE = tuple(item.name for item in ATTRIBUTES if item.has_stock_or_price)

SHEET = "Legacy offers"
"""The name of the feed's sheet, and of the sheet that an Offers.xml is read as."""
KIND = "legacy-offers"
"""The default kind of feed of a Full Offers.xml."""
STOCK_AND_PRICE_KIND = "legacy-stock-and-price"
"""The default kind of feed of a StockAndPrice Offers.xml."""
KINDS = frozenset((KIND, STOCK_AND_PRICE_KIND))
"""The kinds whose delivery modes have the names of an Offers.xml."""


class Shipping(NamedTuple):
    """A ShippingInformation: DeliveryMode, ShippingCharges, AdditionalShippingCharges."""

    mode: str
    charges: str
    additional: str


class XmlOffer(NamedTuple):
    attributes: Mapping[str, str]
    """The texts of attributes by name; see `NAMES`."""
    shipping: tuple[Shipping, ...] = ()


def cost_keys(mode: str) -> tuple[str, str]:
    return f"deliveryModes.{mode}.cost", f"deliveryModes.{mode}.additionalCost"


_PACKAGES = "http://schemas.openxmlformats.org/package/2006/"
_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of every member: the earliest that a zip can have."""
_TYPES = (
    {"Extension": "xml", "ContentType": "text/xml"},
    {
        "Extension": "rels",
        "ContentType": "application/vnd.openxmlformats-package.relationships+xml",
    },
)


class Pool(Struct, frozen=True):
    """A publication pool: a channel on which a Full package is published."""

    value: str
    attribute: str = "SalesChannelId"
    """`SalesChannelId`, or the older `Id`: a number, 1 for the primary channel."""

    def __post_init__(self) -> None:
        is_id = self.attribute == "Id" and self.value.isascii() and self.value.isdecimal()
        if not (is_id or (self.attribute == "SalesChannelId" and self.value)):
            raise ValueError(f"a publication pool cannot have {self.attribute}={self.value!r}")


class Head(Struct, frozen=True):
    """The attributes of a package's root, its pools, and the type of the zip's document."""

    name: str = "feedtool"
    package_type: str = PackageType.FULL
    """Full; or StockAndPrice, which has only the identity, stock and price of each offer."""
    purges: bool = False
    """PurgeAndReplace: the service removes all offers that are not in the package."""
    pools: Sequence[Pool] = ()
    document_type: str = LegacySettings().legacy_document_type


def head_of(
    package_type: str, channel: str, settings: AccountSettings, input_head: Head | None = None
) -> Head:
    """Return the head of a package of offers, with the name and the pools of `input_head`.

    If that has no pool, the pool of the channel is used; StockAndPrice has no pools.
    """
    input_head = input_head or Head()
    is_full = package_type != PackageType.STOCK_AND_PRICE
    pools = input_head.pools
    if channel and not pools:
        number = settings.of(LegacySettings).legacy_pools.get(channel)
        pools = (Pool(number, "Id") if number else Pool(channel),)
    return replace(
        input_head,
        package_type=PackageType.FULL if is_full else package_type,
        purges=package_type == PackageType.PURGE,
        pools=pools if is_full else (),
        document_type=settings.of(LegacySettings).legacy_document_type,
    )


def offers_of(bodies: Iterable[bytes]) -> Iterator[XmlOffer]:
    return (offer_of(json.loads(body)) for body in bodies)


def offer_of(body: Mapping[str, Any]) -> XmlOffer:
    shipping = tuple(
        Shipping(mode["DeliveryMode"], mode["ShippingCharges"], mode["AdditionalShippingCharges"])
        for mode in body.get("ShippingInformation", ())
    )
    return XmlOffer({name: body[name] for name in NAMES if name in body}, shipping)


def write(target: IO[bytes], head: Head, offers: Iterable[XmlOffer], count: int) -> None:
    """Write a zip into a seekable binary file.

    `count` offers are taken one by one; the count is written before the first.

    Raises:
        ValueError: an offer breaks the format, or there are more or fewer offers than `count`.
    """
    document = {"Type": head.document_type, "Target": f"/{OFFERS}", "Id": "R1"}
    with ZipFile(target, "w") as package:
        with _member(package, CONTENT_TYPES) as member:
            member.write(_part("content-types", "Types", "Default", _TYPES))
        with _member(package, RELATIONSHIPS) as member:
            member.write(_part("relationships", "Relationships", "Relationship", [document]))
        with _member(package, OFFERS) as member:
            write_xml(member, head, offers, count)


def _member(package: ZipFile, name: str) -> IO[bytes]:
    info = ZipInfo(name, _DATE)
    info.compress_type = ZIP_DEFLATED
    info.create_system = 0  # the default depends on the machine
    return package.open(info, "w")


def _part(family: str, root: str, child: str, children: Sequence[dict[str, str]]) -> bytes:
    space = f"{_PACKAGES}{family}"
    nsmap = cast("dict[str, str]", {None: space})  # lxml's stubs lack namespaces without names
    element = etree.Element(f"{{{space}}}{root}", nsmap=nsmap)
    for attributes in children:
        etree.SubElement(element, f"{{{space}}}{child}", attributes)
    return etree.tostring(element, encoding="utf-8", xml_declaration=True)


def write_xml(target: IO[bytes], head: Head, offers: Iterable[XmlOffer], count: int) -> None:
    """Write the Offers.xml alone; see `write`."""
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
            _write_offers(xml, offers, count, is_full=head.package_type == PackageType.FULL)


def _write_pools(xml: Any, pools: Sequence[Pool]) -> None:
    with (
        xml.element(_tag("OfferPackage.OfferPublicationList")),
        xml.element(_tag("OfferPublicationList"), {"Capacity": str(len(pools))}),
    ):
        for pool in pools:
            with xml.element(_tag("PublicationPool"), {pool.attribute: pool.value}):
                pass


def _write_offers(xml: Any, offers: Iterable[XmlOffer], count: int, *, is_full: bool) -> None:
    names, needed = (NAMES, REQUIRED) if is_full else (STOCK_AND_PRICE, {"SellerProductId"})
    with (
        xml.element(_tag("OfferPackage.Offers")),
        xml.element(_tag("OfferCollection"), {"Capacity": str(count)}),
    ):
        written = 0
        for values, shipping in offers:
            unknown, missing = values.keys() - _NAMES, needed - values.keys()
            if unknown or missing:
                raise ValueError(f"an offer has {sorted(unknown)} and lacks {sorted(missing)}")
            xml.write("\n")  # one line for each offer, so that messages can name it
            attributes = {name: values[name] for name in names if name in values}
            with xml.element(_OFFER, attributes):
                if is_full and shipping:
                    _write_shipping(xml, shipping)
            written += 1
    if written != count or not count:
        raise ValueError(f"{count} offers were announced, and there are {written}")


def _write_shipping(xml: Any, shipping: Sequence[Shipping]) -> None:
    with xml.element(_SHIPPING_LIST_OF_OFFER), xml.element(_SHIPPING_LIST):
        for mode, charges, additional in shipping:
            attributes = {
                "ShippingCharges": charges,
                "AdditionalShippingCharges": additional,
                "DeliveryMode": mode,
            }
            with xml.element(_SHIPPING, attributes):
                pass


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


_NAMES = frozenset(NAMES)
_OFFER = _tag("Offer")
_SHIPPING_LIST_OF_OFFER = _tag("Offer.ShippingInformationList")
_SHIPPING_LIST = _tag("ShippingInformationList")
_SHIPPING = _tag("ShippingInformation")
