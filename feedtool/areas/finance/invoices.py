"""`feedtool export invoice-details` and `invoice-documents`: what the service invoices to you.

Without a choice these are the invoices of the operations of the last three months: the service
lists no invoices.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from shutil import copyfileobj

from feedtool.areas.finance import columns, windows, wire
from feedtool.areas.finance.columns import detail_row
from feedtool.areas.finance.operations import HINT, summary, without_facts
from feedtool.areas.finance.windows import WindowReader
from feedtool.areas.plain_list import Table, nothing
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    KeyedRow,
    KeyedRows,
    ListPage,
    Query,
    ServiceList,
)
from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import tr
from feedtool.service.answers import Unreadable, counted, text

INVOICE, LINES = "invoiceId", "lines"
PDF = b"%PDF-"
LARGEST = 1 << 26
"""No document of more bytes is taken out of an archive."""
_NUMBER = re.compile("[0-9]+")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError),
    *(RuntimeError, ValueError, ArithmeticError, LookupError),
)
"""The errors of zipfile, documented or not, on an archive that is damaged."""
NO_INVOICES = nothing(tr("no operation of these months is invoiced"), HINT)
NOT_YET = tr("it is not there yet: statements are issued on the 9th, the 19th and the 29th")


# The invoices of operations.


def _invoice_page(_: Query) -> Callable[[Reply, Call], ListPage]:
    """The reader of operations that keeps each invoice once."""

    def invoiced(_: windows.Window, page: wire.ItemPage) -> list[KeyedRow]:
        keys = (INVOICE, "totalAmount")
        return [{key: columns.operation_row(item).get(key) for key in keys} for item in page.items]

    listed = WindowReader(wire.OPERATIONS, invoiced)

    def read(reply: Reply, call: Call) -> ListPage:
        page = listed.page(reply, call)
        names = [
            str(row[INVOICE]) for thing in page.things for row in thing.rows if row.get(INVOICE)
        ]
        return page._replace(things=(), rows=[(name, {INVOICE: name}) for name in names])

    return read


INVOICES = ServiceList(
    tr("operations"),
    lambda query, _: windows.recent_windows(query),
    _invoice_page,
    NO_INVOICES,
    HINT,
    unit=tr("operations"),
    position=lambda row: str(row[INVOICE]).zfill(20),
)


def _check(query: Query) -> None:
    windows.check_dates(query)
    windows.invoices(query)


CHOICE = (windows.INVOICE, windows.MONTH)


# Their lines.


def _details_of(query: Query, invoices: KeyedRows) -> Iterator[Call]:
    chosen = windows.invoices(query) or (str(row[INVOICE]) for row in invoices)
    return (wire.count_details((), invoice) for invoice in chosen)


DETAILS = ServiceList(
    tr("lines of invoices"),
    _details_of,
    lambda _: (
        WindowReader(
            wire.DETAILS,
            lambda window, page: [detail_row(item, window.subject) for item in page.items],
        ).page
    ),
    nothing(tr("there are no lines of such invoices"), HINT),
    HINT,
    unit=tr("lines of invoices"),
)


def _known(query: Query, tally: ExportTally) -> ExportSummary:
    """The invoices that the service does not have, beside what was lost."""
    gone = [
        ExportNote(
            tr("the service has no invoice {invoice}", invoice=invoice), NOT_YET, is_loss=True
        )
        for sort, invoice in tally
        if sort == windows.GONE
    ]
    return ExportSummary([*gone, *summary(query, tally).notes])


DETAIL_EXPORT = Export(
    "invoice-details",
    """Export the lines of the invoices that the service makes out to you, into a table.

    Of the named invoices, or of the invoices in the operations of the last three months.
    """,
    lambda query: (DETAILS,) if windows.invoices(query) else (INVOICES, DETAILS),
    Table(tr("Invoice lines"), columns.DETAILS).sheet,
    _known,
    CHOICE,
    _check,
    rows=without_facts,
)


# Their documents.


def _named_page(reply: Reply, call: Call) -> ListPage:
    """A named invoice, with the number of its lines if it exists."""
    name = wire.invoice_of(call)
    row: KeyedRow = {INVOICE: name}
    if reply.status in READ:
        row = {INVOICE: name, LINES: counted(reply)}
    return ListPage([(name, row)], progress=1)


NAMED = ServiceList(
    tr("invoices"), _details_of, lambda _: _named_page, NO_INVOICES, HINT, unit=tr("invoices")
)


def _calls(_: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    """2 to 10 invoices by an archive, one singly."""
    invoices = [str(row[INVOICE]) for row in rows]
    for first in range(0, len(invoices), wire.MOST):
        names = tuple(invoices[first : first + wire.MOST])
        if len(names) < wire.FEWEST:
            yield from _singly(names)
        else:
            yield DocumentCall(wire.read_archive(names), names)


def _singly(names: Iterable[str]) -> list[DocumentCall]:
    return [DocumentCall(wire.read_document(name), (name,)) for name in names]


def read_documents(request: DocumentCall, _: Reply, body: Path) -> DocumentAnswer:
    """The documents of an answer; documents that an archive lacks are requested singly."""
    if len(request.keys) < wire.FEWEST:
        if not _is_pdf(body):
            raise Unreadable(tr("the answer is not a PDF"))
        (name,) = request.keys
        return DocumentAnswer([DocumentFile(name, f"{name}.pdf", body)])
    files = list(_unpacked(request.keys, body))
    keys = {file.key for file in files}
    return DocumentAnswer(files, again=_singly(name for name in request.keys if name not in keys))


def _unpacked(names: Sequence[str], body: Path) -> Iterator[DocumentFile]:
    """The documents of an archive, identified by the invoice in their names."""
    try:
        with zipfile.ZipFile(body) as archive:
            for number, info in enumerate(archive.infolist()):
                matches = {*names}.intersection(_NUMBER.findall(info.filename.rpartition("/")[2]))
                is_sane = info.compress_type in _METHODS and info.file_size <= LARGEST
                if len(matches) == 1 and is_sane:
                    place = body.with_name(f"{body.name}.{number}")
                    with archive.open(info) as packed, place.open("wb") as file:
                        copyfileobj(packed, file)
                    if _is_pdf(place):
                        name = matches.pop()
                        yield DocumentFile(name, f"{name}.pdf", place)
    except _DAMAGED as error:
        raise Unreadable(
            tr("the answer is not a ZIP: {reason}", reason=text(str(error)))
        ) from error


def _is_pdf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PDF)) == PDF


def _lack(request: DocumentCall, status: int | None, reason: str) -> DocumentAnswer:
    """An archive that is refused is asked for document by document."""
    from feedtool.service.fetch import NOT_FOUND  # what calls in threads is imported late

    if len(request.keys) >= wire.FEWEST:
        return DocumentAnswer(again=_singly(request.keys))
    return DocumentAnswer(
        missing=dict.fromkeys(request.keys, NOT_YET if status == NOT_FOUND else reason)
    )


DOCUMENT_EXPORT = Export(
    "invoice-documents",
    """Bring the documents of the invoices that the service makes out to you, into a folder.

    Of the named invoices, or of the invoices in the operations of the last three months.
    """,
    lambda query: (NAMED,) if windows.invoices(query) else (INVOICES,),
    Table(
        tr("Invoice documents"), {INVOICE: columns.DETAILS[INVOICE], LINES: (tr("Lines"), "0")}
    ).sheet,
    summary,
    CHOICE,
    _check,
    documents=Documents(lambda row: str(row[INVOICE]), _calls, read_documents, _lack),
)
