"""The sandbox's requests and responses: plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import orjson

VERSION = "/v2"
"""The version segment that ends every base address (part "Versioning")."""

NOWHERE = "http://sandbox.invalid" + VERSION
"""The base address where there is no port; `.invalid` never resolves (RFC 2606)."""


def relative(path: str) -> str:
    """The path without the version segment; under another version nothing is found."""
    return path.removeprefix(VERSION) if path.startswith(VERSION + "/") else "/"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request, its path relative to the base address."""

    method: str
    path: str
    """`/packages`, percent-decoded, without the version segment."""
    query: str = ""
    """As it stands in the address: `limit=10&state=Ready`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Names in any case; they are kept in lower case."""
    body: bytes = b""
    base: str = NOWHERE
    """The base address that the client knows; links in answers begin with it."""

    def __post_init__(self) -> None:
        lowered = {name.lower(): value for name, value in self.headers.items()}
        object.__setattr__(self, "headers", lowered)

    @property
    def parameters(self) -> dict[str, str]:
        """The query's parameters; one given several times counts as a comma list."""
        found: dict[str, str] = {}
        for name, value in parse_qsl(self.query, keep_blank_values=True):
            found[name] = f"{found[name]},{value}" if name in found else value
        return found


@dataclass(frozen=True, slots=True)
class HttpResponse:
    """One answer."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    def adding(self, headers: Mapping[str, str]) -> "HttpResponse":
        """The same answer with more headers; the ones that it has already win."""
        return HttpResponse(self.status, {**headers, **self.headers}, self.body)


def json_answer(
    status: int, document: Any, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """An answer whose body is `document` as JSON."""
    kinds = {"Content-Type": "application/json; charset=utf-8"}
    return HttpResponse(status, {**kinds, **(headers or {})}, orjson.dumps(document))
