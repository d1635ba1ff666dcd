"""Calls for operations, payments and invoices, and readers of their answers.

Specification, "Financial".
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import amount, items_of, loads

PAGE = 100
"""Entries of a page, and pages of a list (specification, "Limits")."""
READ_OR_GONE = READ | {404}
"""An invoice that does not exist is an answer, too."""
FEWEST, MOST = 2, 10
"""Invoices of an archive."""
DOCUMENT = (("Accept", "application/pdf, application/problem+json"),)
ARCHIVE = (("Accept", "application/zip, application/problem+json"),)

Pairs = tuple[tuple[str, str], ...]
"""A query; a name may come more than once."""


class ItemPage(NamedTuple):
    items: Sequence[Mapping[str, Any]]
    total: Decimal | None = None
    """The sum of all matching entries, or None."""


class CountedList(NamedTuple):
    """Calls for a list that the service counts, of everything or of one invoice."""

    counting: Callable[[Pairs, str], Call]
    reading: Callable[[Pairs, int, str], Call]


def _paged(query: Pairs, number: int) -> Pairs:
    return (*query, ("pageIndex", str(number)), ("pageSize", str(PAGE)))


def count_operations(query: Pairs, _: str = "") -> Call:
    return Call("GET", "/operations/count", READ, query=query)


def read_operations(query: Pairs, number: int, _: str = "") -> Call:
    return Call("GET", "/operations", READ, query=_paged(query, number))


def count_payments(query: Pairs, _: str = "") -> Call:
    return Call("GET", "/payments/count", READ, query=query)


def read_payments(query: Pairs, number: int, _: str = "") -> Call:
    """A page of payments; the specification shows no parameter but `pageSize`."""
    unsure = frozenset({"pageIndex", *(name for name, _ in query)})
    return Call("GET", "/payments", READ, query=_paged(query, number), unsure=unsure)


def count_details(query: Pairs, invoice: str) -> Call:
    return Call("GET", f"/invoices/{invoice}/details/count", READ_OR_GONE, query=query)


def read_details(query: Pairs, number: int, invoice: str) -> Call:
    return Call("GET", f"/invoices/{invoice}/details", READ, query=_paged(query, number))


OPERATIONS = CountedList(count_operations, read_operations)
PAYMENTS = CountedList(count_payments, read_payments)
DETAILS = CountedList(count_details, read_details)


def invoice_of(call: Call) -> str:
    """The invoice whose lines a call reads, or an empty text."""
    _, first, *rest = call.target.split("/")
    return rest[0] if first == "invoices" else ""


def read_document(invoice: str) -> Call:
    return Call("GET", f"/invoices/{invoice}/documents", READ, headers=DOCUMENT)


def read_archive(invoices: Iterable[str]) -> Call:
    """The documents of 2 to 10 invoices, as a ZIP."""
    query = tuple(("invoiceIds", invoice) for invoice in invoices)
    return Call("GET", "/invoice-documents", READ, query=query, headers=ARCHIVE)


def page_of(reply: Reply) -> ItemPage:
    """The entries of a page; Unreadable for another answer."""
    items = [item for item in items_of(reply, tr("operations")) if isinstance(item, dict)]
    document = loads(reply.body)
    common = document.get("common") if isinstance(document, dict) else None
    total = amount(common.get("totalAmount")) if isinstance(common, dict) else None
    return ItemPage(items, total)
