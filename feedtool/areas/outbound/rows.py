"""Shipments and returns as rows: one for each item, or line, with what the service shows."""

from collections.abc import Iterable

from feedtool.areas.outbound import columns, wire
from feedtool.areas.outbound.wire import Document, OutboundShipment, ParcelReturn
from feedtool.areas.plain_list import date_of
from feedtool.model.cells import Value
from feedtool.model.text import joined
from feedtool.service.answers import amount, text, whole

Row = dict[str, Value]


def texts(document: Document, names: Iterable[str], prefix: str = "") -> Row:
    return {prefix + name: text(document.get(name)) or None for name in names}


def _listed(documents: Iterable[Document], *names: str) -> Value:
    """The texts of the documents under the first of these names that each has, joined."""
    values = (wire.first_text(document, *names) for document in documents)
    return str(joined(filter(None, values), "; ")) or None


def shipment_rows(shipment: OutboundShipment, *, has_addresses: bool) -> list[Row]:
    """A row for each item of a shipment."""
    document, parcels = shipment.document, shipment.parcels
    common: Row = {
        columns.SHIPMENT: shipment.id,
        columns.REFERENCE: shipment.reference,
        columns.STORAGE: text(document.get(columns.STORAGE)) or None,
        "status": shipment.status,
        "state": text(wire.object_of(document.get("state")).get("value")) or None,
        "rejection": str(joined(map(wire.reason_text, shipment.reasons), "; ")) or None,
        "createdAt": date_of(shipment.created_at),
        "statusUpdatedAt": date_of(shipment.updated_at),
        "parcels.trackingNumber": _listed(parcels, *wire.PARCEL_NUMBER),
        "parcels.carrier": _listed(parcels, *wire.CARRIER),
        "parcels.status": _listed(parcels, "status"),
        "parcels.weight": _listed(parcels, "weight"),
        "parcels.deliveryDate": _listed(parcels, "deliveryDate"),
        **texts(shipment.cancellation, ("status", "origin", "reason"), "cancellation."),
        "cancellation.timestamp": date_of(shipment.cancellation.get("timestamp")),
    }
    if has_addresses:
        address = wire.object_of(document.get("deliveryAddress"))
        names = (key.partition(".")[2] for key in columns.PERSONAL)
        common |= texts(address, names, "deliveryAddress.")
    mode = text(document.get("deliveryMode"))
    return [common | _of_item(item, mode) for item in shipment.items] or [common]


def _of_item(item: Document, mode: str) -> Row:
    item_mode = text(wire.object_of(item.get("delivery")).get("mode"))
    names = (columns.PRODUCT_REFERENCE, columns.PRODUCT, columns.CONDITION, columns.CURRENCY)
    serials = item.get("traceability")
    return {
        **texts(item, names),
        columns.EXPECTED: whole(item.get(columns.EXPECTED)),
        columns.MODE: item_mode or mode or None,
        columns.PRICE: amount(item.get(columns.PRICE)),
        columns.SHIPPING: amount(item.get(columns.SHIPPING)),
        "traceability": str(joined(map(text, serials if isinstance(serials, list) else ()), "; "))
        or None,
    }


_OF_RETURN = (
    *("type", columns.REASON, columns.COMMENT, "warehouseComment", "recommendedReturnReason"),
    *("orderSellerId", "parcelId"),
)
_OF_LINE = (columns.PRODUCT, columns.CONDITION, "receiptedProductState", "conformity")


def return_rows(parcel: ParcelReturn) -> list[Row]:
    """A row for each line of a return."""
    document = parcel.document
    has_label = document.get("hasLabel")
    common: Row = {
        columns.RETURN: parcel.id,
        columns.SHIPMENT: parcel.shipment,
        columns.REFERENCE: parcel.reference,
        "status": parcel.status,
        "unexpectedQuantity": whole(document.get("unexpectedQuantity")),
        "hasLabel": str(has_label).lower() if isinstance(has_label, bool) else None,
        **texts(document, _OF_RETURN),
        **{key: date_of(document.get(key)) for key in ("receiptDate", "createdAt", "updatedAt")},
    }
    return [common | _of_line(line) for line in parcel.lines] or [common]


def _of_line(line: Document) -> Row:
    received = next(
        (
            number
            for name in ("receiptedQuantity", "receivedQuantity")
            if (number := whole(line.get(name))) is not None
        ),
        None,
    )
    return {
        **texts(line, _OF_LINE),
        columns.QUANTITY: whole(line.get(columns.QUANTITY)),
        "receiptedQuantity": received,
    }
