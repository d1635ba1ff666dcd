"""The sandbox's legacy packages: `packages` (the routes), `zip_reader`, `integration`."""

from feedtool.areas.legacy.sandbox import packages
from feedtool.sandbox.route import Part

PARTS: tuple[Part, ...] = (packages,)
