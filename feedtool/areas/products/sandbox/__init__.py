"""The sandbox's products.

Reading order: `catalogue` and `categories` (what there is), `products` (the routes), `integration`
and `rules` (what becomes of a product), `sheets`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from feedtool.areas.products.sandbox import categories, products

if TYPE_CHECKING:
    from feedtool.sandbox.route import Part

PARTS: tuple[Part, ...] = (categories, products)
