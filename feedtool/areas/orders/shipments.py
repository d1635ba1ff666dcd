"""Declaring parcels: the call, and its judgement by the lines of the order.

Specification, "Shipment declaration item", and "Orders", rules 3 and 4: a line is declared once,
and that cannot change.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, NamedTuple

import orjson
from msgspec.structs import replace

from feedtool.areas.orders import codes, statuses, wire
from feedtool.areas.orders.acts import (
    CANCELLED,
    OPEN_LINES,
    SHIPPED,
    LineGoal,
    judged,
    lines_of,
    no_line,
    of_order,
    unknown_order,
)
from feedtool.areas.orders.wire import Line, Order, Reason
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible
from feedtool.model.call import READ, Call, Reply
from feedtool.model.text import MessageText, joined, tr
from feedtool.service.answers import Unreadable


def folded(number: str) -> str:
    """A parcel's number for comparisons: without blanks, in lower case."""
    return "".join(number.split()).casefold()


def ship_goal(order: Order, line: Line, numbers: Sequence[str]) -> LineGoal:
    """Judge the shipment of a line in parcels of these numbers."""
    status = order.status_of(line)
    declared = {folded(parcel.number): parcel for parcel in line.parcels}
    if numbers and all(folded(number) in declared for number in numbers):
        parcels = (declared[folded(number)] for number in numbers)
        shown = joined(f"{parcel.number} {parcel.carrier}".strip() for parcel in parcels)
        text = tr("is {status}, parcel {parcels}", status=status, parcels=shown)
        return LineGoal(line.id, Goal.REACHED, None, text)
    if status in SHIPPED:
        others = joined(parcel.number for parcel in line.parcels)
        text = tr("was shipped before, with parcel {parcels}: this cannot change", parcels=others)
        if not line.parcels:
            text = tr("was shipped before, with a parcel that the service does not name")
        return LineGoal(line.id, Goal.OTHERWISE, codes.SHIPPED_OTHERWISE, text)
    if not order.is_sellers(line):
        text = tr(
            "the warehouse ships it: its supply mode is {mode}",
            mode=line.supply_mode or order.supply_mode,
        )
        return LineGoal(line.id, Goal.IMPOSSIBLE, codes.ACTION_NOT_POSSIBLE, text)
    is_of_line = status == CANCELLED or order.status in {"InPreparation", *SHIPPED}
    word = status if is_of_line else order.status  # a line is no further than its order
    if word in OPEN_LINES:
        return LineGoal(line.id, Goal.OPEN)
    if word == order.status and word in {"Accepted", "Processing"}:
        return LineGoal(line.id, Goal.WAITING)
    text = tr("is {status}: only lines in preparation can be shipped", status=word)
    return LineGoal(line.id, Goal.IMPOSSIBLE, codes.ACTION_NOT_POSSIBLE, text)


LINES, PRODUCTS = "orderLineIds", "sellerProductReferences"
"""The members of a parcel: lines, and products, which are replaced by lines before sending."""


def _parcels_of(act: RequestAttempt, lines: Mapping[str, str]) -> list[dict[str, Any]]:
    """The parcels, with products replaced by their lines."""
    parcels: list[dict[str, Any]] = json.loads(act.body)
    for parcel in parcels:
        if products := parcel.pop(PRODUCTS, ()):
            line_ids = [lines[product] for product in products if product in lines]
            # Without a line of these products it stays empty: it is not of the whole order.
            parcel[LINES] = [*dict.fromkeys([*parcel.get(LINES, ()), *line_ids])]
    return parcels


def _lines_of_products(act: RequestAttempt, order: Order) -> dict[str, list[str]]:
    """The lines of each product that a parcel names."""
    return {
        product: [line.id for line in order.lines if line.product == product]
        for parcel in json.loads(act.body)
        for product in parcel.get(PRODUCTS, ())
    }


def _opened(act: RequestAttempt) -> dict[str, str]:
    """The lines that were open when the shipment was sent, with the products that name them."""
    opened: dict[str, str] | list[str] = json.loads(act.baseline or "{}")
    # Where an earlier version has written it down, it is a list.
    return opened if isinstance(opened, dict) else dict.fromkeys(opened, "")


