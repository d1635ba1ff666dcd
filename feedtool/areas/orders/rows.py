"""An order as rows of a sheet: one for each line, what can be done in front, what it is behind.

Field names of lines that the specification does not show are read as the field has met them.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from feedtool.areas.orders import columns
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.wire import Line, Order, value_at
from feedtool.areas.plain_list import date_of
from feedtool.feeds.feed import CHANNEL
from feedtool.model.cells import Value
from feedtool.model.settings import AccountSettings
from feedtool.model.text import joined
from feedtool.service.answers import amount, moment, text, whole

_OF_ORDER = {
    columns.STATUS: "status",
    "reference": "reference",
    "shippingCountry": "shippingCountry",
    "currencyCode": "currencyCode",
    **{column.key: column.key for column in columns.BILLING_COLUMNS},
}
_OF_LINE = {
    "product.title": "offer.productTitle",
    columns.PRODUCT: "offer.sellerProductId",
    "product.gtin": "offer.productGtin",
    **{column.key: column.key for column in columns.ADDRESS_COLUMNS},
}
"""By key, the path of a text in an order's document, and in a line's."""


def order_rows(
    order: Order, settings: AccountSettings, *, has_addresses: bool
) -> list[dict[str, Value]]:
    """A row for each line of an order, by the columns' keys."""
    business = order.document.get("businessOrder")
    common: dict[str, Value] = {
        columns.ORDER: order.id,
        CHANNEL: order.channel,
        columns.LINES: len(order.lines),
        "businessOrder": str(business).lower() if isinstance(business, bool) else None,
        "deadline.accept": _deadline(order, settings.of(OrderSettings).accept_within),
        "createdAt": date_of(order.document.get("createdAt")),
        "updatedAt": date_of(order.document.get("updatedAt")),
        "shippedAt": date_of(order.document.get("shippedAt")),
        **_texts(order.document, _OF_ORDER.items()),
    }
    rows = [
        common | _of_line(order, line, number) for number, line in enumerate(order.lines, start=1)
    ] or [common]
    if has_addresses:
        return rows
    return [{key: row[key] for key in row if key not in columns.PERSONAL} for row in rows]


def _deadline(order: Order, hours: int) -> Value:
    created = moment(order.document.get("createdAt"))
    if not (hours and created and order.status == "WaitingAcceptance"):
        return None
    due: datetime = created + timedelta(hours=hours)
    return date_of(due.isoformat())


def _texts(document: Mapping[str, Any], paths: Iterable[tuple[str, str]]) -> dict[str, Value]:
    return {key: text(value_at(document, path)) or None for key, path in paths}


def _of_line(order: Order, line: Line, number: int) -> dict[str, Value]:
    unit = amount(value_at(line.document, "sellingPrice.unitSalesPrice"))
    shipping = amount(value_at(line.document, "sellingPrice.shippingCost"))
    quantity = whole(line.document.get("quantity"))
    total = None if unit is None or quantity is None else unit * quantity + (shipping or Decimal(0))
    mode = text(value_at(line.document, "delivery.mode"))
    return {
        columns.LINE: line.id,
        columns.OFFER: line.offer_id or None,
        columns.LINE_STATUS: order.status_of(line),
        "line.number": number,
        columns.SUPPLY: line.supply_mode or order.supply_mode or None,
        "quantity": quantity,
        "unitSalesPrice": unit,
        "shippingCost": shipping,
        columns.TOTAL: total,
        "deliveryMode": mode or text(line.document.get("deliveryMode")) or None,
        **_texts(line.document, _OF_LINE.items()),
        "parcels.number": _listed(parcel.number for parcel in line.parcels),
        "parcels.carrier": _listed(parcel.carrier for parcel in line.parcels),
        "parcels.url": _listed(parcel.url for parcel in line.parcels),
        "parcels.trackingId": _listed(parcel.tracking_id for parcel in line.parcels),
    }


def _listed(texts: Iterable[str]) -> Value:
    return str(joined(filter(None, texts), "; ")) or None
