"""Settings of toys: `[profile.NAME.toys]`."""

from typing import Literal

from feedtool.model.settings import Settings


class ToySettings(Settings, frozen=True):
    """Settings of parcels of toys."""

    TABLE = "toys"

    wrapping: Literal["box", "bag"] = "box"
    """The wrapping of every parcel."""
