"""The meaning of an answer for the call that it answers, and readers of its body. Pure.

Nothing in the service has an idempotency key, so an answer is of one of six `AnswerKind`s.
The specification's part "Errors" names 200, 201, 204, 400, 401, 403, 404, 409, 415, 429 and 500;
what gateways add to them is sorted by whether it proves that nothing took effect. Of a body every
shape is checked, and none trusted.
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
"""No message of the service's is shown at greater length, in characters."""
MOST_ERRORS = 100
"""No refusal tells more errors: as many as an upload has offer requests."""
LONGEST_WAIT = 86_400.0
"""A Retry-After of more seconds counts as a day: whoever comes back can be asked to wait again."""
LARGEST_REFUSAL = 1024 * 1024
"""Of a refusal of more bytes only the status is shown."""


class AnswerKind(StrEnum):
    """The effect of a call, as far as it is known."""

    DONE = "done"  # it took effect, and what its answer carries was read
    REFUSED = tr("refused")  # it took no effect, and will not when repeated as it is
    WAIT = tr("wait")  # it took no effect, and is to be repeated later (429)
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
"""Statuses that mean something of their own; another 4xx is a refusal, all else unknown."""


def kind_of(call: Call, reply: Reply) -> AnswerKind:
    """The kind of an answer by its status alone."""
    if reply.status in call.success:
        return AnswerKind.DONE
    is_refused = reply.status in range(400, 500)
    return BY_STATUS.get(reply.status, AnswerKind.REFUSED if is_refused else AnswerKind.UNKNOWN)


class Refusal(Struct, frozen=True):
    """An `application/problem+json` body as far as it could be read (part "Errors")."""

    status: int
    title: str = ""
    description: str = ""
    errors: tuple[str, ...] = ()  # each `code cause: reason`
    causes: frozenset[str] = frozenset()  # the fields, headers or parameters that the errors name
    trace_id: str = ""  # for the service's support
    code: str = ""  # the first error's code

    @property
    def text(self) -> str:
        """All of it on one line, for the user."""
        repeated = any(error.endswith(self.description) for error in self.errors)
        parts = [self.title, "" if repeated else self.description, *self.errors]
        text = ". ".join(dict.fromkeys(part.rstrip(". ") for part in parts if part.strip(". ")))
        values = {"text": text or tr("no reason given"), "status": self.status}
        if self.trace_id:
            return tr("{text} (HTTP {status}) [traceId {trace}]", trace=self.trace_id, **values)
        return tr("{text} (HTTP {status})", **values)


def refusal(reply: Reply) -> Refusal:
    """The refusal that an answer holds; never fails, whatever the body holds."""
    document = json_object(reply.body) if len(reply.body) <= LARGEST_REFUSAL else {}
    entries = _errors_of(document.get("errors"))
    return Refusal(
        status=reply.status,
        title=text(document.get("title")),
        description=text(document.get("description") or document.get("detail")),
        errors=tuple(filter(None, map(_error, entries))),
        causes=frozenset(text(entry.get("cause")) for entry in entries),
        trace_id=text(document.get("traceId")),
        code=text(entries[0].get("code")) if entries else "",
    )


def _errors_of(errors: object) -> list[dict[str, Any]]:
    """The errors as `{code, cause, reason}`; some routes list the reasons by field."""
    if isinstance(errors, dict):
        errors = [
            {"cause": field, "reason": reason}
            for field, reasons in list(errors.items())[:MOST_ERRORS]
            for reason in (reasons if isinstance(reasons, list) else [reasons])
        ]
    listed = errors[:MOST_ERRORS] if isinstance(errors, list) else []
    return [entry for entry in listed if isinstance(entry, dict)]


def _error(entry: dict[str, Any]) -> str:
    """`{code, cause, reason}` on one line, whichever of them there are."""
    where = " ".join(filter(None, (text(entry.get("code")), text(entry.get("cause")))))
    return ": ".join(filter(None, (where, text(entry.get("reason")))))


