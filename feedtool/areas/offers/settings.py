"""Settings of offers."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import field

from feedtool.model.settings import LARGE_PARCEL_MODES, SMALL_PARCEL_MODES, Added, Settings


class OfferSettings(Settings, frozen=True):
    """Settings of requests of offers."""

    BEFORE = "mandatory_mode"

    upload_body: Literal["array", "offerRequests"] = "array"
    """`array`, or `offerRequests` for an object around it."""
    tax_codes: Annotated[Mapping[str, str], Added(is_closed=True)] = field(
        default_factory=lambda: {"VAT": "VAT", "EcoPart": "EcoPart", "DEA": "DEA"}
    )
    """The specification's tax code → the one that is sent."""
    vat_scale: Literal[100, 1] = 100
    """100 sends 20 for twenty percent, 1 sends 0.2."""
    delivery_modes: tuple[str, ...] = SMALL_PARCEL_MODES + LARGE_PARCEL_MODES
    """The modes that the account may use."""
