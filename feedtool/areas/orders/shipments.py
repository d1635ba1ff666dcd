"""Declaring parcels: the call, and what the lines of the order say of it.

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
from feedtool.feeds.direct import Act, Direct, Goal, Judgement
from feedtool.feeds.judgement import impossible
from feedtool.model.call import Call
from feedtool.model.nouns import Status
from feedtool.model.text import joined, tr


def folded(number: str) -> str:
    """A parcel's number as it is compared: carriers and people write it with blanks or without."""
    return "".join(number.split()).casefold()


def ship_goal(order: Order, line: Line, numbers: Sequence[str]) -> LineGoal:
    """What the state says of a line that is to be in parcels of these numbers."""
    status = order.status_of(line)
    there = {folded(parcel.number): parcel for parcel in line.parcels}
    if numbers and all(folded(number) in there for number in numbers):
        parcels = (there[folded(number)] for number in numbers)
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
"""What is in a parcel: lines, and products that stand for a line, which alone are not sent so."""


def _parcels_of(act: Act, lines: Mapping[str, str]) -> list[dict[str, Any]]:
    """The parcels, with these lines in the place of products."""
    parcels: list[dict[str, Any]] = json.loads(act.body)
    for parcel in parcels:
        if products := parcel.pop(PRODUCTS, ()):
            named = [lines[product] for product in products if product in lines]
            # Without a line of these products it stays empty: it is not of the whole order.
            parcel[LINES] = [*dict.fromkeys([*parcel.get(LINES, ()), *named])]
    return parcels


def _products_of(act: Act) -> list[str]:
    return [product for parcel in json.loads(act.body) for product in parcel.get(PRODUCTS, ())]


def _lines_of_products(act: Act, order: Order) -> dict[str, list[str]]:
    """The lines of each product that a parcel names."""
    return {
        product: [line.id for line in order.lines if line.product == product]
        for product in _products_of(act)
    }


def _opened(act: Act) -> dict[str, str]:
    """The lines that were open when the shipment was sent, and the products that stand for them."""
    opened: dict[str, str] | list[str] = json.loads(act.baseline or "{}")
    # Where an earlier version has written it down, it is a list.
    return opened if isinstance(opened, dict) else dict.fromkeys(opened, "")


def _numbers_of(parcels: Sequence[Mapping[str, Any]], order: Order, line: Line) -> list[str]:
    """The parcels that a line is to show; of those without lines it may show a part."""
    own = [it["parcelNumber"] for it in parcels if line.id in it.get(LINES, ())]
    free = [it["parcelNumber"] for it in parcels if LINES not in it]
    shown = {folded(parcel.number) for other in order.lines for parcel in other.parcels}
    here = {folded(parcel.number) for parcel in line.parcels}
    if all(folded(number) in shown for number in free):
        free = [number for number in free if folded(number) in here] or free
    return [*own, *free]


def _not_one(product: str, lines: Sequence[str]) -> LineGoal:
    """The judgement of a product that stands for no line of the order, or for several."""
    if not lines:
        text = tr("the order has no line of the product {product}", product=product)
        return LineGoal("", Goal.IMPOSSIBLE, codes.ORDER_UNKNOWN, text)
    text = tr(
        "the order has several lines of the product {product}: {lines}",
        product=product,
        lines=joined(lines),
    )
    return LineGoal("", Goal.IMPOSSIBLE, codes.LINE_AMBIGUOUS, text)


def ship_goals(act: Act, order: Order) -> list[LineGoal]:
    """What the state says of each line of a shipment, in the order of its parcels."""
    found, opened = _lines_of_products(act, order), _opened(act)
    goals = [_not_one(product, of) for product, of in found.items() if len(of) != 1]
    lines = {product: of[0] for product, of in found.items() if len(of) == 1}
    parcels = _parcels_of(act, lines)
    named = [line for parcel in parcels for line in parcel.get(LINES, ("",))]
    for name, line in lines_of(order, named).items():
        if line is None:
            goals.append(no_line(name))
            continue
        # A parcel without lines is of all that can be shipped, or have been.
        if name not in named and order.status_of(line) == CANCELLED:
            continue
        goal = ship_goal(order, line, _numbers_of(parcels, order, line))
        if goal.goal is Goal.OTHERWISE and name in opened and not line.parcels:
            goal = LineGoal(name, Goal.WAITING)  # shipped just now: its parcels show later
        goals.append(goal)
    return goals


def judge_shipment(act: Act, order: Order | None) -> Judgement:
    """Whether the parcels are declared, can be, or cannot any more."""
    if order is None:
        return unknown_order(act)
    goals = ship_goals(act, order)
    if not goals:
        text = tr("all of its lines are cancelled")
        return impossible(codes.ACTION_NOT_POSSIBLE, text, order.status)
    return judged(act, order, goals, Status.SHIPPED)


def _open_lines(act: Act, order: Order | None) -> str:
    """The lines that can be shipped, of the others nothing is sent; and their products."""
    goals = ship_goals(act, order) if order else ()
    found = _lines_of_products(act, order) if order else {}
    products = {line: product for product, lines in found.items() for line in lines}
    return json.dumps({it.line: products.get(it.line, "") for it in goals if it.goal is Goal.OPEN})


def ship_call(act: Act) -> Call:
    """The shipment of the lines that were open when it was looked at: others may be shipped."""
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
"""Declaring parcels: the service takes a line once, and the parcels then show on it."""
