"""Reports, as the area declares itself."""

from feedtool.areas.reports.export import EXPORTS
from feedtool.feeds.area import Area

AREA = Area("reports", exports=EXPORTS)
"""What the service makes of a seller's sales for the books and the authorities."""
