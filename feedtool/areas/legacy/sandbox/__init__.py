"""The sandbox's legacy packages: `packages` (the routes) and `offers`."""

from feedtool.areas.legacy.sandbox import packages
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (packages,)
