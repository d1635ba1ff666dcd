"""What the answers about offer packages say. Pure; every shape is checked, none is trusted.

Specification, parts "Offer package" (the states) and "Offers (JSON packages)" (the routes).
Where it shows no shape, all the forms seen in the field are read.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from feedtool.model.nouns import Message, Status
from feedtool.service.answers import text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from feedtool.service.wire import Reply

DEFAULT_PORTS = {"http": 80, "https": 443}
ROUTE_NAMES = {"", ".", "..", "offer-packages", "offers-packages"}
"""Last segments of an address that are no package id."""


LONGEST_ID = 200
"""No package id of this kind of service is as long, in characters."""

LONGEST_LINK = 8000
"""No address that is longer is followed; servers refuse such themselves."""

MOST_MESSAGES = 100
"""No row is told more messages than that."""

MOST_ITEMS = 100_000
"""No page of more is read: the results of a package of the largest size, twice."""

MOST_VALUES = 1_000_000
"""No answer of more is read: as objects they would take some twenty times the bytes of the text."""

SMALL = 1024 * 1024
"""An answer about one package is not read when it is larger, in bytes."""


class Unreadable(Exception):
    """A success whose body or headers do not say what they must."""


class Meaning(StrEnum):
    """What a package's state means for us."""

    OPEN = "open"
    """Uploads and the PATCH are taken."""
    WORKING = "working"
    """Committed; the service goes on by itself."""
    INTEGRATED = "integrated"
    """Final: the results are readable."""
    REJECTED = "rejected"
    """Final: refused as a whole, a message gives the reason."""
    UNHEARD = "unheard of"
    """A state that the specification does not have: not yet, as far as we know."""


STATES = {
    "WaitingForCompletion": Meaning.OPEN,
    "Ready": Meaning.WORKING,
    "IntegrationPending": Meaning.WORKING,
    "Integrated": Meaning.INTEGRATED,
    "Rejected": Meaning.REJECTED,
}
"""The specification's table of package states."""

OUTCOMES = {
    "integrated": Status.INTEGRATED,
    "rejected": Status.REJECTED,
    "duplicated": Status.DUPLICATED,
}
"""The three values of integrationStatus, without their case."""


class PackageView(NamedTuple):
    """A package as GET shows it."""

    state: str
    meaning: Meaning
    messages: tuple[Message, ...] = ()
    """Why a Rejected package was refused."""


class RowResult(NamedTuple):
    """What became of one offer request, by its reference."""

    reference: str
    status: Status
    messages: tuple[Message, ...]


class ResultsPage(NamedTuple):
    """One page of a package's results."""

    results: list[RowResult]
    next: str | None
    """The address of the page after this one, of the same origin."""
    strange: int
    """Items without a reference or a status: they are no result of any row."""


def package_id(reply: Reply) -> str:
    """The id that a creation's answer carries; Unreadable when it carries none.

    From Content-Location in any form (absolute, relative, a bare id), else from Location, else
    from `packageId` in a body: the first of these that holds one.
    """
    for name in ("content-location", "location"):
        if segment := last_segment(reply.headers.get(name, "")):
            return segment
    document = loads(reply.body, SMALL)
    found = id_of(document) if isinstance(document, dict) else None
    if found is None:
        raise Unreadable("the answer to the creation names no package")
    return found


def id_of(document: dict[str, Any]) -> str | None:
    """The `packageId` of a package's document."""
    found = document.get("packageId")
    return _checked_id(text(found)) if isinstance(found, str | int) else None


def _checked_id(found: str) -> str | None:
    is_id = found not in ROUTE_NAMES and found.isprintable() and len(found) <= LONGEST_ID
    return found if is_id else None


def last_segment(address: str) -> str:
    """The last segment of an address's path, or "" when that is a route's name or nothing."""
    try:
        path = urlsplit(address).path if "//" in address else re.split("[?#]", address)[0]
    except ValueError:
        return ""
    return _checked_id(unquote(path.strip().rstrip("/").rpartition("/")[2])) or ""


def package_view(reply: Reply) -> PackageView:
    """How far a package is; Unreadable when the body is no object with a `state`."""
    document = loads(reply.body, SMALL)
    if not isinstance(document, dict) or not (state := text(document.get("state"))):
        raise Unreadable("the answer does not say which state the package is in")
    meaning = STATES.get(state, Meaning.UNHEARD)
    return PackageView(state, meaning, tuple(_messages(document, ("result", *MESSAGES))))


