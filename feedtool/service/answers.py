"""The meaning of an answer for its call, and readers of its body. Pure.

The service has no idempotency keys, so it matters whether a call took effect: an answer is one of
six `AnswerKind`s. The specification's part "Errors" names 200, 201, 204, 400, 401, 403, 404, 409,
415, 429 and 500; other statuses, which gateways add, are sorted by whether they prove that nothing
took effect. Every shape in a body is checked, and none trusted.
"""

import json
import re
from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from feedtool.model.call import READ, Call, Reply
from feedtool.model.nouns import plausible_time
from feedtool.model.text import tr

LONGEST_TEXT = 2000
"""Characters of a message of the service that are shown at most."""
MOST_ERRORS = 100
"""Errors of a refusal that are read at most: as many as an upload has offer requests."""
LONGEST_WAIT = 86_400.0
"""A longer Retry-After, in seconds, counts as a day; the service can ask to wait again then."""
LARGEST_REFUSAL = 1024 * 1024
"""A refusal of more bytes shows its status alone."""


class AnswerKind(StrEnum):
    """The known effect of a call."""

    DONE = "done"  # the call took effect, and its answer was read
    REFUSED = tr("refused")  # it took no effect, and would be refused again
    WAIT = tr("wait")  # it took no effect, and has to be repeated later (429)
    AUTH = tr("auth")  # it took no effect: the credential (401) or the right (403) is refused
    UNKNOWN = tr("unknown")  # it may have taken effect
    NOT_SENT = tr("not sent")  # it never left


BY_STATUS = {
    401: AnswerKind.AUTH,
    403: AnswerKind.AUTH,
    408: AnswerKind.UNKNOWN,
    425: AnswerKind.UNKNOWN,
    429: AnswerKind.WAIT,
}
"""Statuses with a meaning of their own; another 4xx is a refusal, any other status unknown."""


def kind_of(call: Call, reply: Reply) -> AnswerKind:
    """Return the kind of an answer by its status alone."""
    if reply.status in call.success:
        return AnswerKind.DONE
    is_refused = reply.status in range(400, 500)
    return BY_STATUS.get(reply.status, AnswerKind.REFUSED if is_refused else AnswerKind.UNKNOWN)


class Refusal(Struct, frozen=True):
    """The readable parts of an `application/problem+json` body (part "Errors")."""

    status: int
    title: str = ""
    description: str = ""
    errors: tuple[str, ...] = ()  # each `code cause: reason`
    causes: frozenset[str] = frozenset()  # the fields, headers or parameters that the errors name
    trace_id: str = ""  # for the service's support
    code: str = ""  # the first error's code

    @property
    def text(self) -> str:
        """Return the refusal on one line, for the user."""
        repeated = any(error.endswith(self.description) for error in self.errors)
        parts = [self.title, "" if repeated else self.description, *self.errors]
        text = ". ".join(dict.fromkeys(part.rstrip(". ") for part in parts if part.strip(". ")))
        values = {"text": text or tr("no reason given"), "status": self.status}
        if self.trace_id:
            return tr("{text} (HTTP {status}) [traceId {trace}]", trace=self.trace_id, **values)
        return tr("{text} (HTTP {status})", **values)


def refusal(reply: Reply) -> Refusal:
    """Return the refusal that an answer holds; no body makes this fail."""
    document = json_object(reply.body) if len(reply.body) <= LARGEST_REFUSAL else {}
    entries = _errors_of(document.get("errors"))
    return Refusal(
        status=reply.status,
        title=text(document.get("title")),
        description=text(document.get("description") or document.get("detail")),
        errors=tuple(filter(None, map(_error_text, entries))),
        causes=frozenset(text(entry.get("cause")) for entry in entries),
        trace_id=text(document.get("traceId")),
        code=text(entries[0].get("code")) if entries else "",
    )


