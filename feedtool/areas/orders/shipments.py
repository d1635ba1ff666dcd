"""Declaring parcels: the call, and its judgement by the lines of the order.

Specification, "Shipment declaration item", and "Orders", rules 3 and 4: a line is declared once,
and that cannot change.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

import orjson

from feedtool.areas.orders import codes, wire
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
from feedtool.areas.orders.wire import Line, Order
from feedtool.feeds.direct import Direct, Goal, Judgement, RequestAttempt
from feedtool.feeds.judgement import impossible
from feedtool.model.call import Call
from feedtool.model.nouns import Status
from feedtool.model.text import joined, tr


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
    if status == CANCELLED or order.status in {"InPreparation", *SHIPPED}:
        word = status
    else:  # a line is no further than its order
        word = order.status
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


def _products_of(act: RequestAttempt) -> list[str]:
    return [product for parcel in json.loads(act.body) for product in parcel.get(PRODUCTS, ())]


def _lines_of_products(act: RequestAttempt, order: Order) -> dict[str, list[str]]:
    """The lines of each product that a parcel names."""
    return {
        product: [line.id for line in order.lines if line.product == product]
        for product in _products_of(act)
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
    return judged(act, order, goals, Status.SHIPPED)


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
    call=ship_call,
    judge=judge_shipment,
    baseline=_open_lines,
    patience=timedelta(minutes=10),
)
"""The declaration of parcels: each line is taken once, and shows its parcels then."""
