"""The feeds of parcels: shipments to customers, their cancellation, and returns.

A row that has the service's identifier shows what there is, and asks for nothing by itself.
"""

from collections.abc import Sequence
from functools import partial

from feedtool.areas.outbound import cancellations, columns, returns, shipments
from feedtool.feeds.feed import (
    ACTION,
    Feed,
    Recognition,
    Requests,
    Row,
    SheetDesign,
    TemplatePage,
    Travel,
    always,
)
from feedtool.model.text import tr


def _is_asked(row: Row) -> Sequence[Row]:
    """The row if it is new or has an action; nothing if it only shows data."""
    identifier = columns.RETURN if row.feed.sheet.name == "Returns" else columns.SHIPMENT
    return (row,) if row.is_blank(identifier) or not row.is_blank(ACTION) else ()


# Shipments.

ADDRESS = (
    *("firstName", "lastName", "email", "phone", "city", "postalCode", "countryCode", "line"),
    "pickupId",
)
NEEDED = (columns.REFERENCE, columns.EXPECTED, columns.MODE)
NEEDED_ADDRESS = tuple(
    f"deliveryAddress.{name}" for name in ("lastName", "city", "postalCode", "countryCode", "line")
)


def _create_required(row: Row) -> list[str]:
    needed = row.blanks((*NEEDED, *NEEDED_ADDRESS))
    if row.is_blank(columns.PRODUCT_REFERENCE):
        if row.is_blank(columns.PRODUCT):
            return [*needed, columns.PRODUCT_REFERENCE]
        needed += row.blanks((columns.CONDITION,))
    return needed


def shipment(*rows: Row) -> dict[str, object]:
    """The shipment of a reference's rows: an item for each, and the header that all have."""
    address = _filled(rows[0], ADDRESS, "deliveryAddress.")
    header = _filled(rows[0], (columns.REFERENCE, columns.STORAGE))
    return {**header, "deliveryAddress": address, "items": [_item(row) for row in rows]}


_ITEM = (columns.PRODUCT, columns.CONDITION, columns.PRODUCT_REFERENCE, columns.EXPECTED)


def _item(row: Row) -> dict[str, object]:
    mode = {"delivery": {"mode": row.values[columns.MODE]}}
    amounts = _filled(row, (columns.CURRENCY,))
    for key in (columns.PRICE, columns.SHIPPING):
        if row.values.get(key) is not None:
            amounts[key] = float(row.values[key])
    return {**_filled(row, _ITEM), **mode, **amounts}


def _filled(row: Row, names: Sequence[str], prefix: str = "") -> dict[str, object]:
    """The values of a row by their keys without the prefix; blanks are left out."""
    values = {name: row.values.get(prefix + name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


_feed = partial(Feed, area="feedtool.areas.outbound")
_requests = partial(Requests, split=_is_asked, personal=columns.PERSONAL)
_SENT_SHIPMENT = frozenset(column.key for column in columns.SHIPMENT_COLUMNS)
_shipments_sheet = partial(
    SheetDesign,
    name="Outbound",
    columns=always(*columns.SHIPMENT_COLUMNS),
    every_column=always(*columns.SHIPMENT_COLUMNS, *columns.SHOWN_SHIPMENT),
    key_column=columns.EXPECTED,
    has_channel=False,
)
CREATE = _feed(
    kind="outbound-shipments",
    summary=tr("Parcels that a warehouse sends to customers: an item for each row."),
    sheet=_shipments_sheet(
        folded=frozenset(
            (columns.PRODUCT, columns.CONDITION, *columns.AMOUNTS, ACTION, columns.REASON)
        )
    ),
    recognition=Recognition(needs=NEEDED, action=columns.CREATE),
    requests=_requests(
        make=shipment,
        reference=columns.REFERENCE,
        required=_create_required,
        group_by=(columns.REFERENCE,),
        common=(columns.STORAGE, *sorted(columns.PERSONAL)),
        is_sent=_SENT_SHIPMENT.__contains__,
    ),
    travel=Travel(package_type="OutboundShipment", protocol=shipments.SHIPMENT),
    template=TemplatePage(
        "Outbound shipments",
        tr(
            "Each row is an item of a shipment; rows of one reference are one shipment, and have "
            "the same address. A shipment cannot be changed: cancel it, and create it anew."
        ),
    ),
)
CANCELLED = (columns.SHIPMENT, columns.REASON)
CANCEL = _feed(
    kind="outbound-shipments-cancel",
    summary=tr("Shipments that are not to leave the warehouse."),
    sheet=_shipments_sheet(),
    recognition=Recognition(needs=CANCELLED, action=columns.CANCEL, only_if_asked=True),
    requests=_requests(
        make=lambda *rows: {key: rows[0].values[key] for key in CANCELLED},
        reference=columns.SHIPMENT,
        required=CANCELLED,
        group_by=(columns.SHIPMENT,),
        common=(columns.REASON,),
        is_sent=_SENT_SHIPMENT.__contains__,
    ),
    travel=Travel(package_type="OutboundCancellation", protocol=cancellations.CANCELLATION),
)

# Returns.

NEEDED_OF_RETURN = (
    *(columns.SHIPMENT, columns.REFERENCE, columns.REASON),
    *(columns.PRODUCT, columns.QUANTITY, columns.CONDITION),
)


def parcel_return(*rows: Row) -> dict[str, object]:
    """The return of a reference's rows: a line for each, and the header that all have."""
    header = (columns.SHIPMENT, columns.REFERENCE, columns.REASON, columns.COMMENT)
    line = (columns.PRODUCT, columns.QUANTITY, columns.CONDITION)
    lines = [{key: row.values[key] for key in line} for row in rows]
    return {**_filled(rows[0], header), "lines": lines}


RETURNS = _feed(
    kind="returns",
    summary=tr("What customers send back to a warehouse: a product for each row."),
    sheet=SheetDesign(
        name="Returns",
        columns=always(*columns.RETURN_COLUMNS),
        every_column=always(*columns.RETURN_COLUMNS, *columns.SHOWN_RETURN),
        has_channel=False,
    ),
    recognition=Recognition(
        needs=NEEDED_OF_RETURN,
        only_if_asked=True,
        unmistakable=lambda sheet: not sheet.fields.isdisjoint((columns.SHIPMENT, columns.RETURN)),
    ),
    requests=_requests(
        make=parcel_return,
        reference=columns.REFERENCE,
        required=NEEDED_OF_RETURN,
        group_by=(columns.REFERENCE,),
        common=(columns.SHIPMENT, columns.REASON, columns.COMMENT),
        is_sent=frozenset(column.key for column in columns.RETURN_COLUMNS).__contains__,
    ),
    travel=Travel(package_type="Return", protocol=returns.RETURN),
    template=TemplatePage(
        "Returns",
        tr(
            "Each row is a product that comes back; rows of one reference are one return. A return "
            "cannot be cancelled, and its label is made within 15 minutes."
        ),
    ),
)
FEEDS = (CREATE, CANCEL, RETURNS)
