"""Announcing shipments: never twice, and followed until the warehouse decides.

Specification, "Inbound shipment" and "Fulfillment", rules 1 and 2. Nothing has an idempotency key:
the shipments of its reference are listed before it is sent, and after a lost answer. A new one
with the same content is the announced one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from feedtool.areas.inbound import codes, columns, wire
from feedtool.areas.inbound.wire import InboundShipment, Pair, ShippedItem
from feedtool.feeds.delivery import Needs
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, reached
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Message, Severity, Status
from feedtool.model.text import MessageText, joined, tr
from feedtool.service.answers import as_whole, json_object, next_link, text, whole

REFUSED = "Refused"
LAST_WORDS = frozenset({"Done", "AutomaticallyDone", REFUSED})
TAKEN = frozenset(
    {"Accepted", "AppointmentScheduled", "InProgress", "PartiallyDone", *LAST_WORDS} - {REFUSED}
)
"""Statuses of what the warehouse has accepted."""
STATUSES = wire.STATUSES


class Announced(NamedTuple):
    """The shipments of a reference, and the products that are referenced."""

    shipments: Sequence[InboundShipment]
    known: frozenset[Pair] | None
    """The referenced products; None if not read, or not known completely."""


def product_name(gtin: str, condition: str) -> str:
    """The name of a product that a shipment waits for."""
    return f"{gtin.zfill(14)}|{condition}"


def look(act: RequestAttempt) -> Sequence[Call]:
    """The calls for the shipments of its reference, and before sending for the references."""
    if act.baseline is not None and act.package.package_id:
        return [wire.read_shipment(act.package.package_id)]
    shipments = as_whole(wire.read_shipments([("reference", act.reference)]))
    return [wire.read_references(), shipments] if act.baseline is None else [shipments]


def announced(act: RequestAttempt, replies: Sequence[Reply]) -> Announced:
    """The state read from the replies, without shipments of other references."""
    pages = replies if act.baseline is not None else replies[1:]
    shown = [shipment for page in pages for shipment in wire.shipments_of(page)]
    shipments = [
        shipment
        for shipment in shown
        if act.package.package_id or shipment.reference == text(act.reference)
    ]
    return Announced(shipments, None if act.baseline is not None else _referenced(replies[0]))


def _referenced(page: Reply) -> frozenset[Pair] | None:
    """The products of a page of references; None if it may be incomplete."""
    known = [*map(wire.pair_of, wire.references_of(page))]
    size = whole(json_object(page.body).get("itemsPerPage")) or wire.PAGE
    is_cut = len(known) >= min(size, wire.PAGE) or next_link(page)
    return None if is_cut or not all(gtin for gtin, _ in known) else frozenset(known)


def judge(act: RequestAttempt, state: Announced) -> Judgement:
    """Judge an announcement: before it is sent by other shipments, then by the new one."""
    if act.baseline is None:
        return _before(act, state)
    before = frozenset(json.loads(act.baseline))
    new = [shipment for shipment in state.shipments if shipment.id not in before]
    for shipment in new:
        if shipment.id == act.package.package_id or _is_same(act, shipment):
            return _judged(act, shipment)
    return Judgement(Goal.OPEN, Status.PENDING)


def _before(act: RequestAttempt, state: Announced) -> Judgement:
    taken = [shipment for shipment in state.shipments if shipment.status != REFUSED]
    same = next((shipment for shipment in taken if _is_same(act, shipment)), None)
    if same:
        return _judged(act, same)
    if taken:
        message = tr(
            "the reference {reference} is that of shipment {code}, which holds something else",
            reference=act.reference,
            code=taken[0].code or taken[0].id,
        )
        return impossible(codes.REFERENCE_TAKEN, message)
    unknown = tuple(_unknown_products(act, state))
    if unknown:
        message = tr("nothing was sent: products of the shipment are not referenced")
        refused = impossible(codes.PRODUCT_NOT_REFERENCED, message)
        return refused._replace(messages=(*refused.messages, *unknown))
    return Judgement(Goal.OPEN, Status.PENDING)


def _items(act: RequestAttempt) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The items of a request, each with its row."""
    return zip((act.row, *act.further_rows), json.loads(act.body)["items"], strict=True)


