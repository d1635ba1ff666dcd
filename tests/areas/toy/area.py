"""Toys, as the area declares itself."""

from feedtool.feeds.area import Area
from tests.areas.toy.export import EXPORT, LABELS
from tests.areas.toy.feeds import FEED

AREA = Area("toy", feeds=(FEED,), exports=(EXPORT, LABELS))
