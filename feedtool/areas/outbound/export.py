"""Lists of parcels: shipments that leave the warehouses, and returns that come back."""

from hashlib import sha256

import orjson

from feedtool.areas.listing import Empty, Entries, ListFilter, Listing, Waiting, export_of
from feedtool.areas.outbound import columns, wire
from feedtool.areas.outbound.feeds import CREATE, RETURNS
from feedtool.areas.outbound.rows import return_rows, shipment_rows
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.areas.outbound.shipments import REJECTED
from feedtool.areas.outbound.wire import OutboundShipment, ParcelReturn
from feedtool.areas.plain_list import DATE, Template
from feedtool.feeds.export import Filter
from feedtool.model.text import plural, tr

NOTHING = Empty(tr("there is nothing yet"), reason_with_filters=tr("there is nothing like that"))
FORMATS = {
    **dict.fromkeys(
        ("createdAt", "updatedAt", "statusUpdatedAt", "receiptDate", "cancellation.timestamp"),
        DATE,
    ),
    **dict.fromkeys(("receiptedQuantity", "unexpectedQuantity"), "0"),
}
STATUS = Filter("status", "STATUS[,STATUS]", tr("Only entries with these statuses."), is_list=True)
REFERENCE = Filter("reference", "TEXT[,TEXT]", tr("Only these references."), is_list=True)


def _digest(parcel: OutboundShipment | ParcelReturn) -> str:
    return sha256(orjson.dumps(parcel.document, default=str)).hexdigest()


# Shipments.


STATE = Filter(
    "state",
    "STATE",
    tr("Only shipments that are Valid, or Invalid."),
    is_list=True,
    choices=wire.STATES,
)
COUNTRY = Filter("country", "CODE[,CODE]", tr("Only shipments to these countries."), is_list=True)
NO_ADDRESSES = Filter(
    "no-addresses",
    "",
    tr("Leave out the names and addresses of customers."),
    is_flag=True,
    narrows=False,
)
SHIPMENT_LIST = Listing(
    "outbound-shipments",
    """Export what the warehouses send to customers, into a workbook in which it is cancelled.

    A row for each item, with its parcels. Choose Cancel and a reason, and submit the workbook: rows
    in which nothing is chosen ask for nothing.
    """,
    noun=tr("shipments"),
    page=wire.read_shipments(),
    sheet=Template(CREATE, columns.SHOWN_SHIPMENT, FORMATS, width=20.0),
    empty=NOTHING,
    filters=(
        ListFilter(
            STATUS._replace(choices=wire.STATUSES),
            "status",
            lambda shipment: shipment.status,
            can_change=True,
        ),
        ListFilter(
            STATE,
            "state",
            lambda shipment: wire.object_of(shipment.document.get("state")).get("value"),
            can_change=True,
        ),
        ListFilter(
            COUNTRY,
            "deliveryCountry",
            lambda shipment: wire.object_of(shipment.document.get("deliveryAddress")).get(
                "countryCode"
            ),
        ),
        ListFilter(REFERENCE, value=lambda shipment: shipment.reference),
        ListFilter(NO_ADDRESSES),
    ),
    entries=Entries(
        wire.shipments_of,
        lambda shipment, query: shipment_rows(
            shipment, has_addresses=not query.values.get(NO_ADDRESSES.name)
        ),
        key=lambda shipment: shipment.id,
        changed=lambda shipment: shipment.updated_at,
        version=_digest,
        missed=lambda count: plural(
            "{count:,} shipment was missing from earlier exports, and is in this one",
            "{count:,} shipments were missing from earlier exports, and are in this one",
            count,
        ),
    ),
    counts=lambda settings: wire.count_shipments(settings.of(OutboundSettings)),
    is_counted_first=True,
    waits=(
        Waiting(
            "outbound-rejected",
            tr("Parcels rejected"),
            {STATUS.name: (REJECTED,)},
            lambda count: plural("{count:,} shipment", "{count:,} shipments", count),
            since="createdAtMin",
        ),
    ),
)

# Returns.

KIND = Filter(
    "type",
    "TYPE",
    tr("Only what is sent back by: Customer or Carrier."),
    is_list=True,
    choices=wire.KINDS,
)
REASON = Filter("reason", "REASON[,REASON]", tr("Only for these reasons."), is_list=True)
SHIPMENT = Filter("shipment", "ID[,ID]", tr("Only returns of these shipments."), is_list=True)
NON_CONFORM = Filter(
    "non-conform",
    "",
    tr("Only what the warehouse has found otherwise than it was announced."),
    is_flag=True,
)
OF_RETURNS = (
    ListFilter(
        STATUS._replace(choices=wire.RETURN_STATUSES),
        "status",
        lambda parcel: parcel.status,
        can_change=True,
    ),
    ListFilter(KIND, "types", lambda parcel: parcel.kind),
    ListFilter(REASON, "reasons", lambda parcel: parcel.document.get("reason")),
    ListFilter(SHIPMENT, "outboundShipmentId", lambda parcel: parcel.shipment),
    ListFilter(REFERENCE, "reference", lambda parcel: parcel.reference),
)
RETURN_LIST = Listing(
    "returns",
    """Export what customers and carriers send back to the warehouses, into a workbook.

    A row for each product, with what the warehouse has received and found.
    """,
    noun=tr("returns"),
    page=wire.read_returns(),
    sheet=Template(RETURNS, columns.SHOWN_RETURN, FORMATS, width=20.0),
    empty=NOTHING,
    filters=(*OF_RETURNS, ListFilter(NON_CONFORM, value=lambda parcel: not parcel.is_conform)),
    entries=Entries(
        wire.returns_of,
        lambda parcel, _: return_rows(parcel),
        key=lambda parcel: parcel.id,
        changed=lambda parcel: parcel.updated_at,
        version=_digest,
        missed=lambda count: plural(
            "{count:,} return was missing from earlier exports, and is in this one",
            "{count:,} returns were missing from earlier exports, and are in this one",
            count,
        ),
    ),
    counts=lambda settings: wire.count_returns(settings.of(OutboundSettings)),
    is_counted_first=True,
    waits=(
        Waiting(
            "returns-to-look-at",
            tr("Returns to look at"),
            {NON_CONFORM.name: True},
            lambda count: plural("{count:,} return", "{count:,} returns", count),
            since="updatedAtMin",
            is_counted=False,
        ),
    ),
)

SHIPMENT_EXPORT, RETURN_EXPORT = export_of(SHIPMENT_LIST), export_of(RETURN_LIST)
