"""What leaves the warehouses, as the area declares itself."""

from feedtool.feeds.area import Area

AREA = Area("outbound")
