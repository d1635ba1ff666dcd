"""Discussions, as the area declares itself."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feedtool.areas.discussions.feeds import FEEDS
from feedtool.areas.discussions.rules import RULES
from feedtool.areas.discussions.settings import DiscussionSettings
from feedtool.areas.discussions.statuses import STATUSES
from feedtool.feeds.area import Area
from feedtool.model.text import tr

if TYPE_CHECKING:
    from feedtool.feeds.export import Export


def exports() -> "Sequence[Export]":
    """Its lists, which few commands bring."""
    from feedtool.areas.discussions.export import EXPORTS

    return EXPORTS


AREA = Area(
    "discussions",
    tr("Discussions"),
    feeds=FEEDS,
    rules=RULES,
    exports=exports,
    settings=(DiscussionSettings,),
    statuses=STATUSES,
)
"""Messages of customers: read, answer, close, and write first."""
