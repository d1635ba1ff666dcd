"""Cancelling lines, or whole orders: the call, and what the lines say of it.

Specification, "Cancellation and commercial gesture", and "Orders", rule 5.
"""

import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.areas.orders import codes, wire
from feedtool.areas.orders.acts import (
    CANCELLED,
    SHIPPED,
    LineGoal,
    judged,
    lines_of,
    no_line,
    unknown_order,
)
from feedtool.areas.orders.wire import Line, Order, Reason
from feedtool.feeds.direct import Direct, Goal, Judgement, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible
from feedtool.model.call import READ, Call, Reply
from feedtool.model.nouns import Status
from feedtool.model.text import MessageText, joined, tr
from feedtool.service.answers import Unreadable


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
    line_ids = (line["lineId"] for line in json.loads(act.body)["lines"])
    lines = lines_of(order, line_ids)
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
    message = tr("“{reason}” is no reason that the service takes here", reason=reason)
    return message, tr("choose one of: {choices}", choices=", ".join(choices))


def judge_cancellation(act: RequestAttempt, state: Cancelling) -> Judgement:
    """Judge a cancellation by its lines and the eligible reasons."""
    if state.order is None:
        return unknown_order(act)
    judgement = judged(act, state.order, cancel_goals(act, state.order), Status.CANCELLED)
    if judgement.goal is Goal.OPEN and state.reasons:
        eligible = {item.code for item in state.reasons}
        for line in json.loads(act.body)["lines"]:
            if line["reason"] not in eligible:
                message = joined(not_eligible(line["reason"], state.reasons), "; ")
                return impossible(codes.REASON_NOT_ELIGIBLE, message, judgement.word)
    return judgement


class Cancellation(NamedTuple):
    """The part of a state that the call of a cancellation depends on."""

    lines: dict[str, str]
    """The open lines, and their offers."""
    is_whole: bool
    """True if these are all lines of the order: none is cancelled, and none is left."""


def _cancelled_part(act: RequestAttempt, state: Cancelling) -> str:
    order = state.order
    goals = cancel_goals(act, order) if order else []
    offers = {line.id: line.offer_id for line in order.lines} if order else {}
    lines = {goal.line: offers[goal.line] for goal in goals if goal.goal is Goal.OPEN}
    return json.dumps(Cancellation(lines, is_whole=len(lines) == len(offers)))


def cancel_call(act: RequestAttempt) -> Call:
    """Cancel the whole order if all lines have the same reason, else the open lines."""
    request = json.loads(act.body)
    if act.baseline is None:
        return wire.cancel(request)
    part = Cancellation(*json.loads(act.baseline))
    common = {"orderSellerId": request["orderSellerId"]}
    by_line = {line["lineId"]: line for line in request["lines"]}
    lines = [{**by_line.get(line, by_line.get("", {})), "lineId": line} for line in part.lines]
    ways = {(line["reason"], line["shippingCostRefund"]) for line in lines}
    if part.is_whole and len(ways) == 1:
        reason, refund = ways.pop()
        return wire.cancel({**common, "reason": reason, "shippingCostRefund": refund})
    offered = [{**line, "offerId": line["offerId"] or part.lines[line["lineId"]]} for line in lines]
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
