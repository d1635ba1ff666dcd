"""The ledger of all worlds: making its tables takes as long as a world."""

from collections.abc import Iterator

import pytest

from tests.simulation.machine import FragileLedger


@pytest.fixture(scope="session")
def ledger() -> Iterator[FragileLedger]:
    """A ledger that each world wipes at its start."""
    with FragileLedger() as ledger:
        yield ledger
