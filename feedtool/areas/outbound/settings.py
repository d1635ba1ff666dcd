"""Settings of what leaves the warehouses."""

from feedtool.model.settings import Settings


class OutboundSettings(Settings, frozen=True):
    """Settings of what leaves the warehouses; the specification does not show these names."""

    TABLE = "outbound"
    BEFORE = "inbound"

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
