"""The sandbox's money.

Reading order: `events` (what is sold, given back and charged), `life` (when it is), `store`, and
what is read of it: `operations`, `payments`, `invoices`.
"""

from feedtool.areas.finance.sandbox import routes
from feedtool.sandbox.exchange import Part

PARTS: tuple[Part, ...] = (routes,)
