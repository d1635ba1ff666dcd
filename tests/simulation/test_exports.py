"""With any fault, an export with a cursor loses nothing and brings nothing twice.

A world in the normal suite, 2,000 in the long one.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from unittest import mock

import pytest

from feedtool.feeds import keyset
from feedtool.feeds.export import ListedItem
from feedtool.feeds.keyset import PageRequest
from feedtool.model.call import Reply
from feedtool.runs.cursors import Reading
from tests.simulation.checker import Wrong
from tests.simulation.exports import ExportWorld
from tests.simulation.machine import FragileLedger

SEEDS, MANY, CHUNK = 1, 2000, 200
CASES = [
    range(SEEDS),
    *(
        pytest.param(range(first, min(first + CHUNK, MANY)), marks=pytest.mark.long)
        for first in range(SEEDS, MANY, CHUNK)
    ),
]


class ExportFailed(AssertionError):
    """A seed whose world is not as it must be."""


def run_seed(seed: int, ledger: FragileLedger, folder: Path) -> int:
    """The number of things that came in a seed's world; ExportFailed for any fault."""
    place = folder / f"{seed}"
    place.mkdir()
    world = ExportWorld(seed, ledger, place)
    try:
        world.live()
        return world.check().total()
    except Wrong as error:
        steps = "\n".join(world.log)
        raise ExportFailed(f"{steps}\n\nseed {seed}: {error}") from error


@pytest.mark.parametrize("seeds", CASES, ids=str)
def test_no_item_is_lost_or_comes_twice(
    ledger: FragileLedger, tmp_path: Path, seeds: range
) -> None:
    assert sum(run_seed(seed, ledger, tmp_path) for seed in seeds) > 10 * len(seeds)


INTEND, PICK = Reading.intend, Reading.pick


def settle_first(reading: Reading, place: Path) -> None:
    """Move the cursor before the file is in its place."""
    INTEND(reading, place)
    reading.owner.cursors.settle(reading.batch or 0, is_placed=True)


def note_all(reading: Reading, things: Sequence[ListedItem], reply: Reply) -> Iterator[ListedItem]:
    """Remember things that a filter leaves out, too."""
    for thing in PICK(reading, things, reply):
        reading.picked[thing.key] = thing
        yield thing


def page_numbers(asked: PageRequest, moments: Sequence[datetime], size: int) -> PageRequest | None:
    """Ask for the next page by its number, as the specification advises."""
    return asked._replace(number=asked.number + 1) if len(moments) == size else None


MUTANTS: dict[str, tuple[Callable[[], AbstractContextManager[object]], int]] = {
    "no overlap": (lambda: mock.patch.object(ExportWorld, "overlap", 0), 12),
    "known before the filter": (lambda: mock.patch.object(Reading, "pick", note_all), 2),
    "settled before the rename": (lambda: mock.patch.object(Reading, "intend", settle_first), 6),
    "page after page": (lambda: mock.patch.object(keyset, "following", page_numbers), 2),
}
"""Each alteration, and the first seed that caught it when this was written."""


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_is_caught(ledger: FragileLedger, tmp_path: Path, name: str) -> None:
    """The seed that is known to catch it is tried first, and then many."""
    alter, first = MUTANTS[name]
    others = (seed for seed in range(500) if seed != first)
    with alter():
        assert any(is_caught(seed, ledger, tmp_path) for seed in (first, *others))


def is_caught(seed: int, ledger: FragileLedger, folder: Path) -> bool:
    try:
        run_seed(seed, ledger, folder)
    except ExportFailed:
        return True
    return False
