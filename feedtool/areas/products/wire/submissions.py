"""What the answers about products say. Pure; every shape is checked, none is trusted.

Specification, part "Catalog" (the report's item) and "Catalog endpoints" (the routes). Where a
report's item says of a right or of a worth nothing, nothing is told of it.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from feedtool.feeds.answers import ReportItem, ReportsPage
from feedtool.model.call import CREATED, JSON, READ, Call, Reply, language_tag
from feedtool.model.nouns import Message, Severity, Status
from feedtool.service.answers import text
from feedtool.service.bodies import (
    MOST_MESSAGES,
    SMALL,
    Unreadable,
    id_of,
    items_of,
    last_segment,
    loads,
    moment,
    next_link,
)

ROUTES = {"products-integration", "products-integration-reports"}
"""Last segments of an address that are no batch's id."""

FINAL = {
    "integrated": Status.INTEGRATED,
    "refused": Status.REFUSED,
    "rejected": Status.REJECTED,
}
"""The report's statuses that are its last word, without their case. `Validated` waits, and so does
every word that we do not know."""

LISTS = {
    "errors": (Severity.ERROR, ""),
    "warnings": (Severity.WARNING, "warning: "),
    "infos": (Severity.WARNING, "info: "),
}
"""Where messages are, how much each says against its field, and how it is told."""

IDENTICAL = "identical"

NO_EDIT = "You may not change this product's sheet: values that it already has stay as they are."
NO_ENRICH = "You may not add to this product's sheet: what it lacks stays as it is."
NOT_MARKETABLE = "The product cannot be sold yet: its sheet lacks some of the common data."
NOTHING_NEW = "The sheet had all of it already: nothing was changed."
COMPLETE = "The sheet is {} % complete."


def batch_id(reply: Reply) -> str:
    """The packageId that the answer to a batch carries.

    Raises:
        Unreadable: it carries none, neither in its body nor in a location.
    """
    document = loads(reply.body, SMALL)
    found = id_of(document) if isinstance(document, dict) else None
    locations = (last_segment(reply.headers.get(name, "")) for name in LOCATIONS)
    found = found or next((one for one in locations if one and one not in ROUTES), None)
    if found is None:
        raise Unreadable("the answer to the products names no package")
    return found


LOCATIONS = ("content-location", "location")


def reports_page(reply: Reply) -> ReportsPage:
    """A page of reports; items without a GTIN or a status are of no product.

    Raises:
        Unreadable: the body is no list of items, or its link leads away.
    """
    found = (_item(item) for item in items_of(reply, "reports"))
    return ReportsPage([item for item in found if item], next_link(reply))


def _item(document: Any) -> ReportItem | None:
    if not isinstance(document, dict):
        return None
    gtin, word = text(document.get("gtin")), text(document.get("status"))
    if not gtin or not word:
        return None
    status = FINAL.get(word.casefold())
    reference = document.get("sellerProductReference")
    submitted = moment(document.get("submissionDate")) or moment(document.get("createdAt"))
    return ReportItem(
        id_of(document),
        gtin,
        reference if isinstance(reference, str) and reference else None,
        word,
        status,
        submitted,
        tuple(islice(_messages(document, status), MOST_MESSAGES)),
    )


def _messages(document: dict[str, Any], status: Status | None) -> Iterator[Message]:
    """Those of the report, and what follows from what it says of rights and worth."""
    for name, (severity, told) in LISTS.items():
        entries = document.get(name)
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict):
                said = Message(
                    text(entry.get("code")),
                    told + (text(entry.get("message")) or "no reason was given"),
                    text(entry.get("field")),
                    severity,
                )
                if said.code or said.field or text(entry.get("message")):
                    yield said
    yield from (Message("", said, severity=Severity.WARNING) for said in _worth(document, status))


def _worth(document: dict[str, Any], status: Status | None) -> Iterator[str]:
    """Integrated is not the same as taken over."""
    if document.get("wasAllowedToEdit") is False:
        yield NO_EDIT
    if document.get("wasAllowedToEnrich") is False:
        yield NO_ENRICH
    if status is not Status.INTEGRATED:
        return
    if text(document.get("operationType")).casefold() == IDENTICAL:
        yield NOTHING_NEW
    if document.get("wasMarketable") is False:
        yield NOT_MARKETABLE
    if complete := text(document.get("publicationCompleteness")):
        yield COMPLETE.format(complete.rstrip("% "))


# Calls.


def submit_products(bodies: Sequence[bytes], language: str) -> Call:
    """Send a batch of products, each of them JSON already: stage and commit in one.

    The answer carries the batch's packageId (`products.batch_id`).
    """
    headers = (("Accept-Language", language_tag(language)), *JSON)
    body = products_body(bodies)
    return Call("POST", "/products-integration", CREATED, headers=headers, body=body)


def products_body(bodies: Sequence[bytes]) -> bytes:
    """A batch of products as it travels, each of them JSON already."""
    return b'{"products":[' + b",".join(bodies) + b"]}"


def read_reports(
    language: str,
    *,
    package_id: str | None = None,
    gtins: Sequence[str] = (),
    link: str | None = None,
    size: int | None = None,
) -> Call:
    """A page of integration reports; the answer is read by `products.reports_page`.

    The specification shows no filters; those that are asked for here are the report's own fields,
    and the reader looks at each item all the same. `link` is the address that the page before
    gave, and is followed as it is. `size` is how many items the first page is asked for.
    """
    headers = (("Accept-Language", language_tag(language)),)
    if link is not None:
        return Call("GET", link, READ, headers=headers)
    asked = {"packageId": package_id, "gtin": ",".join(gtins), "pageSize": size and str(size)}
    query = tuple((name, value) for name, value in asked.items() if value)
    return Call("GET", "/products-integration-reports", READ, query=query, headers=headers)
