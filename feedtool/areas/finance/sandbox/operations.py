"""GET /operations and its count."""

from sqlite3 import Row
from typing import Any

import orjson

from feedtool.areas.finance.sandbox import store
from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
from feedtool.areas.finance.sandbox.life import booked
from feedtool.areas.finance.sandbox.store import (
    OF_OPERATIONS,
    FinanceSelection,
    asked_page,
    selection,
)
from feedtool.sandbox.exchange import Exchange, HttpResponse, bad_request, json_answer

NEEDED = (
    ("orderReference",),
    ("invoiceId",),
    ("paidAtMin", "paidAtMax"),
    ("changedAtMin", "changedAtMax"),
)
"""Sets of parameters, one of which must be complete (part "Errors", rule 2)."""


@booked
def read_all(exchange: Exchange) -> HttpResponse:
    """GET /operations: the total is of all matching operations, not only of the page."""
    page, selected = asked_page(exchange), _selection(exchange)
    rows = exchange.db.execute(
        f"SELECT * FROM ({store.SEEN}) WHERE {selected.where}"  # noqa: S608 - only constants are filled in
        " ORDER BY paid_at DESC, id DESC LIMIT :size OFFSET :start",
        {**selected.values, "size": page.size, "start": page.start},
    )
    items = [_shown(row, exchange) for row in rows]
    query = f"SELECT COALESCE(SUM(total), 0) FROM ({store.SEEN}) WHERE {selected.where}"  # noqa: S608 - as above
    (total,) = exchange.db.execute(query, selected.values).fetchone()
    total += exchange.settings.of(FinanceBehaviour).is_list_broken
    return json_answer(200, {"common": {"totalAmount": total / 100}, "items": items})


@booked
def count(exchange: Exchange) -> HttpResponse:
    """GET /operations/count: a bare number."""
    selected = _selection(exchange)
    query = f"SELECT COUNT(*) FROM ({store.SEEN}) WHERE {selected.where}"  # noqa: S608 - as above
    return json_answer(200, exchange.db.execute(query, selected.values).fetchone()[0])


def _selection(exchange: Exchange) -> FinanceSelection:
    if not any(all(name in exchange.parameters for name in names) for names in NEEDED):
        raise bad_request(
            "orderReference",
            "One of orderReference, invoiceId or a complete date range is required.",
        )
    return selection(exchange, OF_OPERATIONS)


def _shown(row: Row, exchange: Exchange) -> dict[str, Any]:
    """The document of an operation at the time of the request."""
    behaviour = exchange.settings.of(FinanceBehaviour)
    total = row["total"] + (row["number"] == behaviour.broken_operation)
    link = f"{exchange.request.base}/invoices/{row['invoice']}/documents"
    return {
        "operationReference": row["reference"],
        "orderStatus": None,
        "invoiceId": row["invoice"],
        "currency": "EUR",
        "eventTypes": orjson.loads(row["types"]),
        "paymentState": row["state"],
        "stateMotive": store.MOTIVE if row["state"] == store.BLOCKED else None,
        "createdAt": row["created_at"],
        "acceptedAt": None,
        "shippedAt": None,
        # An assumption: only what is paid has this date; a forecast has the next but one.
        "paidAt": row["paid_at"] if row["state"] == store.PAID else None,
        "refundedAt": None,
        "releasePaymentDate": row["due_at"],
        "salesChannel": row["channel"],
        "totalAmount": total / 100,
        "vatTotalAmount": row["vat"] / 100,
        "invoiceServiceFilePath": link if row["invoice"] else None,
        **orjson.loads(row["document"]),
    }
