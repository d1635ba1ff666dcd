"""The sandbox's competing offers: `competing_offers` (the routes) and `rivals`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.areas.competition.sandbox import competing_offers

if TYPE_CHECKING:
    from feedtool.sandbox.route import Part

PARTS: tuple[Part, ...] = (competing_offers,)
