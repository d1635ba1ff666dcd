"""A seller who acts on orders, by single calls, in a world as of `world`.

Colleagues and customers act on the same orders meanwhile, effects show late, and money is granted
later, or not. `Sandbox.effects` is the judge of what was done. What must hold:

- no request has its effect twice, and money is never sent again, whatever was lost;
- what a row is told is so: Shipped, Accepted, Cancelled; where it is told Rejected or Superseded we
  did nothing of it, unless the message says so; and Unknown only where an answer was lost;
- a service that works leaves nothing open.
"""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import orjson
from sqlalchemy import or_, select

from feedtool.areas.orders.sandbox import PARTS, life, shop, store
from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.areas.products import sandbox as products
from feedtool.delivery import engine, overview
from feedtool.delivery.overview import SINGLY
from feedtool.ledger import tables as t
from feedtool.model.call import JSON, Call, Reply
from feedtool.model.nouns import Item
from feedtool.sandbox import HttpRequest, Sandbox, SandboxSettings
from feedtool.service.answers import AnswerKind
from tests.simulation.acts_checker import Deed, OrdersCourt, deed_of
from tests.simulation.checker import Findings, Wrong
from tests.simulation.network import GOOD, HOURS, SELLER, Network
from tests.simulation.story import Row, Told
from tests.simulation.world import FAULTS, World

REASON = "MissingProduct"
REASONS = ("seller-out-of-stock", "customer-request", "seller-cannot-deliver")
"""Of the cancellations of the first run, of the second, and of colleagues."""

LIVES = 3
"""So many processes are enough for a few single calls."""

TRY = {
    life.PROCESSING: ("Accept", "Ship"),
    life.WAITING: ("Accept", "Accept", "Accept", "Refuse", "Cancel"),
    life.ACCEPTED: ("Ship", "Ship", "Cancel"),
    life.IN_PREPARATION: ("Ship", "Ship", "Ship", "Cancel", "Cancel", "Accept", "Gesture"),
    life.SHIPPED: ("Gesture", "Gesture", "Gesture", "Gesture", "Cancel", "Ship"),
}
"""What a seller asks of an order of each status; he need not be right."""


# What the seller wants.


@dataclass
class OrdersStory:
    """The seller's runs, which ask for actions on orders."""

    runs: list[Told] = field(default_factory=list)
    before: tuple[Told, ...] = ()
    references: list[str] = field(default_factory=list)


def approval(action: str) -> dict[str, str]:
    return {"approval_status": {"Accept": "Accepted", "Refuse": "Refused"}[action]}


def parcels(order: StoredOrder, number: str, places: list[int]) -> list[dict[str, Any]]:
    """One parcel, of some of the lines or of all that there are."""
    parcel = {"parcelNumber": number, "carrierName": "Colissimo"}
    names = [order.lines[place]["orderLineId"] for place in places]
    return [{**parcel, "orderLineIds": names} if names else parcel]


def cancellation(order: StoredOrder, reason: str, places: list[int]) -> dict[str, Any]:
    lines = [
        {
            "lineId": order.lines[place]["orderLineId"],
            "offerId": order.lines[place]["offer"]["offerId"],
            "reason": reason,
            "shippingCostRefund": False,
        }
        for place in places or range(len(order.lines))
    ]
    return {"orderSellerId": order.order_id, "lines": lines}


def gesture(order: StoredOrder, amount: float) -> dict[str, Any]:
    return {"orderId": order.order_id, "reason": REASON, "amount": amount}


# The way there.


class OrdersNetwork(Network):
    """The same, which remembers what took effect by a call of ours."""

    done: Counter[Deed]
    is_reading = False
    """True while the process may do nothing but read."""

    def _send(self, call: Call, token: str) -> Reply:
        """Looks are many, and what goes wrong with them is harmless."""
        usual = self.chance
        self.chance = min(0.6, usual * (4 if call.method == "POST" else 1))
        try:
            return super()._send(call, token)
        finally:
            self.chance = usual

    def _arrive(self, call: Call, token: str) -> Reply:
        reply = super()._arrive(call, token)
        if call.method == "POST" and reply.status in {200, 201}:
            self.done[deed_of(call.target, json.loads(call.body or b""))] += 1
        return reply

    def _leaves(self, call: Call) -> None:
        if self.is_reading and call.method == "POST":
            raise Wrong(f"{call.target} was sent where answers alone are fetched")

    def _remember(self, call: Call, path: str, status: int) -> None:
        """Nothing here is a package."""

    def half(self, call: Call, token: str) -> Reply:
        """A call is taken whole or not at all: an order is one document."""
        return self.broken(call, token)

    def lost(self, call: Call, token: str) -> Reply:
        """What asks for money arrives at last, which is worse than never."""
        return self.late(call, token) if _is_money(call) else super().lost(call, token)

    def post_late(self, call: Call, within: timedelta) -> None:
        """Not so late that it comes behind all patience, but where that must do no harm: money."""
        super().post_late(call, HOURS if _is_money(call) else min(within, timedelta(minutes=2)))


