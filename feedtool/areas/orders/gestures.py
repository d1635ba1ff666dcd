"""Commercial gestures: money, which is never sent again by itself.

Specification, "Cancellation and commercial gesture", and "Orders", rule 6: a request is decided
later, and may be refused.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from feedtool.areas.orders import codes, wire
from feedtool.areas.orders.acts import SHIPPED, unknown_order
from feedtool.areas.orders.settings import OrderSettings
from feedtool.areas.orders.wire import Gesture, Order
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, own_message
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Message, Status
from feedtool.model.text import tr
from feedtool.service.answers import as_whole, spelled


class Granting(NamedTuple):
    """An order, the amount that may still be granted for it, and its requests."""

    order: Order | None
    available: Decimal | None
    requests: tuple[Gesture, ...]


def look_at_gestures(act: RequestAttempt) -> Sequence[Call]:
    """The calls for the order, the available amount, and the requests."""
    order = act.reference
    requests = as_whole(wire.read_gestures(order))
    return [wire.read_order(order), wire.read_available(order), requests]


def granting(act: RequestAttempt, replies: Sequence[Reply]) -> Granting:
    """The state of all three; a service may list the requests of other orders, too."""
    order, available, *pages = replies
    requests = tuple(
        request
        for page in pages
        for request in wire.gestures_of(page)
        if request.order in {"", act.reference}
    )
    return Granting(wire.order_of(order), wire.available_of(available), requests)


def judge_gesture(act: RequestAttempt, state: Granting) -> Judgement:
    """Judge a gesture: before the request by the order, then by the new request."""
    order, request = state.order, json.loads(act.body, parse_float=Decimal)
    if order is None:
        return unknown_order(act)
    amount = Decimal(request["amount"])
    if act.baseline is not None:
        return _of_request(act, state, amount, request["reason"])
    if order.status not in SHIPPED:
        text = tr(
            "the order is {status}: a gesture is for orders that are shipped or delivered",
            status=order.status,
        )
        return impossible(codes.ACTION_NOT_POSSIBLE, text, order.status)
    if state.available is not None and amount > state.available:
        text = tr(
            "{amount} is above what the service still allows for the order: {available}",
            amount=amount,
            available=state.available,
        )
        return impossible(codes.GESTURE_ABOVE_AVAILABLE, text, order.status)
    return Judgement(Goal.OPEN, Status.PENDING, (), order.status)


def _of_request(act: RequestAttempt, state: Granting, amount: Decimal, reason: str) -> Judgement:
    before = frozenset(json.loads(act.baseline or "[]"))
    new = [
        request
        for request in state.requests
        if request.id not in before and request.amount == amount and request.reason == reason
    ]
    if not new:
        return Judgement(Goal.OPEN, Status.PENDING)
    # Somebody else may have granted the same meanwhile; an answer names this request.
    granted = max(new, key=lambda request: request.id == act.package.package_id)
    word, settings = granted.status, act.package.settings.of(OrderSettings)
    proof = tr("request {request} is {status}", request=granted.id, status=word)
    if spelled(word, settings.gesture_done) in settings.gesture_done:
        return Judgement(Goal.REACHED, Status.ACCEPTED, own_message(None, proof), word)
    if spelled(word, settings.gesture_refused) in settings.gesture_refused:
        return Judgement(Goal.OTHERWISE, Status.REJECTED, (Message("", proof),), word)
    return Judgement(Goal.WAITING, Status.PENDING, (), word)


GRANT: Direct[Granting] = Direct(
    call=lambda act: wire.give(act.body),
    looks=look_at_gestures,
    state=granting,
    judge=judge_gesture,
    created=wire.created,
    baseline=lambda _, state: json.dumps([request.id for request in state.requests]),
    repeat=Repeat.NEVER,
    again=codes.GESTURE_AGAIN,
    patience=timedelta(minutes=15),
)
"""The grant of a commercial gesture; if the answer was lost only a new request proves it."""
