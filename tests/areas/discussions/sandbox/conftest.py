"""A desk whose seller has no orders, and no discussions, but those of the test."""

from collections.abc import Iterator

import pytest

from tests.areas.orders.sandbox.counter import QUIET
from tests.sandbox.desk import Desk


@pytest.fixture
def quiet(new_desk: type[Desk]) -> Iterator[Desk]:
    with new_desk(QUIET) as desk:
        yield desk
