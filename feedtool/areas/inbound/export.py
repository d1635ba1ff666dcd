"""Lists of the warehouses: shipments, delivery notes, and the references of products.

Specification, "Fulfillment": lists go on where a Link leads. Shipments are read in the order of
their creation, so that none moves while they are read.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from feedtool.areas.inbound import columns, wire
from feedtool.areas.inbound.feeds import SHIPMENTS
from feedtool.areas.inbound.settings import InboundSettings
from feedtool.areas.inbound.shipments import REFUSED, STATUSES
from feedtool.areas.inbound.wire import InboundShipment
from feedtool.areas.listing import Empty, Entries, ListFilter, Listing, Waiting, export_of
from feedtool.areas.plain_list import DATE, Table, Template, date_of
from feedtool.feeds.export import (
    DocumentAnswer,
    DocumentCall,
    DocumentFile,
    Documents,
    Filter,
    KeyedRow,
    KeyedRows,
    Query,
    moment_of,
)
from feedtool.feeds.template import TEXT
from feedtool.model.call import Reply
from feedtool.model.cells import Value
from feedtool.model.text import MessageText, joined, plural, tr
from feedtool.service.answers import Unreadable, spelled, text

# Shipments.


def _shipment_rows(shipment: InboundShipment, _: Query) -> list[KeyedRow]:
    """A row for each product of a shipment, by the columns' keys."""
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
        "createdAt": date_of(shipment.document.get("createdAt")),
        "updatedAt": date_of(shipment.document.get("updatedAt")),
    }
    rows: list[KeyedRow] = [
        {
            **common,
            columns.GTIN: text(item.document.get("gtin")),
            columns.CONDITION: item.pair[1],
            columns.QUANTITY: item.quantity,
            columns.RECEIVED: item.received,
            columns.DISPUTED: item.disputed,
        }
        for item in shipment.items
    ]
    return rows or [common]


def _entries(count: int) -> MessageText:
    return plural("{count:,} shipment", "{count:,} shipments", count)


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
SUPPLY_MODE = Filter(
    "supply-mode",
    "MODE",
    tr("Only Fulfillment, or only Xdock."),
    read=partial(spelled, words=wire.MODES),
    choices=wire.MODES,
)
REFERENCE = Filter("reference", "TEXT", tr("Only the shipments of this reference."))
CODE = Filter("code", "TEXT", tr("Only the shipment that the service calls so."))
COUNTRY = Filter("country", "CODE", tr("Only shipments to warehouses of this country."))
SINCE, UNTIL = (
    Filter(f"created-{end}", "WHEN", help_, read=moment_of(f"--created-{end}"))
    for end, help_ in (
        ("since", tr("Only what was created then or later: 2026-11-20.")),
        ("until", tr("Only what was created then or before: 2026-11-20T08:00Z.")),
    )
)
SHIPMENT_LIST = Listing(
    "inbound-shipments",
    """Export the shipments to the warehouses: what they have become, what was received.

    A row for each product of a shipment. A row of the workbook without a Shipment is a new one.
    """,
    noun=tr("shipments"),
    page=wire.read_shipments(),
    sheet=Template(
        SHIPMENTS,
        columns.SHOWN_COLUMNS,
        {
            **dict.fromkeys(("receptionDate", "createdAt", "updatedAt"), DATE),
            **dict.fromkeys((columns.RECEIVED, columns.DISPUTED), "0"),
        },
    ),
    empty=Empty(
        tr("there are no shipments"), reason_with_filters=tr("there are no shipments like that")
    ),
    filters=(
        ListFilter(STATUS, "status", lambda shipment: shipment.status, can_change=True),
        ListFilter(
            IN_DISPUTE, value=lambda shipment: any(item.disputed for item in shipment.items)
        ),
        ListFilter(REFERENCE, "reference"),
        ListFilter(CODE, "code"),
        ListFilter(SUPPLY_MODE, "supplyMode"),
        ListFilter(COUNTRY, "country"),
        ListFilter(SINCE, "createdAtMin"),
        ListFilter(UNTIL, "createdAtMax"),
    ),
    entries=Entries(
        wire.shipments_of,
        _shipment_rows,
        key=lambda shipment: shipment.id,
        changed=lambda shipment: text(shipment.document.get("updatedAt")),
        missed=lambda count: plural(
            "{count:,} shipment was missing from earlier exports, and is in this one",
            "{count:,} shipments were missing from earlier exports, and are in this one",
            count,
        ),
    ),
    counts=lambda _: wire.read_count(),
    waits=(
        Waiting(
            "inbound-refused",
            tr("Inbound refused"),
            {STATUS.name: (REFUSED,)},
            _entries,
            since="updatedAtMin",
        ),
        Waiting(
            "inbound-in-dispute",
            tr("Inbound in dispute"),
            {IN_DISPUTE.name: True},
            _entries,
            since="updatedAtMin",
            is_counted=False,
            asks=(("status", "PartiallyDone,Done"),),
        ),
    ),
)