def _is_same(act: RequestAttempt, shipment: InboundShipment) -> bool:
    """True if a shipment has the content of a request."""
    request = json.loads(act.body)
    header = (request[columns.COUNTRY], request[columns.MODE])
    items = {wire.pair_of(item): item[columns.QUANTITY] for item in request["items"]}
    shown = {item.pair: item.quantity for item in shipment.items}
    return header == (shipment.country, shipment.mode) and items == shown


def _unknown_products(act: RequestAttempt, state: Announced) -> Iterator[Message]:
    for row, item in _items(act) if state.known is not None else ():
        if wire.pair_of(item) not in (state.known or ()):
            message = tr(
                "{gtin}, {condition}, is not referenced: send it first with a sheet of kind "
                "fulfillment-products",
                gtin=item[columns.GTIN],
                condition=item[columns.CONDITION],
            )
            name, severity = codes.PRODUCT_NOT_REFERENCED.name, Severity.ERROR
            yield Message(name, message, columns.GTIN, severity, row)


# Judgements by the shipment's status.


def _judged(act: RequestAttempt, shipment: InboundShipment) -> Judgement:
    word = shipment.status
    proof = tr("shipment {code} is {status}", code=shipment.code or shipment.id, status=word)
    if word == REFUSED:
        reason = proof
        if shipment.refusals:
            reason = tr("{proof}: {reasons}", proof=proof, reasons=joined(shipment.refusals))
        messages = (Message("", reason), *_refused_products(act, shipment))
        return Judgement(Goal.OTHERWISE, Status.REFUSED, messages, word)
    if word in TAKEN:
        judgement = reached(act, Status.ACCEPTED, proof, word)
        return judgement._replace(messages=(*judgement.messages, *_counted(act, shipment)))
    return Judgement(Goal.WAITING, Status.PENDING, (), word)


def _refused_products(act: RequestAttempt, shipment: InboundShipment) -> Iterator[Message]:
    """A message for the row of each product that the shipment was refused for."""
    for row, item in _items(act):
        if wire.pair_of(item)[0] in shipment.refused:
            message = tr("the shipment was refused for this product")
            yield Message("", message, columns.GTIN, Severity.ERROR, row)


def _counted(act: RequestAttempt, shipment: InboundShipment) -> Iterator[Message]:
    """A message for each row with the received quantity, once the warehouse has counted it."""
    items = {item.pair: item for item in shipment.items}
    for row, item in _items(act):
        shipped = items.get(wire.pair_of(item))
        if shipped is None or shipped.received is None:
            continue
        is_all = shipped.received == item[columns.QUANTITY] and not shipped.disputed
        field = "" if is_all else columns.QUANTITY
        yield Message("", counted_text(shipped), field, Severity.WARNING, row)


def counted_text(item: ShippedItem) -> MessageText:
    """The received and the disputed quantity of a product."""
    values = {"received": item.received, "quantity": item.quantity}
    if not item.disputed:
        return tr("received {received} of {quantity}", **values)
    return tr(
        "received {received} of {quantity}, {disputed} in dispute",
        disputed=item.disputed,
        **values,
    )


SHIPPING: Direct[Announced] = Direct(
    call=lambda act: wire.create(act.body),
    looks=look,
    state=announced,
    judge=judge,
    created=wire.created,
    baseline=lambda _, state: json.dumps([shipment.id for shipment in state.shipments]),
    repeat=Repeat.TRACED,
    patience=timedelta(minutes=1),
    last_words=LAST_WORDS,
)
"""The announcement of a shipment; sent again if two lists, a minute apart, do not show it."""

PRODUCTS = Needs(
    names=lambda _, product: frozenset(
        product_name(*line.split("|")[-2:]) for line in product.splitlines()
    ),
    missing=frozenset({codes.PRODUCT_NOT_REFERENCED.name}),
)
"""The products that a shipment waits for if the same command references them."""
