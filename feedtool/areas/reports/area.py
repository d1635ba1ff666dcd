"""Reports, as the area declares itself."""

from feedtool.areas.reports.export import EXPORTS
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area("reports", tr("Reports"), exports=EXPORTS)
"""What the service makes of a seller's sales for the books and the authorities."""