def _errors_of(errors: object) -> list[dict[str, Any]]:
    """Return the errors as `{code, cause, reason}`; some routes list the reasons by field."""
    if isinstance(errors, dict):
        errors = [
            {"cause": field, "reason": reason}
            for field, reasons in list(errors.items())[:MOST_ERRORS]
            for reason in (reasons if isinstance(reasons, list) else [reasons])
        ]
    listed = errors[:MOST_ERRORS] if isinstance(errors, list) else []
    return [entry for entry in listed if isinstance(entry, dict)]


def _error_text(entry: dict[str, Any]) -> str:
    """Return "code cause: reason", without the missing parts."""
    place = " ".join(filter(None, (text(entry.get("code")), text(entry.get("cause")))))
    return ": ".join(filter(None, (place, text(entry.get("reason")))))


def retry_after(reply: Reply, now: datetime) -> float | None:
    """Return the seconds of a Retry-After, at most LONGEST_WAIT, or None.

    Both forms of RFC 9110, 10.2.3. A date is compared with the answer's Date, which is of the
    same clock.
    """
    value = reply.headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return min(LONGEST_WAIT, float(value[:9]))
    until = http_date(value)
    if until is None:
        return None
    wait = (until - (service_time(reply) or now)).total_seconds()
    return min(LONGEST_WAIT, max(0.0, wait))


def service_time(reply: Reply) -> datetime | None:
    """Return the time of the answer by the service's clock, its Date header, or None."""
    return http_date(reply.headers.get("date", ""))


def http_date(value: str) -> datetime | None:
    """Return an HTTP date in UTC; None if it is no date, or not plausible."""
    try:
        time = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    # The parser reads the year 0001 as 2001.
    return plausible_time(time) if str(time.year) in value else None


def text(value: object) -> str:
    """Return a string or number of the service as one line of bounded length, else ""."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return ""
    shown = str(value)[:LONGEST_TEXT]
    if not shown.isprintable():
        shown = "".join(character if character.isprintable() else " " for character in shown)
    return " ".join(shown.split())


def spelled(value: object, words: Iterable[str]) -> str:
    """Return the word that equals the service's text apart from case, or else the text.

    So states are compared without case, and all other code uses the specification's spelling.
    """
    word = text(value)
    return next((known for known in words if known.casefold() == word.casefold()), word)


def country(value: object) -> str:
    """Return a country's code for comparison: the specification has both GB and UK for one."""
    code = text(value)
    return "GB" if code.casefold() == "uk" else code


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object of a body, or {} for any other body."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


DEFAULT_PORTS = {"http": 80, "https": 443}

ROUTE_NAMES = {"", ".", "..", "offer-packages", "offers-packages"}
"""Last segments of an address that are no package id."""
LONGEST_ID = 200
"""Characters of a package id at most; the service's are shorter."""
LONGEST_LINK = 8000
"""Characters of a link that is followed at most; servers refuse longer addresses themselves."""
MOST_MESSAGES = 100
"""Messages of a row at most."""
MOST_ITEMS = 100_000
"""Items of a page at most: the results of a package of the largest size, twice."""
MOST_VALUES = 1_000_000
"""Values of an answer at most: as objects they take about twenty times the bytes of the text."""
SMALL = 1024 * 1024
"""Bytes of an answer about one package at most."""


class Unreadable(Exception):
    """The body or the headers of a success lack what they must have."""


def loads(body: bytes, largest: int | None = None) -> Any:
    """Return the JSON value of a body, None for an empty one; fractions are Decimal.

    Unreadable if it is no JSON, longer than `largest` bytes, or has over MOST_VALUES values.
    """
    if largest is not None and len(body) > largest:
        raise Unreadable(tr("the answer is longer than {largest} bytes", largest=largest))
    if body.count(b",") > MOST_VALUES:  # a comma separates any two values
        raise Unreadable(tr("the answer holds more than {most:,} values", most=MOST_VALUES))
    try:
        return json.loads(body, parse_float=Decimal) if body else None
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise Unreadable(tr("the answer is not JSON")) from error


def items_of(reply: Reply, what: str) -> list[Any]:
    """Return a page's items, a list or in `{"items": …}`; Unreadable without such a list."""
    document = loads(reply.body)
    return listed(document.get("items") if isinstance(document, dict) else document, what)


