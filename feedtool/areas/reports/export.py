"""`feedtool export reports` and `report-documents`: the service's reports, and their files."""

from pathlib import Path

from feedtool.areas.listing import Empty, Entries, Listing, export_of
from feedtool.areas.plain_list import DATE, Table, flat_row
from feedtool.areas.reports import wire
from feedtool.feeds.export import DocumentAnswer, DocumentCall, DocumentFile, Documents, KeyedRow
from feedtool.feeds.template import TEXT
from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import tr

REPORT = "reportId"
KNOWN = {
    REPORT: (tr("Report"), TEXT),
    "type": (tr("Type"), TEXT),
    "periodStart": (tr("From"), DATE),
    "periodEnd": (tr("Until"), DATE),
    "createdAt": (tr("Created"), DATE),
}


def _key(row: KeyedRow) -> str:
    return str(row.get(REPORT) or "")


def _file(request: DocumentCall, reply: Reply, body: Path) -> DocumentAnswer:
    (report,) = request.keys
    return DocumentAnswer([DocumentFile(report, wire.file_name(reply, report), body)])


REPORT_LIST = Listing(
    "reports",
    """Export which reports the service has made of your sales into a table.

    A row for each: the sales summary of a month, or the transactions of a year.
    """,
    noun=tr("reports"),
    page=Call("GET", "/reports", READ),
    sheet=Table(tr("Reports"), KNOWN),
    empty=Empty(tr("there are no reports yet")),
    entries=Entries(
        wire.reports_of,
        lambda report, _: [{**flat_row(report[1], known=KNOWN), REPORT: report[0]}],
        key=lambda report: report[0] or repr(report),
    ),
    tries_pages=True,
)
DOCUMENT_LIST = REPORT_LIST._replace(
    kind="report-documents",
    help="""Bring the files of all reports into a folder, with a list of them.

    The files have the names that the service gives them. What is there already is not replaced.
    """,
    documents=Documents(
        _key,
        lambda _, rows: [
            DocumentCall(wire.read_document(report), (report,))
            for report in map(_key, rows)
            if report
        ],
        _file,
    ),
)
REPORTS = export_of(REPORT_LIST)
EXPORTS = (REPORTS, export_of(DOCUMENT_LIST))
