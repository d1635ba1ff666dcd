"""Requests, answers, refusals (part "Errors" of the specification) and the routes of a part."""

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from http import HTTPStatus
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qsl

import orjson
from msgspec import Struct, field
from msgspec.structs import force_setattr

Behaviour = TypeVar("Behaviour", bound=Struct)


class Quota(Struct, frozen=True):
    """The requests, or creations, of each seller that are allowed in each window."""

    requests: int
    seconds: float
    """The window's length in sandbox time."""


class SandboxSettings(Struct, frozen=True):
    """The behaviour of a sandbox. All durations are sandbox time."""

    primary_channel: str = "PRIMARY"
    channels: tuple[str, ...] = ("PRIMARY", "SECOND")
    token: str = "sandbox"  # noqa: S105 - it is public
    forbidden_token: str = "forbidden"  # noqa: S105 - known to the service, and allowed nothing
    quota: Quota | None = None
    """The quota of the requests of counted routes."""
    parts: tuple[object, ...] = ()
    """The settings of parts, each of the part's own class."""
    options: Mapping[str, object] = {}
    """The values of fields, by name, in the settings of parts that are not in `parts`."""

    def of(self, kind: type[Behaviour]) -> Behaviour:
        """The settings of a part's class; without any its defaults, and the options it knows."""
        settings = next((part for part in self.parts if isinstance(part, kind)), None)
        known = self.options.keys() & kind.__struct_fields__
        return settings or kind(**{name: self.options[name] for name in known})


VERSION = "/v2"
"""The version segment that ends every base address (part "Versioning")."""

NOWHERE = "http://sandbox.invalid" + VERSION
"""The base address without a port; `.invalid` never resolves (RFC 2606)."""


def relative(path: str) -> str:
    """Remove the version segment of a path; under another version nothing is found."""
    return path.removeprefix(VERSION) if path.startswith(VERSION + "/") else "/"


class HttpRequest(Struct, frozen=True):
    """One request, its path relative to the base address."""

    method: str
    path: str
    """`/packages`, percent-decoded, without the version segment."""
    query: str = ""
    """The raw query of the address: `limit=10&state=Ready`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in any case; they are converted to lower case."""
    body: bytes = b""
    base: str = NOWHERE
    """The client's base address; links in answers begin with it."""

    def __post_init__(self) -> None:
        lowered = {name.lower(): value for name, value in self.headers.items()}
        force_setattr(self, "headers", lowered)

    @property
    def parameters(self) -> dict[str, str]:
        """The query's parameters; a repeated one becomes a comma list."""
        values: dict[str, str] = {}
        for name, value in parse_qsl(self.query, keep_blank_values=True):
            values[name] = f"{values[name]},{value}" if name in values else value
        return values


class HttpResponse(Struct, frozen=True):
    """One answer."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def adding(self, headers: Mapping[str, str]) -> "HttpResponse":
        """The answer with more headers; its own ones win."""
        return HttpResponse(self.status, {**headers, **self.headers}, self.body)


def json_answer(
    status: int, document: Any, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    kinds = {"Content-Type": "application/json; charset=utf-8"}
    return HttpResponse(status, {**kinds, **(headers or {})}, orjson.dumps(document))


UNKNOWN_FIELD = "ER400-179"
FIELD_EMPTY = "ER400-9250"
FIELD_MISSING = "ER400-7480"


class ErrorEntry(Struct, frozen=True):
    """One entry of a problem's `errors`."""

    cause: str
    """A header, a parameter or a place in the body."""
    reason: str
    code: str = ""
    """A code of the specification; by default `ER` and the status."""


class RequestRefused(Exception):
    """A request that the service answers with a problem."""

    def __init__(
        self,
        status: int,
        description: str,
        *errors: ErrorEntry,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Refuse with `status`, for all of these errors."""
        super().__init__(description)
        self.status = status
        self.description = description
        self.errors = errors
        self.headers = headers or {}


def bad_request(cause: str, reason: str, code: str = "") -> RequestRefused:
    return RequestRefused(400, reason, ErrorEntry(cause, reason, code))


def not_found(what: str) -> RequestRefused:
    """A 404; `what` names the thing in the service's words."""
    return RequestRefused(404, f"{what} does not exist.")


def problem_answer(refused: RequestRefused, trace_id: str) -> HttpResponse:
    """A refusal as an application/problem+json answer."""
    code = f"ER{refused.status}"
    document = {
        "title": HTTPStatus(refused.status).phrase,
        "description": refused.description,
        "statusCode": refused.status,
        "traceId": trace_id,
        "errors": [
            {"code": error.code or code, "cause": error.cause, "reason": error.reason}
            for error in refused.errors
        ],
    }
    kinds = {"Content-Type": "application/problem+json; charset=utf-8"}
    return json_answer(refused.status, document, {**kinds, **refused.headers})


class Exchange(Struct, frozen=True):
    """An admitted request, and all that its answer may use."""

    request: HttpRequest
    now: datetime
    db: sqlite3.Connection
    settings: SandboxSettings
    seller: str
    """The SellerId; empty on routes that need none."""
    ids: Mapping[str, str]
    """The identifiers in the path, by their names in the route."""
    parameters: Mapping[str, str]


class Route(Struct, frozen=True):
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
        """The identifiers in `path`; None if the path is another route's."""
        match = _pattern(self.path).fullmatch(path)
        return match and match.groupdict()


@cache
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


class Part(Protocol):
    """A part of the service."""

    @property
    def TABLES(self) -> str:  # noqa: N802 - a module has it as a constant
        """The part's SQL tables, created when a state is opened."""

    @property
    def ROUTES(self) -> tuple[Route, ...]:  # noqa: N802 - as above
        """The routes that the part answers."""

    def next_due(self, db: sqlite3.Connection, /) -> str | None:
        """The time of the part's next step, as `state.stamp` formats it; it may be long past."""

    def step(self, db: sqlite3.Connection, settings: SandboxSettings, /) -> None:
        """Take the step that was due at `next_due`, as of that time."""


class QuietPart(Struct, frozen=True):
    """A part that does nothing by itself."""

    ROUTES: tuple[Route, ...]
    TABLES: str = ""

    def next_due(self, _: sqlite3.Connection) -> None:
        """None, since nothing is ever due."""

    def step(self, _: sqlite3.Connection, __: SandboxSettings) -> None:
        """Do nothing."""


def find_route(routes: Iterable[Route], method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route of a request: 404 if no path fits, 405 if only the method does not."""
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
