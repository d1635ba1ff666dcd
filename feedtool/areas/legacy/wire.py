"""Calls about legacy zips, and their answers. Pure; the shape of every answer is checked.

Specification, part "Legacy offer routes": the answer to a zip is a package id, and GET shows the
package's state and a page of its log. In an entry of the log, `property_list` names wrong
properties by the two halves that form a result code of the JSON packages.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from feedtool.areas.offers.wire.packages import OUTCOMES, STATES
from feedtool.areas.offers.wire.result_codes import legacy_field_of
from feedtool.feeds.delivery import LogEntry, LogPage, Meaning
from feedtool.feeds.package_ref import PackageRef
from feedtool.model.call import CREATED, READ, Call, Reply, language_tag
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import (
    LONGEST_ID,
    MOST_MESSAGES,
    SMALL,
    Unreadable,
    last_segment,
    listed,
    loads,
    spelled,
    text,
)

ROUTE = "offer-integration-packages"
"""The last segment of the route, which is no package's id."""
LEGACY = f"/{ROUTE}"
IDS = ("package_id", "packageId")
LOCATIONS = ("content-location", "location")
HALF = 2
"""The most digits of a property's code, and of an error's code."""
MOST_DIGITS = 18
"""The most digits of a count."""


def zip_id(reply: Reply) -> str:
    """Return the id in the answer to a zip, from its body or a location; else raise Unreadable."""
    document = loads(reply.body, SMALL)
    candidates = [document.get(name) for name in IDS] if isinstance(document, dict) else [document]
    locations = (last_segment(reply.headers.get(name, "")) for name in LOCATIONS)
    bodies = (package_id for package_id in map(_word, candidates) if len(package_id) <= LONGEST_ID)
    ids = (*bodies, *(segment for segment in locations if segment != ROUTE))
    if package_id := next(filter(None, ids), None):
        return package_id
    raise Unreadable(tr("the answer to the zip names no package"))


def _word(value: Any) -> str:
    return text(value) if isinstance(value, str | int) else ""


def log_page(reply: Reply) -> LogPage:
    """Return a page of the log. Raises Unreadable without a state or a list of entries."""
    document = loads(reply.body)
    word = document.get("integration_state") if isinstance(document, dict) else ""
    state = spelled(word, STATES)
    if not state:
        raise Unreadable(tr("the answer does not say which state the package is in"))
    log = document.get("offer_log_paged_list")
    items = [] if log is None else listed(log, tr("log entries"))
    of_offers: list[LogEntry] = []
    about_all: list[Message] = []
    for entry in filter(None, map(_entry, items)):
        if entry.reference or entry.gtin:
            of_offers.append(entry)
        else:
            about_all += entry.messages
    total, size, number, errors = (
        _count(document.get(name))
        for name in ("total_logs_count", "count_by_page", "page", "number_of_errors")
    )
    pages = -(-total // size) if total is not None and size else None
    meaning = STATES.get(state, Meaning.UNKNOWN_STATE)
    return LogPage(
        state, meaning, of_offers, tuple(about_all[:MOST_MESSAGES]), pages, number, errors
    )


def _count(value: Any) -> int | None:
    digits = _word(value)
    is_count = digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS
    return int(digits) if is_count else None


def _entry(document: Any) -> LogEntry | None:
    if not isinstance(document, dict):
        return None
    word = text(document.get("offer_integration_status"))
    messages = tuple(islice(_messages(document.get("property_list")), MOST_MESSAGES))
    reference = document.get("seller_product_id")
    reference = reference if isinstance(reference, str) else ""
    status = OUTCOMES.get(word.casefold())
    if status is None:
        unknown = Message("", tr("The service gives this row the status “{status}”.", status=word))
        status, messages = Status.UNKNOWN, (unknown, *messages)
    return LogEntry(reference, _word(document.get("product_ean")), status, messages)


def _messages(listed: Any) -> Iterator[Message]:
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict):
            code = _code(item.get("property_error"), item.get("property_code"))
            message = Message(code, text(item.get("log_message")), legacy_field_of(code) or "")
            if message.code or message.text:
                yield message


def _code(fault: Any, field: Any) -> str:
    """Return the code that the two halves form; a half may lack its leading zero."""
    halves = [_word(fault), _word(field)]
    if all(half.isascii() and half.isdecimal() and len(half) <= HALF for half in halves):
        return "".join(half.zfill(HALF) for half in halves)
    return " ".join(filter(None, halves))


def submit_zip(body: bytes, language: str, media_type: str = "application/zip") -> Call:
    """Return the call that sends a legacy zip: stage and commit in one; `zip_id` reads its answer.

    The body is the zip, or its public address as JSON if the service downloads it.
    """
    headers = (("Accept-Language", language_tag(language)), ("Content-Type", media_type))
    return Call("POST", LEGACY, CREATED, headers=headers, body=body)


def read_log(package: PackageRef) -> Call:
    """Return the call for a legacy zip's state and a page of its log, which `log_page` reads.

    The specification shows no parameters; the parameters here are fields of the answer.
    """
    page, size = package.page, package.page_size
    fields = {"page": str(page) if page > 1 or size else None, "count_by_page": size and str(size)}
    query = tuple((name, value) for name, value in fields.items() if value)
    headers = (("Accept-Language", language_tag(package.language)),)
    target = f"{LEGACY}/{quote(package.package_id, safe='')}"
    return Call("GET", target, READ, query=query, headers=headers, unsure=frozenset(fields))
