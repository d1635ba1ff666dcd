"""Toys, as the area declares itself."""

from feedtool.feeds.area import Area
from feedtool.model.text import tr
from tests.areas.toy.export import EXPORT, LABELS
from tests.areas.toy.feeds import FEED
from tests.areas.toy.settings import ToySettings
from tests.areas.toy.statuses import STATUSES

AREA = Area(
    "toy",
    tr("Toys"),
    feeds=(FEED,),
    exports=lambda: (EXPORT, LABELS),
    settings=(ToySettings,),
    statuses=STATUSES,
)
