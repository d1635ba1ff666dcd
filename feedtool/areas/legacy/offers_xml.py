"""The elements and attributes of an Offers.xml, and the keys of their columns.

Source: specification, "Legacy offer routes", for the names; files of the field for namespaces,
members of the zip, order, and what a Full package must have. All values are the texts of the file.
"""

from collections.abc import Mapping
from typing import NamedTuple

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
    """An attribute of an Offer."""

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
    """An Offer of the file."""

    attributes: Mapping[str, str]
    """The texts of attributes by name; see `NAMES`."""
    shipping: tuple[Shipping, ...] = ()


def cost_keys(mode: str) -> tuple[str, str]:
    """Return the column keys of a mode's charges and additional charges."""
    return f"deliveryModes.{mode}.cost", f"deliveryModes.{mode}.additionalCost"
