"""The routes of the seller's money: part "Financial" of the specification."""

from feedtool.areas.finance.sandbox import invoices, life, operations, payments, store
from feedtool.areas.finance.sandbox.life import next_due, step
from feedtool.sandbox.exchange import Route

TABLES = store.TABLES + life.TABLES

ROUTES: tuple[Route, ...] = (
    Route("GET", "/operations", operations.read_all),
    Route("GET", "/operations/count", operations.count),
    Route("GET", "/payments", payments.read_all),
    Route("GET", "/payments/count", payments.count),
    Route("GET", "/invoices/{invoiceId}/details", invoices.read_details),
    Route("GET", "/invoices/{invoiceId}/details/count", invoices.count_details),
    Route("GET", "/invoices/{invoiceId}/documents", invoices.read_document),
    Route("GET", "/invoice-documents", invoices.read_archive),
)

__all__ = ["ROUTES", "TABLES", "next_due", "step"]
