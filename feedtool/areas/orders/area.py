"""Orders, as the area declares itself."""

from feedtool.feeds.area import Area

AREA = Area("orders")
"""What customers have bought: accept, refuse, ship, cancel, compensate."""
