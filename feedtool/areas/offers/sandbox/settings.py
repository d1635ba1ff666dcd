"""The behaviour of the sandbox's offers; the defaults are the specification's where it has one."""

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
class OfferBehaviour:
    """Of packages of offers, and of the offers themselves. All durations are sandbox time."""

    settle: timedelta = timedelta(seconds=40)
    """After an upload: how long PATCH still answers 400."""
    pend: timedelta = timedelta(seconds=20)
    """From Ready to IntegrationPending."""
    integrate: timedelta = timedelta(seconds=100)
    """From Ready to Integrated or Rejected."""
    delays: tuple[timedelta, ...] = ()
    """Added to `integrate`, package after package in turn: with some, packages are not
    integrated in the order in which they were completed."""
    open_life: timedelta = timedelta(hours=6)
    """An open package that is not completed by then is gone (part "Limits")."""
    results_life: timedelta = timedelta(days=3)
    """Results are readable for so long after processing (part "Limits")."""
    upload_limit: int = 100
    package_limit: int = 50_000
    conditions: tuple[str, ...] = CONDITIONS
    delivery_modes: tuple[str, ...] = SMALL_PARCELS + LARGE_PARCELS + RETIRING_MODES
    """The ones that are configured for every seller."""
    modes_without_tracked: tuple[str, ...] = LARGE_PARCELS
    """An offer with one of these needs no TrackedHomeDelivery."""
    reference_length: int = 50
    """Longest sellerExternalReference and product.reference."""
