"""Competition, as the area declares itself."""

from feedtool.areas.competition.export import EXPORTS
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area("competition", tr("Other sellers"), exports=EXPORTS)
