"""Parts of the service and their routes.

A part is a module that an area declares and whoever makes a sandbox hands over.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Protocol

from feedtool.sandbox.message import HttpRequest, HttpResponse
from feedtool.sandbox.problem import RequestRefused, not_found
from feedtool.sandbox.settings import SandboxSettings


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that was let in, and all that answering it may use."""

    request: HttpRequest
    now: datetime
    db: sqlite3.Connection
    settings: SandboxSettings
    seller: str
    """The SellerId; empty on routes that need none."""
    ids: Mapping[str, str]
    """The identifiers in the path, by their names in the route."""
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Route:
    """A method, a path and the function that answers."""

    method: str
    path: str
    """Relative to the base address, identifiers in braces: `/packages/{packageId}`."""
    answer: Callable[[Exchange], HttpResponse]
    seller: bool = True
    """True if the SellerId header is required (part "Authentication", 1)."""
    counted: bool = False
    """True if the quota counts it (part "Limits")."""

    def match(self, path: str) -> dict[str, str] | None:
        """The identifiers in `path`, or None when it is another route's."""
        match = _pattern(self.path).fullmatch(path)
        return match and match.groupdict()


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


class Part(Protocol):
    """A part of the service."""

    TABLES: str
    """Its SQL tables, created when a state is opened."""
    ROUTES: tuple[Route, ...]

    def next_due(self, db: sqlite3.Connection, /) -> str | None:
        """The time of its next own step, as `state.stamp` writes it, also when long past."""
        ...

    def step(self, db: sqlite3.Connection, settings: SandboxSettings, /) -> None:
        """Do what was due at `next_due`, as of that time."""
        ...


def find_route(routes: Iterable[Route], method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route that answers: 404 when no path fits, 405 when only the method does not."""
    fitting = [(route, ids) for route in routes if (ids := route.match(path)) is not None]
    for route, ids in fitting:
        if route.method == method:
            return route, ids
    if fitting:
        allowed = ", ".join(sorted({route.method for route, _ in fitting}))
        raise RequestRefused(
            405, f"The method {method} is not allowed.", headers={"Allow": allowed}
        )
    raise not_found(f"The resource {path}")
