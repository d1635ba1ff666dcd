"""Refusals: part "Errors" of the specification.

A route raises `RequestRefused`; the core answers it as `application/problem+json`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from feedtool.sandbox.message import HttpResponse

TITLES = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    415: "Unsupported Media Type",
    429: "Too Many Requests",
    500: "Internal Server Error",
}

UNKNOWN_FIELD = "ER400-179"
FIELD_EMPTY = "ER400-9250"
FIELD_MISSING = "ER400-7480"


@dataclass(frozen=True, slots=True)
class ErrorEntry:
    """One entry of a problem's `errors`."""

    cause: str
    """A header, a parameter or a place in the body."""
    reason: str
    code: str = ""
    """One of the codes that the specification names; else `ER` and the status."""


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
    """A 400 about one thing."""
    return RequestRefused(400, reason, ErrorEntry(cause, reason, code))


def not_found(what: str) -> RequestRefused:
    """A 404; `what` names the thing in the service's words."""
    return RequestRefused(404, f"{what} does not exist.")


def problem_answer(refused: RequestRefused, trace_id: str) -> HttpResponse:
    """The refusal as an application/problem+json answer."""
    code = f"ER{refused.status}"
    document = {
        "title": TITLES[refused.status],
        "description": refused.description,
        "statusCode": refused.status,
        "traceId": trace_id,
        "errors": [
            {"code": error.code or code, "cause": error.cause, "reason": error.reason}
            for error in refused.errors
        ],
    }
    kinds = {"Content-Type": "application/problem+json; charset=utf-8"}
    return HttpResponse(refused.status, {**kinds, **refused.headers}, orjson.dumps(document))


def trace_of(*parts: str) -> str:
    """An identifier to quote, the same for the same request at the same time."""
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:32]
