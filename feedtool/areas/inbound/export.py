"""What the warehouses have: shipments, delivery notes, and how they call the products.

Specification, "Fulfillment": lists go on where a Link leads. Shipments are read in the order of
their creation, so that none moves while they are read.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from feedtool.areas.inbound import columns, wire
from feedtool.areas.inbound.feeds import SHIPMENTS
from feedtool.areas.inbound.shipments import REFUSED, STATUSES
from feedtool.areas.inbound.wire import InboundShipment, ShippedItem
from feedtool.areas.plain_list import (
    DATE,
    date_of,
    flat_row,
    no_loss,
    nothing,
    plain_table,
    shown_fields,
)
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Export,
    ExportTally,
    FilledTemplate,
    Filter,
    Increments,
    KeyedRow,
    KeyedRows,
    ListPage,
    Query,
    ServiceList,
    Thing,
    moment_of,
)
from feedtool.feeds.template import TEXT
from feedtool.model.call import Call, Reply
from feedtool.model.cells import Value
from feedtool.model.errors import NothingToDo
from feedtool.model.nouns import EARLIEST
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.service.answers import Unreadable, moment, next_call, spelled, text

STATUS = Filter(
    "status",
    "STATUS[,STATUS]",
    tr("Only shipments of these statuses."),
    is_list=True,
    choices=STATUSES,
)
IN_DISPUTE = Filter(
    "in-dispute", "", tr("Only shipments with quantities in dispute."), is_flag=True
)
SINCE, UNTIL = (
    Filter(f"created-{end}", "WHEN", help_, read=moment_of(f"--created-{end}"))
    for end, help_ in (
        ("since", tr("Only what was created then or later: 2026-11-20.")),
        ("until", tr("Only what was created then or before: 2026-11-20T08:00Z.")),
    )
)
BY_SERVICE = {
    "reference": Filter("reference", "TEXT", tr("Only the shipments of this reference.")),
    "code": Filter("code", "TEXT", tr("Only the shipment that the service calls so.")),
    "supplyMode": Filter(
        "supply-mode",
        "MODE",
        tr("Only Fulfillment, or only Xdock."),
        read=partial(spelled, words=wire.MODES),
        choices=wire.MODES,
    ),
    "country": Filter("country", "CODE", tr("Only shipments to warehouses of this country.")),
}
"""Filters of what never changes, by the parameters of the service's list."""
FILTERS = (STATUS, IN_DISPUTE, *BY_SERVICE.values(), SINCE, UNTIL)
HINT = tr("look at the filters; nothing was written")


# The list.


def _first(query: Query, _: KeyedRows) -> list[Call]:
    def pairs() -> Iterator[tuple[str, str]]:
        for name, given in BY_SERVICE.items():
            if query[given.name]:
                yield name, query[given.name]
        for name, at in (
            ("createdAtMin", query[SINCE.name]),
            ("createdAtMax", query[UNTIL.name]),
            ("updatedAtMin", query.since),
        ):
            if at is not None:
                yield name, at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        if query["status"] and not query.has_cursor:
            yield "status", ",".join(query["status"])

    return [wire.read_shipments(pairs())]


def _is_wanted(query: Query, shipment: InboundShipment) -> bool:
    if query["status"] and shipment.status not in query["status"]:
        return False
    return not query["in-dispute"] or any(item.disputed for item in shipment.items)


Make = Callable[[InboundShipment], list[KeyedRow]]


def _reader(make: Make) -> Callable[[Query], Callable[[Reply, Call], ListPage]]:
    """The reader of pages of shipments, of which each becomes rows."""

    def reader(query: Query) -> Callable[[Reply, Call], ListPage]:
        def read(reply: Reply, _: Call) -> ListPage:
            things = [
                Thing(
                    it.id,
                    text(it.document.get("updatedAt")),
                    _at(it),
                    make(it) if _is_wanted(query, it) else [],
                )
                for it in wire.shipments_of(reply)
            ]
            return ListPage(things=things, progress=len(things), next=next_call(reply))

        return read

    return reader


def _at(shipment: InboundShipment) -> datetime:
    return moment(shipment.document.get("updatedAt")) or EARLIEST


def shipment_rows(shipment: InboundShipment) -> list[KeyedRow]:
    """A row for each product of a shipment, by the columns' keys."""
    fields = shipment.document
    common: dict[str, Value] = {
        columns.SHIPMENT: shipment.id,
        columns.SHIPMENT_REFERENCE: shipment.reference,
        columns.COUNTRY: shipment.country,
        columns.MODE: shipment.mode,
        "code": shipment.code,
        "status": shipment.status,
        "receptionDate": date_of(wire.reception_of(shipment)),
        "refuse.reasons": str(joined(shipment.refusals, "; ")) or None,
        columns.NOTE: str(shipment.has_note).lower(),
        "createdAt": date_of(fields.get("createdAt")),
        "updatedAt": date_of(fields.get("updatedAt")),
    }
    return [common | _of_item(item) for item in shipment.items] or [common]


