"""Competition, as the area declares itself."""

from feedtool.areas.competition.export import EXPORTS
from feedtool.feeds.area import Area

AREA = Area("competition", exports=EXPORTS)
