"""`feedtool export return-labels`: the labels of returns, into a folder.

A label is made within 15 minutes after a return was asked for (specification, "Limits"). It is
waited for as long; 404 and an empty answer mean "not yet".
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from feedtool.areas.outbound import wire
from feedtool.areas.outbound.export import (
    CARRIER,
    HINT,
    OF_RETURNS,
    is_chosen,
    of_returns,
)
from feedtool.areas.outbound.wire import ParcelReturn
from feedtool.areas.plain_list import DATE, date_of, no_loss, nothing, plain_table
from feedtool.feeds.export import (
    PROBLEM,
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    ExportTally,
    Filter,
    KeyedRow,
    KeyedRows,
    ListPage,
    PlainTable,
    Query,
    ServiceList,
    refused,
)
from feedtool.feeds.template import TEXT
from feedtool.model.call import Reply
from feedtool.model.fulfilment_settings import OutboundSettings
from feedtool.model.text import tr
from feedtool.service.answers import moment, next_call, service_time, text

KNOWN = {
    "returnId": (tr("Return"), TEXT),
    "reference": (tr("Reference"), TEXT),
    "outboundShipmentId": (tr("Shipment"), TEXT),
    "type": (tr("Sent back by"), TEXT),
    "status": (tr("Status"), TEXT),
    "createdAt": (tr("Created"), DATE),
}
FORMATS = {"pdf": "application/pdf", "png": "image/png"}
PAUSE = timedelta(seconds=30)
"""Between two looks for a label that is not there yet."""
TRIES = "tries"
"""In a row that no file shows: how often its label is asked for."""
COMPLETED, GONE, EMPTY = "Completed", 404, 204


FORMAT = Filter(
    "label-format",
    "FORMAT",
    tr("pdf or png."),
    default="pdf",
    narrows=False,
    choices=tuple(FORMATS),
)


def _tries(created_at: str, now: datetime | None, settings: OutboundSettings) -> int:
    """Once, and as often as fits into the time in which it may still be made."""
    created, patience = moment(created_at), timedelta(minutes=settings.label_patience)
    if created is None or now is None:
        return 1
    left = created.astimezone(UTC) + patience - now
    return 1 + max(0, -(-left // PAUSE))


def _row(query: Query, parcel: ParcelReturn, now: datetime | None) -> KeyedRow:
    row: KeyedRow = {
        "returnId": parcel.id,
        "reference": parcel.reference,
        "outboundShipmentId": parcel.shipment,
        "type": parcel.kind,
        "status": parcel.status,
        "createdAt": date_of(parcel.created_at),
    }
    if parcel.kind == CARRIER:
        return {**row, PROBLEM: tr("what a carrier brings back has no label")}
    return {**row, TRIES: _tries(parcel.created_at, now, query.dialect.outbound)}


def _is_wanted(query: Query, parcel: ParcelReturn) -> bool:
    """True if a return is asked for; of carriers, or arrived, only where that is asked for."""
    is_usual = (query["status"] or parcel.status != COMPLETED) and (
        query["type"] or parcel.kind != CARRIER
    )
    return bool(is_usual) and is_chosen(query, parcel)


def _page(query: Query, reply: Reply) -> ListPage:
    now = service_time(reply)
    parcels = [it for it in wire.returns_of(reply) if _is_wanted(query, it)]
    rows = [(it.id, _row(query, it, now)) for it in parcels]
    return ListPage(rows, next_call(reply), progress=len(rows))


def _sheet(query: Query, rows: KeyedRows, tally: ExportTally) -> PlainTable:
    table = plain_table(tr("Labels of returns"), known=KNOWN)(query, rows, tally)
    return table._replace(fields=[field for field in table.fields if field.key != TRIES])


# Files.


def _calls(query: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    media_type = FORMATS[query["label-format"]]
    for row in rows:
        if tries := row.get(TRIES):
            name = str(row["returnId"])
            yield DocumentCall(wire.read_label(name, media_type), (name,), int(str(tries)))


def _read(asked: DocumentCall, reply: Reply, body: Path) -> DocumentAnswer:
    if reply.status == EMPTY or not body.exists() or not body.stat().st_size:
        return _not_yet(asked)
    (name,) = asked.keys
    is_png = "png" in text(reply.headers.get("content-type"))
    return DocumentAnswer([DocumentFile(name, f"{name}.{'png' if is_png else 'pdf'}", body)])


def _not_yet(asked: DocumentCall) -> DocumentAnswer:
    if asked.tries > 1:
        return DocumentAnswer(again=[asked._replace(tries=asked.tries - 1)], wait=PAUSE)
    return DocumentAnswer(missing=dict.fromkeys(asked.keys, tr("the service has no label of it")))


def _lack(asked: DocumentCall, status: int | None, reason: str) -> DocumentAnswer:
    return _not_yet(asked) if status == GONE else refused(asked, status, reason)


LABELS = Export(
    "return-labels",
    """Export the labels of returns into a folder, with a list of them.

    A label is made within 15 minutes, and waited for as long. What carriers bring back has none,
    and is left out, as is what has arrived already, unless --type or --status asks for it.
    """,
    lambda _: (
        ServiceList(
            tr("returns"),
            lambda query, _: [wire.read_returns(of_returns(query))],
            lambda query: lambda reply, _: _page(query, reply),
            nothing(tr("there are no returns like that"), HINT),
            HINT,
            unit=tr("returns"),
        ),
    ),
    _sheet,
    no_loss,
    (*OF_RETURNS, FORMAT),
    documents=Documents(lambda row: str(row["returnId"]), _calls, _read, _lack),
)
