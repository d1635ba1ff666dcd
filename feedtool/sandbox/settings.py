"""What an owner of a sandbox may choose; the defaults are the specification's where it has one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

SMALL_PARCELS = (
    "TrackedHomeDelivery",
    "SignedHomeDelivery",
    "ExpressHomeDelivery",
    "NotTrackedHomeDelivery",
)
LARGE_PARCELS = ("FixedDateHomeDelivery", "SpecificRoomHomeDelivery", "WithSetupHomeDelivery")
# "Still present and to be removed" (part "Versioning", 2).
RETIRING_MODES = ("Standard", "Express")

CONDITIONS = (
    "New",
    "UsedLikeNew",
    "UsedVeryGoodState",
    "UsedAverageState",
    "RefurbishedLikeNew",
    "RefurbishedVeryGoodState",
    "RefurbishedCorrectState",
)


@dataclass(frozen=True, slots=True)
class Quota:
    """So many requests to offer package endpoints, or creations, per seller, in each window."""

    requests: int
    seconds: float
    """The window's length in sandbox time."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How this sandbox behaves. All durations are sandbox time."""

    settle: timedelta = timedelta(seconds=40)
    """After an upload: how long PATCH still answers 400."""
    pend: timedelta = timedelta(seconds=20)
    """From Ready to IntegrationPending."""
    integrate: timedelta = timedelta(seconds=100)
    """From Ready to Integrated or Rejected."""
    delays: tuple[timedelta, ...] = ()
    """What is added to `integrate`, package after package in turn: with some, packages are not
    integrated in the order in which they were completed."""
    open_life: timedelta = timedelta(hours=6)
    """An open package that is not completed by then is gone (part "Limits")."""
    results_life: timedelta = timedelta(days=3)
    """Results are readable for so long after processing (part "Limits")."""
    upload_limit: int = 100
    package_limit: int = 50_000
    legacy_limit: int = 40_000
    """Offers of a legacy zip."""
    primary_channel: str = "PRIMARY"
    channels: tuple[str, ...] = ("PRIMARY", "SECOND")
    token: str = "sandbox"  # noqa: S105 - the one that everybody may know
    forbidden_token: str = "forbidden"  # noqa: S105 - known to the service, and allowed nothing
    conditions: tuple[str, ...] = CONDITIONS
    delivery_modes: tuple[str, ...] = SMALL_PARCELS + LARGE_PARCELS + RETIRING_MODES
    """The ones that are configured for every seller."""
    modes_without_tracked: tuple[str, ...] = LARGE_PARCELS
    """An offer with one of these needs no TrackedHomeDelivery."""
    reference_length: int = 50
    """Longest sellerExternalReference and product.reference."""
    quota: Quota | None = None
    validate_products: timedelta = timedelta(seconds=40)
    """After POST /products-integration: how long its report is an empty page."""
    integrate_products: timedelta = timedelta(seconds=100)
    """From the same POST to the end; in between, what may be integrated is Validated."""
    products_limit: int = 10_000
    """Most products of one POST."""
    reported_products: int | None = None
    """Of a larger package, the report shows only so many products, as the field has seen."""
    creations: Quota | None = None
    """So many product sheets may a seller create in a window; more are refused by the report."""
    unopened_sellers: tuple[str, ...] = ("unopened",)
    """Whose accounts have no access to the competing-offer routes (part "Authentication", 4)."""
    closed_products: tuple[str, ...] = ()
    """GTINs of sheets that are Archived: only their creator may add anything to them."""
