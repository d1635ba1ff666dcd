"""The time until another worker takes over a dead one's seller; see `benchmarks/fleet.py`."""

from contextlib import nullcontext

import pytest

from tests.ledger.conftest import Process
from tests.worker.fleet import SOON, Fleet, Work, cut_off, taken_over


# `test_engine` redoes the passes of dead workers, `test_chaos` those of one that had the lock.
@pytest.mark.long
def test_the_seller_of_a_killed_worker_is_taken_over(fleet: Fleet) -> None:
    # A second, and what a machine takes that is busy.
    assert taken_over(fleet, fleet.url, Process.kill) < SOON


@pytest.mark.long
@pytest.mark.parametrize("is_waiting", [False, True])
def test_the_seller_of_a_machine_that_is_cut_off_is_taken_over(is_waiting: bool) -> None:  # noqa: FBT001  # a case
    """The lost machine may be the present caretaker."""
    with cut_off() as (fleet, url, cable):
        looking = Work()
        looking.ours = []
        with fleet.working(looking) if is_waiting else nullcontext():
            turn = ["2s"] if is_waiting else []
            seconds = taken_over(fleet, url, lambda _: cable.turn("down"), turn, cable.prefix)
    # Ten, and what a machine takes that is busy; without any limit it is a quarter of an hour.
    assert seconds < SOON
