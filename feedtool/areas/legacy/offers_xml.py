"""What an Offers.xml says of an offer: its attributes, in the format's order, and their keys.

Source: specification, "Legacy offer routes", for the names; the order, and what a Full package
must have, from the field. All values are texts as they stand in the file.
"""

from collections.abc import Mapping
from typing import NamedTuple


class XmlAttribute(NamedTuple):
    """An attribute of an Offer."""

    name: str
    key: str
    """The key of the sheet's column that it comes from."""
    is_required: bool = True
    """Whether every Offer of a Full package has it."""
    has_stock_or_price: bool = False
    """Whether an Offer of a StockAndPrice package may have it."""


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
"""In the order in which they are written."""

NAMES = tuple(one.name for one in ATTRIBUTES)
REQUIRED = frozenset(one.name for one in ATTRIBUTES if one.is_required)
STOCK_AND_PRICE = tuple(one.name for one in ATTRIBUTES if one.has_stock_or_price)

SHEET = "Legacy offers"
"""The sheet of the feed, and that of an Offers.xml when it is read as one."""
KIND = "legacy-offers"
"""The kind of feed that a Full Offers.xml is, unless another is asked for."""
STOCK_AND_PRICE_KIND = "legacy-stock-and-price"
"""The same of one whose PackageType is StockAndPrice."""
KINDS = frozenset((KIND, STOCK_AND_PRICE_KIND))
"""The kinds whose delivery modes are called as in an Offers.xml."""


class Shipping(NamedTuple):
    """A ShippingInformation."""

    mode: str
    """Its DeliveryMode."""
    charges: str
    """Its ShippingCharges."""
    additional: str
    """Its AdditionalShippingCharges."""


class XmlOffer(NamedTuple):
    """An Offer."""

    attributes: Mapping[str, str]
    """By their names in `NAMES`; an absent one is not there."""
    shipping: tuple[Shipping, ...] = ()


def cost_keys(mode: str) -> tuple[str, str]:
    """The keys of the columns of a delivery mode's charges and additional charges."""
    return f"deliveryModes.{mode}.cost", f"deliveryModes.{mode}.additionalCost"
