"""A seller with very many files keeps no other waiting for longer than two slices of them.

The queue decides, so that parcels in a ledger on SQLite will do.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from feedtool.cli.console import StopSignal
from feedtool.worker.passes import Slice
from tests.conftest import offer
from tests.worker.conftest import ParcelWorld
from tests.worker.fleet import Fleet

BIG = "big"


@dataclass
class Crowd(ParcelWorld):
    """Sellers whose passes one engine hands out, one at a time."""

    fleet: Fleet | None = None
    late: list[str] = field(default_factory=list)
    """Sellers whose file comes while the big one's are sent, one with each of these."""
    arrived: dict[str, int] = field(default_factory=dict)
    """Answered files of the big one at the arrival of another's file."""
    waited: dict[str, int] = field(default_factory=dict)
    """Answered files of the big one before each other's answer."""

    @property
    def answered(self) -> int:
        return len(self.out.get(BIG, ())) // 2

    def come(self, profile: str, number: int) -> None:
        """A file of a seller, and a pass for it."""
        self.bring(f"{profile}-{number}.csv", offer(number), profile=profile)
        self.put(self.key(profile))
        self.arrived.setdefault(profile, self.answered)

    def put(self, *given: Any) -> None:
        assert self.fleet
        self.fleet.queue.put(*given)

    def way_out(self, profile: str) -> Any:
        put = super().way_out(profile)

        def noted(name: str, answers: Mapping[str, Path]) -> None:
            put(name, answers)
            if profile == BIG:
                if self.late:
                    self.come(self.late.pop(), len(self.late) + 10_000)
            else:
                self.waited[profile] = self.answered - self.arrived[profile]

        return noted


@pytest.mark.parametrize(
    ("sellers", "files", "size"),
    [(3, 4, 1), pytest.param(500, 1_000, 20, marks=pytest.mark.long)],
)
def test_no_seller_waits_longer_than_two_slices(
    tmp_path: Path, fleet: Fleet, sellers: int, files: int, size: int
) -> None:
    names = [f"S{number}" for number in range(sellers - 1)]
    half = len(names) // 2
    world = Crowd(tmp_path, fleet=fleet, late=names[half:])
    for number in range(files):
        world.come(BIG, number)
    for number, name in enumerate(names[:half]):
        world.come(name, files + number)
    with world.passes(size=Slice(files=size)) as passes:
        fleet.engine(passes, StopSignal(), is_once=True).run()
    assert world.answered == files
    assert sorted(world.waited) == sorted(names)
    assert max(world.waited.values()) <= 2 * size
