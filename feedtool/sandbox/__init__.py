"""The marketplace service itself, written from its specification, to test and to try out against.

It shares no code with the client, so that an error of ours cannot hide on both sides at once.
What it refuses follows from its state and the specification, never from chance.

Here is what all of it has in common; what it consists of are parts, which the areas declare
(`feedtool.areas.registry.sandbox_parts`).

Reading order: `core` (a request becomes a response), `exchange` (what a part is), `state`,
`resources` (parts whose routes and states are declared as data).
What requests have brought about is in `effects`, for tests.
Ways to run it: `transport` (in-process, for httpx) and `server` (on a port of this machine).
"""

from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.exchange import HttpRequest, HttpResponse, Part, Quota, SandboxSettings
from feedtool.sandbox.state import StateUnreadableError

__all__ = [
    "HttpRequest",
    "HttpResponse",
    "Part",
    "Quota",
    "Sandbox",
    "SandboxSettings",
    "StateUnreadableError",
]