def _numbers_of(parcels: Sequence[Mapping[str, Any]], order: Order, line: Line) -> list[str]:
    """The numbers of the parcels that a line must show; of parcels without lines some suffice."""
    of_line = [parcel["parcelNumber"] for parcel in parcels if line.id in parcel.get(LINES, ())]
    free = [parcel["parcelNumber"] for parcel in parcels if LINES not in parcel]
    shown = {folded(parcel.number) for other in order.lines for parcel in other.parcels}
    declared = {folded(parcel.number) for parcel in line.parcels}
    if all(folded(number) in shown for number in free):
        free = [number for number in free if folded(number) in declared] or free
    return [*of_line, *free]


def _not_one(product: str, lines: Sequence[str]) -> LineGoal:
    """The judgement of a product with no line of the order, or with several."""
    if not lines:
        text = tr("the order has no line of the product {product}", product=product)
        return LineGoal("", Goal.IMPOSSIBLE, codes.ORDER_UNKNOWN, text)
    text = tr(
        "the order has several lines of the product {product}: {lines}",
        product=product,
        lines=joined(lines),
    )
    return LineGoal("", Goal.IMPOSSIBLE, codes.LINE_AMBIGUOUS, text)


def ship_goals(act: RequestAttempt, order: Order) -> list[LineGoal]:
    """Judge each line of a shipment, in the order of its parcels."""
    of_products, opened = _lines_of_products(act, order), _opened(act)
    goals = [_not_one(product, of) for product, of in of_products.items() if len(of) != 1]
    lines = {product: of[0] for product, of in of_products.items() if len(of) == 1}
    parcels = _parcels_of(act, lines)
    line_ids = [line for parcel in parcels for line in parcel.get(LINES, ("",))]
    for name, line in lines_of(order, line_ids).items():
        if line is None:
            goals.append(no_line(name))
            continue
        # A parcel without lines is of all that can be shipped, or have been.
        if name not in line_ids and order.status_of(line) == CANCELLED:
            continue
        goal = ship_goal(order, line, _numbers_of(parcels, order, line))
        if goal.goal is Goal.OTHERWISE and name in opened and not line.parcels:
            goal = LineGoal(name, Goal.WAITING)  # shipped just now: its parcels show later
        goals.append(goal)
    return goals


def judge_shipment(act: RequestAttempt, order: Order | None) -> Judgement:
    """Judge a shipment by its lines."""
    if order is None:
        return unknown_order(act)
    goals = ship_goals(act, order)
    if not goals:
        text = tr("all of its lines are cancelled")
        return impossible(codes.ACTION_NOT_POSSIBLE, text, order.status)
    return judged(act, order, goals, statuses.SHIPPED)


def _open_lines(act: RequestAttempt, order: Order | None) -> str:
    """The lines that can be shipped, with their products, as JSON."""
    goals = ship_goals(act, order) if order else ()
    of_products = _lines_of_products(act, order) if order else {}
    products = {line: product for product, lines in of_products.items() for line in lines}
    return json.dumps(
        {goal.line: products.get(goal.line, "") for goal in goals if goal.goal is Goal.OPEN}
    )


def ship_call(act: RequestAttempt) -> Call:
    """Ship the lines that were open when the order was read: others may be shipped already."""
    if act.baseline is None:
        return wire.ship(act.reference, act.body)
    left, parcels = _opened(act), []
    for parcel in _parcels_of(act, {product: line for line, product in left.items() if product}):
        lines = [line for line in parcel.get(LINES, ()) if line in left]
        if LINES not in parcel:
            parcels.append(parcel)
        elif lines:
            parcels.append({**parcel, LINES: lines})
    return wire.ship(act.reference, orjson.dumps(parcels))


SHIPMENT: Direct[Order | None] = of_order(
    call=ship_call, judge=judge_shipment, baseline=_open_lines, patience=timedelta(minutes=10)
)
"""The declaration of parcels: each line is taken once, and shows its parcels then."""


# Cancelling lines, or whole orders.


def cancel_goal(order: Order, line: Line) -> LineGoal:
    """Judge the cancellation of a line."""
    status = CANCELLED if order.status == CANCELLED else order.status_of(line)
    if status == CANCELLED:
        return LineGoal(line.id, Goal.REACHED, None, tr("is {status}", status=status))
    if order.status in {"Refused", "Rejected"}:
        text = tr("the order is {status}: there is nothing to cancel", status=order.status)
        return LineGoal(line.id, Goal.IMPOSSIBLE, codes.CANCEL_NOT_ELIGIBLE, text)
    if not order.is_sellers(line) and status not in SHIPPED:
        text = tr("the warehouse ships it: it can be cancelled once it is shipped")
        return LineGoal(line.id, Goal.IMPOSSIBLE, codes.CANCEL_NOT_ELIGIBLE, text)
    return LineGoal(line.id, Goal.OPEN)


