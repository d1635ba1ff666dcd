"""Discussions, as the area declares itself."""

from feedtool.areas.discussions.export import EXPORTS
from feedtool.areas.discussions.feeds import FEEDS
from feedtool.areas.discussions.rules import RULES
from feedtool.areas.discussions.waits import waits
from feedtool.feeds.area import Area
from feedtool.model.text import tr

AREA = Area(
    "discussions", tr("Discussions"), feeds=FEEDS, rules=RULES, exports=EXPORTS, waits=waits
)
"""What customers write: read, answer, close, and write to them first."""
