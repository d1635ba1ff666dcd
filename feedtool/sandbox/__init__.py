"""The marketplace service itself, written from its specification, to test and to try out against.

It shares no code with the client, so that an error of ours cannot hide on both sides at once.
What it refuses follows from its state and the specification, never from chance.

Reading order: `core` (a request becomes a response), `parts.packages` and `parts.offers` (the
routes), `integration` and `business` (what becomes of an offer request), `shelf` (the offers).
Then `catalogue` and `parts.catalogue` (what there is), `parts.products` (the routes),
`product_integration` and `product_rules` (what becomes of a product), `product_sheets`.
Then `parts.legacy`, `legacy_zip` and `legacy_integration` (an Offers.xml), `parts.competition`.
Ways to run it: `transport` (in-process, for httpx) and `server` (on a port of this machine).
"""

from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.message import Request, Response
from feedtool.sandbox.records import Applied, Reported
from feedtool.sandbox.settings import Quota, Settings
from feedtool.sandbox.state import StateUnreadableError

__all__ = [
    "Applied",
    "Quota",
    "Reported",
    "Request",
    "Response",
    "Sandbox",
    "Settings",
    "StateUnreadableError",
]
