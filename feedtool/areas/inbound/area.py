"""The way into the warehouses, as the area declares itself."""

from feedtool.feeds.area import Area

AREA = Area("inbound")
"""Products that the warehouses know, and shipments to them."""