# Delivery notes.


def _noted(shipment: InboundShipment, _: Query) -> list[KeyedRow]:
    """The row of a shipment; the note of a refused one never comes."""
    row: KeyedRow = {
        columns.SHIPMENT: shipment.id,
        columns.SHIPMENT_REFERENCE: shipment.reference,
        "code": shipment.code,
        "status": shipment.status,
        "createdAt": date_of(shipment.document.get("createdAt")),
    }
    return [row] if shipment.has_note and shipment.status != REFUSED else []


def _note_name(row: KeyedRow) -> str:
    return str(row.get("code") or row[columns.SHIPMENT])


def _note_calls(query: Query, rows: KeyedRows) -> Iterator[DocumentCall]:
    for row in rows:
        call = wire.read_note(query.settings.of(InboundSettings), str(row[columns.SHIPMENT]))
        yield DocumentCall(call, (_note_name(row),))


def _read_note(request: DocumentCall, _: Reply, body: Path) -> DocumentAnswer:
    (name,) = request.keys
    with body.open("rb") as file:
        if file.read(5) != b"%PDF-":
            raise Unreadable(tr("the answer is not a PDF"))
    return DocumentAnswer([DocumentFile(name, f"{name}.pdf", body)])


NOTE_LIST = SHIPMENT_LIST._replace(
    kind="delivery-notes",
    help="""Bring the delivery notes of shipments that the warehouses have accepted into a folder.

    A PDF for each, and a list of them.
    """,
    sheet=Table(
        tr("Delivery notes"),
        {
            columns.SHIPMENT: (tr("Shipment"), TEXT),
            columns.SHIPMENT_REFERENCE: (tr("Reference"), TEXT),
            "code": (tr("Code"), TEXT),
            "status": (tr("Status"), TEXT),
            "createdAt": (tr("Created"), DATE),
        },
    ),
    entries=Entries(wire.shipments_of, _noted, key=lambda shipment: shipment.id),
    documents=Documents(_note_name, _note_calls, _read_note),
    waits=(),
)

# References.

REFERENCE_LIST = Listing(
    "fulfillment-references",
    """Export the products that the warehouses know, into a table.

    A row for each reference and condition.
    """,
    noun=tr("references"),
    page=wire.read_references(),
    sheet=Table(
        tr("References"),
        {
            columns.REFERENCE: (tr("Seller's reference"), TEXT),
            columns.GTIN: (tr("GTIN (EAN)"), TEXT),
            columns.CONDITION: (tr("Condition"), TEXT),
        },
    ),
    empty=Empty(
        tr("the warehouses know no products like that"),
        tr("send them with a sheet of kind fulfillment-products; nothing was written"),
    ),
    filters=(
        ListFilter(
            Filter("reference", "TEXT", tr("Only the product of this reference.")),
            "sellerProductReference",
        ),
    ),
)

EXPORTS = tuple(map(export_of, (SHIPMENT_LIST, REFERENCE_LIST, NOTE_LIST)))
