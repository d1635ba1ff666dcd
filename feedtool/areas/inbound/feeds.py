"""The feeds: products that the warehouses are to know, and shipments to them."""

from collections.abc import Sequence
from typing import Any

from feedtool.areas.inbound import columns
from feedtool.areas.inbound.products import REFERENCING
from feedtool.areas.inbound.shipments import PRODUCTS as PRODUCTS_FIRST
from feedtool.areas.inbound.shipments import SHIPPING, product_name
from feedtool.feeds.columns.choice import YES
from feedtool.feeds.feed import (
    Feed,
    Recognition,
    Requests,
    Row,
    SheetColumns,
    SheetDesign,
    TemplatePage,
    Travel,
    always,
)
from feedtool.model.text import tr

PRODUCT_NEEDED = (columns.GTIN, columns.REFERENCE, columns.CONDITION, "label")


def product(row: Row) -> dict[str, Any]:
    """The product of a row; the seller's number is added when it is sent."""
    values = {key: value for key, value in row.values.items() if value is not None}
    for key in (*columns.DIMENSIONS, columns.WEIGHT, columns.VALUE):
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
    """The row of a new shipment; nothing for a shipment that the service has already."""
    is_filled = any(not row.is_blank(key) for key in columns.FILLED)
    return (row,) if is_filled and row.is_blank(columns.SHIPMENT) else ()


def is_of_shipments(sheet: SheetColumns) -> bool:
    """True for a header with columns that offers lack; lists of stocks may name a country."""
    of_shipments = {columns.MODE, columns.SHIPMENT} & sheet.fields
    return bool(of_shipments) or {columns.COUNTRY, columns.CONDITION} <= sheet.fields


PRODUCTS = Feed(
    kind="fulfillment-products",
    area="feedtool.areas.inbound",
    summary=tr("Products that the warehouses are to know before anything of them is sent there."),
    sheet=SheetDesign(
        name="Fulfilment products",
        columns=columns.product_columns,
        key_column=columns.CONDITION,
        has_channel=False,
    ),
    recognition=Recognition(
        needs=PRODUCT_NEEDED,
        only_if_asked=True,
        unmistakable=lambda sheet: not sheet.fields.isdisjoint(columns.DIMENSIONS),
    ),
    requests=Requests(
        make=product,
        reference=columns.REFERENCE,
        required=PRODUCT_NEEDED,
        identity=(columns.GTIN, columns.CONDITION),
    ),
    travel=Travel(
        package_type="FulfillmentProduct",
        protocol=REFERENCING,
        provides=lambda _, identity: frozenset({product_name(*identity.split("|")[:2])}),
    ),
    template=TemplatePage(
        "Fulfilment products",
        tr(
            "Each row is a product. What the warehouses know of it already stays as it is: only "
            "what is empty there is filled."
        ),
    ),
)
SHIPMENTS = Feed(
    kind="inbound-shipments",
    area="feedtool.areas.inbound",
    summary=tr("Shipments to the warehouses: a row for each product in them."),
    sheet=SheetDesign(
        name="Inbound",
        columns=always(*columns.FILLED_COLUMNS),
        every_column=always(*columns.EVERY_COLUMN),
        key_column=columns.QUANTITY,
        has_channel=False,
    ),
    recognition=Recognition(needs=columns.FILLED, only_if_asked=True, unmistakable=is_of_shipments),
    requests=Requests(
        make=shipment,
        reference=columns.SHIPMENT_REFERENCE,
        required=columns.FILLED,
        identity=(columns.SHIPMENT_REFERENCE, columns.GTIN, columns.CONDITION),
        group_by=(columns.SHIPMENT_REFERENCE,),
        common=(columns.COUNTRY, columns.MODE),
        split=asked_of,
        is_sent=lambda key: key in columns.FILLED,
    ),
    travel=Travel(package_type="InboundShipment", protocol=SHIPPING, needs=PRODUCTS_FIRST),
    template=TemplatePage(
        "Inbound",
        tr(
            "Each row is a product in a shipment, and all rows of a reference are one shipment. A "
            "row of a shipment that the service has already asks for nothing."
        ),
    ),
)
FEEDS = (PRODUCTS, SHIPMENTS)
