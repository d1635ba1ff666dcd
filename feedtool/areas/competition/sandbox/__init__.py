"""The sandbox's competing offers."""

from feedtool.areas.competition.sandbox import competition
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (competition,)
