"""Read the headers, parameters, page and body of a request, and the texts for answers."""

import re
import sqlite3
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

import jsonschema_rs
import orjson
from msgspec import Struct

from feedtool.sandbox.exchange import (
    FIELD_EMPTY,
    FIELD_MISSING,
    ErrorEntry,
    Exchange,
    HttpRequest,
    HttpResponse,
    RequestRefused,
    SandboxSettings,
    bad_request,
    json_answer,
)
from feedtool.sandbox.state import stamp

LANGUAGES = ("en-US", "fr-FR", "es-ES")
"""The languages of the service."""

BY_PRIMARY_TAG = {language.partition("-")[0]: language for language in LANGUAGES}


def required_header(request: HttpRequest, name: str) -> str:
    """The header's value; 400 ER400-9250 if it is missing or blank."""
    value = request.headers.get(name.lower(), "").strip()
    if not value:
        raise bad_request(name, f"The header {name} is null or empty.", FIELD_EMPTY)
    return value


def asked(exchange: Exchange, name: str) -> str | None:
    """The query parameter's value or comma list, None if it was not sent.

    A blank value, or a blank entry of a list, is 400 ER400-9250: without it, an intended filter
    would let everything through.
    """
    text = exchange.parameters.get(name)
    if text is not None and not all(entry.strip() for entry in text.split(",")):
        raise bad_request(name, f"{name} is null or empty.", FIELD_EMPTY)
    return text


# RFC 3339 date-time; without an offset it is UTC (part "What the service does").
DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII | re.IGNORECASE
)


def moment_stamp(name: str, text: str) -> str:
    """A parameter's date-time in the form of `state.stamp`; 400 for another text."""
    if DATE_TIME.fullmatch(text):
        with suppress(ValueError, OverflowError):  # no such day, or a year that UTC does not have
            moment = datetime.fromisoformat(text.upper())
            return stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    raise bad_request(name, f"{name} must be an RFC 3339 date-time.")


def known_channel(channel: str, cause: str, settings: SandboxSettings) -> str:
    """The channel; 400 if the service has no such sales channel."""
    if channel not in settings.channels:
        raise bad_request(cause, f"The sales channel {channel!r} does not exist.")
    return channel


def language_of(request: HttpRequest, default: str = LANGUAGES[0]) -> str:
    """The language of the answer: one of Accept-Language, or else the default."""
    accepted = request.headers.get("accept-language", "")
    for tag in sorted(accepted.split(","), key=_weight, reverse=True):
        primary = tag.partition(";")[0].strip().partition("-")[0].lower()
        if primary in BY_PRIMARY_TAG:
            return BY_PRIMARY_TAG[primary]
    return default


def _weight(tag: str) -> float:
    """A language tag's q-value (RFC 9110, 12.5.4); sorting keeps the order of equals."""
    _, _, weight = tag.partition(";q=")
    try:
        return float(weight or 1)
    except ValueError:
        return 0.0


LIMIT = 100
PAGE_SIZE = 25
HIGHEST = 1000

Item = TypeVar("Item")


class CursorPage(NamedTuple):
    """The requested rows of a list."""

    limit: int
    after: int
    """The row number after which the page begins."""


def asked_page(exchange: Exchange) -> CursorPage:
    """The page of `limit` and `cursor`; invalid values are 400 ("Errors", rule 1).

    Without a check by the route no limit is too high, but no page is longer than HIGHEST.
    """
    cursor = exchange.parameters.get("cursor", "after-0")
    if not (after := re.fullmatch(r"after-([0-9]{1,18})", cursor)):
        raise bad_request("cursor", "cursor is not one that a Link header gave.")
    return CursorPage(min(asked_number(exchange, "limit", LIMIT), HIGHEST), int(after[1]))


def page_answer(
    exchange: Exchange,
    page: CursorPage,
    rows: Sequence[sqlite3.Row],
    show: Callable[[sqlite3.Row], Any],
) -> HttpResponse:
    """Show at most `page.limit` rows; one more in `rows` means that there is a next page.

    Each row's number, by which cursors name it, is its column `id`.
    """
    shown = rows[: page.limit]
    document = {"itemsPerPage": page.limit, "items": [show(row) for row in shown]}
    more = len(rows) > page.limit
    link = _link(exchange, "cursor", f"after-{shown[-1]['id']}") if more else None
    return json_answer(200, document, link)


