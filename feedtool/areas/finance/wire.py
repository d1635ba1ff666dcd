"""Operations, payments and invoices: the calls, and what their answers say. Pure.

Specification, "Financial". A list that the service counts has its count below it: `/payments` and
`/payments/count`.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import amount, items_of, loads

OPERATIONS, PAYMENTS = "/operations", "/payments"
PAGE = 100
"""Entries of a page, and pages of a list (specification, "Limits")."""
COUNT = "/count"
READ_OR_GONE = READ | {404}
"""An invoice that there is not is an answer, too."""
FEWEST, MOST = 2, 10
"""Invoices of an archive."""
DOCUMENT = (("Accept", "application/pdf, application/problem+json"),)
ARCHIVE = (("Accept", "application/zip, application/problem+json"),)

Pairs = tuple[tuple[str, str], ...]
"""A query; a name may come more than once."""


class ItemPage(NamedTuple):
    """One page of a list."""

    items: Sequence[Mapping[str, Any]]
    total: Decimal | None = None
    """The sum of all that match, where the service tells it."""


def count(target: str, query: Pairs = ()) -> Call:
    """How many entries a list has; the list of an invoice's lines may not be there."""
    success = READ if target in {OPERATIONS, PAYMENTS} else READ_OR_GONE
    return Call("GET", target + COUNT, success, query=query)


def page(target: str, query: Pairs, number: int) -> Call:
    """A page of a list."""
    paging = (("pageIndex", str(number)), ("pageSize", str(PAGE)))
    return Call("GET", target, READ, query=(*query, *paging))


def details_of(invoice: str) -> str:
    """The list of an invoice's lines."""
    return f"/invoices/{invoice}/details"


def invoice_of(target: str) -> str:
    """The invoice whose lines, or whose count of lines, a call asks for."""
    return target.split("/")[2]


def read_document(invoice: str) -> Call:
    """The document of one invoice."""
    return Call("GET", f"/invoices/{invoice}/documents", READ, headers=DOCUMENT)


def read_archive(invoices: Iterable[str]) -> Call:
    """The documents of 2 to 10 invoices, as a ZIP."""
    query = tuple(("invoiceIds", invoice) for invoice in invoices)
    return Call("GET", "/invoice-documents", READ, query=query, headers=ARCHIVE)


def page_of(reply: Reply) -> ItemPage:
    """The entries of a page; Unreadable for what is none."""
    items = [item for item in items_of(reply, tr("operations")) if isinstance(item, dict)]
    document = loads(reply.body)
    common = document.get("common") if isinstance(document, dict) else None
    total = amount(common.get("totalAmount")) if isinstance(common, dict) else None
    return ItemPage(items, total)
