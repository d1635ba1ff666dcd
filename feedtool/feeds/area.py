"""What an area is: one folder of the service's business."""

from typing import NamedTuple

from feedtool.feeds.export import Export
from feedtool.feeds.feed import Feed
from feedtool.feeds.rule import Rule


class Area(NamedTuple):
    """What an area declares of itself."""

    name: str
    """The folder's: `offers`."""
    feeds: tuple[Feed, ...] = ()
    """The sheets that become requests."""
    rules: tuple[Rule, ...] = ()
    """What its rows and sheets must keep to, beside the rules of any sheet."""
    exports: tuple[Export, ...] = ()
    """What it brings of the service into sheets."""