def _is_money(call: Call) -> bool:
    return call.method == "POST" and call.target.endswith("gesture-requests")


# The world.


@dataclass
class Acts(World):
    """One seed's orders, and what is done with them."""

    network: OrdersNetwork = field(init=False)
    others: set[int] = field(default_factory=set)
    """The effects that colleagues had."""
    others_deeds: set[Deed] = field(default_factory=set)
    others_gestures: set[str] = field(default_factory=set)
    orders: list[str] = field(default_factory=list)
    began: dict[str, str] = field(default_factory=dict)
    """The status that each order had first."""

    def __post_init__(self) -> None:
        super().__post_init__()
        scale = self.dice.choice((0.3, 1.0, 1.0, 3.0))
        self.network.ahead = timedelta(minutes=self.dice.randint(-5, 5))
        self.network.chance, self.crashes = 2 * FAULTS * scale, 0.02 * scale
        self.network.done = Counter()
        self.chaotic_lives = LIVES
        self.singly = self.dice.choice((SINGLY, SINGLY, 1))
        """So many orders are looked at one by one, and more in a list."""
        self.hurry = self.dice.choice((0.0, 0.01, 0.03, 0.1))
        """How likely a colleague acts while we wait."""
        stories = self._dice("story")
        for _ in range(stories.randint(1, 3)):
            status = stories.choice((*TRY, life.IN_PREPARATION, life.IN_PREPARATION, life.SHIPPED))
            self._place(status, stories.randint(1, 3))
        for number in (1, 2)[: stories.choice((1, 2))]:
            self.story.runs.append(Told(number, [*self._rows(number, stories)]))

    def _make_service(self) -> Sandbox:
        parts = (*PARTS, *products.PARTS)
        return Sandbox(parts, settings=self._service_settings())

    def _tell_story(self) -> Any:
        return OrdersStory()

    def _network_type(self) -> type[OrdersNetwork]:
        return OrdersNetwork

    def _service_settings(self) -> SandboxSettings:
        """Effects show late: all that is added up stays within the patience of each action."""
        dice = self._dice("service")
        settle = dice.choice((0, 0, 10, 60))
        self.behaviour = OrderBehaviour(
            customers_every=timedelta(),
            cancel_after=timedelta(seconds=dice.choice((0, 30, 180))),
            gesture_after=timedelta(seconds=dice.choice((0, 60, 400))),
            gesture_amount=dice.choice((5.0, 20.0, 50.0)),
            visible_after=timedelta(seconds=3 * settle * dice.random()),
        )
        return SandboxSettings(parts=(self.behaviour,))

    def _place(self, status: str, lines: int) -> None:
        dice = self._dice(f"order {len(self.orders)}")
        with self.service.state.transaction() as db:
            order = shop.place(
                db,
                SELLER,
                self.network.service_time,
                status=status,
                lines=lines,
                channel=dice.choice(("PRIMARY",) * 5 + ("SECOND",)),
                supply=dice.choice(("Seller",) * 9 + ("Fulfillment",)),
                fate=dice.choice(("", "", "", "", life.CUSTOMER_CANCELS, life.FAILS_CONTROLS)),
                behaviour=self.behaviour,
            )
        self.orders.append(order.order_id)
        self.began[order.order_id] = status

    def _rows(self, run: int, chance: Any) -> Iterator[Row]:
        asked = set[tuple[str, str]]()
        for row in range(3, 3 + chance.randint(1, 3)):
            order = self.order(chance.choice(self.orders))
            action = chance.choice(TRY[self.began[order.order_id]])
            approves = action in {"Accept", "Refuse"}
            key = ("Accept" if approves else action, order.order_id)
            if key in asked and action != "Gesture":
                continue
            asked.add(key)
            body = self._body(order, action, run, row, chance)
            item = Item(row, action, "", order.order_id, "", orjson.dumps(body))
            yield Row(f"{run}/{row}", item, {"body": body})

    def _body(self, order: StoredOrder, action: str, run: int, row: int, chance: Any) -> Any:
        lines = len(order.lines)
        places = sorted(chance.sample(range(lines), chance.randint(0, lines)))
        if action == "Ship":
            return parcels(order, f"P{chance.choice((1, run))}", places)
        if action == "Cancel":
            return cancellation(order, REASONS[run - 1], places)
        return gesture(order, run + row / 4) if action == "Gesture" else approval(action)

    @contextmanager
    def _threads(self) -> Iterator[None]:
        with (
            super()._threads(),
            mock.patch.object(engine, "SINGLY", self.singly),
            mock.patch.object(overview, "SINGLY", self.singly),
        ):
            yield

    def _calm_down(self) -> None:
        super()._calm_down()
        self.settings = replace(self.settings, patience=timedelta(hours=1))

    # What others do.

    def _one_life(self, to_begin: list[Told]) -> bool:
        is_chaotic = self.power.chance > 0
        self.network.is_reading = self.only_fetch = is_chaotic and self.dice.random() < 0.1
        return super()._one_life(to_begin)

    def _wait(self, duration: timedelta) -> None:
        self.network.pass_time(duration)
        if self.power.chance and self.dice.random() < self.hurry:
            self._interfere(self.order(self.dice.choice(self.orders)))

    def _interfere(self, order: StoredOrder) -> None:
        """A colleague or a customer acts on an order, if it can be done."""
        what = self.dice.choice(("ship", "cancel", "approve", "give", "regret", "deliver"))
        dice, path = self.dice, f"/orders/{order.order_id}"
        place = dice.sample(range(len(order.lines)), dice.randint(0, 1))
        number = dice.choice(("P1", "P2", "P9", "P9"))
        if what == "ship":
            self._post(f"{path}/shipments", parcels(order, number, place))
        elif what == "cancel":
            body = cancellation(order, REASONS[2], place)
            self._post("/order-partial-cancellation-requests", body)
        elif what == "approve":
            self._post(f"{path}/approval-status", approval(dice.choice(("Accept", "Refuse"))))
        elif what == "give":
            wanted = dice.choice((1.0, 1.75, 2.0, 2.0, 2.75))
            self._post("/order-commercial-gesture-requests", gesture(order, wanted))
        else:
            self._change(order, what)

    def _post(self, path: str, body: Any) -> None:
        before = {effect.id for effect in self.service.effects()}
        headers = {**dict(JSON), "SellerId": SELLER, "Authorization": f"Bearer {GOOD}"}
        request = HttpRequest("POST", path, "", headers, orjson.dumps(body))
        answer = self.service.handle(request, self.network.service_time)
        self.others |= {effect.id for effect in self.service.effects()} - before
        if answer.status < 300:
            self.others_deeds.add(deed_of(path, body))
        if "gesture" in path and answer.status == 201:
            self.others_gestures.add(orjson.loads(answer.body)["requestId"])
        self.note(f"A COLLEAGUE: {path} {orjson.dumps(body).decode()} → {answer.status}")

    def _change(self, order: StoredOrder, what: str) -> None:
        now: datetime = self.network.service_time
        if what == "regret" and order.lines[0]["status"] == life.IN_PREPARATION:
            life.request_cancellation(order, order.lines[0], now, self.behaviour)
        elif what == "deliver" and order.status == life.SHIPPED:
            life.move(order, life.DELIVERED, now, self.behaviour)
        else:
            return
        with self.service.state.transaction() as db:
            store.write(db, order, now, self.behaviour.visible_after)
        self.note(f"A CUSTOMER: {what} {order.order_id}")

    # What came of it.

    def order(self, name: str) -> StoredOrder:
        """An order as it is now, whatever shows of it."""
        self.service.advance(self.network.service_time)
        with self.service.state.transaction() as db:
            found = store.find(db, SELLER, name)
        if found is None:
            raise ValueError(name)
        return found

    def lost(self) -> set[tuple[int, int]]:
        """The files and rows whose call was intended, and of which we have no answer."""
        has_none = or_(
            t.attempts.c.outcome.is_(None), t.attempts.c.outcome == str(AnswerKind.UNKNOWN)
        )
        query = (
            select(t.requests.c.file, t.requests.c.row)
            .join(t.attempts, t.attempts.c.package == t.requests.c.package)
            .where(t.attempts.c.step == "call", has_none)
        )
        with self.ledger.engine.connect() as db:
            return {(file, row) for file, row in db.execute(query)}

    def judged(self) -> Findings:
        """What it came to; Wrong when anything of it is not as it must be."""
        return OrdersCourt(self).judge()
