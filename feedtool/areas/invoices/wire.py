"""Calls for invoices, readers of their answers, and their delivery; every shape is checked.

Specification, part "Order invoices": one POST takes files that are named after their orders, and
the import shows the status of each, and is read until all are final.
A new invoice replaces the one before, so sending again does no harm.
"""

import json
from base64 import b64decode
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from feedtool.areas.invoices.contents import INVOICE_REPLACES
from feedtool.feeds.delivery import AnswerPage, Endpoint, Report, ReportItem, Submitted
from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import (
    CREATED,
    READ,
    Call,
    FilePart,
    Multipart,
    Reply,
    language_tag,
    multipart,
)
from feedtool.model.limits import MIB
from feedtool.model.nouns import Message, PendingRow, Status
from feedtool.model.text import tr
from feedtool.service.answers import (
    LONGEST_ID,
    SMALL,
    Unreadable,
    last_segment,
    listed,
    loads,
    moment,
    next_link,
    text,
)

ROUTE = "order-invoice-imports"
IMPORTS = f"/{ROUTE}"
PAGE = "100"
"""Imports of a page (specification, "Limits")."""
PACKAGE_TYPE = "Invoices"
"""An import; it has no channel."""
LARGEST = 40 * MIB
"""Bytes of the requests of an import; the specification names no limit."""

FINAL = {"success": Status.SUCCESS, "failure": Status.FAILURE, "partialsuccess": Status.UNKNOWN}
"""The statuses that are the last word on a file, or on an import, without their case. `Running`
waits, and so does every word that we do not know."""
REASONS = ("message", "description", "reason", "error")
"""Fields that may hold the reason of a failure; the specification shows none."""


def form_of(bodies: Sequence[bytes]) -> Multipart:
    files = map(json.loads, bodies)
    return multipart(
        [
            FilePart(
                *(file["fileName"], file["fileName"], file["mediaType"]), b64decode(file["content"])
            )
            for file in files
        ]
    )


def submit(package: PackageRef, bodies: Sequence[bytes]) -> Call:
    """Send invoices; the answer carries the id of their import (`import_id`).

    A single invoice is sent to its order, so that a 400 is about that order only.
    """
    form = form_of(bodies)
    headers = (("Accept-Language", language_tag(package.language)), *form.headers)
    if package.settings.limits.invoices > 1:
        return Call("POST", IMPORTS, CREATED, headers=headers, body=form.body)
    order = quote(json.loads(bodies[0])["orderId"], safe="")
    target = f"/orders/{order}/invoice-documents"
    return Call("POST", target, CREATED, headers=headers, body=form.body)


def import_id(reply: Reply) -> str:
    """The importId in the body of the answer to invoices or in its location; else Unreadable."""
    document = loads(reply.body, SMALL)
    name_in_body = text(document.get("importId")) if isinstance(document, dict) else ""
    location = last_segment(reply.headers.get("location", ""))
    names = (name_in_body, "" if location == ROUTE else location)
    if name := next((name for name in names if 0 < len(name) <= LONGEST_ID), None):
        return name
    raise Unreadable(tr("the answer to the invoices names no import"))


def read_imports(package: PackageRef) -> Call:
    """The call for an import, or for the newest ones if its id is not known."""
    headers = (("Accept-Language", language_tag(package.language)),)
    if package.link is not None:
        return Call("GET", package.link, READ, headers=headers)
    if package.package_id:
        return Call("GET", f"{IMPORTS}/{quote(package.package_id, safe='')}", READ, headers=headers)
    return Call("GET", IMPORTS, READ, query=(("pageSize", PAGE),), headers=headers)


def imports_page(reply: Reply) -> AnswerPage[ReportItem]:
    """The files of a page of imports, or of one and that one itself, without a reference.

    Unreadable if it is neither.
    """
    document = loads(reply.body)
    if isinstance(document, dict) and "items" in document:
        document = document["items"]
    imports = [document] if isinstance(document, dict) else listed(document, tr("imports"))
    items = [item for entry in imports if isinstance(entry, dict) for item in _items(entry)]
    if isinstance(document, dict):
        items.append(_item(document, document, None))
    return AnswerPage(items, next_link(reply))


def _items(document: dict[str, Any]) -> Iterator[ReportItem]:
    """The files of an import; a summary in a list may have none."""
    files = document.get("files")
    for file in listed([] if files is None else files, tr("files")):
        if isinstance(file, dict) and (order := order_of(text(file.get("name")))):
            yield _item(document, file, order)


def _item(document: dict[str, Any], entry: dict[str, Any], order: str | None) -> ReportItem:
    """The status that an import has for one of its files, or for all."""
    name, created_at = text(document.get("importId")) or None, moment(document.get("createdAt"))
    word, state = text(entry.get("status")), text(entry.get("integrationStatus"))
    status = FINAL.get(word.casefold())
    messages: tuple[Message, ...] = ()
    if status not in {None, Status.SUCCESS}:
        reasons = dict.fromkeys(filter(None, (text(entry.get(field)) for field in REASONS)))
        no_reason = tr("The service gave no reason; it ended in {state}.", state=state or word)
        messages = tuple(Message("", reason) for reason in reasons or (no_reason,))
    return ReportItem(name, "", order, state or word, status, created_at, messages)


def order_of(name: str) -> str:
    last = name.rpartition("/")[2]
    return last.rpartition(".")[0] or last


def match(
    pending: Iterable[PendingRow], items: Iterable[ReportItem]
) -> Iterator[tuple[PendingRow, ReportItem]]:
    """Pair invoices with the last status of their files, or else of their import."""
    by_order: defaultdict[str, list[ReportItem]] = defaultdict(list)
    for item in items:
        by_order[item.reference or ""].append(item)
    for row in pending:
        of_file = by_order[row.reference]
        for item in [item for item in of_file if item.status] or [*of_file, *by_order[""]]:
            yield row, item


DELIVERY = Submitted(
    size=lambda limits: Size(limits.invoices, limits.invoices, LARGEST),
    submit=submit,
    submitted=import_id,
    outcome=Report(
        Endpoint(read_imports, imports_page),
        lambda package, rows: (read_imports(package), len(rows)),
        match,
        is_quota=lambda _: False,
    ),
    names=lambda order, _: frozenset({order}),
    replaces=INVOICE_REPLACES,
    document=lambda _, bodies: form_of(bodies).body,
    file_name="import-{number:03}.multipart",
)
