"""A seller who creates lasting things: messages, discussions, shipments, returns.

Colleagues create the same meanwhile, and effects show late. `Sandbox.effects` shows the acts that
were done. Rules:

- we create no object twice, with any loss, and no second parcel leaves on doubt;
- the results of rows are true: an object exists for each row that was done; for Rejected and
  Superseded rows we created none; Unknown only after a lost answer;
- with a service that works no row stays open.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random
from typing import Any

import orjson

from feedtool.areas.discussions.sandbox.behaviour import DiscussionBehaviour
from feedtool.areas.discussions.sandbox.customers import customer_writes
from feedtool.areas.inbound.sandbox.products import InboundBehaviour
from feedtool.areas.orders.sandbox import shop, states
from feedtool.areas.orders.sandbox.states import OrderBehaviour
from feedtool.areas.outbound.sandbox.history import OutboundBehaviour, made_up_shipment
from feedtool.areas.registry import sandbox_parts
from feedtool.model.call import Call
from feedtool.model.nouns import NOT_DONE, Item, RowResult, Status
from feedtool.sandbox import Sandbox, SandboxSettings
from tests.simulation.checker import Findings, Wrong
from tests.simulation.network import SELLER
from tests.simulation.single_calls import Deed, SingleCalls, SingleCallsNetwork
from tests.simulation.story import Row, Told

PATHS = {
    "Reply": "/messages",
    "Open": "/discussions",
    "InboundShipment": "/inbound-shipments",
    "OutboundShipment": "/outbound-shipments",
    "Return": "/returns",
}
"""Paths of POSTs, by package type."""

SILENT = timedelta(days=1000)
LATEST = {"/messages": 20, "/discussions": 20, "/inbound-shipments": 20}
"""Seconds that a call may still be on its way after it was given up, where they are few: no longer
than half of what the area waits before it sends again."""
LATE = 280

CONDITION = {"productCondition": "New"}


class CreationsNetwork(SingleCallsNetwork):
    """A network on which no call arrives later than the service can be busy with it."""

    def post_late(self, call: Call, within: timedelta) -> None:
        """Requests arrive within the patience for creations."""
        latest = timedelta(seconds=LATEST.get(call.target, LATE))
        super().post_late(call, min(within, latest))


@dataclass
class Creations(SingleCalls):
    """The creations of one seed."""

    discussions: list[str] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """The outbound shipments of which something may come back."""
    products: list[dict[str, str]] = field(default_factory=list)
    there: frozenset[Deed] = frozenset()
    """Acts of a colleague, long before."""

    def __post_init__(self) -> None:
        super().__post_init__()
        stories = self._dice("story")
        self._open_shop()
        for number in (1, 2)[: stories.choice((1, 2))]:
            self.story.runs.append(Told(number, [*self._rows(number, stories)]))

    def deed_of(self, target: str, body: Any) -> Deed:
        """The deed of a POST: what is written, or the reference of what is created."""
        if target == "/messages":
            return Deed(target, body["discussionId"], body["body"])
        if target == "/discussions":
            return Deed(target, body["orderId"], body["subtypologyCode"])
        return Deed(target, body["reference"], "")

    def _make_service(self) -> Sandbox:
        return Sandbox(sandbox_parts(), settings=self._service_settings())

    def _network_type(self) -> type[CreationsNetwork]:
        return CreationsNetwork

    def _service_settings(self) -> SandboxSettings:
        """Creations show late, but within the patience of the area."""
        dice = self._dice("service")
        late, later = (timedelta(seconds=dice.choice((0, 0, 5, most))) for most in (20, 240))
        return SandboxSettings(
            parts=(
                OrderBehaviour(customers_every=timedelta()),
                DiscussionBehaviour(
                    visible_after=late,
                    closed_channels=(),
                    thanks_after=SILENT,  # who is written to after that is answered again
                ),
                InboundBehaviour(opening_shipments=0, visible_after=late),
                OutboundBehaviour(has_past=False, visible_after=later),
            )
        )

    def _open_shop(self) -> None:
        """Two orders, on one of which its customer has written, products, and a parcel sent."""
        now = self.network.service_time
        with self.service.state.transaction() as db:
            placed = [shop.place(db, SELLER, now, status=states.SHIPPED) for _ in range(2)]
            self.discussions = [customer_writes(db, placed[0], "Where is my parcel?", now)]
        self.orders = [order.order_id for order in placed]
        answer = self.ask("GET", "/stock-seller-references")
        self.products = orjson.loads(answer.body)["items"]
        answer = self.ask("POST", PATHS["OutboundShipment"], self._parcel("OLD"))
        self.sent = [orjson.loads(answer.body)["outboundShipmentId"]]
        self.others |= {effect.id for effect in self.service.effects()}
        self.network.pass_time(timedelta(hours=8))
        chance = self._dice("colleagues")
        for kind, path in PATHS.items():
            if chance.random() < 0.3:
                self.post_by_other(path, self._body(kind, 1)[1])
        self.there = frozenset(self.others_deeds)
        self.network.pass_time(timedelta(hours=1))

    def _parcel(self, reference: str) -> dict[str, Any]:
        return made_up_shipment(reference, 1, self.products[0]["sellerProductReference"])

    def _rows(self, run: int, chance: Random) -> Iterator[Row]:
        asked = set[Deed]()
        for row in range(3, 3 + chance.randint(1, 3)):
            kind = chance.choice(list(PATHS))
            reference, body = self._body(kind, chance.randint(1, 2))
            deed = self.deed_of(PATHS[kind], body)
            if deed in asked:
                continue
            asked.add(deed)
            item = Item(row, kind, "", reference, "", orjson.dumps(body))
            yield Row(f"{run}/{row}", item, {"body": body})

    def _body(self, kind: str, number: int) -> tuple[str, Any]:
        """The reference of a request, and the body: one of two that may be asked twice."""
        name = f"R{number}"
        if kind == "Reply":
            return self.discussions[0], self._message(f"Your parcel number {number} has left.")
        if kind == "Open":
            return self.orders[number - 1], self._opening(self.orders[number - 1])
        if kind == "InboundShipment":
            item = {"gtin": self.products[0]["gtin"], **CONDITION, "quantity": number}
            body = {"reference": name, "storageCountry": "FR", "supplyMode": "Fulfillment"}
            return name, {**body, "items": [item]}
        if kind == "OutboundShipment":
            return name, self._parcel(name)
        line = {"productId": self.products[0]["gtin"], **CONDITION, "quantity": 1}
        body = {"outboundShipmentId": self.sent[0], "reference": name, "reason": "Retraction"}
        return name, {**body, "comment": "", "lines": [line]}

    def _message(self, text: str) -> dict[str, Any]:
        return {
            "discussionId": self.discussions[0],
            "salesChannel": "PRIMARY",
            "body": text,
            "receivers": [{"userType": "Customer"}],
            "attachments": [],
        }

    def _opening(self, order: str) -> dict[str, Any]:
        message = {"body": "About your parcel, please.", "receiver": "Customer", "attachments": []}
        return {
            "subject": "About your order",
            "orderId": order,
            "salesChannel": "PRIMARY",
            "subtypologyCode": "orderNotShipped",
            "productId": None,
            "message": message,
        }

    def interfere(self) -> None:
        """A colleague creates what we may be about to create."""
        kind = self.dice.choice(list(PATHS))
        _, body = self._body(kind, self.dice.randint(1, 2))
        self.post_by_other(PATHS[kind], body)

    # What came of it.

    def judged(self) -> Findings:
        """The findings of the world; Wrong for any fault."""
        self._check_effects()
        lost, statuses, unknown = self.lost(), Counter[str](), Counter[str]()
        for run in self.story.runs:
            for row, result in self.results(run):
                is_lost = (self.files[run.number], row.item.row) in lost
                self._check(row, result, is_lost=is_lost)
                statuses[result.status] += 1
                if result.status is Status.UNKNOWN:
                    unknown[_text(result)] += 1
        return Findings(statuses, unknown)

    def _check_effects(self) -> None:
        asked = Counter(self._asked(row) for run in self.story.runs for row in run.rows)
        ours = [effect for effect in self.service.effects() if effect.id not in self.others]
        twice = {deed: times for deed, times in self.network.done.items() if times > asked[deed]}
        if twice:
            raise Wrong(f"more often than asked: {twice}")
        again = {deed for deed in self.there if self.network.done[deed]}
        if again:
            raise Wrong(f"created though it was there: {again}")
        if len(ours) > self.network.done.total():
            raise Wrong(f"{len(ours)} effects of {self.network.done}")

    def _asked(self, row: Row) -> Deed:
        return self.deed_of(PATHS[row.item.package_type], orjson.loads(row.item.body))

    def _check(self, row: Row, result: RowResult, *, is_lost: bool) -> None:
        deed, text = self._asked(row), _text(result)
        done = self.network.done[deed]
        say = f"row {row.mark} {deed} is {result.status} ({text}), and done {done}"
        asked = sum(self._asked(other) == deed for run in self.story.runs for other in run.rows)
        if result.status not in NOT_DONE:
            is_so = done or deed in self.others_deeds
        elif result.status is Status.UNKNOWN:
            is_so = is_lost
        elif result.status is Status.SUPERSEDED:
            is_so = not done or asked > 1
        else:  # what the warehouse rejects it has taken
            is_so = result.status is Status.REJECTED and (not done or asked > 1)
        if not is_so:
            raise Wrong(f"{say}, which is not so")


def _text(result: RowResult) -> str:
    return " ".join(message.text for message in result.messages)
