"""`feedtool export reports` and `report-documents`: the service's reports, and their files."""

from pathlib import Path

from feedtool.areas.plain_list import (
    DATE,
    Table,
    flat_row,
    following,
    no_loss,
    nothing,
)
from feedtool.areas.reports import wire
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    KeyedRow,
    ListPage,
    ServiceList,
)
from feedtool.feeds.template import TEXT
from feedtool.model.call import Call, Reply
from feedtool.model.text import tr

REPORT = "reportId"
KNOWN = {
    REPORT: (tr("Report"), TEXT),
    "type": (tr("Type"), TEXT),
    "periodStart": (tr("From"), DATE),
    "periodEnd": (tr("Until"), DATE),
    "createdAt": (tr("Created"), DATE),
}
HINT = tr("look at --seller; nothing was written")


def _page(reply: Reply, call: Call) -> ListPage:
    rows = [
        (name or None, {**flat_row(report, known=KNOWN), REPORT: name})
        for name, report in wire.reports_of(reply)
    ]
    return following(ListPage(rows, progress=len(rows)), reply, call, wire.read_reports)


LISTING = ServiceList(
    tr("reports"),
    lambda *_: [wire.read_reports()],
    lambda _: _page,
    nothing(tr("there are no reports yet"), HINT),
    HINT,
    unit=tr("reports"),
)


def _key(row: KeyedRow) -> str:
    return str(row.get(REPORT) or "")


def _file(asked: DocumentCall, reply: Reply, body: Path) -> DocumentAnswer:
    (report,) = asked.keys
    return DocumentAnswer([DocumentFile(report, wire.file_name(reply, report), body)])


REPORTS = Export(
    "reports",
    """Export which reports the service has made of your sales into a table.

    A row for each: the sales summary of a month, or the transactions of a year.
    """,
    lambda _: (LISTING,),
    Table(tr("Reports"), KNOWN).sheet,
    no_loss,
)
EXPORTS = (
    REPORTS,
    REPORTS._replace(
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
    ),
)
