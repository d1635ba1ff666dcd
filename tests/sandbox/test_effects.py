"""The log of what requests have brought about, on the orders."""

from typing import Any

import pytest

from feedtool.areas.orders.sandbox import shop
from feedtool.sandbox.effects import Effect
from tests.sandbox.desk import Desk

PATH = "/order-commercial-gesture-requests"


def effects_of(desk: Desk, *bodies: Any) -> list[Effect]:
    with desk.sandbox.state.transaction() as db:
        order = shop.place(db, "S1", desk.now, status="Shipped")
    for body in bodies:
        whole = body.replace(b"ORDER", order.order_id.encode())
        assert desk.ask("POST", PATH, whole).status == 201
    return desk.sandbox.effects()


ONE = b'{"orderId": "ORDER", "reason": "Late", "amount": 1}'
OTHERWISE_WRITTEN = b'{"amount":1,"reason":"Late","orderId":"ORDER"}'
OTHER = b'{"orderId": "ORDER", "reason": "Late", "amount": 2}'


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (ONE, {"fingerprint", "digest"}),
        (OTHERWISE_WRITTEN, {"fingerprint"}),
        (OTHER, set()),
    ],
)
def test_the_same_request_has_the_same_fingerprint(
    desk: Desk, other: bytes, same: set[str]
) -> None:
    [first, second] = (effect._asdict() for effect in effects_of(desk, ONE, other))
    assert {name for name in ("fingerprint", "digest") if first[name] == second[name]} == same


def test_an_effect_in_full(desk: Desk) -> None:
    [effect] = effects_of(desk, ONE)
    assert effect[:4] == (1, "2026-03-02T09:00:00.000000Z", "S1", "gesture")
    assert len(effect.fingerprint) == len(effect.digest) == 64


def test_refused_request_has_no_effect(desk: Desk) -> None:
    assert desk.ask("POST", PATH, {}).status == 400
    assert desk.sandbox.effects() == []
