"""The feeds of orders: a sheet of lines that ask for actions, and the file of a carrier.

All actions share the sheet "Orders". A row without an action asks for nothing, or with a parcel's
number for a shipment.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from feedtool.areas.orders import acts, columns
from feedtool.areas.orders.gestures import GRANT
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.shipments import CANCELLATION, LINES, PRODUCTS, SHIPMENT
from feedtool.feeds.columns.choice import YES
from feedtool.feeds.feed import (
    ACTION,
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


def asked_of(row: Row) -> Sequence[Row]:
    """The row if it has a request; nothing if it is not filled."""
    return (row,) if any(not row.is_blank(key) for key in columns.FILLED) else ()


# Required columns.


def _carrier(row: Row) -> str | None:
    usual = row.sheet.context.settings.of(OrderSettings).carrier
    return row.values.get(columns.CARRIER) or usual or None


def action_of(row: Row) -> str:
    """The package type of a row's action; empty if it has no action, or no clear one."""
    is_said = row.values.get(ACTION) is not None or not row.is_blank(columns.PARCEL)
    is_clear = is_said or row.feed.recognition.action != columns.SHIP
    return row.feed.travel.package_type if is_clear and asked_of(row) else ""


def _orders_required(row: Row) -> list[str]:
    """Require only the order of a row without an action."""
    is_filled = bool(asked_of(row))
    return row.blanks((columns.ORDER,)) if is_filled and not action_of(row) else _ship_required(row)


def _ship_required(row: Row) -> list[str]:
    needed = row.blanks((columns.ORDER, columns.PARCEL))
    return needed if _carrier(row) or columns.CARRIER in row.refused else [*needed, columns.CARRIER]


def _refund(row: Row) -> bool | None:
    """True if a cancellation refunds the shipping cost; None if unknown."""
    refund = row.values.get(columns.REFUND)
    usual = row.sheet.context.settings.of(OrderSettings).shipping_cost_refund
    return refund == YES if refund else {"yes": True, "no": False}.get(usual)


def _cancel_required(row: Row) -> list[str]:
    needed = row.blanks((columns.ORDER, columns.REASON))
    is_said = _refund(row) is not None or columns.REFUND in row.refused
    return needed if is_said else [*needed, columns.REFUND]


def gesture_reason(row: Row) -> object:
    """The reason of a gesture; Other in the service's language."""
    reason = row.values.get(columns.REASON)
    is_other = " ".join(str(reason or "").casefold().split()) in columns.OTHER_WORDS
    return columns.OTHER if is_other else reason


def _gesture_required(row: Row) -> list[str]:
    needed = row.blanks((columns.ORDER, columns.AMOUNT, columns.REASON))
    is_other = gesture_reason(row) == columns.OTHER
    return [*needed, *row.blanks((columns.DETAILS,))] if is_other else needed


# Bodies of requests.


def shipment(*rows: Row, is_by_product: bool = False) -> list[dict[str, object]]:
    """The parcels of an order's rows: one for each number, with its lines.

    With `is_by_product` a row may name the product instead of the line.
    """
    parcels: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        number, carrier = str(row.values[columns.PARCEL]), str(_carrier(row))
        pattern = row.sheet.context.settings.of(OrderSettings).tracking.get(carrier, "")
        address = row.values.get(columns.TRACKING) or pattern.replace("{parcelNumber}", number)
        url = str(address)
        new = {"parcelNumber": number, "carrierName": carrier}
        new |= {"trackingUrl": url} if url else {}
        parcel = parcels.setdefault((number, carrier, url), new)
        for key, member in ((columns.LINE, LINES), (columns.PRODUCT, PRODUCTS)):
            reference = row.values.get(key)
            if reference and (member is LINES or is_by_product):
                others = parcel.setdefault(member, [])
                others += [str(reference)] if str(reference) not in others else []
                break
    return [*parcels.values()]


def _cancellation(*rows: Row) -> dict[str, object]:
    """The cancelled lines of an order; the read order shows whether these are all."""
    lines = [
        {
            "lineId": str(row.values.get(columns.LINE) or ""),
            "offerId": str(row.values.get(columns.OFFER) or ""),
            "reason": row.values[columns.REASON],
            "shippingCostRefund": _refund(row),
        }
        for row in rows
    ]
    return {"orderSellerId": rows[0].values[columns.ORDER], "lines": lines}