def cancel_goals(act: RequestAttempt, order: Order) -> list[LineGoal]:
    """Judge each line of a cancellation; all lines of the order if a row names none."""
    lines = lines_of(order, (line["lineId"] for line in json.loads(act.body)["lines"]))
    return [cancel_goal(order, line) if line else no_line(name) for name, line in lines.items()]


class Cancelling(NamedTuple):
    """An order, and the reasons for which the service cancels it now."""

    order: Order | None
    reasons: Sequence[Reason] = ()
    """Empty if the service lists none, or after the request was sent."""


def look_at_reasons(act: RequestAttempt) -> Sequence[Call]:
    """The order, and before the request the reasons of its channel and status."""
    call = wire.read_order(act.reference)
    if act.baseline is not None:
        return [call]

    def reasons(reply: Reply) -> Call | None:
        order = wire.order_of(reply)
        if order is None or not order.channel:
            return None
        call_for_reasons = wire.read_reasons(order.channel, order.status, act.package.language)
        # A seller who may not read the list can still cancel.
        return replace(call_for_reasons, success=call_for_reasons.success | {403})

    return [replace(call, following=reasons)]


def cancelling(_: RequestAttempt, replies: Sequence[Reply]) -> Cancelling:
    """The state read from the replies; an unreadable list of reasons is left out."""
    order, *lists = replies
    reasons: list[Reason] = []
    for reply in lists:
        with suppress(Unreadable):
            reasons += wire.reasons_of(reply) if reply.status in READ else []
    return Cancelling(wire.order_of(order), reasons)


def not_eligible(reason: object, eligible: Iterable[Reason]) -> tuple[MessageText, MessageText]:
    """The message and the hint for a reason that is not eligible."""
    choices = (
        item.code if item.label == item.code else f"{item.code} ({item.label})" for item in eligible
    )
    message = tr("“{reason}” is not a reason that the service takes here", reason=reason)
    return message, tr("choose one of: {choices}", choices=", ".join(choices))


def judge_cancellation(act: RequestAttempt, state: Cancelling) -> Judgement:
    """Judge a cancellation by its lines and the eligible reasons."""
    if state.order is None:
        return unknown_order(act)
    judgement = judged(act, state.order, cancel_goals(act, state.order), statuses.CANCELLED)
    if judgement.goal is Goal.OPEN and state.reasons:
        eligible = {item.code for item in state.reasons}
        for line in json.loads(act.body)["lines"]:
            if line["reason"] not in eligible:
                message = joined(not_eligible(line["reason"], state.reasons), "; ")
                return impossible(codes.REASON_NOT_ELIGIBLE, message, judgement.word)
    return judgement


def _cancelled_part(act: RequestAttempt, state: Cancelling) -> str:
    """The open lines with their offers, and whether they are all lines of the order, as JSON."""
    order = state.order
    goals = cancel_goals(act, order) if order else []
    offers = {line.id: line.offer_id for line in order.lines} if order else {}
    lines = {goal.line: offers[goal.line] for goal in goals if goal.goal is Goal.OPEN}
    return json.dumps([lines, len(lines) == len(offers)])


def cancel_call(act: RequestAttempt) -> Call:
    """Cancel the whole order if all lines have the same reason, else the open lines."""
    request = json.loads(act.body)
    if act.baseline is None:
        return wire.cancel(request)
    offers, is_whole = json.loads(act.baseline)
    common = {"orderSellerId": request["orderSellerId"]}
    by_line = {line["lineId"]: line for line in request["lines"]}
    lines = [{**by_line.get(line, by_line.get("", {})), "lineId": line} for line in offers]
    ways = {(line["reason"], line["shippingCostRefund"]) for line in lines}
    if is_whole and len(ways) == 1:
        reason, refund = ways.pop()
        return wire.cancel({**common, "reason": reason, "shippingCostRefund": refund})
    offered = [{**line, "offerId": line["offerId"] or offers[line["lineId"]]} for line in lines]
    return wire.cancel({**common, "lines": offered})


CANCELLATION: Direct[Cancelling] = Direct(
    call=cancel_call,
    looks=look_at_reasons,
    state=cancelling,
    judge=judge_cancellation,
    created=wire.created,
    baseline=_cancelled_part,
    repeat=Repeat.SAFE,
    patience=timedelta(minutes=15),
)
"""The cancellation of lines or of the order; cancelled lines are not requested again."""
