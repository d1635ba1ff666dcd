"""Creating outbound shipments: the call, and its judgement by the list of shipments.

Specification, "Outbound shipment" and "Fulfillment", rules 1, 3 and 4. A second parcel to a
customer is the worst that can happen: a shipment with the reference that was not there before
counts as this one, and nothing is sent again before complete lists have shown none for a long
time.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from feedtool.areas.outbound import codes, wire
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.areas.outbound.wire import OutboundShipment
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, reached
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Message, Status
from feedtool.model.text import joined, tr
from feedtool.service.answers import amount, as_whole, country, service_time, text

CREATED, ACCEPTED, PREPARING = "Created", "Accepted", "InPreparation"
REJECTED, CANCELLED = "Rejected", "Cancelled"
SENT = ("PartiallyShipped", "Shipped", "Delivered")
TAKEN = frozenset({ACCEPTED, PREPARING, *SENT})

SETTLED = timedelta(minutes=10)
"""The clocks of a service may differ by as much, and what was created shows by then."""


class ShownShipments(NamedTuple):
    """The shipments of a reference, as they were listed."""

    shipments: Sequence[OutboundShipment]
    since: str
    """New shipments are searched from this creation time on; empty: no limit."""


def look(act: RequestAttempt) -> Sequence[Call]:
    """The call for the shipment of a known id, else for a list; once sent, of new shipments."""
    if act.package.package_id:
        return [wire.read_shipment(act.package.package_id)]
    name = act.package.settings.of(OutboundSettings).reference_filter
    query = ((name, act.reference),) if name else ()
    if act.baseline is not None:
        since = json.loads(act.baseline)["since"]
        query = (("createdAtMin", since),) if since else ()
    return [as_whole(wire.read_shipments(query))]


def shown(act: RequestAttempt, replies: Sequence[Reply]) -> ShownShipments:
    """The shipments with the reference."""
    if act.package.package_id:
        shipment = wire.shipment_of(replies[0])
        return ShownShipments([shipment] if shipment else [], "")
    now = service_time(replies[0])
    listed = [shipment for reply in replies for shipment in wire.shipments_of(reply)]
    since = (now - SETTLED).isoformat().replace("+00:00", "Z") if now else ""
    return ShownShipments(
        [shipment for shipment in listed if shipment.reference == text(act.reference)], since
    )


def judge(act: RequestAttempt, state: ShownShipments) -> Judgement:
    """Judge a request by the shipments with its reference."""
    if act.baseline is not None:
        before = json.loads(act.baseline)["before"]
        new = [shipment for shipment in state.shipments if shipment.id not in before]
        return judged(act, new[0]) if new else Judgement(Goal.OPEN, Status.PENDING)
    # A rejected or cancelled shipment may be requested again.
    alive = [
        shipment for shipment in state.shipments if shipment.status not in {CANCELLED, REJECTED}
    ]
    if not alive:
        return Judgement(Goal.OPEN, Status.PENDING)
    body = json.loads(act.body, parse_float=Decimal)
    same = [shipment for shipment in alive if is_same(body, shipment)]
    if same:
        return judged(act, same[0])
    other = alive[0]
    message = tr(
        "the reference is that of another shipment, {shipment}, which is {status}",
        shipment=other.id,
        status=other.status,
    )
    return impossible(codes.REFERENCE_TAKEN, message)


def judged(act: RequestAttempt, shipment: OutboundShipment) -> Judgement:
    """Judge a request by the status of its shipment."""
    word = shipment.status
    if word in TAKEN:
        proof = tr("is {status}, shipment {shipment}", status=word, shipment=shipment.id)
        if parcels := joined(filter(None, map(parcel_text, shipment.parcels)), "; "):
            proof = tr("{proof}, parcel {parcels}", proof=proof, parcels=parcels)
        return reached(act, Status.ACCEPTED, proof, word)
    if word == REJECTED:
        return Judgement(Goal.OTHERWISE, Status.REJECTED, _reasons(act, shipment), word)
    if word == CANCELLED:
        message = tr("shipment {shipment} was cancelled", shipment=shipment.id)
        return Judgement(Goal.OTHERWISE, Status.REJECTED, (Message("", message),), word)
    return Judgement(Goal.WAITING, Status.PENDING, (), word)


def parcel_text(parcel: Mapping[str, Any]) -> str:
    """A parcel's number and carrier; empty without both."""
    number = wire.first_text(parcel, *wire.PARCEL_NUMBER)
    return f"{number} {wire.first_text(parcel, *wire.CARRIER)}".strip()


