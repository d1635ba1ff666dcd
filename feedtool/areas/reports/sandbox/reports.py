"""Reports: a summary of each month's sales, and one of a year's transactions.

Part "Financial" of the specification shows their paths and what they are; all else is made up. They
follow from when the seller asked first, and from the time.
"""

import uuid
from datetime import UTC, datetime
from operator import attrgetter
from typing import NamedTuple

from feedtool.areas.finance.sandbox.store import asked_page
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, json_answer, not_found
from feedtool.sandbox.pdf import pdf
from feedtool.sandbox.state import moment_of, stamp

TABLES = """
CREATE TABLE IF NOT EXISTS report_reader(
  seller TEXT PRIMARY KEY,
  since TEXT NOT NULL          -- when the seller asked first
) WITHOUT ROWID;
"""

PAST = 3
"""Months before the first request of which there are summaries."""
SUMMARY, TRANSACTIONS = "SalesSummary", "Transactions"
SORTS = {SUMMARY: ("application/pdf", "pdf"), TRANSACTIONS: ("text/csv; charset=utf-8", "csv")}


class SellerReport(NamedTuple):
    """A report of the time between two moments."""

    type: str
    start: datetime
    end: datetime
    seller: str

    @property
    def id(self) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.seller} {self.type} {self.period}"))

    @property
    def period(self) -> str:
        """`2026-02`, or only the year."""
        return f"{self.start:%Y-%m}" if self.type == SUMMARY else f"{self.start:%Y}"

    @property
    def content(self) -> bytes:
        if self.type == SUMMARY:
            return pdf((f"Sales summary {self.period}", f"Seller {self.seller}"))
        return f"seller;year\n{self.seller};{self.period}\n".encode()


def _month(first: datetime, months: int) -> datetime:
    """The first day of the month that is `months` later."""
    years, month = divmod(first.month - 1 + months, 12)
    return datetime(first.year + years, month + 1, 1, tzinfo=UTC)


def _reports(exchange: Exchange) -> list[SellerReport]:
    """The latest first."""
    db, seller = exchange.db, exchange.seller
    db.execute("INSERT OR IGNORE INTO report_reader VALUES (?, ?)", (seller, stamp(exchange.now)))
    query = "SELECT since FROM report_reader WHERE seller = ?"
    (since,) = db.execute(query, (seller,)).fetchone()
    first = moment_of(since)
    start = datetime(first.year - 1, 1, 1, tzinfo=UTC)
    every = [SellerReport(TRANSACTIONS, start, _month(start, 12), seller)]
    start = _month(first, -PAST)
    while (end := _month(start, 1)) <= exchange.now:
        every.append(SellerReport(SUMMARY, start, end, seller))
        start = end
    return sorted(every, key=attrgetter("end"), reverse=True)


def read_all(exchange: Exchange) -> HttpResponse:
    """GET /reports, in pages as the other lists of money have them."""
    shown = [
        {
            "reportId": report.id,
            "type": report.type,
            "periodStart": stamp(report.start),
            "periodEnd": stamp(report.end),
            "createdAt": stamp(report.end),
        }
        for report in asked_page(exchange).of(_reports(exchange))
    ]
    return json_answer(200, {"items": shown})


def read_document(exchange: Exchange) -> HttpResponse:
    """GET /reports/{reportId}/report-documents."""
    for report in _reports(exchange):
        if report.id == exchange.ids["reportId"]:
            media_type, ending = SORTS[report.type]
            disposition = f'attachment; filename="{report.type}-{report.period}.{ending}"'
            headers = {"Content-Type": media_type, "Content-Disposition": disposition}
            return HttpResponse(200, headers, report.content)
    raise not_found("The report")


ROUTES: tuple[Route, ...] = (
    Route("GET", "/reports", read_all),
    Route("GET", "/reports/{reportId}/report-documents", read_document),
)