def _link(exchange: Exchange, name: str, value: object) -> dict[str, str]:
    """The Link header of the same query with another value of `name`."""
    query = urlencode({**exchange.parameters, name: value})
    return {"Link": f'<{exchange.request.base}{exchange.request.path}?{query}>; rel="next"'}


class NumberedPage(Struct, frozen=True):
    """A page by its number."""

    index: int
    """From 1."""
    size: int

    @property
    def start(self) -> int:
        return (self.index - 1) * self.size

    def of(self, items: Sequence[Item]) -> Sequence[Item]:
        """The items on this page; none after the last page."""
        return items[self.start : self.start + self.size]


def asked_numbered_page(exchange: Exchange) -> NumberedPage:
    """The page of `pageIndex` and `pageSize`; invalid values are 400 ("Errors", rule 1).

    A highest size is not documented; no page is ever longer than HIGHEST.
    """
    size = asked_number(exchange, "pageSize", PAGE_SIZE)
    return NumberedPage(asked_number(exchange, "pageIndex", 1), min(size, HIGHEST))


def asked_number(exchange: Exchange, name: str, default: int) -> int:
    """The number of a parameter, from 1; anything else is 400 ("Errors", rule 1)."""
    text = exchange.parameters.get(name, str(default))
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) == 0:
        raise bad_request(name, f"{name} must be a number from 1.")
    return int(text)


def next_page_link(exchange: Exchange, page: NumberedPage, total: int) -> dict[str, str]:
    """The Link header to the next page; empty after the last."""
    if page.start + page.size >= total:
        return {}
    return _link(exchange, "pageIndex", page.index + 1)


DRAFT = "https://json-schema.org/draft/2020-12/schema"
FILLED = {"type": "string", "minLength": 1}
TEXT = {"type": ["string", "null"]}
NUMBER = {"type": ["number", "null"]}
WHOLE = {"type": ["integer", "null"]}


def record(**properties: Any) -> dict[str, Any]:
    """The schema of an object or null, which may have other fields too."""
    return {"type": ["object", "null"], "properties": properties}


def records(**properties: Any) -> dict[str, Any]:
    """The schema of a list of such objects, or null."""
    return {"type": ["array", "null"], "items": {"type": "object", "properties": properties}}


def json_body(request: HttpRequest) -> Any:
    """The body as a document: 415 for a media type other than JSON, 400 for malformed JSON."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestRefused(
            415, f"The media type {kind!r} is not supported; send application/json."
        )
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError as error:
        raise bad_request("body", f"The body is not well-formed JSON: {error}") from error


def chosen(request: HttpRequest, name: str, values: Collection[str]) -> str:
    """The body's field, which must be one of these values, in the same case; else 400."""
    document = json_body(request)
    if not isinstance(document, dict):
        raise bad_request("body", "The body must be a JSON object.")
    if name not in document:
        raise bad_request(name, f"{name} is required.", FIELD_MISSING)
    value = document[name]
    if value is None or value == "":
        raise bad_request(name, f"{name} is null or empty.", FIELD_EMPTY)
    if not isinstance(value, str) or value not in values:
        raise bad_request(name, f"{name} must be one of {', '.join(values)}.")
    return value


def check_structure(
    validator: jsonschema_rs.Draft202012Validator, document: Any, what: str
) -> None:
    """Refuse a document of another structure, naming every wrong place."""
    if not validator.is_valid(document):
        errors = [
            ErrorEntry(_place(error), error.message, _code(error))
            for error in validator.iter_errors(document)
        ]
        raise RequestRefused(400, f"The body is not {what}.", *errors)


def _code(error: jsonschema_rs.ValidationError) -> str:
    """ER400-7480 for a missing value, ER400-9250 for null or empty (part "Errors")."""
    if error.schema_path[-1] == "required":
        return FIELD_MISSING
    is_empty = error.instance is None or error.schema_path[-1] == "minItems"
    return FIELD_EMPTY if is_empty else ""


def _place(error: jsonschema_rs.ValidationError) -> str:
    """The place of an error, as `[3].price.taxes[0].value`; missing values have a place too."""
    missing = getattr(error.kind, "property", None)
    path = error.instance_path if missing is None else [*error.instance_path, missing]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(steps).lstrip(".") or "body"


@cache
def texts(package: str, language: str) -> Mapping[str, str]:
    """The texts by code, from `en.toml`, `fr.toml` and so on in the (dotted) package."""
    file = files(package).joinpath(f"{language.partition('-')[0]}.toml")
    return tomllib.loads(file.read_text("utf-8"))
