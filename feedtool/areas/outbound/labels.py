"""`feedtool export return-labels`: the labels of returns, into a folder.

A label is made within 15 minutes after a return was asked for (specification, "Limits"). It is
waited for as long; 404 and an empty answer mean "not yet".
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from feedtool.areas.listing import Empty, Entries, ListFilter, export_of
from feedtool.areas.outbound import wire
from feedtool.areas.outbound.export import OF_RETURNS, RETURN_LIST
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.areas.outbound.wire import ParcelReturn
from feedtool.areas.plain_list import DATE, Table, date_of
from feedtool.feeds.export import (
    OF_FILTERS,
    PROBLEM,
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Filter,
    KeyedRow,
    KeyedRows,
    Query,
    missing_document,
)
from feedtool.feeds.template import TEXT
from feedtool.model.call import Reply
from feedtool.model.cells import Cell
from feedtool.model.text import tr
from feedtool.service.answers import text

FORMATS = {"pdf": "application/pdf", "png": "image/png"}
PAUSE = timedelta(seconds=30)
"""Time between two calls for a label that does not exist yet."""
CARRIER = "Carrier"
COMPLETED, GONE, EMPTY = "Completed", 404, 204


def _rows(parcel: ParcelReturn, query: Query) -> list[KeyedRow]:
    """The row of a return; of carriers, or arrived, only with the option."""
    is_usual = (query["status"] or parcel.status != COMPLETED) and (
        query["type"] or parcel.kind != CARRIER
    )
    if not is_usual:
        return []
    row: KeyedRow = {
        "returnId": parcel.id,
        "reference": parcel.reference,
        "outboundShipmentId": parcel.shipment,
        "type": parcel.kind,
        "status": parcel.status,
        "createdAt": date_of(parcel.created_at),
    }
    if parcel.kind == CARRIER:
        row = {**row, PROBLEM: tr("what a carrier brings back has no label")}
    return [row]


# Files.


def _calls(query: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    """The calls for the labels, each made once, and as often as fits into the time that is left."""
    patience = timedelta(minutes=query.settings.of(OutboundSettings).label_patience)
    for row in rows:
        if PROBLEM in row:
            continue
        tries, created = 1, row.get("createdAt")
        if isinstance(created, Cell):
            left = datetime.fromisoformat(created.text).replace(tzinfo=UTC) + patience - query.now
            tries += max(0, -(-left // PAUSE))
        name = str(row["returnId"])
        call = wire.read_label(name, FORMATS[query["label-format"]])
        yield DocumentCall(call, (name,), tries)


def _read(request: DocumentCall, reply: Reply, body: Path) -> DocumentAnswer:
    if reply.status == EMPTY or not body.exists() or not body.stat().st_size:
        return _not_yet(request)
    (name,) = request.keys
    is_png = "png" in text(reply.headers.get("content-type"))
    return DocumentAnswer([DocumentFile(name, f"{name}.{'png' if is_png else 'pdf'}", body)])


def _not_yet(request: DocumentCall) -> DocumentAnswer:
    if request.tries > 1:
        return DocumentAnswer(again=[request._replace(tries=request.tries - 1)], wait=PAUSE)
    return DocumentAnswer(missing=dict.fromkeys(request.keys, tr("the service has no label of it")))


def _lack(request: DocumentCall, status: int | None, reason: str) -> DocumentAnswer:
    return _not_yet(request) if status == GONE else missing_document(request, status, reason)


FORMAT = Filter(
    "label-format",
    "FORMAT",
    tr("pdf or png."),
    default="pdf",
    narrows=False,
    choices=tuple(FORMATS),
)
LABEL_LIST = RETURN_LIST._replace(
    kind="return-labels",
    help="""Export the labels of returns into a folder, with a list of them.

    A label is made within 15 minutes, and waited for as long. What carriers bring back has none,
    and is left out, as is what has arrived already, unless --type or --status asks for it.
    """,
    sheet=Table(
        tr("Labels of returns"),
        {
            "returnId": (tr("Return"), TEXT),
            "reference": (tr("Reference"), TEXT),
            "outboundShipmentId": (tr("Shipment"), TEXT),
            "type": (tr("Sent back by"), TEXT),
            "status": (tr("Status"), TEXT),
            "createdAt": (tr("Created"), DATE),
        },
    ),
    empty=Empty(tr("there are no returns like that"), OF_FILTERS),
    filters=(*OF_RETURNS, ListFilter(FORMAT)),
    entries=Entries(wire.returns_of, _rows, key=lambda parcel: parcel.id),
    is_counted_first=False,
    documents=Documents(lambda row: str(row["returnId"]), _calls, _read, _lack),
    waits=(),
)
LABELS = export_of(LABEL_LIST)
