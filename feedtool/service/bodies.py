"""Readers of the body and the links of a success. Pure; every shape is checked, none trusted."""

import json
import re
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from feedtool.model.call import Reply
from feedtool.model.nouns import plausible_time
from feedtool.service.answers import text

DEFAULT_PORTS = {"http": 80, "https": 443}

ROUTE_NAMES = {"", ".", "..", "offer-packages", "offers-packages"}
"""Last segments of an address that are no package id."""

LONGEST_ID = 200
"""No package id of this kind of service is as long, in characters."""

LONGEST_LINK = 8000
"""No address that is longer is followed; servers refuse such themselves."""

MOST_MESSAGES = 100
"""No row has more messages than that."""

MOST_ITEMS = 100_000
"""No page of more is read: the results of a package of the largest size, twice."""

MOST_VALUES = 1_000_000
"""No answer of more is read: as objects they would take some twenty times the bytes of the text."""

SMALL = 1024 * 1024
"""An answer about one package is not read when it is larger, in bytes."""


class Unreadable(Exception):
    """A success whose body or headers do not say what they must."""


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


def id_of(document: dict[str, Any]) -> str | None:
    """The `packageId` of a package's document."""
    value = document.get("packageId")
    return _checked_id(text(value)) if isinstance(value, str | int) else None


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


_LINK = re.compile(r'<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)')


_PARAMETER = re.compile(r';\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?')


def next_link(reply: Reply) -> str | None:
    """The address of the next page; Unreadable when that is another origin than the page's.

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


MOST_DIGITS = 18
"""No amount or quantity has more digits before or behind its point."""


_AMOUNT = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


def amount(value: Any) -> Decimal | None:
    """A number, also one that is written as text."""
    if isinstance(value, str):
        return Decimal(value) if _AMOUNT.fullmatch(value) else None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    number = Decimal(value)
    is_sane = number.is_zero() or (
        number.is_finite() and -MOST_DIGITS <= number.adjusted() < MOST_DIGITS
    )
    return number if is_sane else None


def whole(value: Any) -> int | None:
    """A number without a fraction."""
    number = amount(value)
    return int(number) if number is not None and number == number.to_integral_value() else None


def moment(value: Any) -> datetime | None:
    """A date-time in UTC, which it is in where it does not say (part "What the service does").

    None for what is no date-time, or is not plausible.
    """
    try:
        return plausible_time(datetime.fromisoformat(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