def results_page(reply: Reply) -> ResultsPage:
    """A page of results; Unreadable when the body is no list of items, or its link leads away."""
    items = items_of(reply, "results")
    results = [found for item in items if (found := _result(item))]
    return ResultsPage(results, next_link(reply), len(items) - len(results))


def _result(item: Any) -> RowResult | None:
    if not isinstance(item, dict):
        return None
    # The reference is kept character for character: it is what the row is found by.
    reference, said = item.get("sellerExternalReference"), text(item.get("integrationStatus"))
    if not isinstance(reference, str) or not _is_text(reference) or not said:
        return None
    messages = tuple(_messages(item, MESSAGES))
    status = OUTCOMES.get(said.casefold())
    if status is None:
        told = Message("", f"The service gives this row the status “{said}”.")
        return RowResult(reference, Status.UNKNOWN, (told, *messages))
    return RowResult(reference, status, messages)


_HALF = re.compile("[\ud800-\udfff]")


def _is_text(value: str) -> bool:
    """Whether a value can be any row's: JSON can hold half characters, which no text can."""
    return bool(value) and "\0" not in value and (value.isascii() or not _HALF.search(value))


MESSAGES = ("results", "messages")
"""Where messages are: the specification says "list of messages" without naming the field."""


def _messages(document: dict[str, Any], names: tuple[str, ...]) -> Iterator[Message]:
    return islice(_all_messages(document, names), MOST_MESSAGES)


def _all_messages(document: dict[str, Any], names: tuple[str, ...]) -> Iterator[Message]:
    for name in names:
        value = document.get(name)
        for entry in value if isinstance(value, list) else [value]:
            if isinstance(entry, dict):
                found = Message(text(entry.get("resultCode")), text(entry.get("message")))
                if found.code or found.text:
                    yield found


# Links: RFC 8288, as far as the service uses it.

_LINK = re.compile(r'<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?')


def next_link(reply: Reply) -> str | None:
    """Where the page after this one is; Unreadable when that is another origin than the page's.

    A token is never sent to another origin, and pages left out unseen would lose results.
    """
    for target, parameters in _LINK.findall(reply.headers.get("link", "")):
        relations = {
            relation.casefold()
            for name, quoted, bare in _PARAMETER.findall(parameters)
            if name.casefold() == "rel"
            for relation in (quoted or bare).split()
        }
        if "next" in relations:
            return _same_origin(target.strip(), reply.url)
    return None


def _same_origin(target: str, page: str) -> str:
    try:
        address = urljoin(page, target)
        same = origin(address) == origin(page) and urlsplit(address).username is None
    except ValueError as error:
        raise Unreadable(f"the link to the next page is no address: {text(target)}") from error
    if not same:
        host = text(urlsplit(address).hostname)
        raise Unreadable(f"the link to the next page leads to another host: {host}")
    if address == page or len(address) > LONGEST_LINK:
        raise Unreadable("the link to the next page leads nowhere")
    return address


def origin(address: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address; ValueError for what is none."""
    parts = urlsplit(address)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or DEFAULT_PORTS.get(scheme)


def items_of(reply: Reply, what: str) -> list[Any]:
    """A page's items, in the wrapper or bare; Unreadable where there is no list of them."""
    document = loads(reply.body)
    return listed(document.get("items") if isinstance(document, dict) else document, what)


def listed(items: Any, what: str) -> list[Any]:
    """The same list; Unreadable where it is none, or too long."""
    if not isinstance(items, list):
        raise Unreadable(f"the answer holds no list of {what}")
    if len(items) > MOST_ITEMS:
        raise Unreadable(f"the answer lists {len(items):,} {what}; the most is {MOST_ITEMS:,}")
    return items


def loads(body: bytes, largest: int | None = None) -> Any:
    """The JSON of a body, None for an empty one; fractions are Decimal.

    Raises:
        Unreadable: it is no JSON, longer than `largest` bytes, or holds too many values.
    """
    if largest is not None and len(body) > largest:
        raise Unreadable(f"the answer is longer than {largest} bytes")
    if body.count(b",") > MOST_VALUES:  # a comma stands between any two
        raise Unreadable(f"the answer holds more than {MOST_VALUES:,} values")
    try:
        return json.loads(body, parse_float=Decimal) if body else None
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise Unreadable("the answer is no JSON") from error
