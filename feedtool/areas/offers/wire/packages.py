"""Offer packages: calls and answers. The shape of every answer is checked.

Specification, parts "Offer package" (the states) and "Offers (JSON packages)" (the routes). If it
shows no shape, all shapes seen in the field are read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any
from urllib.parse import quote

from feedtool.feeds.delivery import AnswerPage, Meaning, PackageView, RequestResult
from feedtool.model.call import (
    COMMITTED,
    CREATED,
    JSON,
    READ,
    STAGED,
    Call,
    Reply,
    header_value,
    language_tag,
)
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import (
    MOST_MESSAGES,
    SMALL,
    Unreadable,
    id_of,
    items_of,
    last_segment,
    loads,
    next_link,
    spelled,
    text,
)

STATES = {
    "WaitingForCompletion": Meaning.OPEN,
    # An assumption: the specification names no state of a package that has not yet settled.
    "Importing": Meaning.SETTLING,
    "Ready": Meaning.WORKING,
    "IntegrationPending": Meaning.WORKING,
    "Integrated": Meaning.INTEGRATED,
    "Rejected": Meaning.REJECTED,
}
"""Package states of the specification, and an assumed one."""

OUTCOMES = {
    "integrated": Status.INTEGRATED,
    "rejected": Status.REJECTED,
    "duplicated": Status.DUPLICATED,
}
"""The three values of integrationStatus, without their case."""


def package_id(reply: Reply) -> str:
    """Return the id in a creation's answer, or raise Unreadable.

    The sources are Content-Location in any form (absolute, relative, a bare id), then Location,
    then `packageId` in a body.
    """
    for name in ("content-location", "location"):
        if segment := last_segment(reply.headers.get(name, "")):
            return segment
    document = loads(reply.body, SMALL)
    package = id_of(document) if isinstance(document, dict) else None
    if package is None:
        raise Unreadable(tr("the answer to the creation names no package"))
    return package


def meaning_of(state: str) -> Meaning:
    return STATES.get(spelled(state, STATES), Meaning.UNKNOWN_STATE)


def package_view(reply: Reply) -> PackageView:
    """Return the state of a package. Raises Unreadable if the body is no object with a `state`."""
    document = loads(reply.body, SMALL)
    if not isinstance(document, dict) or not (state := spelled(document.get("state"), STATES)):
        raise Unreadable(tr("the answer does not say which state the package is in"))
    messages = tuple(_messages(document, ("result", "message", *MESSAGES)))
    return PackageView(state, meaning_of(state), messages)


def results_page(reply: Reply) -> AnswerPage[RequestResult]:
    """Return a page of results. Raises Unreadable if it is no list, or its link leads away."""
    items = items_of(reply, "results")
    results = [result for item in items if (result := _result(item))]
    return AnswerPage(results, next_link(reply), len(items) - len(results))


_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Characters that JSON can hold but no cell: NUL and halves of surrogate pairs."""


def _result(item: Any) -> RequestResult | None:
    if not isinstance(item, dict):
        return None
    # The reference stays unchanged: it identifies the row.
    reference, outcome = item.get("sellerExternalReference"), text(item.get("integrationStatus"))
    if not isinstance(reference, str) or not reference or _NO_TEXT.search(reference) or not outcome:
        return None
    messages = tuple(_messages(item, MESSAGES))
    status = OUTCOMES.get(outcome.casefold())
    if status is None:
        message = Message(
            "", tr("The service gives this row the status “{status}”.", status=outcome)
        )
        return RequestResult(reference, Status.UNKNOWN, (message, *messages))
    return RequestResult(reference, status, messages)


MESSAGES = ("results", "messages")
"""Fields that hold messages: the specification says "list of messages" without naming the field."""


def _messages(document: dict[str, Any], names: tuple[str, ...]) -> Iterator[Message]:
    values = (document.get(name) for name in names)
    lists = (value if isinstance(value, list) else [value] for value in values)
    entries = (
        entry if isinstance(entry, dict) else {"message": entry}
        for entry in chain.from_iterable(lists)
    )
    messages = (
        Message(text(entry.get("resultCode")), text(entry.get("message"))) for entry in entries
    )
    return islice((message for message in messages if message.code or message.text), MOST_MESSAGES)


# Calls.


def create_package(channel: str, package_type: str, language: str) -> Call:
    """Return the call that opens a package for a channel, a type and a language of messages."""
    headers = (
        ("SalesChannelId", header_value("The sales channel", channel)),
        ("Accept-Language", language_tag(language)),
    )
    body = json.dumps({"packageType": str(package_type)}).encode()
    return Call("POST", "/offer-packages", CREATED, headers=headers + JSON, body=body)


def upload(package_id: str, bodies: Sequence[bytes], shape: str = "array") -> Call:
    """Return the call that stages offer requests, each JSON already; the answer has no body.

    The specification does not show the body; `shape` is `upload_body` of `OfferSettings`.
    """
    array = b"[" + b",".join(bodies) + b"]"
    body = array if shape == "array" else b'{"offerRequests":' + array + b"}"
    return Call("POST", f"{_package(package_id)}/offer-requests", STAGED, headers=JSON, body=body)


def read_package(package_id: str) -> Call:
    return Call("GET", _package(package_id), READ)


def commit(package_id: str) -> Call:
    """Return the call that completes a package, which cannot be undone."""
    body = b'{"state":"Ready"}'
    return Call("PATCH", _package(package_id), COMMITTED, headers=JSON, body=body)


def read_results(package_id: str, link: str | None = None, limit: int | None = None) -> Call:
    """Return the call for a page of results; `link`, from the previous page, is used unchanged.

    `limit` is only for the first page; the specification gives neither a default nor a maximum.
    """
    if link is not None:
        return Call("GET", link, READ)
    query = (("limit", str(limit)),) if limit else ()
    return Call("GET", f"{_package(package_id)}/offer-requests-results", READ, query=query)


def _package(package_id: str) -> str:
    return f"/offer-packages/{quote(package_id, safe='')}"