def _of_item(item: ShippedItem) -> dict[str, Value]:
    return {
        columns.GTIN: text(item.document.get("gtin")),
        columns.CONDITION: item.pair[1],
        columns.QUANTITY: item.quantity,
        columns.RECEIVED: item.received,
        columns.DISPUTED: item.disputed,
    }


def _nothing(query: Query, _: ExportTally) -> NothingToDo:
    if any(query.values.get(given.name) for given in FILTERS):
        return NothingToDo(tr("there are no shipments like that"), HINT)
    hint = tr("look at --seller; nothing was written")
    return NothingToDo(tr("there are no shipments"), hint)


def _shipments(make: Make) -> ServiceList:
    return ServiceList(tr("shipments"), _first, _reader(make), _nothing, HINT, unit=tr("shipments"))


# Shipments as they are sent.

_FORMATS = {
    **dict.fromkeys(("receptionDate", "createdAt", "updatedAt"), DATE),
    **dict.fromkeys((columns.RECEIVED, columns.DISPUTED), "0"),
}


def _sheet(query: Query, rows: KeyedRows, _: ExportTally) -> FilledTemplate:
    shown = [column for column in columns.SHOWN_COLUMNS if column.key in rows.columns]
    further = shown_fields(shown, query.language, _FORMATS)
    return FilledTemplate(SHIPMENTS, query.context, query.language, further=further)


def _missed(count: int) -> MessageText:
    return plural(
        "{count:,} shipment was missing from earlier exports, and is in this one",
        "{count:,} shipments were missing from earlier exports, and are in this one",
        count,
    )


SHIPMENT_LIST = Export(
    "inbound-shipments",
    """Export the shipments to the warehouses: what they have become, what was received.

    A row for each product of a shipment. A row of the workbook without a Shipment is a new one.
    """,
    lambda _: (_shipments(shipment_rows),),
    _sheet,
    no_loss,
    FILTERS,
    is_sent_back=True,
    increments=Increments(_missed),
)


# Delivery notes.

_KNOWN = {
    columns.SHIPMENT: (tr("Shipment"), TEXT),
    columns.SHIPMENT_REFERENCE: (tr("Reference"), TEXT),
    "code": (tr("Code"), TEXT),
    "status": (tr("Status"), TEXT),
    "createdAt": (tr("Created"), DATE),
}


def _noted(shipment: InboundShipment) -> list[KeyedRow]:
    """The row of a shipment; the note of one that is refused never comes."""
    fields = {
        columns.SHIPMENT: shipment.id,
        columns.SHIPMENT_REFERENCE: shipment.reference,
        "code": shipment.code,
        "status": shipment.status,
        "createdAt": date_of(shipment.document.get("createdAt")),
    }
    return [fields] if shipment.has_note and shipment.status != REFUSED else []


def _note_name(row: KeyedRow) -> str:
    return str(row.get("code") or row[columns.SHIPMENT])


def _note_calls(query: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    for row in rows:
        call = wire.read_note(query.dialect.inbound, str(row[columns.SHIPMENT]))
        yield DocumentCall(call, (_note_name(row),))


def _read_note(asked: DocumentCall, _: Reply, body: Path) -> DocumentAnswer:
    (name,) = asked.keys
    with body.open("rb") as file:
        if file.read(5) != b"%PDF-":
            raise Unreadable(tr("the answer is no PDF"))
    return DocumentAnswer([DocumentFile(name, f"{name}.pdf", body)])


NOTES = Export(
    "delivery-notes",
    """Bring the delivery notes of shipments that the warehouses have accepted into a folder.

    A PDF for each, and a list of them.
    """,
    lambda _: (_shipments(_noted),),
    plain_table(tr("Delivery notes"), known=_KNOWN),
    no_loss,
    FILTERS,
    documents=Documents(_note_name, _note_calls, _read_note),
)


# References.

BY_REFERENCE = Filter("reference", "TEXT", tr("Only the product of this reference."))
_KNOWN_REFERENCES = {
    columns.REFERENCE: (tr("Seller's reference"), TEXT),
    columns.GTIN: (tr("GTIN (EAN)"), TEXT),
    columns.CONDITION: (tr("Condition"), TEXT),
}


def _references(reply: Reply, _: Call) -> ListPage:
    rows = [(None, flat_row(it, known=_KNOWN_REFERENCES)) for it in wire.references_of(reply)]
    return ListPage(rows, next_call(reply), progress=len(rows))


REFERENCES = Export(
    "fulfillment-references",
    """Export the products that the warehouses know, into a table.

    A row for each reference and condition.
    """,
    lambda _: (
        ServiceList(
            tr("references"),
            lambda query, _: [wire.read_references(query["reference"] or "")],
            lambda _: _references,
            nothing(
                tr("the warehouses know no products like that"),
                tr("send them with a sheet of kind fulfillment-products; nothing was written"),
            ),
            HINT,
            unit=tr("references"),
        ),
    ),
    plain_table(tr("References"), known=_KNOWN_REFERENCES),
    no_loss,
    (BY_REFERENCE,),
)

EXPORTS = (SHIPMENT_LIST, REFERENCES, NOTES)
