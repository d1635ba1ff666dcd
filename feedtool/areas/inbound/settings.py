"""Settings of what goes to the warehouses."""

from feedtool.model.settings import Settings


class InboundSettings(Settings, frozen=True):
    """Settings of what goes to the warehouses; the specification does not show all of it."""

    TABLE = "inbound"

    conditions: tuple[str, ...] = ("New", "LikeNew")
    """The conditions of products there that are expected; another is a warning."""
    traceability: tuple[str, ...] = ("SerialNumber", "IMEI")
    """The identifiers by which products may be traced; another is a warning."""
    storage_countries: tuple[str, ...] = ("FR", "ES", "GB")
    """The countries of the warehouses that a shipment may go to."""
    dimension_unit: str = ""
    """The unit of a product's dimensions, shown beside their columns."""
    weight_unit: str = ""
    """The unit of a product's weight, shown beside its column."""
    seller_number: str = ""
    """The seller's number in products, if it is not the SellerId."""
    delivery_note: str = "/inbound-shipments/{id}/delivery-notes"
    """The path of the delivery note of a shipment."""
