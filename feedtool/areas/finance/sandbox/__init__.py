"""The sandbox's money: part "Financial" of the specification.

Reading order: `events` (what is sold, given back and charged), `life` (when it is), `store`, and
what is read of it: `operations`, `payments`, `invoices`.
"""

from feedtool.areas.finance.sandbox import invoices, life, operations, payments, store
from feedtool.sandbox.exchange import Part, QuietPart, Route

ROUTES = (
    Route("GET", "/operations", operations.read_all),
    Route("GET", "/operations/count", operations.count),
    Route("GET", "/payments", payments.read_all),
    Route("GET", "/payments/count", payments.count),
    Route("GET", "/invoices/{invoiceId}/details", invoices.read_details),
    Route("GET", "/invoices/{invoiceId}/details/count", invoices.count_details),
    Route("GET", "/invoices/{invoiceId}/documents", invoices.read_document),
    Route("GET", "/invoice-documents", invoices.read_archive),
)
PARTS: tuple[Part, ...] = (QuietPart(ROUTES, store.TABLES), life)
