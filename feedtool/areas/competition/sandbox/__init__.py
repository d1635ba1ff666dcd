"""The sandbox's competing offers."""

from feedtool.areas.competition.sandbox import competition
from feedtool.sandbox.exchange import Part, QuietPart

PARTS: tuple[Part, ...] = (QuietPart(competition.ROUTES),)
