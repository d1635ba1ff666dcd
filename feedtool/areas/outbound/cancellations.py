"""Cancelling outbound shipments: the call, and what the shipment and the request say of it.

Specification, "Outbound shipment": in Created the service decides, later the logistics partner.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple

from feedtool.areas.outbound import codes, statuses, wire
from feedtool.areas.outbound.settings import OutboundSettings
from feedtool.areas.outbound.shipments import ACCEPTED, CANCELLED, CREATED, PREPARING
from feedtool.areas.outbound.wire import Document, OutboundShipment
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, reached
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import spelled

CANCELLABLE = frozenset({CREATED, ACCEPTED, PREPARING})
GRANTED, REFUSED = "Accepted", "Rejected"
"""The words of a request that is decided."""


class ShownCancellation(NamedTuple):
    """A shipment, and the last request to cancel it."""

    shipment: OutboundShipment | None
    request: Document
    """Empty if nobody has requested one."""


def look(act: RequestAttempt) -> Sequence[Call]:
    """The calls for the shipment and, if its id is known, the request."""
    request_id, settings = act.package.package_id, act.package.settings.of(OutboundSettings)
    calls = [wire.read_cancellation(request_id, settings)] if request_id else []
    return [wire.read_shipment(act.reference), *calls]


def shown(_: RequestAttempt, replies: Sequence[Reply]) -> ShownCancellation:
    """The shipment and its request, read by itself or else from the shipment."""
    shipment = wire.shipment_of(replies[0])
    request = wire.cancellation_of(replies[1]) if len(replies) > 1 else {}
    return ShownCancellation(shipment, request or (shipment.cancellation if shipment else {}))


def judge(act: RequestAttempt, state: ShownCancellation) -> Judgement:
    """Judge a cancellation by the shipment and its request."""
    shipment, word = state.shipment, spelled(state.request.get("status"), (GRANTED, REFUSED))
    if shipment is None:
        return unknown_shipment(act.reference)
    if shipment.status == CANCELLED:
        return reached(act, statuses.CANCELLED, tr("is {status}", status=CANCELLED), CANCELLED)
    if word not in {"", GRANTED, REFUSED}:
        return Judgement(Goal.WAITING, Status.PENDING, (), word)
    is_new = act.baseline is not None and _request(act, state) != act.baseline
    if not word or not is_new:
        return _possible(shipment)
    if word == GRANTED:
        proof = tr("the cancellation is {status}", status=word)
        return reached(act, statuses.CANCELLED, proof, word)
    message = tr("the cancellation was refused; the shipment is {status}", status=shipment.status)
    messages = (Message(codes.CANCELLATION_REFUSED.name, message),)
    return Judgement(Goal.OTHERWISE, Status.REJECTED, messages, word)


def _possible(shipment: OutboundShipment) -> Judgement:
    """Judge a cancellation that was not requested yet."""
    word = shipment.status
    if word in CANCELLABLE:
        return Judgement(Goal.OPEN, Status.PENDING, (), word)
    if word not in wire.STATUSES:
        return Judgement(Goal.WAITING, Status.PENDING, (), word)
    message = tr("the shipment is {status}: it can no longer be cancelled", status=word)
    return impossible(codes.CANCEL_TOO_LATE, message)


def unknown_shipment(name: str) -> Judgement:
    message = tr("the service has no shipment {shipment}: look at its identifier", shipment=name)
    return impossible(codes.SHIPMENT_UNKNOWN, message)


def _request(_: RequestAttempt, state: ShownCancellation) -> str:
    return json.dumps(state.request, sort_keys=True, default=str)


CANCELLATION: Direct[ShownCancellation] = Direct(
    call=lambda act: wire.cancel(act.body),
    looks=look,
    state=shown,
    judge=judge,
    created=wire.created_cancellation,
    baseline=_request,
    repeat=Repeat.SAFE,
    patience=timedelta(minutes=15),
)
"""The cancellation of a shipment; an existing request is followed, not repeated."""