def retry_after(reply: Reply, now: datetime) -> float | None:
    """The seconds that the service asks us to wait, at most LONGEST_WAIT; None if it does not say.

    Both forms of RFC 9110, 10.2.3. A date is by the service's clock, as the answer's own Date is.
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
    """The service's own clock at the answer: its Date header; None where that is no time."""
    return http_date(reply.headers.get("date", ""))


def http_date(value: str) -> datetime | None:
    """An HTTP date in UTC; None for what is no date, or is not plausible."""
    try:
        time = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    # The parser takes the year 0001 for 2001.
    return plausible_time(time) if str(time.year) in value else None


def text(value: object) -> str:
    """A string or number of the service's as one line of bounded length; "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return ""
    shown = str(value)[:LONGEST_TEXT]
    if not shown.isprintable():
        shown = "".join(c if c.isprintable() else " " for c in shown)
    return " ".join(shown.split())


def spelled(value: object, words: Iterable[str]) -> str:
    """A text of the service's, as one of these words has it where its case alone differs.

    So states are compared without case: all else knows only the specification's spelling.
    """
    word = text(value)
    return next((known for known in words if known.casefold() == word.casefold()), word)


def country(value: object) -> str:
    """The code of a country, for comparison.

    The specification has both GB and UK for one.
    """
    code = text(value)
    return "GB" if code.casefold() == "uk" else code


def json_object(body: bytes) -> dict[str, Any]:
    """The JSON object that a body is; an empty one for any other body."""
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


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

    Unreadable for what is no JSON, longer than `largest` bytes, or holds too many values.
    """
    if largest is not None and len(body) > largest:
        raise Unreadable(tr("the answer is longer than {largest} bytes", largest=largest))
    if body.count(b",") > MOST_VALUES:  # a comma stands between any two
        raise Unreadable(tr("the answer holds more than {most:,} values", most=MOST_VALUES))
    try:
        return json.loads(body, parse_float=Decimal) if body else None
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise Unreadable(tr("the answer is no JSON")) from error


def items_of(reply: Reply, what: str) -> list[Any]:
    """A page's items, in the wrapper or bare; Unreadable where there is no list of them."""
    document = loads(reply.body)
    return listed(document.get("items") if isinstance(document, dict) else document, what)


def listed(items: Any, what: str) -> list[Any]:
    """The same list; Unreadable where it is none, or too long."""
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


def created_id(reply: Reply, collection: str, *names: str) -> str | None:
    """The id that an answer to a POST to a collection carries, where it carries one.

    It is in a header, else under the first of the names that the body has.
    """
    for name in ("content-location", "location"):
        found = last_segment(reply.headers.get(name, ""))
        if found and found != collection.strip("/"):
            return found
    document = json_object(reply.body) if len(reply.body) <= SMALL else {}
    return next(filter(None, (text(document.get(name)) for name in names)), None)


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


def next_call(reply: Reply) -> Call | None:
    """The call for the next page of a list; Unreadable as `next_link`."""
    if link := next_link(reply):
        return Call("GET", link, READ)
    return None


def as_whole(page: Call) -> Call:
    """The call of a list that is read to its end, from its first page on."""
    return replace(page, following=next_link)


def _same_origin(target: str, page: str) -> str:
    try:
        address = urljoin(page, target)
        same = origin(address) == origin(page) and urlsplit(address).username is None
    except ValueError as error:
        raise Unreadable(
            tr("the link to the next page is no address: {address}", address=text(target))
        ) from error
    if not same:
        host = text(urlsplit(address).hostname)
        raise Unreadable(tr("the link to the next page leads to another host: {host}", host=host))
    if address == page or len(address) > LONGEST_LINK:
        raise Unreadable(tr("the link to the next page leads nowhere"))
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
    """A plausible date-time or None; in UTC where it does not say ("What the service does")."""
    try:
        return plausible_time(datetime.fromisoformat(value)) if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def counted(reply: Reply) -> int:
    """The number that an answer is, or its only member that is one; Unreadable without any."""
    document = loads(reply.body, SMALL)
    values = document.values() if isinstance(document, dict) else (document,)
    numbers = [number for value in values if (number := whole(value)) is not None]
    if len(numbers) != 1:
        raise Unreadable(tr("the answer is no count"))
    return numbers[0]