def _reasons(act: RequestAttempt, shipment: OutboundShipment) -> tuple[Message, ...]:
    """The reasons of a rejection, each on the cells that its code is about."""
    code, items = codes.SHIPMENT_REJECTED.name, act.content.get("items", ())
    messages = []
    for reason in shipment.reasons:
        values = {text(value) for value in reason.values()}
        places = {
            row: _field(text(reason.get("code")), key)
            for row, item in zip((act.row, *act.further_rows), items, strict=False)
            for key in (REFERENCE, PRODUCT)
            if item.get(key) in values
        }
        for row, field in (places or {0: _field(text(reason.get("code")), "")}).items():
            messages.append(Message(code, wire.reason_text(reason), field, row=row))
    nothing = tr("the warehouse has rejected the shipment, and names no reason")
    return for_every_row(act, messages) or (Message(code, nothing),)


def _field(code: str, named_column: str) -> str:
    """The column that a reason's code names; empty if it names none."""
    columns = {"mode": DELIVERY, "pric": PRICE, "storage": STORAGE, "product": named_column}
    return next((key for part, key in columns.items() if part in code.casefold()), "")


def for_every_row(act: RequestAttempt, messages: Sequence[Message]) -> tuple[Message, ...]:
    """Messages about rows of a request, and one for each other row that points to the first."""
    rows = {message.row for message in messages}
    others = () if 0 in rows or not rows else {act.row, *act.further_rows} - rows
    first = min(rows, default=0)
    text_of = tr("row {row} is of the same request, see there", row=first)
    return (*messages, *(Message("", text_of, row=row) for row in sorted(others)))


REFERENCE, PRODUCT, CONDITION = "sellerProductReference", "productId", "productCondition"
DELIVERY, STORAGE = "delivery.mode", "storageCountry"
AMOUNTS = PRICE, SHIPPING = ("unitSalesPrice", "shippingCost")
TRAITS = (DELIVERY, *AMOUNTS, "currencyCode")
"""Members that may differ between shipments of the same items."""


def is_same(body: Mapping[str, Any], shipment: OutboundShipment) -> bool:
    """True if a shipment has the items, the delivery mode and the address of a request."""
    countries = {country(body.get(STORAGE)), country(shipment.document.get(STORAGE))} - {""}
    if len(countries) > 1:
        return False
    address = wire.object_of(shipment.document.get("deliveryAddress"))
    requested = body["deliveryAddress"]
    if any(country(address.get(key)) not in {"", country(requested[key])} for key in requested):
        return False
    mode = {"delivery": {"mode": shipment.document.get("deliveryMode")}}
    shown_items = [{**mode, **item} for item in shipment.items]
    return all(
        Counter(_named(item, names) for item in body["items"])
        == Counter(_named(item, names) for item in shown_items)
        for names in _shared(body["items"], shown_items)
    )


def _shared(*items: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The ways of naming a product that all items have, each with the traits that all have."""
    every = [item for some in items for item in some]

    def have(*keys: str) -> bool:
        return all(_value(item, key) for item in every for key in keys)

    traits = tuple(filter(have, TRAITS))
    ways: list[tuple[str, ...]] = [(REFERENCE,), (PRODUCT, CONDITION)]
    return [(*way, *traits) for way in filter(lambda way: have(*way), ways)] or [traits]


def _named(item: Mapping[str, Any], names: Sequence[str]) -> tuple[object, ...]:
    return (*(_value(item, name) for name in names), wire.pieces_of(item))


def _value(item: Mapping[str, Any], key: str) -> object:
    if key == DELIVERY:
        return text(wire.object_of(item.get("delivery")).get("mode"))
    number = amount(item.get(key)) if key in AMOUNTS else None
    return text(item.get(key)) if number is None else f"{number.normalize():f}"


SHIPMENT: Direct[ShownShipments] = Direct(
    call=lambda act: wire.create_shipment(act.body),
    looks=look,
    state=shown,
    judge=judge,
    created=wire.created_shipment,
    baseline=lambda _, state: json.dumps(
        {"since": state.since, "before": [shipment.id for shipment in state.shipments]}
    ),
    repeat=Repeat.TRACED,
    doubt=codes.PARCEL_DOUBTFUL,
    patience=timedelta(minutes=30),
    last_words=frozenset({"Delivered", CANCELLED, REJECTED}),
)
"""The creation of a shipment; sent again only if complete lists have shown none for 30 minutes."""
