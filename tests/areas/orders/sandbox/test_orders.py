"""The routes that read orders, accept or refuse them."""

from collections.abc import Iterator

import pytest

from feedtool.areas.orders.sandbox.life import STATUSES
from tests.areas.orders.sandbox.counter import QUIET, placed, status
from tests.sandbox.desk import Desk


@pytest.fixture
def quiet(new_desk: type[Desk]) -> Iterator[Desk]:
    with new_desk(QUIET) as desk:
        yield desk


@pytest.mark.parametrize(
    ("status_", "answer"),
    [(name, 400) for name in STATUSES if name != "WaitingAcceptance"]
    + [("WaitingAcceptance", 200)],
)
@pytest.mark.parametrize("wish", ["Accepted", "Refused"])
def test_an_order_is_accepted_only_while_it_waits(
    quiet: Desk, status_: str, wish: str, answer: int
) -> None:
    order = placed(quiet, status=status_)
    path = f"/orders/{order.order_id}/approval-status"
    assert quiet.ask("POST", path, {"approval_status": wish}).status == answer
    assert status(quiet, order) == (wish if answer == 200 else status_)
