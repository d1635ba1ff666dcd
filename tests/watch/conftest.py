"""A watched folder with an account at the sandbox, whose time is nobody's but the test's."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.check import ReadOptions
from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem
from feedtool.runs.workspace import Session, Workspace
from feedtool.sandbox import Sandbox
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from feedtool.watch.folder import Folder
from feedtool.watch.messages import DeduplicatedLog, Turn
from feedtool.watch.session import Environment, SellerAccount, seller_key
from feedtool.watch.watcher import Watcher
from tests.areas.offers.sandbox.records import Applied, applied_requests
from tests.conftest import offer, table
from tests.delivery.conftest import quick

ADDRESS = "http://sandbox.invalid/v2"
PATIENCE = 60
"""Seconds for what takes far less."""
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class RunsOut(StaticToken):
    """A token that is good for one call: the run is begun, and stops."""

    def get(self) -> str:
        good, self._token = self._token, "wrong"
        return good


@dataclass
class World:
    """A folder, its watcher, and all that it meets."""

    root: Path
    today: datetime = NOON
    token: StaticToken = field(default_factory=lambda: StaticToken("sandbox"))
    same_within: timedelta = timedelta(days=7)
    told: list[tuple[str, str]] = field(default_factory=list)
    stopped: FeedtoolError | None = None
    seconds: float = 0
    sellers: dict[str | None, str] = field(default_factory=dict)
    meeting: Barrier | None = None
    """Where the accounts wait for each other before any of them is opened."""
    closed: set[str | None] = field(default_factory=set)
    """Profiles whose account cannot be opened."""
    between: Callable[[], None] = lambda: None
    """What happens between two looks."""
    on_turn: Callable[[Turn], None] = lambda _: None
    time: float = 0
    """The watcher's clock."""

    def __post_init__(self) -> None:
        self.folder = Folder(self.root / "watched")
        self.folder.create()
        self.name = self.folder.prepare()

    def drop(self, place: str, *rows: Mapping[str, str]) -> Path:
        """A file in the inbox, a second younger than the one before."""
        return self.drop_bytes(place, table(rows).encode())

    def drop_each(self, *places: str) -> None:
        """A file in each of these places, of offer 1, 2 and so on."""
        for number, place in enumerate(places, start=1):
            self.drop(place, offer(number))

    def drop_bytes(self, place: str, content: bytes) -> Path:
        path = self.folder.inbox / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.seconds += 1
        os.utime(path, (self.seconds, self.seconds))
        return path

    def watch(self) -> Exit:
        """`feedtool watch --once`."""
        with self.ledger() as ledger:
            return Watcher(self.environment(ledger)).run()

    def cut_short(self) -> None:
        """Begin the run of the first file, and be stopped by a token that is no longer good."""
        self.token = RunsOut("sandbox")
        assert self.watch() is Exit.AUTH
        self.token = StaticToken("sandbox")

    def environment(self, ledger: Ledger) -> Environment:
        return Environment(
            self.folder,
            self.name,
            ledger,
            self.session,
            lambda profile: seller_key(ADDRESS, self.seller_of(profile)),
            {"shop", "mall"},
            {"offers-upsert", "offers-update", "offers-delete"},
            lambda: self.time,
            lambda: self.today,
            self.sleep,
            lambda: self.stopped,
            DeduplicatedLog(lambda label, text: self.told.append((label, text))),
            lambda error: f"report of {type(error).__name__}",
            self.same_within,
            on_turn=self.on_turn,
            is_once=True,
        )

    @contextmanager
    def ledger(self) -> Iterator[Ledger]:
        with Ledger(self.root / "ledger.sqlite") as opened:
            yield opened

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.between()

    def seller_of(self, profile: str | None) -> str:
        """Each profile is a seller of its own, unless the test says otherwise."""
        return self.sellers.get(profile, profile or "seller")

    @contextmanager
    def session(self, profile: str | None) -> Iterator[SellerAccount]:
        """The account of a profile, a seller of that name."""
        if self.meeting:
            self.meeting.wait(PATIENCE)
        if profile in self.closed:
            raise UsageProblem("there is no token")
        seller = self.seller_of(profile)
        state = self.root / "sandbox.sqlite"
        transport = SandboxTransport(sandbox_parts(), state, settings=quick(), real=lambda: NOON)
        client = Client(ADDRESS, seller, self.token, language="en", transport=transport)
        now, sleep = transport.now, transport.sleep
        service = Session(client, seller, ADDRESS, "en", now, sleep, pool=1)
        service = replace(service, stopping=lambda: self.stopped)
        with client, self.ledger() as ledger:
            workspace = Workspace(ledger, Snapshots(self.root / "snapshots"), self.root / "spares")
            yield SellerAccount(service, workspace, lambda kind: ReadOptions(kind=kind))

    def applied(self) -> list[Applied]:
        """What the service has done, in its order."""
        with Sandbox(sandbox_parts(), self.root / "sandbox.sqlite") as sandbox:
            return list(applied_requests(sandbox))

    def sent(self) -> list[str | None]:
        """The references of that."""
        return [request.reference for request in self.applied()]

    def files(self) -> list[str]:
        """All files, without the folder's own."""
        found = (one for one in self.folder.root.rglob("*") if one.is_file())
        return sorted(self.folder.relative(one) for one in found if not one.name.startswith("."))

    def summary(self, name: str) -> dict[str, Any]:
        found = json.loads((self.folder.results / f"{name}.summary.json").read_text("utf-8"))
        assert isinstance(found, dict)
        return found

    def reason(self, name: str) -> list[str]:
        place = self.folder.error / f"{name}.reason.txt"
        return place.read_text("utf-8").splitlines()

    def claimed(self) -> list[str]:
        """The sources of the claims that are not ended."""
        return [claim.source for claim in self.claims()]

    def claims(self) -> list[Claim]:
        with self.ledger() as ledger:
            return ledger.claims.under_way(self.name)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
