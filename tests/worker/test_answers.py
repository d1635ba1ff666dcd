"""Answers of a file are whole or absent after a kill at any step, and are told once."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from itertools import count, product
from pathlib import Path
from typing import Any

import pytest

from feedtool.ledger.parcels import Parcels
from feedtool.places.folder import FolderPlace
from feedtool.places.incoming import put_answers
from feedtool.watch import processor
from feedtool.worker import answers as answer_delivery
from tests.conftest import offer
from tests.pairs import sample
from tests.places.fragile import Killed
from tests.watch.conftest import NOON
from tests.worker.conftest import ParcelWorld

ANSWERS = ["a.result.csv", "a.summary.json"]
FAILED = "a.failed.xlsx"
STEPS: list[tuple[Any, str]] = [
    (processor, "write_summary"),
    (Parcels, "settle"),
    (FolderPlace, "put"),
    (Parcels, "mark_delivered"),
    (answer_delivery, "clear_lane"),
]
"""All that changes anything, from the answers of a file to the end of its parcel."""


class Steps:
    """Counts down the steps that a process lives to take."""

    def __init__(self, last: int) -> None:
        self.left = last

    def around(self, step: Callable[..., Any]) -> Callable[..., Any]:
        def reached(*arguments: Any, **more: Any) -> Any:
            self.left -= 1
            if self.left < 0:  # we are gone, whatever `finally` would do
                raise Killed
            found = step(*arguments, **more)
            if self.left == 0:
                raise Killed
            return found

        return reached


@contextmanager
def killed_after(last: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Steps]:
    """Kill the process after this number of steps."""
    steps = Steps(last)
    with monkeypatch.context() as patch:
        for owner, name in STEPS:
            patch.setattr(owner, name, steps.around(getattr(owner, name)))
        with suppress(Killed):
            yield steps


class Place(ParcelWorld):
    """A world whose answers go into a folder, as those of real workers do."""

    def way_out(self, profile: str) -> Any:
        del profile

        def put(name: str, answers: Any) -> None:
            put_answers(FolderPlace(self.there), name, answers, self.today.date())

        return put

    @property
    def there(self) -> Path:
        return self.root / "out"

    def answers(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.there.iterdir())}


def brought(folder: Path, *rows: Mapping[str, str]) -> Place:
    """A file of these rows; a minute passes until it is sent."""
    folder.mkdir()
    world = Place(folder)
    world.there.mkdir()
    world.bring("a.csv", *rows)
    world.today += timedelta(minutes=1)
    return world


# Failed rows go out from another machine in `test_passes`.
@pytest.mark.parametrize(
    ("machine", "has_failed"), sample([("two", False), *product(("one", "two"), (True,))], 1)
)
def test_killed_at_each_step_to_the_end_of_a_parcel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str, *, has_failed: bool
) -> None:
    rows = [offer(1), *([offer(2, quantity="-1")] if has_failed else [])]
    answers = [*([FAILED] if has_failed else []), *ANSWERS]
    for last in count(1):
        world = brought(tmp_path / str(last), *rows)
        with killed_after(last, monkeypatch) as steps:
            world.work()
        before = world.answers()
        assert set(before) <= set(answers)
        world.today += timedelta(minutes=1)
        world.work(machine=machine)
        after = world.answers()
        assert list(after) == answers
        assert before.items() <= after.items()  # they were whole, and nothing is told otherwise
        assert world.parcel().told_at
        assert world.sent() == ["SKU-1"]
        assert world.work() is False
        assert world.answers() == after
        if steps.left > 0:
            break
    assert last > len(STEPS)
    assert world.parcel().told_at == NOON + timedelta(minutes=1)
