"""A sandbox: the marketplace service, written from its specification, for tests and trials.

It shares no code with the client, so that one mistake cannot hide on both sides at once. It refuses
requests by its state and the specification, never by chance.

This package has the common code; the areas declare the parts of the service
(`feedtool.areas.registry.sandbox_parts`).

Reading order: `core` (a request becomes a response), `exchange` (requests and parts), `state`,
`resources` (parts whose routes and states are declared as data), `effects` (the effects of
requests, for tests). Ways to run it: `transport` (in-process, for httpx) and `server` (on a port of
this machine).
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
