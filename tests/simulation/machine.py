"""The machine that feedtool runs on: it dies at any write, and its lanes run in no order."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from datetime import datetime
from random import Random
from typing import Any, NamedTuple

from sqlalchemy import event

from feedtool.ledger import Change, Ledger, Package, Run, tables
from feedtool.ledger.records import Clearance
from feedtool.model.call import Call
from feedtool.service.calls import ask_all
from tests.simulation.story import MARK


class Crash(BaseException):
    """The process is gone: nothing more leaves it, and nothing more is written."""


class Power:
    """The machine's power; it fails at random, though always the same for a seed."""

    def __init__(self, random: Random, note: Callable[[str], None], chance: float) -> None:
        self.random = random
        self.note = note
        self.chance = chance
        self.is_on = True

    def check(self) -> None:
        """Raise Crash in a process that is gone."""
        if not self.is_on:
            raise Crash

    def point(self, where: str) -> None:
        """Here the process may die."""
        self.check()
        if self.random.random() < self.chance:
            self.note(f"CRASH {where}")
            self.is_on = False
            raise Crash


class FragileLedger(Ledger):
    """A real ledger: its process may die at each commit, before it or after it."""

    def __init__(self) -> None:
        super().__init__()
        self.power: Power | None = None
        self.meant: set[str] = set()
        """The service's packages whose commit was at least intended."""
        self.intended: dict[str, set[str]] = defaultdict(set)
        """By a row's mark, the service's packages that it may have left us for.

        That is written before it leaves: after a kill nobody can tell whether it did.
        """
        # Nothing of the ledger's own lets in anybody between the statements and the commit.
        event.listen(self.engine, "commit", self._before_commit)

    def wipe(self) -> None:
        """Empty the tables: making them anew takes longer than a whole world."""
        self.power = None
        self.meant.clear()
        self.intended.clear()
        with self.engine.begin() as db:
            for table in reversed(tables.metadata.sorted_tables):
                if table is not tables.schema_version:
                    db.execute(table.delete())

    def _before_commit(self, _connection: Any) -> None:
        if self.power:
            self.power.point("before a commit")

    def _after_commit(self) -> None:
        if self.power:
            self.power.point("after a commit")

    def start_run(self, **told: Any) -> int:
        run_id = super().start_run(**told)
        self._after_commit()
        return run_id

    def add_file(self, run_id: int, planned: Iterable[Any], **told: Any) -> int:
        file = super().add_file(run_id, planned, **told)
        self._after_commit()
        return file

    def clear(self, packages: Iterable[tuple[Package, Clearance]], run: Run) -> list[Package]:
        found = super().clear(packages, run)
        self._after_commit()
        return found

    def save(self, changes: Sequence[Change]) -> list[Package]:
        new = super().save(changes)
        self.meant.update(
            change.after.package_id
            for change in changes
            if change.after.package_id and change.after.committed_at
        )
        for change in changes:
            if change.attempt and change.attempt.upload and not change.attempt.answered_at:
                self._note_intent(change.after, change.attempt.upload)
        self._after_commit()
        return new

    def _note_intent(self, package: Package, upload: int) -> None:
        for body in self.bodies(package.key, [upload])[upload]:
            self.intended[json.loads(body)[MARK]].add(str(package.package_id))


HALF = 0.5


class Done(NamedTuple):
    """The result of `concurrent.futures.wait`."""

    done: list[Future[Any]]
    not_done: list[Future[Any]]


class Waiting(Future[Any]):
    """A call that waits for a lane, or has one already: which of the two, chance says."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random

    def cancel(self) -> bool:
        """Cancel the call; False if it has left."""
        return self.random.random() < HALF and super().cancel()


class Lanes(Executor):
    """A pool in which calls end in any order, one at a time, the same for a seed.

    Nothing runs before somebody waits for it: that is the moment at which another thread would
    have been faster.
    """

    def __init__(self, random: Random) -> None:
        self.random = random
        self.waiting: dict[Future[Any], tuple[Callable[..., Any], tuple[Any, ...]]] = {}

    def submit(self, fn: Callable[..., Any], /, *args: Any, **_: Any) -> Future[Any]:
        future = Waiting(self.random)
        self.waiting[future] = (fn, args)
        return future

    def wait_for(
        self,
        flights: Iterable[Future[Any]],
        timeout: float | None = None,
        return_when: str = "ALL_COMPLETED",
    ) -> Done:
        """Replace `concurrent.futures.wait`; chance decides whether a call is in time."""
        wanted = list(flights)
        left: list[Future[Any]] = []
        if return_when == "FIRST_COMPLETED":
            first = self.random.choice(wanted)
            left = [future for future in wanted if future is not first]
            wanted = [first]
        if timeout is not None and self.random.random() < HALF:
            return Done([], [*wanted, *left])
        for future in wanted:
            if future not in self.waiting:
                raise Crash  # it was in this call that the process died
            fn, args = self.waiting.pop(future)
            future.set_running_or_notify_cancel()
            future.set_result(fn(*args))
        return Done(wanted, left)

    def abandoned(self) -> list[Call]:
        """The calls that were under way when the process died."""
        under_way = (kept for future, kept in self.waiting.items() if not future.cancelled())
        calls = [call for run, args in under_way if run is ask_all for call in args[1]]
        self.waiting.clear()
        return calls


class Clock:
    """The client's time, which passes only when somebody lets it."""

    def __init__(self, start: datetime) -> None:
        self.time = start

    def now(self) -> datetime:
        return self.time
