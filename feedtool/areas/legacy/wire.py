"""What the answers about legacy zips say. Pure; every shape is checked, none is trusted.

Specification, part "Legacy offer routes": the answer to a zip is a package id, and GET shows the
package's state and a page of its log. An entry of the log says in `property_list` what is wrong
with which property, in the two halves that a result code of the JSON packages is made of.
"""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import quote

from feedtool.areas.offers.wire.packages import OUTCOMES, STATES
from feedtool.areas.offers.wire.result_codes import legacy_field_of
from feedtool.feeds.answers import LogEntry, LogPage, Meaning
from feedtool.model.call import CREATED, READ, Call, Reply, language_tag
from feedtool.model.nouns import Message, Status
from feedtool.service.answers import text
from feedtool.service.bodies import (
    LONGEST_ID,
    MOST_MESSAGES,
    SMALL,
    Unreadable,
    last_segment,
    listed,
    loads,
)

ROUTE = "offer-integration-packages"
"""The last segment of an address that is no package's id."""
IDS = ("package_id", "packageId")
LOCATIONS = ("content-location", "location")
HALF = 2
"""Digits of a property's code, and of an error's."""


def zip_id(reply: Reply) -> str:
    """The id that the answer to a zip carries: in a body, bare or named, else in a location.

    Raises:
        Unreadable: it carries none.
    """
    document = loads(reply.body, SMALL)
    named = [document.get(name) for name in IDS] if isinstance(document, dict) else [document]
    locations = (last_segment(reply.headers.get(name, "")) for name in LOCATIONS)
    for found in (*map(_id, named), *(one for one in locations if one != ROUTE)):
        if found:
            return found
    raise Unreadable("the answer to the zip names no package")


def _id(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    found = text(value)
    return found if found.isprintable() and len(found) <= LONGEST_ID else ""


def log_page(reply: Reply) -> LogPage:
    """A page of the log.

    Raises:
        Unreadable: it says no state, or has no list, or a too long one, where its entries should
            be.
    """
    document = loads(reply.body)
    state = text(document.get("integration_state")) if isinstance(document, dict) else ""
    if not state:
        raise Unreadable("the answer does not say which state the package is in")
    found = document.get("offer_log_paged_list")
    items = [] if found is None else listed(found, "log entries")
    entries = [entry for item in items if (entry := _entry(item))]
    named = [entry for entry in entries if entry.reference or entry.gtin]
    about_all = (
        message
        for entry in entries
        if not (entry.reference or entry.gtin)
        for message in entry.messages
    )
    return LogPage(
        state,
        STATES.get(state, Meaning.UNHEARD),
        named,
        tuple(islice(about_all, MOST_MESSAGES)),
        _pages(document),
    )


def _pages(document: dict[str, Any]) -> int | None:
    total, size = (_count(document.get(name)) for name in ("total_logs_count", "count_by_page"))
    return -(-total // size) if total is not None and size else None


def _count(value: Any) -> int | None:
    found = text(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return int(found) if found.isascii() and found.isdecimal() and len(found) <= HALF * 9 else None


def _entry(document: Any) -> LogEntry | None:
    if not isinstance(document, dict):
        return None
    said = text(document.get("offer_integration_status"))
    messages = tuple(islice(_messages(document.get("property_list")), MOST_MESSAGES))
    reference, gtin = document.get("seller_product_id"), document.get("product_ean")
    reference = reference if isinstance(reference, str) else ""
    status = OUTCOMES.get(said.casefold())
    if status is None:
        told = Message("", f"The service gives this row the status “{said}”.")
        status, messages = Status.UNKNOWN, (told, *messages)
    return LogEntry(reference, text(gtin) if isinstance(gtin, str | int) else "", status, messages)


def _messages(listed: Any) -> Iterator[Message]:
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict):
            code = _code(one.get("property_error"), one.get("property_code"))
            said = Message(code, text(one.get("log_message")), legacy_field_of(code) or "")
            if said.code or said.text:
                yield said


def _code(error: Any, about: Any) -> str:
    """The code that the two halves make; a half may have lost its leading zero."""
    halves = [text(half) if isinstance(half, str | int) else "" for half in (error, about)]
    if all(half.isascii() and half.isdecimal() and len(half) <= HALF for half in halves):
        return "".join(half.zfill(HALF) for half in halves)
    return " ".join(filter(None, halves))


# Calls.


LEGACY = "/offer-integration-packages"


def submit_zip(body: bytes, language: str) -> Call:
    """Send a legacy zip: stage and commit in one. The answer carries its id (`legacy.zip_id`)."""
    return _legacy("application/zip", body, language)


def submit_zip_address(address: str, language: str) -> Call:
    """The same by the zip's public address, for a service that fetches it from there."""
    return _legacy("application/json", json.dumps(address).encode(), language)


def _legacy(kind: str, body: bytes, language: str) -> Call:
    headers = (("Accept-Language", language_tag(language)), ("Content-Type", kind))
    return Call("POST", LEGACY, CREATED, headers=headers, body=body)


def read_log(package_id: str, page: int, language: str, size: int | None = None) -> Call:
    """How far a legacy zip is, and a page of its log; the answer is read by `legacy.log_page`.

    The specification shows no parameters; those that are asked for here are the answer's own
    fields. `page` is 1-based; `size` is how many entries a page is asked for.
    """
    asked = {"page": str(page) if page > 1 or size else None, "count_by_page": size and str(size)}
    query = tuple((name, value) for name, value in asked.items() if value)
    headers = (("Accept-Language", language_tag(language)),)
    target = f"{LEGACY}/{quote(package_id, safe='')}"
    return Call("GET", target, READ, query=query, headers=headers)
