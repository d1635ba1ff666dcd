"""Parcels in a ledger, machines that send them, and all that these meet; no engine."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from feedtool.ledger import Ledger
from feedtool.ledger.parcels import FOLDER, Parcel
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import FeedtoolError
from feedtool.runs.workspace import Workspace
from feedtool.watch.folder import Folder
from feedtool.watch.reporting import DeduplicatedLog
from feedtool.watch.session import Environment
from feedtool.worker.answers import AnswerDelivery
from feedtool.worker.inbox import Intake, IntakeOptions, TakenFile
from feedtool.worker.passes import Passes, Slice
from tests.conftest import offer, table
from tests.ledger.conftest import new_database, place, postgresql, server
from tests.watch.conftest import ADDRESS, World
from tests.worker.fleet import Fleet

__all__ = ("new_database", "place", "postgresql", "server")
"""The ledger's fixtures."""

ONCE, WHOLE = IntakeOptions(), Slice()


class Queued(NamedTuple):
    """A pass that was queued."""

    seller: str
    at: datetime | None = None
    priority: int = 0
    tries: int = 0


@dataclass
class ParcelWorld(World):
    """A ledger with parcels, and machines with a folder each; the store is everybody's."""

    place: Path | str | None = None
    queued: list[Queued] = field(default_factory=list)
    out: dict[str, list[str]] = field(default_factory=dict)
    """The names that the way out of a profile was given, by profile."""
    out_trouble: FeedtoolError | None = None
    """The error that keeps answers from going out."""

    def ledger(self) -> Ledger:
        return Ledger(self.place or self.root / "ledger.sqlite")

    def key(self, profile: str = "shop") -> SellerKey:
        return seller_key(ADDRESS, self.seller_of(profile))

    def put(
        self, key: SellerKey, due: datetime | None = None, priority: int = 0, tries: int = 0
    ) -> None:
        self.queued.append(Queued(key[1], due, priority, tries))

    @contextmanager
    def workspace(self) -> Iterator[Workspace]:
        with self.ledger() as ledger:
            yield Workspace(ledger, Snapshots(self.root / self.snapshots), self.root / "spares")

    def bring(
        self,
        name: str = "a.csv",
        *rows: Mapping[str, str],
        profile: str = "shop",
        kind: str | None = None,
        options: IntakeOptions = ONCE,
    ) -> TakenFile:
        """A file of offer 1, or of these rows."""
        file = self.root / "brought" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(table(rows or [offer(1)]), "utf-8")
        with self.workspace() as workspace:
            intake = Intake(workspace, self, self.key(profile), profile, kind)
            return intake.bring(file, name, "test", options, self.today)

    def bring_each(self, *names: str, profile: str = "shop") -> None:
        """Bring a file of each name, of offer 1, 2 and so on."""
        for number, name in enumerate(names, start=1):
            self.bring(name, offer(number), profile=profile)

    @contextmanager
    def passes(self, machine: str = "one", size: Slice = WHOLE) -> Iterator[Passes]:
        folder = Folder(self.root / machine)
        folder.create()
        folder.prepare()
        log = DeduplicatedLog(lambda label, text: self.told.append((label, text)))
        environment = Environment(
            folder=folder,
            name=FOLDER,
            open_account=self.session,
            route_of=lambda _: None,
            now=lambda: self.today,
            stopping=lambda: self.stopped,
            log=log,
            report_bug=lambda error: f"report of {error!r}",
            same_within=None,
            language=self.language,
            command="worker",
        )
        with self.workspace() as workspace:
            delivery = AnswerDelivery(
                folder, workspace, self.way_out, log, lambda: self.today, self.language
            )
            yield Passes(workspace.ledger, self, environment, delivery, size=size, clock=self.clock)

    def clock(self) -> float:
        return self.time

    def way_out(self, profile: str) -> Any:
        def put(name: str, answers: Mapping[str, Path]) -> None:
            if self.out_trouble:
                raise self.out_trouble
            names = [f"{Path(name).stem}{ending}" for ending in answers]
            assert names == [file.name for file in answers.values()]
            self.out.setdefault(profile, []).extend(names)

        return put

    def work(
        self, profile: str = "shop", machine: str = "one", tries: int = 0, size: Slice = WHOLE
    ) -> bool:
        """Make a pass of a profile's seller."""
        with self.passes(machine, size) as passes:
            return passes.do(self.key(profile), tries)

    def parcels(self) -> list[Parcel]:
        """All parcels that there ever were, as they are now."""
        with self.ledger() as ledger:
            numbers = range(1, 1000)
            found = (ledger.parcels.find(number) for number in numbers)
            return [*iter(lambda: next(found, None), None)]

    def parcel(self, number: int = 1) -> Parcel:
        with self.ledger() as ledger:
            found = ledger.parcels.find(number)
        assert found is not None
        return found

    def files_of(self, machine: str) -> list[str]:
        """The files of parcels that a machine still has."""
        root = self.root / machine
        files = (path for path in root.rglob("*") if path.is_file())
        return sorted(path.relative_to(root).as_posix() for path in files if path.name[0] != ".")


@pytest.fixture
def world(tmp_path: Path) -> ParcelWorld:
    return ParcelWorld(tmp_path)


@pytest.fixture
def shared(tmp_path: Path, place: Path | str) -> ParcelWorld:  # the fixture
    """The world on SQLite, then on PostgreSQL."""
    return ParcelWorld(tmp_path, place=place)


@pytest.fixture
def fleet(postgresql: str) -> Iterator[Fleet]:
    fleet = Fleet(postgresql)
    with fleet.ledger, fleet.queue:
        yield fleet