def listed(items: Any, what: str) -> list[Any]:
    """Return the items themselves; Unreadable if they are no list, or too many."""
    if not isinstance(items, list):
        raise Unreadable(tr("the answer holds no list of {what}", what=what))
    if len(items) > MOST_ITEMS:
        raise Unreadable(
            tr(
                "the answer lists {count:,} {what}; the most is {most:,}",
                count=len(items),
                what=what,
                most=MOST_ITEMS,
            )
        )
    return items


def id_of(document: dict[str, Any]) -> str | None:
    value = document.get("packageId")
    return _checked_id(text(value)) if isinstance(value, str | int) else None


def _checked_id(value: str) -> str | None:
    is_id = value not in ROUTE_NAMES and value.isprintable() and len(value) <= LONGEST_ID
    return value if is_id else None


def last_segment(address: str) -> str:
    """Return the last segment of an address's path, or "" for a route's name."""
    try:
        path = urlsplit(address).path if "//" in address else re.split("[?#]", address)[0]
    except ValueError:
        return ""
    return _checked_id(unquote(path.strip().rstrip("/").rpartition("/")[2])) or ""


def created_id(reply: Reply, collection: str, *names: str) -> str | None:
    """Return the new id in an answer to a POST to a collection, or None.

    The id is in a header, or in the first of the members `names` that the body has.
    """
    for name in ("content-location", "location"):
        segment = last_segment(reply.headers.get(name, ""))
        if segment and segment != collection.strip("/"):
            return segment
    document = json_object(reply.body) if len(reply.body) <= SMALL else {}
    return next(filter(None, (text(document.get(name)) for name in names)), None)


_LINK = re.compile(r'<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*")*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]+)))?')


def next_link(reply: Reply) -> str | None:
    """Return the address of the next page, or None; Unreadable if it has another origin.

    A token is never sent to another origin, and pages silently left out would lose results.
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


def next_call(reply: Reply) -> Call | None:
    """Return the call for the next page of a list, or None; raises as `next_link` does."""
    if link := next_link(reply):
        return Call("GET", link, READ)
    return None


def as_whole(page: Call) -> Call:
    return replace(page, following=next_link)


def _same_origin(target: str, page: str) -> str:
    try:
        address = urljoin(page, target)
        is_same = origin(address) == origin(page) and urlsplit(address).username is None
    except ValueError as error:
        raise Unreadable(
            tr("the link to the next page is not an address: {address}", address=text(target))
        ) from error
    if not is_same:
        host = text(urlsplit(address).hostname)
        raise Unreadable(tr("the link to the next page leads to another host: {host}", host=host))
    if address == page or len(address) > LONGEST_LINK:
        raise Unreadable(tr("the link to the next page is not valid"))
    return address


def origin(address: str) -> tuple[str, str, int | None]:
    """Return scheme, host and port of an address; ValueError if it is not an address."""
    parts = urlsplit(address)
    scheme = parts.scheme.lower()
    return scheme, (parts.hostname or "").lower(), parts.port or DEFAULT_PORTS.get(scheme)


MOST_DIGITS = 18
"""Digits of an amount or quantity at most, before and behind its point."""

_AMOUNT = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")


def amount(value: Any) -> Decimal | None:
    """Return a number, also one that is written as text, or None."""
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
    """Return a number without a fraction, or None."""
    number = amount(value)
    return int(number) if number is not None and number == number.to_integral_value() else None


def moment(value: Any) -> datetime | None:
    """Return a plausible date-time or None; UTC without a zone ("What the service does")."""
    try:
        return plausible_time(datetime.fromisoformat(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def counted(reply: Reply) -> int:
    """Return the number of an answer, or its only member that is a number, else Unreadable."""
    document = loads(reply.body, SMALL)
    values = document.values() if isinstance(document, dict) else (document,)
    numbers = [number for value in values if (number := whole(value)) is not None]
    if len(numbers) != 1:
        raise Unreadable(tr("the answer is not a count"))
    return numbers[0]
