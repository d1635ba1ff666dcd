"""The sandbox's legacy packages: `packages` (the routes), `zip_reader`, `integration`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.areas.legacy.sandbox import packages

if TYPE_CHECKING:
    from feedtool.sandbox.route import Part

PARTS: tuple[Part, ...] = (packages,)
