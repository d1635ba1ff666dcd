"""The ledger of all worlds: making its tables takes as long as a world."""

from collections.abc import Iterator

import pytest

from tests.simulation.machine import FragileLedger


@pytest.fixture(scope="session")
def ledger() -> Iterator[FragileLedger]:
    """Each world begins by wiping it."""
    with FragileLedger() as ledger:
        yield ledger
