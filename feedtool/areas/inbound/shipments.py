"""How a shipment is announced: never twice, and followed to the warehouse's word.

Specification, "Inbound shipment" and "Fulfillment", rules 1 and 2. Nothing has an idempotency key:
the shipments of its reference are listed before it is sent, and after a lost answer. One that was
not there before, and holds the same, is ours.
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
    """What the service has of a shipment's reference, and of its products."""

    shipments: Sequence[InboundShipment]
    known: frozenset[Pair] | None
    """The products that are referenced; None where that was not asked, or is not known."""


def product_name(gtin: str, condition: str) -> str:
    """What a product for the warehouses is called where a shipment waits for it."""
    return f"{gtin.zfill(14)}|{condition}"


def look(act: RequestAttempt) -> Sequence[Call]:
    """The shipments of its reference, and before it is sent the products that are referenced."""
    if act.baseline is not None and act.package.package_id:
        return [wire.read_shipment(act.package.package_id)]
    shipments = as_whole(wire.read_shipments([("reference", act.reference)]))
    return [wire.read_references(), shipments] if act.baseline is None else [shipments]


def announced(act: RequestAttempt, replies: Sequence[Reply]) -> Announced:
    """The state that the looks show; shipments of other references are none of ours."""
    pages = replies if act.baseline is not None else replies[1:]
    shown = [it for page in pages for it in wire.shipments_of(page)]
    own = [it for it in shown if act.package.package_id or it.reference == text(act.reference)]
    return Announced(own, None if act.baseline is not None else _referenced(replies[0]))


def _referenced(page: Reply) -> frozenset[Pair] | None:
    """The products of a page of references; None where it may not name them all."""
    known = [*map(wire.pair_of, wire.references_of(page))]
    size = whole(json_object(page.body).get("itemsPerPage")) or wire.PAGE
    is_cut = len(known) >= min(size, wire.PAGE) or next_link(page)
    return None if is_cut or not all(gtin for gtin, _ in known) else frozenset(known)


def judge(act: RequestAttempt, state: Announced) -> Judgement:
    """Before: whether it can be sent. After: what the service says of the new shipment."""
    if act.baseline is None:
        return _before(act, state)
    before = frozenset(json.loads(act.baseline))
    new = [it for it in state.shipments if it.id not in before]
    own = [it for it in new if it.id == act.package.package_id or _is_same(act, it)]
    return _told(act, own[0]) if own else Judgement(Goal.OPEN, Status.PENDING)


def _before(act: RequestAttempt, state: Announced) -> Judgement:
    taken = [it for it in state.shipments if it.status != REFUSED]
    same = next((it for it in taken if _is_same(act, it)), None)
    if same:
        return _told(act, same)
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
    """True if a shipment holds what was asked for."""
    asked = json.loads(act.body)
    header = (asked[columns.COUNTRY], asked[columns.MODE])
    items = {wire.pair_of(item): item[columns.QUANTITY] for item in asked["items"]}
    there = {item.pair: item.quantity for item in shipment.items}
    return header == (shipment.country, shipment.mode) and items == there


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


# The service's word.


def _told(act: RequestAttempt, shipment: InboundShipment) -> Judgement:
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
    """What was received of each row's product, once the warehouse has counted it."""
    there = {item.pair: item for item in shipment.items}
    for row, item in _items(act):
        found = there.get(wire.pair_of(item))
        if found is None or found.received is None:
            continue
        is_all = found.received == item[columns.QUANTITY] and not found.disputed
        field = "" if is_all else columns.QUANTITY
        yield Message("", counted_text(found), field, Severity.WARNING, row)


def counted_text(item: ShippedItem) -> MessageText:
    """What was received of a product, and what is in dispute."""
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
    baseline=lambda _, state: json.dumps([it.id for it in state.shipments]),
    repeat=Repeat.TRACED,
    patience=timedelta(minutes=1),
    last_words=LAST_WORDS,
)
"""Announcing a shipment: sent once more where two looks, a minute apart, show nothing of it."""

PRODUCTS = Needs(
    names=lambda _, product: frozenset(
        product_name(*line.split("|")[-2:]) for line in product.splitlines()
    ),
    missing=frozenset({codes.PRODUCT_NOT_REFERENCED.name}),
)
"""The products that a shipment waits for, where the same command references them."""
