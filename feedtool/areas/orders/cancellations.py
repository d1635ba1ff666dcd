"""Cancelling lines, or whole orders: the call, and what the lines say of it.

Specification, "Cancellation and commercial gesture", and "Orders", rule 5.
"""

import json
from datetime import timedelta
from typing import NamedTuple

from feedtool.areas.orders import codes, wire
from feedtool.areas.orders.acts import (
    CANCELLED,
    SHIPPED,
    LineGoal,
    judged,
    lines_of,
    no_line,
    of_order,
    unknown_order,
)
from feedtool.areas.orders.wire import Line, Order
from feedtool.feeds.direct import Act, Direct, Goal, Judgement
from feedtool.model.call import Call
from feedtool.model.nouns import Status
from feedtool.model.text import tr


def cancel_goal(order: Order, line: Line) -> LineGoal:
    """What the state says of a line that is to be cancelled."""
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


def cancel_goals(act: Act, order: Order) -> list[LineGoal]:
    """What the state says of each line of a cancellation; of all where a row names none."""
    named = (line["lineId"] for line in json.loads(act.body)["lines"])
    lines = lines_of(order, named)
    return [cancel_goal(order, line) if line else no_line(name) for name, line in lines.items()]


def judge_cancellation(act: Act, order: Order | None) -> Judgement:
    """Whether the lines are cancelled, can be, or cannot any more."""
    if order is None:
        return unknown_order(act)
    return judged(act, order, cancel_goals(act, order), Status.CANCELLED)


class Cancellation(NamedTuple):
    """The part of a state that the call of a cancellation depends on."""

    lines: dict[str, str]
    """The open lines, and their offers."""
    is_whole: bool
    """True if these are all lines of the order: none is cancelled, and none is left."""


def _cancelled_part(act: Act, order: Order | None) -> str:
    goals = cancel_goals(act, order) if order else []
    offers = {line.id: line.offer_id for line in order.lines} if order else {}
    lines = {it.line: offers[it.line] for it in goals if it.goal is Goal.OPEN}
    return json.dumps(Cancellation(lines, is_whole=len(lines) == len(offers)))


def cancel_call(act: Act) -> Call:
    """Cancels the whole order where all lines go for one reason, else the lines that are open."""
    asked = json.loads(act.body)
    if act.baseline is None:
        return wire.cancel(asked)
    part = Cancellation(*json.loads(act.baseline))
    common = {"orderSellerId": asked["orderSellerId"]}
    by_line = {line["lineId"]: line for line in asked["lines"]}
    lines = [{**by_line.get(line, by_line.get("", {})), "lineId": line} for line in part.lines]
    ways = {(line["reason"], line["shippingCostRefund"]) for line in lines}
    if part.is_whole and len(ways) == 1:
        reason, refund = ways.pop()
        return wire.cancel({**common, "reason": reason, "shippingCostRefund": refund})
    offered = [{**line, "offerId": line["offerId"] or part.lines[line["lineId"]]} for line in lines]
    return wire.cancel({**common, "lines": offered})


CANCELLATION: Direct[Order | None] = of_order(
    call=cancel_call,
    judge=judge_cancellation,
    created=wire.created,
    baseline=_cancelled_part,
    patience=timedelta(minutes=15),
)
"""Cancelling lines, or the order: what is cancelled already is not asked again."""
