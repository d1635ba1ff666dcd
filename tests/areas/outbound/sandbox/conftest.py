"""A desk whose seller has sent no parcels but those of the test."""

from collections.abc import Iterator

import pytest

from tests.areas.outbound.sandbox.parcels import QUIET
from tests.sandbox.desk import Desk


@pytest.fixture
def quiet(new_desk: type[Desk]) -> Iterator[Desk]:
    with new_desk(QUIET) as desk:
        yield desk
