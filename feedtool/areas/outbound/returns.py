"""Announcing returns: the call, and what the shipment and its returns say of it.

Specification, "Return" and "Fulfillment", rule 5: customers' returns alone, of what was sent, and
of no more than that.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from feedtool.areas.outbound import codes, wire
from feedtool.areas.outbound.cancellations import unknown_shipment
from feedtool.areas.outbound.shipments import SENT, for_every_row
from feedtool.areas.outbound.wire import OutboundShipment, ParcelReturn
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, reached
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import as_whole, text, whole

REFUSED = "Refused"
PRODUCT, CONDITION, QUANTITY = "productId", "productCondition", "quantity"


class ShownReturns(NamedTuple):
    """A shipment, and what comes back of it."""

    shipment: OutboundShipment | None
    """None if it does not exist or was not read."""
    returns: Sequence[ParcelReturn]


def look(act: RequestAttempt) -> Sequence[Call]:
    """The calls for the shipment and its returns, or for the return once its id is known."""
    if act.package.package_id:
        return [wire.read_return(act.package.package_id)]
    name = json.loads(act.body)["outboundShipmentId"]
    listed = as_whole(wire.read_returns((("outboundShipmentId", name),)))
    return [wire.read_shipment(name), listed]


def shown(act: RequestAttempt, replies: Sequence[Reply]) -> ShownReturns:
    """The shipment and its returns; a list may hold the returns of others."""
    if act.package.package_id:
        announced = wire.return_of(replies[0])
        return ShownReturns(None, [announced] if announced else [])
    name = json.loads(act.body)["outboundShipmentId"]
    listed = [parcel for reply in replies[1:] for parcel in wire.returns_of(reply)]
    return ShownReturns(
        wire.shipment_of(replies[0]), [parcel for parcel in listed if parcel.shipment in {"", name}]
    )


def judge(act: RequestAttempt, state: ShownReturns) -> Judgement:
    """Judge a return by the shipment and its other returns."""
    body = act.content
    returns = [
        parcel
        for parcel in state.returns
        if act.package.package_id or parcel.reference == text(act.reference)
    ]
    if act.baseline is not None:
        before = json.loads(act.baseline)
        new = [parcel for parcel in returns if parcel.id not in before]
        return _announced(act, new[0]) if new else Judgement(Goal.OPEN, Status.PENDING)
    for earlier in returns:
        if earlier.status != REFUSED:
            if _is_same(body, earlier):
                return _announced(act, earlier)
            message = tr("the reference is that of another return, {name}", name=earlier.id)
            return impossible(codes.REFERENCE_TAKEN, message)
    if state.shipment is None:
        return unknown_shipment(body["outboundShipmentId"])
    return _judge_shipment(act, state.shipment, state.returns, body["lines"])


def _is_same(body: Mapping[str, Any], earlier: ParcelReturn) -> bool:
    """True if a return is of the lines of a request, and for its reason."""
    reason = text(earlier.document.get("reason"))
    lines = _quantities(earlier.lines) == _quantities(body["lines"])
    return lines and reason in {"", text(body.get("reason"))}


def _announced(act: RequestAttempt, parcel: ParcelReturn) -> Judgement:
    word = parcel.status
    if word == REFUSED:
        message = Message("", tr("return {name} is {status}", name=parcel.id, status=word))
        return Judgement(Goal.OTHERWISE, Status.REJECTED, (message,), word)
    proof = tr("is {status}, return {name}", status=word, name=parcel.id)
    return reached(act, Status.CREATED, proof, word)


def _judge_shipment(
    act: RequestAttempt,
    shipment: OutboundShipment,
    returns: Iterable[ParcelReturn],
    lines: Sequence[Mapping[str, Any]],
) -> Judgement:
    word = shipment.status
    if word not in SENT:
        message = tr("the shipment is {status}: only what was sent can come back", status=word)
        return impossible(codes.RETURN_NOT_SHIPPED, message)
    sent = _quantities(shipment.items)
    before: Counter[tuple[str, str]] = Counter()
    for earlier in returns:
        before += Counter() if earlier.status == REFUSED else _quantities(earlier.lines)
    # A service that does not show all of what was sent judges by itself.
    is_shown = all(all(_pair(item)) and wire.pieces_of(item) is not None for item in shipment.items)
    wrong = [*_wrong_lines(act, lines, sent, before)] if is_shown else []
    if wrong and sent:
        return Judgement(Goal.IMPOSSIBLE, Status.REJECTED, for_every_row(act, wrong))
    return Judgement(Goal.OPEN, Status.PENDING, (), word)


def _wrong_lines(
    act: RequestAttempt,
    lines: Sequence[Mapping[str, Any]],
    sent: Counter[tuple[str, str]],
    before: Counter[tuple[str, str]],
) -> Iterator[Message]:
    left = Counter(sent)
    left.subtract(before)
    for row, line in zip((act.row, *act.further_rows), lines, strict=False):
        key, pieces = _pair(line), whole(line[QUANTITY]) or 0
        left[key] -= pieces
        if key not in sent:
            text_of = tr("the shipment has no product {product} in this condition", product=key[0])
            yield Message(codes.RETURN_PRODUCT.name, text_of, PRODUCT, row=row)
        elif left[key] < 0:
            text_of = tr(
                "{sent} of {product} were sent: only {left} can still come back",
                sent=sent[key],
                product=key[0],
                left=max(0, left[key] + pieces),
            )
            yield Message(codes.RETURN_QUANTITY.name, text_of, QUANTITY, row=row)


def _pair(line: Mapping[str, Any]) -> tuple[str, str]:
    return text(line.get(PRODUCT)), wire.condition_of(line)


def _quantities(lines: Iterable[Mapping[str, Any]]) -> Counter[tuple[str, str]]:
    """The pieces of each product, in each condition."""
    pieces: Counter[tuple[str, str]] = Counter()
    for line in lines:
        pieces[_pair(line)] += wire.pieces_of(line) or 0
    return pieces


RETURN: Direct[ShownReturns] = Direct(
    call=lambda act: wire.announce(act.body),
    looks=look,
    state=shown,
    judge=judge,
    created=wire.created_return,
    baseline=lambda _, state: json.dumps([parcel.id for parcel in state.returns]),
    repeat=Repeat.TRACED,
    doubt=codes.PARCEL_DOUBTFUL,
    patience=timedelta(minutes=30),
)
"""The announcement of a return; it cannot be cancelled, its shipment and reference identify it."""
