"""Judge an action by an order's state: done already, possible, or no longer possible.

Specification, "Order and line" and "Orders", rules 3 to 6. Nothing has an idempotency key: an
order is read before each call, and what it shows as done already is not requested again. What
is requested for some lines is compared line by line.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import NamedTuple

import orjson
from msgspec.structs import replace

from feedtool.areas.orders import codes, statuses, wire
from feedtool.areas.orders.wire import Line, Order
from feedtool.feeds.direct import Direct, Goal, Judgement, Overview, Repeat, RequestAttempt
from feedtool.feeds.judgement import impossible, own_message, reached
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Code, Status
from feedtool.model.text import MessageText, joined, tr

SHIPPED = frozenset({"Shipped", "Delivered"})
OPEN_LINES = frozenset({"InPreparation", "CancelRequest"})
"""The statuses of lines that can be shipped."""
CANCELLED = "Cancelled"


def look(act: RequestAttempt) -> Sequence[Call]:
    return [wire.read_order(act.reference)]


def state(_: RequestAttempt, replies: Sequence[Reply]) -> Order | None:
    return wire.order_of(replies[0])


def _shown_orders(reply: Reply) -> Mapping[str, Reply]:
    """The replies that reading each order of a page would give, by its identifier."""
    bodies = {
        order.id: orjson.dumps(order.document, default=float) for order in wire.orders_of(reply)
    }
    return {name: replace(reply, body=body) for name, body in bodies.items()}


OVERVIEW = Overview(
    lambda number: wire.read_orders(
        (("pageIndex", str(number)), ("sort", "updatedAt"), ("desc", "updatedAt"))
    ),
    _shown_orders,
    wire.PAGE,
)
"""The orders that changed last."""


def unknown_order(act: RequestAttempt) -> Judgement:
    message = tr("the service has no order {order}: look at its identifier", order=act.reference)
    return impossible(codes.ORDER_UNKNOWN, message)


# Accept and refuse: states of the whole order.


class Approval(NamedTuple):
    """The statuses by which an approval or a refusal is judged."""

    decision: str
    """The approval_status that is sent."""
    status: Status
    reached: frozenset[str]
    too_late: Code


ACCEPT = Approval(
    "Accepted",
    Status.ACCEPTED,
    frozenset({"Accepted", "InPreparation", *SHIPPED}),
    codes.ACTION_NOT_POSSIBLE,
)
REFUSE = Approval(
    "Refused", statuses.ORDER_REFUSED, frozenset({"Refused"}), codes.TOO_LATE_TO_REFUSE
)


def judge_approval(approval: Approval, act: RequestAttempt, order: Order | None) -> Judgement:
    """Judge an order that is to be accepted, or refused."""
    if order is None:
        return unknown_order(act)
    word = order.status
    if word in approval.reached:
        return reached(act, approval.status, tr("is {status}", status=word), word)
    if order.channel and order.channel != act.package.settings.primary_channel:
        message = tr(
            "orders of the channel {channel} are accepted by themselves", channel=order.channel
        )
        return impossible(codes.APPROVAL_PRIMARY_ONLY, message, word)
    if word == "WaitingAcceptance":
        return Judgement(Goal.OPEN, Status.PENDING, (), word)
    if word == "Processing":
        return Judgement(Goal.WAITING, Status.PENDING, (), word)
    message = tr("the order is {status}: it was decided before", status=word)
    return impossible(approval.too_late, message, word)


of_order = partial(Direct, looks=look, state=state, repeat=Repeat.SAFE, overview=OVERVIEW)
"""The delivery of what the order itself shows: the same call twice is as good as once."""


def approval(kind: Approval) -> Direct[Order | None]:
    """Accepting or refusing."""
    return of_order(
        call=lambda act: wire.approve(act.reference, act.body),
        judge=partial(judge_approval, kind),
        baseline=lambda _, order: order.status if order else "",
        patience=timedelta(minutes=2),
    )


# Lines: ship and cancel.


class LineGoal(NamedTuple):
    """The judgement of one line."""

    line: str
    goal: Goal
    code: Code | None = None
    text: MessageText | str = ""


def judged(
    act: RequestAttempt, order: Order, goals: Sequence[LineGoal], status: Status
) -> Judgement:
    """Combine the judgements of lines: open lines are sent, even if others cannot be."""
    word = _word(order, goals)
    of = {kind: [goal for goal in goals if goal.goal is kind] for kind in Goal}
    if of[Goal.OPEN]:
        return Judgement(Goal.OPEN, Status.PENDING, (), word)
    if of[Goal.WAITING]:
        return Judgement(Goal.WAITING, Status.PENDING, (), word)
    wrong = of[Goal.OTHERWISE] + of[Goal.IMPOSSIBLE]
    if not wrong:
        texts = dict.fromkeys(goal.text for goal in goals)
        proof = joined(texts if len(texts) == 1 else map(_line_text, goals), "; ")
        return reached(act, status, proof, word)
    messages = dict.fromkeys(
        own_message(goal.code, _line_text(goal))[0] for goal in (*wrong, *of[Goal.REACHED])
    )
    return Judgement(wrong[0].goal, Status.REJECTED, tuple(messages), word)


def _line_text(goal: LineGoal) -> str:
    text = goal.text
    return tr("line {line}: {text}", line=goal.line, text=text) if goal.line else text


def _word(order: Order, goals: Sequence[LineGoal]) -> str:
    lines = {line.id: order.status_of(line) for line in order.lines}
    words = {lines.get(goal.line, order.status) for goal in goals}
    return words.pop() if len(words) == 1 else order.status


def lines_of(order: Order, line_ids: Iterable[str]) -> dict[str, Line | None]:
    """The lines of these identifiers; an empty identifier means all lines."""
    by_id = {line.id: line for line in order.lines}
    names = list(line_ids)
    every = by_id if "" in names else ()
    return {name: by_id.get(name) for name in (*filter(None, names), *every)}


def no_line(line: str) -> LineGoal:
    text = tr("the order has no such line")
    return LineGoal(line, Goal.IMPOSSIBLE, codes.ORDER_UNKNOWN, text)
