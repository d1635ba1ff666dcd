"""The sandbox's offers.

Reading order: `packages` and `offers` (the routes), `integration` and `rules` (outcomes of offer
requests), `store` (the offers).
"""

from feedtool.areas.offers.sandbox import packages
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (packages,)
