"""The service's own invoices to the seller: statements of a day, their lines and documents."""

import io
import zipfile
from sqlite3 import Row
from typing import Any

import orjson

from feedtool.areas.finance.sandbox import store
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.life import booked
from feedtool.areas.finance.sandbox.store import asked_page, whole
from feedtool.sandbox.arguments import asked
from feedtool.sandbox.exchange import (
    FIELD_MISSING,
    Exchange,
    HttpResponse,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.pdf import pdf
from feedtool.sandbox.state import stamp

FEWEST, MOST = 2, 10
"""Documents of an archive (part "Limits")."""
FIRST_DATE = (1980, 1, 1, 0, 0, 0)
"""The date of files in an archive: equal requests have equal answers."""


@booked
def read_details(exchange: Exchange) -> HttpResponse:
    """GET /invoices/{invoiceId}/details."""
    page = asked_page(exchange)
    lines = [line for row in _operations(exchange) for line in _lines(row)]
    return json_answer(200, {"items": page.of(lines)})


@booked
def count_details(exchange: Exchange) -> HttpResponse:
    """GET /invoices/{invoiceId}/details/count: a bare number."""
    return json_answer(200, sum(len(_lines(row)) for row in _operations(exchange)))


@booked
def read_document(exchange: Exchange) -> HttpResponse:
    """GET /invoices/{invoiceId}/documents: exists as soon as the invoice."""
    _operations(exchange)
    return HttpResponse(
        200, {"Content-Type": "application/pdf"}, _document(exchange.ids["invoiceId"])
    )


@booked
def read_archive(exchange: Exchange) -> HttpResponse:
    """GET /invoice-documents: the documents of existing invoices, or a refusal."""
    text = asked(exchange, "invoiceIds")
    if text is None:
        raise bad_request("invoiceIds", "invoiceIds is required.", FIELD_MISSING)
    requested = [whole("invoiceIds", entry) for entry in text.split(",")]
    if not FEWEST <= len(requested) <= MOST:
        raise bad_request("invoiceIds", f"invoiceIds takes {FEWEST} to {MOST} identifiers.")
    invoices = [invoice for invoice in dict.fromkeys(requested) if _rows(exchange, invoice)]
    is_partial = exchange.settings.of(FinanceBehaviour).is_archive_partial
    if not invoices or (len(invoices) < len(requested) and not is_partial):
        raise not_found("An invoice")
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for invoice in invoices:
            archive.writestr(zipfile.ZipInfo(f"{invoice}.pdf", FIRST_DATE), _document(invoice))
    return HttpResponse(200, {"Content-Type": "application/zip"}, into.getvalue())


def _operations(exchange: Exchange) -> list[Row]:
    """The operations of the invoice in the path; 404 if the seller has no such invoice."""
    rows = _rows(exchange, whole("invoiceId", exchange.ids["invoiceId"]))
    if not rows:
        raise not_found("The invoice")
    return rows


def _rows(exchange: Exchange, invoice: int) -> list[Row]:
    query = f"SELECT * FROM ({store.SEEN}) WHERE invoice = :invoice ORDER BY created_at, id"  # noqa: S608 - a constant
    values = {"seller": exchange.seller, "now": stamp(exchange.now), "invoice": invoice}
    return exchange.db.execute(query, values).fetchall()


def _lines(row: Row) -> list[dict[str, Any]]:
    """The lines of an operation on its invoice, one for each type."""
    return [
        {
            "invoiceId": row["invoice"],
            "operationReference": row["reference"],
            "operationType": name,
            "operationDate": row["created_at"],
            "salesChannelId": row["channel"],
            "amount": cents / 100,
            "currency": "EUR",
        }
        for name, cents in orjson.loads(row["parts"]).items()
    ]


def _document(invoice: object) -> bytes:
    return pdf([f"Invoice {invoice}"])
