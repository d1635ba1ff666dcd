"""The sandbox's offers.

Reading order: `packages` and `offers` (the routes), `integration` and `rules` (what becomes of an
offer request), `store` (the offers), `view` (an offer as it is read).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.areas.offers.sandbox import offers, packages

if TYPE_CHECKING:
    from feedtool.sandbox.route import Part

PARTS: tuple[Part, ...] = (offers, packages)
