"""The feeds: products that the warehouses are to know, and shipments to them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from feedtool.areas.inbound import columns
from feedtool.areas.inbound.products import REFERENCING
from feedtool.areas.inbound.shipments import PRODUCTS as PRODUCTS_FIRST
from feedtool.areas.inbound.shipments import SHIPPING, product_name
from feedtool.feeds.columns.choice import YES
from feedtool.feeds.feed import Feed, Row, SheetColumns
from feedtool.model.text import tr

PRODUCT_NEEDED = (columns.GTIN, columns.REFERENCE, columns.CONDITION, "label")
_MEASURES = (*columns.DIMENSIONS, columns.WEIGHT, columns.VALUE)


def product(row: Row) -> dict[str, Any]:
    """What a row says of a product; the seller's number is added when it is sent."""
    values = {key: value for key, value in row.values.items() if value is not None}
    for key in _MEASURES:
        if key in values:
            values[key] = float(values[key])
    if columns.EXPIRES in values:
        values[columns.EXPIRES] = values[columns.EXPIRES] == YES
    return values


def shipment(*rows: Row) -> dict[str, Any]:
    """The shipment of some rows, an item for each."""
    header = (columns.SHIPMENT_REFERENCE, columns.COUNTRY, columns.MODE)
    items = (columns.GTIN, columns.CONDITION, columns.QUANTITY)
    return {
        **{key: rows[0].values[key] for key in header},
        "items": [{key: row.values[key] for key in items} for row in rows],
    }


def asked_of(row: Row) -> Sequence[Row]:
    """The row itself where it is of a new shipment; none of what the service has already."""
    is_filled = any(not row.is_blank(key) for key in columns.FILLED)
    return (row,) if is_filled and row.is_blank(columns.SHIPMENT) else ()


def _lacking(sheet: SheetColumns, *, needed: Sequence[str]) -> list[str]:
    return [key for key in needed if key not in sheet.fields]


def is_of_shipments(sheet: SheetColumns) -> bool:
    """True of a header with what offers do not have; a list of stocks may name a country."""
    of_shipments = {columns.MODE, columns.SHIPMENT} & sheet.fields
    return bool(of_shipments) or {columns.COUNTRY, columns.CONDITION} <= sheet.fields


_feed = partial(Feed, area="feedtool.areas.inbound", has_channel=False)

PRODUCTS = _feed(
    kind="fulfillment-products",
    sheet="Fulfilment products",
    package_type="FulfillmentProduct",
    summary=tr("Products that the warehouses are to know before anything of them is sent there."),
    columns=columns.product_columns,
    understood=columns.product_columns,
    missing=partial(_lacking, needed=PRODUCT_NEEDED),
    required=lambda row: row.blanks(PRODUCT_NEEDED),
    request=product,
    delivery=REFERENCING,
    reference=columns.REFERENCE,
    identity=(columns.GTIN, columns.CONDITION),
    key_column=columns.CONDITION,
    needs_asking=True,
    unmistakable=lambda sheet: not sheet.fields.isdisjoint(columns.DIMENSIONS),
    provides=lambda _, identity: frozenset({product_name(*identity.split("|")[:2])}),
    title="Fulfilment products",
    about=tr(
        "Each row is a product. What the warehouses know of it already stays as it is: only what "
        "is empty there is filled."
    ),
)
SHIPMENTS = _feed(
    kind="inbound-shipments",
    sheet="Inbound",
    package_type="InboundShipment",
    summary=tr("Shipments to the warehouses: a row for each product in them."),
    columns=lambda _: columns.FILLED_COLUMNS,
    understood=lambda _: columns.EVERY_COLUMN,
    missing=partial(_lacking, needed=columns.FILLED),
    required=lambda row: row.blanks(columns.FILLED),
    request=shipment,
    delivery=SHIPPING,
    reference=columns.SHIPMENT_REFERENCE,
    group_by=(columns.SHIPMENT_REFERENCE,),
    common=(columns.COUNTRY, columns.MODE),
    identity=(columns.SHIPMENT_REFERENCE, columns.GTIN, columns.CONDITION),
    needs=PRODUCTS_FIRST,
    split=asked_of,
    is_sent=lambda key: key in columns.FILLED,
    key_column=columns.QUANTITY,
    needs_asking=True,
    unmistakable=is_of_shipments,
    title="Inbound",
    about=tr(
        "Each row is a product in a shipment, and all rows of a reference are one shipment. A row "
        "of a shipment that the service has already asks for nothing."
    ),
)
FEEDS = (PRODUCTS, SHIPMENTS)
