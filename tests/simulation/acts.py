"""A seller who acts on orders, by single calls, in a world like that of `world`.

Colleagues and customers act on the same orders meanwhile, effects show late, and money is granted
later, or not. `Sandbox.effects` shows the acts that were done. Rules:

- no request has its effect twice, and money is never sent again, with any loss;
- the results of rows are true: Shipped, Accepted and Cancelled rows were done; Rejected and
  Superseded rows were not, unless the message says so; Unknown only after a lost answer;
- with a service that works no row stays open.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import orjson

from feedtool.areas.orders.sandbox import PARTS, shop, states, store
from feedtool.areas.orders.sandbox.states import OrderBehaviour
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.areas.products import sandbox as products
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Item
from feedtool.sandbox import Sandbox, SandboxSettings
from tests.simulation.acts_checker import OrdersCourt, deed_of
from tests.simulation.checker import Findings
from tests.simulation.network import HOURS, SELLER
from tests.simulation.single_calls import Deed, SingleCalls, SingleCallsNetwork
from tests.simulation.story import Row, Told

REASON = "MissingProduct"
REASONS = ("seller-out-of-stock", "customer-request", "seller-cannot-deliver")
"""Reasons of the cancellations of the first run, of the second, and of colleagues."""

TRY = {
    states.PROCESSING: ("Accept", "Ship"),
    states.WAITING: ("Accept", "Accept", "Accept", "Refuse", "Cancel"),
    states.ACCEPTED: ("Ship", "Ship", "Cancel"),
    states.IN_PREPARATION: ("Ship", "Ship", "Ship", "Cancel", "Cancel", "Accept", "Gesture"),
    states.SHIPPED: ("Gesture", "Gesture", "Gesture", "Gesture", "Cancel", "Ship"),
}
"""A seller's acts on an order of each status; he need not be right."""


# What the seller wants.


def approval(action: str) -> dict[str, str]:
    return {"approval_status": {"Accept": "Accepted", "Refuse": "Refused"}[action]}


def parcels(order: StoredOrder, number: str, places: list[int]) -> list[dict[str, Any]]:
    """A parcel of some or all lines."""
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


class OrdersNetwork(SingleCallsNetwork):
    """A network on which requests about money may arrive very late."""

    def lost(self, call: Call, token: str) -> Reply:
        """A request about money arrives at last, which is worse than never."""
        return self.late(call, token) if _is_money(call) else super().lost(call, token)

    def post_late(self, call: Call, within: timedelta) -> None:
        """Let a request arrive late: hours if about money, where that must do no harm."""
        super().post_late(call, HOURS if _is_money(call) else min(within, timedelta(minutes=2)))


def _is_money(call: Call) -> bool:
    return call.method == "POST" and call.target.endswith("gesture-requests")


# The world.


@dataclass
class Acts(SingleCalls):
    """The orders of one seed, and the acts on them."""

    others_gestures: set[str] = field(default_factory=set)
    orders: list[str] = field(default_factory=list)
    began: dict[str, str] = field(default_factory=dict)
    """The status that each order had first."""

    def __post_init__(self) -> None:
        super().__post_init__()
        stories = self._dice("story")
        for _ in range(stories.randint(1, 3)):
            status = stories.choice(
                (*TRY, states.IN_PREPARATION, states.IN_PREPARATION, states.SHIPPED)
            )
            self._place(status, stories.randint(1, 3))
        for number in (1, 2)[: stories.choice((1, 2))]:
            self.story.runs.append(Told(number, [*self._rows(number, stories)]))

    def deed_of(self, target: str, body: Any) -> Deed:
        return deed_of(target, body)

    def _make_service(self) -> Sandbox:
        parts = (*PARTS, *products.PARTS)
        return Sandbox(parts, settings=self._service_settings())

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
                fate=dice.choice(("", "", "", "", states.CUSTOMER_CANCELS, states.FAILS_CONTROLS)),
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

    # What others do.

    def interfere(self) -> None:
        """A colleague or a customer acts on an order, if it can be done."""
        order = self.order(self.dice.choice(self.orders))
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
        answer = self.post_by_other(path, body)
        if "gesture" in path and answer.status == 201:
            self.others_gestures.add(orjson.loads(answer.body)["requestId"])

    def _change(self, order: StoredOrder, what: str) -> None:
        now: datetime = self.network.service_time
        if what == "regret" and order.lines[0]["status"] == states.IN_PREPARATION:
            states.request_cancellation(order, order.lines[0], now, self.behaviour)
        elif what == "deliver" and order.status == states.SHIPPED:
            states.move(order, states.DELIVERED, now, self.behaviour)
        else:
            return
        with self.service.state.transaction() as db:
            store.write(db, order, now, self.behaviour.visible_after)
        self.note(f"A CUSTOMER: {what} {order.order_id}")

    # What came of it.

    def order(self, name: str) -> StoredOrder:
        """The present order, shown or not."""
        self.service.advance(self.network.service_time)
        with self.service.state.transaction() as db:
            found = store.find(db, SELLER, name)
        if found is None:
            raise ValueError(name)
        return found

    def judged(self) -> Findings:
        """The findings of the world once all calls have arrived; Wrong for any fault."""
        self.network.pass_time(HOURS)
        return OrdersCourt(self).judge()
