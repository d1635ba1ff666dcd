"""Readers of a changing list, whose process may die at any write, and the items that they get.

All of it follows from one seed. The list shows changes late; each reader has its own cursor, and
takes the files away at any time. Rules: a reader of new items gets each item once, a reader of
changes gets the last version of each, and the daily comparison finds no missed item. Only a file
that is taken away before the ledger has recorded its place comes again.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from random import Random
from unittest import mock

from sqlalchemy import Connection, Engine

from feedtool.ledger import cursors
from feedtool.ledger.database import writing
from feedtool.model.errors import NothingToDo
from feedtool.model.settings import AccountSettings, CursorSettings
from feedtool.runs.cursors import CursorUse
from tests.answers import BASE
from tests.changing import KIND, READY, SELLER, Service, bring, items_in
from tests.simulation.checker import Wrong
from tests.simulation.machine import Crash, FragileLedger, Power

LAG = 20
"""Seconds after which the last change is shown."""
STATES = (READY, READY, "Waiting", "Sent")
POLLS, CALM = 6, 2


@dataclass
class Reader:
    """A reader with a cursor, and all items that he got."""

    use: CursorUse
    states: tuple[str, ...] = ()
    given: list[tuple[str, str]] = field(default_factory=list)
    twice: set[str] = field(default_factory=set)
    """The things of files that he took away before anybody noted that they were there."""
    files: set[str] = field(default_factory=set)


class ExportWorld:
    """The world of one seed; `live` runs it."""

    def __init__(self, seed: int, ledger: FragileLedger, folder: Path) -> None:
        ledger.wipe()
        self.ledger, self.folder = ledger, folder
        self.dice = Random(f"exports of {seed}")  # noqa: S311 - it guards nothing
        self.log: list[str] = []
        self.power = Power(self.dice, self.log.append, 0.03)
        self.service = Service(self._meanwhile)
        self.changes = self.dice.choice((0, 1, 1, 8))
        self.size = self.dice.choice((2, 3, 5, 20))
        self.names = [f"T{number:02}" for number in range(self.dice.randint(5, 30))]
        self.readers = [
            Reader(CursorUse("warehouse"), (READY,)),
            Reader(CursorUse("everything")),
            Reader(CursorUse("books", is_changed=True)),
        ]
        self.is_calm = False

    def live(self) -> None:
        """Everything until all readers have all."""
        for _ in range(self.dice.randint(1, 10)):
            self._change()
        with self._dying():
            for _ in range(POLLS * len(self.readers)):
                self._poll(self.dice.choice(self.readers))
                self._change()
                hours = self.dice.choice((0, 0, 0.1, 1, 1, 24))
                self.service.now += timedelta(hours=hours * self.dice.random())
            self._calm_down()
            for reader in self.readers * CALM:
                self._poll(reader)

    def _calm_down(self) -> None:
        self.log.append("CALM")
        self.power.chance, self.is_calm = 0.0, True
        self.service.now += timedelta(seconds=LAG + 1)

    def _meanwhile(self) -> None:
        self.power.point("at a call")
        self.service.now += timedelta(seconds=self.dice.choice((0, 1, 5)))
        if not self.is_calm:
            for _ in range(self.dice.randint(0, self.changes)):
                self._change()

    def _change(self) -> None:
        lag = timedelta(seconds=self.dice.choice((0, 0, 1, LAG)) * self.dice.random())
        self.service.change(self.dice.choice(self.names), self.dice.choice(STATES), lag)

    def _poll(self, reader: Reader) -> None:
        """Run one process from start to end; then the reader looks at his files."""
        self.power.is_on = True
        settings = AccountSettings().having(CursorSettings(cursor_overlap=self.overlap))
        try:
            found = bring(
                self.service,
                self.ledger,
                self.folder,
                use=reader.use,
                size=self.size,
                settings=settings,
                state=reader.states,
            )
        except NothingToDo:
            self.log.append(f"{reader.use.name}: nothing")
        except Crash:
            pass
        else:
            self.log.append(f"{reader.use.name}: {found.increment}")
            if found.increment is None or found.increment.missed:
                raise Wrong(f"{found.increment} had missed something")
        self._look(reader)

    overlap = CursorSettings().cursor_overlap

    def _look(self, reader: Reader) -> None:
        """Read new files of the folder; perhaps take all files away."""
        is_taken = self.dice.random() < 0.3
        for file in sorted(self.folder.glob(f"{reader.use.name}-*.csv")):
            things = items_in(file)
            if file.name not in reader.files:
                reader.files.add(file.name)
                reader.given += things
            if is_taken:
                if str(file) in self._unsettled(reader):
                    reader.twice |= {key for key, _ in things}
                file.unlink()

    def _unsettled(self, reader: Reader) -> list[str]:
        """The files of which nobody has noted yet that they are there."""
        kept = cursors.Cursors(self.ledger.engine)
        cursor = kept.find(cursors.CursorName(BASE, SELLER, KIND, reader.use.name))
        return [batch.target for batch in kept.unsettled(cursor.cursor)] if cursor else []

    @contextmanager
    def _dying(self) -> Iterator[None]:
        """The process may die before and after each commit, and so before and after a rename."""

        @contextmanager
        def fragile(engine: Engine) -> Iterator[Connection]:
            with writing(engine) as db:
                yield db
                self.power.point("before a commit")
            self.power.point("after a commit")

        with mock.patch.object(cursors, "writing", fragile), mock.patch("os.fsync"):
            yield

    # What came of it.

    def check(self) -> Counter[str]:
        """The number of things of each reader; Wrong if one is lost, or came twice."""
        for reader in self.readers:
            self._check(reader)
        return Counter({reader.use.name: len(reader.given) for reader in self.readers})

    def _check(self, reader: Reader) -> None:
        last = {
            one.key: one.at.isoformat()
            for one in self.service.shown()
            if not reader.states or one.state in reader.states
        }
        name, given = reader.use.name, dict(reader.given)
        if lost := last.keys() - given.keys():
            raise Wrong(f"{sorted(lost)} never came to {name}")
        if reader.use.is_changed and given != last:
            raise Wrong(f"{name} has {given}, and last were {last}")
        of = reader.given if reader.use.is_changed else [(key, "") for key, _ in reader.given]
        doubled = [one for one, times in Counter(of).items() if times > 1]
        if unexcused := {key for key, _ in doubled} - reader.twice:
            raise Wrong(f"{sorted(unexcused)} came twice to {name}")