def _gesture(row: Row) -> dict[str, object]:
    values = row.values
    body = {
        "orderId": values[columns.ORDER],
        "reason": gesture_reason(row),
        "amount": float(values[columns.AMOUNT]),
    }
    details = values.get(columns.DETAILS)
    return {**body, "reasonDetails": details} if details else body


# The feeds.

SHEET_COLUMNS = (*columns.IDENTITY_COLUMNS, *columns.FILLED_COLUMNS)
SHEET = SheetDesign(
    name="Orders",
    columns=always(*SHEET_COLUMNS),
    every_column=always(*columns.EVERY_COLUMN),
    key_column=columns.ORDER,
    folded=columns.FOLDED,
    has_channel=False,
)
_recognition = partial(
    Recognition,
    needs=(columns.ORDER, ACTION),
    lists={"requestId": "gestures", "importId": "invoice-imports"},
)
_requests = partial(
    Requests,
    reference=columns.ORDER,
    group_by=(columns.ORDER,),
    split=asked_of,
    is_sent=frozenset(column.key for column in SHEET_COLUMNS).__contains__,
    personal=frozenset(),
)
_feed = partial(Feed, area="feedtool.areas.orders", sheet=SHEET)

SHIP = _feed(
    kind="orders",
    summary=tr("Orders to be accepted, refused, shipped or cancelled, and commercial gestures."),
    recognition=_recognition(action=columns.SHIP),
    requests=_requests(make=shipment, required=_orders_required),
    travel=Travel(package_type=columns.SHIP, protocol=SHIPMENT),
    template=TemplatePage(
        "Orders",
        tr(
            "Each row is a line of an order. Choose what is to be done with it in the column "
            "Action; a row in which nothing is filled asks for nothing. A second parcel of a line "
            "is a copy of its row with another number."
        ),
    ),
)


def _approval(kind: str, action: str, summary: str, approval: acts.Approval) -> Feed:
    return _feed(
        kind=kind,
        summary=summary,
        recognition=_recognition(action=action, only_if_asked=True),
        requests=_requests(
            make=lambda *_: {"approval_status": approval.decision}, required=(columns.ORDER,)
        ),
        travel=Travel(package_type=action, protocol=acts.approval(approval)),
    )


ACCEPT = _approval(
    "orders-accept",
    columns.ACCEPT,
    tr("Orders that are accepted, all of their lines at once."),
    acts.ACCEPT,
)
REFUSE = _approval(
    "orders-refuse",
    columns.REFUSE,
    tr("Orders that are refused, all of their lines at once."),
    acts.REFUSE,
)
CANCEL = _feed(
    kind="orders-cancel",
    summary=tr("Lines that are cancelled, or whole orders."),
    recognition=_recognition(action=columns.CANCEL, only_if_asked=True),
    requests=_requests(make=_cancellation, required=_cancel_required),
    travel=Travel(package_type=columns.CANCEL, protocol=CANCELLATION),
)
GESTURE = _feed(
    kind="orders-gesture",
    summary=tr("Commercial gestures: an amount for the customer, without a cancellation."),
    recognition=_recognition(action=columns.GESTURE, only_if_asked=True),
    requests=_requests(make=_gesture, required=_gesture_required, group_by=()),
    travel=Travel(package_type=columns.GESTURE, protocol=GRANT),
)


def _shipments_missing(sheet: SheetColumns) -> list[str]:
    needed = [columns.ORDER, columns.PARCEL]
    if not sheet.context.settings.of(OrderSettings).carrier:
        needed.append(columns.CARRIER)
    return [key for key in needed if key not in sheet.fields]


SHIPMENTS = _feed(
    kind="shipments",
    summary=tr("Parcels of a carrier's or a warehouse's file; the same file may be sent again."),
    sheet=SheetDesign(
        name="Shipments",
        columns=always(*columns.SHIPMENT_COLUMNS),
        key_column=columns.ORDER,
        folded=columns.FOLDED,
        has_channel=False,
    ),
    recognition=Recognition(needs=_shipments_missing, lists={"refreshedAt": "order-tracking"}),
    requests=_requests(
        make=partial(shipment, is_by_product=True), required=_ship_required, is_sent=lambda _: True
    ),
    travel=Travel(package_type="Shipment", protocol=SHIPMENT),
    template=TemplatePage(
        "Shipments",
        tr(
            "Each row is a parcel of an order, or of a line of it. Several rows of an order are "
            "several parcels. A parcel that the service has already is not sent again, and a row "
            "without anything of a parcel asks for nothing."
        ),
    ),
)
FEEDS = (SHIP, ACCEPT, REFUSE, CANCEL, GESTURE, SHIPMENTS)
