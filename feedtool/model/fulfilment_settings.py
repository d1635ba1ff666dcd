"""Settings of what goes to the warehouses, and of what leaves them."""

from msgspec import Struct


class InboundSettings(Struct, frozen=True):
    """Settings of what goes to the warehouses; the specification does not show all of it."""

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


class OutboundSettings(Struct, frozen=True):
    """Settings of what leaves the warehouses; the specification does not show these names."""

    modes: tuple[str, ...] = ("THD", "SHD", "EHD", "PPMR", "WSHD", "FDHD", "SRHD", "SB2B")
    """The delivery modes that are expected; another is a warning."""
    return_reasons: tuple[str, ...] = ("ReferenceError", "Damaged", "Retraction", "UnpackingDefect")
    """The reasons of customers that are expected; another is a warning."""
    shipment_count: str = "/outbound-shipments/count"
    """The path that counts outbound shipments."""
    return_count: str = "/returns/count"
    """The path that counts returns."""
    cancellation: str = "/outbound-cancellation-requests/{id}"
    """The path of a request of a cancellation."""
    reference_filter: str = "reference"
    """The filter of outbound shipments by reference; empty: all of them are read instead."""
    label_patience: int = 15
    """Minutes after the request of a return in which its label is waited for."""
