"""Settings of legacy zips."""

from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import field

from feedtool.model.settings import Added, Settings
from feedtool.model.text import tr


class LegacySettings(Settings, frozen=True):
    """Settings of legacy zips, and of their transport."""

    BEFORE = "currencies"

    legacy_conditions: Annotated[Mapping[str, str], Added()] = field(
        default_factory=lambda: {
            "New": "6",
            "UsedLikeNew": "1",
            "UsedVeryGoodState": "2",
            "GoodState": "3",
            "UsedAverageState": "4",
            "Refurbished": "5",
            "RefurbishedLikeNew": "5",
            "RefurbishedVeryGoodState": "5",
            "RefurbishedCorrectState": "5",
        }
    )
    """Condition → its ProductCondition in a legacy zip; a number is read as its first condition."""
    legacy_modes: Annotated[Mapping[str, str], Added()] = field(
        default_factory=lambda: {
            "Standard": "NotTrackedHomeDelivery",
            "Tracked": "TrackedHomeDelivery",
            "Registered": "SignedHomeDelivery",
        }
    )
    """DeliveryMode of a legacy zip → the mode of the JSON packages that means the same."""
    legacy_document_type: str = "http://www.cdiscount.com/uri/document"
    """The type of the relationship that leads to a legacy zip's Offers.xml."""
    legacy_pools: Mapping[str, str] = field(default_factory=dict)
    """salesChannelId → the Id of its publication pool, for accounts that still write that instead
    of SalesChannelId; 1 is the primary channel's."""
    legacy_transport: Literal["bytes", "url"] = "bytes"
    """The transport of a legacy zip: `bytes` for the zip itself, `url` for its public address."""
    legacy_folder: str = ""
    """With `url`: the folder into which the zip is put."""
    legacy_address: str = ""
    """With `url`: the public address of that folder."""

    def __post_init__(self) -> None:
        if self.legacy_transport != "url":
            return
        if not self.legacy_folder:
            raise ValueError(
                tr('legacy_transport = "url" needs legacy_folder'),
                tr("name the folder that your web server publishes"),
            )
        if not self.legacy_address.startswith(("https://", "http://")):
            raise ValueError(
                tr('legacy_transport = "url" needs legacy_address'),
                tr('write the public address of that folder: "https://files.example.com/offers"'),
            )
