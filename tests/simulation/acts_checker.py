"""Check the ledger's result of every row against the acts on its order. See `OrdersCourt`.

The ledger is checked against the service's effects and orders, and the effects of our own calls.
"""

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from feedtool.areas.orders.sandbox import states
from feedtool.areas.orders.sandbox.cancellations import GESTURES
from feedtool.delivery.direct import NO_EFFECT
from feedtool.model.nouns import RowResult, Status
from tests.simulation.checker import Findings, Wrong
from tests.simulation.network import SELLER
from tests.simulation.single_calls import Deed
from tests.simulation.story import Row

if TYPE_CHECKING:
    from tests.simulation.acts import Acts

APPROVAL, SHIPMENT, CANCELLATION, GESTURE = "approval", "shipment", "cancellation", "gesture"
REACHED = {
    "Accepted": (states.ACCEPTED, states.IN_PREPARATION, states.SHIPPED, states.DELIVERED),
    "Refused": (states.REFUSED,),
}
SAID = {
    APPROVAL: ("was decided before",),
    SHIPMENT: (", parcel ",),
    CANCELLATION: ("is Cancelled", "nothing to cancel"),
    GESTURE: ("request GR-",),
}
"""Texts of Rejected rows on which the seller did act."""


def deed_of(target: str, body: Any) -> Deed:
    """The deed of a POST."""
    order = target.split("/")[2] if target.startswith("/orders/") else ""
    if isinstance(body, list):
        return Deed(SHIPMENT, order, body[0]["parcelNumber"])
    if "approval_status" in body:
        return Deed(APPROVAL, order, body["approval_status"])
    if "amount" in body:
        return Deed(GESTURE, body["orderId"], str(body["amount"]))
    return Deed(CANCELLATION, body["orderSellerId"], (body.get("lines") or [body])[0]["reason"])


class OrdersCourt:
    """Checks a world by its witnesses."""

    def __init__(self, world: "Acts") -> None:
        self.world = world
        self.done = world.network.done
        self.lost = world.lost()
        self.rows = [row for run in world.story.runs for row in run.rows]
        self.asked = Counter(map(_requested, self.rows))
        with world.service.state.transaction() as db:
            gestures = [gesture.document for gesture in GESTURES.every(db, SELLER)]
        self.gestures = {
            it["requestId"]: (it["orderId"], it["amount"], it["status"]) for it in gestures
        }

    def judge(self) -> Findings:
        """The findings of the world; Wrong for any fault."""
        self._check_effects()
        statuses, unknown = Counter[str](), Counter[str]()
        for run in self.world.story.runs:
            file = self.world.files[run.number]
            for row, result in self.world.results(run):
                self._check(row, result, is_lost=(file, row.item.row) in self.lost)
                statuses[result.status] += 1
                if result.status is Status.UNKNOWN:
                    unknown[_text(result)] += 1
        return Findings(statuses, unknown)

    def _check_effects(self) -> None:
        effects = self.world.service.effects()
        ours = [effect for effect in effects if effect.id not in self.world.others]
        doubled = [key for key, times in Counter(e.fingerprint for e in ours).items() if times > 1]
        _demand(not doubled, f"twice: {[e for e in ours if e.fingerprint in doubled]}")
        twice = {deed for deed, times in self.done.items() if times > self.asked[deed]}
        _demand(not twice, f"more often than asked: {twice}")
        _demand(len(ours) == self.done.total(), f"{len(ours)} effects of {self.done}")
        paid = {deed.key for deed in self.done if deed.kind == GESTURE}
        unshipped = {it for it in paid if not self.world.order(it).document["shippedAt"]}
        _demand(not unshipped, f"money for orders that were not shipped: {unshipped}")

    def _check(self, row: Row, result: RowResult, *, is_lost: bool) -> None:
        deed, text = _requested(row), _text(result)
        say = f"row {row.mark} {deed} is {result.status} ({text}), and done {self.done[deed]}"
        if result.status in {Status.REJECTED, Status.SUPERSEDED}:
            is_ours = self.done[deed] and self.asked[deed] == 1
            is_said = result.status is Status.REJECTED and any(
                said in text for said in SAID[deed.kind]
            )
            _demand(not is_ours or is_said, say)
        elif result.status is Status.UNKNOWN:
            # A gesture that was taken is listed at once, whatever is decided.
            is_without = NO_EFFECT in text and self.done[deed] and deed.kind != GESTURE
            _demand(is_lost or is_without, f"{say}, and no answer was lost")
        else:
            is_so = {
                Status.ACCEPTED: self._is_accepted,
                Status("OrderRefused"): self._is_approved,
                Status("Shipped"): self._is_shipped,
                Status("Cancelled"): self._is_cancelled,
            }.get(result.status)
            _demand(is_so is not None and is_so(row, deed, text), f"{say}, which is not so")
            if deed.kind == GESTURE and not is_lost:
                _demand(_request(text) not in self.world.others_gestures, f"{say}, not by us")

    def _is_accepted(self, row: Row, deed: Deed, text: str) -> bool:
        if deed.kind == APPROVAL:
            return self._is_approved(row, deed, text)
        granted = (deed.key, float(deed.what), "Accepted")
        return self.gestures.get(_request(text)) == granted

    def _is_approved(self, row: Row, deed: Deed, text: str) -> bool:
        """True if the order was ever approved: from the start, by us, or by a colleague."""
        del row, text
        order = self.world.order(deed.key)
        began = self.world.began[deed.key]
        is_asked = order.channel == "PRIMARY" and order.is_shipped_by_seller
        by_itself = deed.what == "Accepted" and not is_asked
        reached = REACHED[deed.what]
        return bool(
            by_itself or began in reached or self.done[deed] or deed in self.world.others_deeds
        )

    def _is_shipped(self, row: Row, deed: Deed, text: str) -> bool:
        """The lines have the parcel: of a whole order those that are not cancelled."""
        del text
        named = set(json.loads(row.item.body)[0].get("orderLineIds", ()))
        lines = self.world.order(deed.key).lines
        meant = [
            line
            for line in lines
            if (line["orderLineId"] in named if named else line["status"] != states.CANCELLED)
        ]
        return all(
            deed.what in {parcel["parcelNumber"] for parcel in line["parcels"]} for line in meant
        )

    def _is_cancelled(self, row: Row, deed: Deed, text: str) -> bool:
        del text
        named = {line["lineId"] for line in json.loads(row.item.body)["lines"]}
        lines = self.world.order(deed.key).lines
        return all(it["status"] == states.CANCELLED for it in lines if it["orderLineId"] in named)


def _requested(row: Row) -> Deed:
    item = row.item
    return deed_of(f"/orders/{item.reference}", json.loads(item.body))


def _request(text: str) -> str:
    found = re.search(r"GR-\d+", text)
    return found[0] if found else ""


def _text(result: RowResult) -> str:
    return " ".join(message.text for message in result.messages)


def _demand(is_so: object, otherwise: str) -> None:
    if not is_so:
        raise Wrong(otherwise)
