"""A watched folder with an account at the sandbox, whose time is nobody's but the test's."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.offers.wire.packages import STATES
from feedtool.areas.registry import sandbox_parts
from feedtool.check import ReadOptions
from feedtool.delivery.foreign_packages import OPEN
from feedtool.ledger import Ledger
from feedtool.ledger.claims import Claim
from feedtool.ledger.records import seller_key
from feedtool.ledger.snapshots import Snapshots
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem
from feedtool.model.text import LanguageChoice
from feedtool.runs.annotated_copy import digest_of
from feedtool.runs.outputs import ENGLISH_UNLESS_STAMPED
from feedtool.runs.recipes import RecipeFolders
from feedtool.runs.sellers import SellerAccount
from feedtool.runs.workspace import Session, Workspace
from feedtool.sandbox import Sandbox
from feedtool.sandbox.transport import SandboxTransport
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client
from feedtool.watch.folder import Folder, InboxRoute, route_of
from feedtool.watch.processor import FileProcessor
from feedtool.watch.reporting import DeduplicatedLog, Turn
from feedtool.watch.session import WatchEnvironment
from feedtool.watch.watcher import Watcher
from tests.areas.offers.sandbox.records import Applied, applied_requests
from tests.conftest import offer, table
from tests.delivery.conftest import quick
from tests.ledger.cluster import PATIENCE

ADDRESS = "http://sandbox.invalid/v2"
DAY = "done/2026-03-02"
SENT = [f"{DAY}/a.csv", "results/a.result.csv", "results/a.summary.json"]
LEDGER, STATE = "ledger.sqlite", "sandbox.sqlite"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class RunsOut(StaticToken):
    """A token that is good for the look for open packages: the run is begun, and stops."""

    calls = sum(meaning in OPEN for meaning in STATES.values())

    def get(self) -> str:
        good, self.calls = self._token, self.calls - 1
        if not self.calls:
            self._token = "wrong"
        return good


@cache
def empty_files() -> dict[str, bytes]:
    """An empty ledger and a new sandbox's state: to make them takes far longer than to copy."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with Ledger(folder / LEDGER), Sandbox(sandbox_parts(), folder / STATE):
            pass
        return {path.name: path.read_bytes() for path in folder.iterdir()}


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
    """The barrier at which the accounts wait for each other before any of them is opened."""
    closed: set[str | None] = field(default_factory=set)
    """Profiles whose account cannot be opened."""
    between: Callable[[], None] = lambda: None
    """Called between two looks."""
    on_turn: Callable[[Turn], None] = lambda _: None
    time: float = 0
    """The watcher's clock."""
    recipes: Path | None = None
    """The folder of the recipes of each account."""
    language: LanguageChoice = ENGLISH_UNLESS_STAMPED
    snapshots: str = "snapshots"
    """This machine's; the folder and the ledger are everybody's."""

    def __post_init__(self) -> None:
        for name, content in empty_files().items():
            (self.root / name).write_bytes(content)
        self.folder = Folder(self.root / "watched")
        self.folder.create()
        self.name = self.folder.prepare()

    def drop(self, place: str, *rows: Mapping[str, str], content: bytes | None = None) -> Path:
        """A file in the inbox, a second younger than the one before."""
        path = self.folder.inbox / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(table(rows).encode() if content is None else content)
        self.seconds += 1
        os.utime(path, (self.seconds, self.seconds))
        return path

    def drop_each(self, *places: str) -> None:
        """Drop a file into each of these places, of offer 1, 2 and so on."""
        for number, place in enumerate(places, start=1):
            self.drop(place, offer(number))

    def watch(self) -> Exit:
        with self.ledger() as ledger:
            return Watcher(self.environment(ledger)).run()

    def send(self, place: str, *rows: Mapping[str, str], content: bytes | None = None) -> Exit:
        self.drop(place, *rows, content=content)
        return self.watch()

    def cut_short(self, *places: str) -> None:
        """Begin the run of the first file, and be stopped by a token that is no longer good."""
        self.drop_each(*places or ("a.csv",))
        self.token = RunsOut("sandbox")
        assert self.watch() is Exit.AUTH
        self.token = StaticToken("sandbox")

    def environment(self, ledger: Ledger) -> WatchEnvironment:
        kinds = {"offers-upsert", "offers-update", "offers-delete"}
        return WatchEnvironment(
            folder=self.folder,
            name=self.name,
            ledger=ledger,
            open_account=self.session,
            seller_of=lambda profile: seller_key(ADDRESS, self.seller_of(profile)),
            route_of=partial(route_of, profiles={"shop", "mall"}, kinds=kinds),
            clock=lambda: self.time,
            now=lambda: self.today,
            sleep=self.sleep,
            stopping=lambda: self.stopped,
            log=DeduplicatedLog(lambda label, text: self.told.append((label, text))),
            report_bug=lambda error: f"report of {type(error).__name__}",
            same_within=self.same_within,
            on_turn=self.on_turn,
            language=self.language,
            is_once=True,
        )

    def claim(
        self,
        place: str | None = "inbox/a.csv",
        *,
        is_same: bool = True,
        scope: str = "",
        quantity: str = "7",
    ) -> Claim:
        """A claim of a new a.csv, or of what it was before it was changed; now the file is here."""
        path = self.drop("a.csv", offer(1, quantity=quantity))
        with self.ledger() as ledger, self.session(None) as session:
            scope_of = FileProcessor(self.environment(ledger)).scope_of
            claim = ledger.claims.take(
                folder=self.name,
                lane="",
                scope=scope or scope_of(InboxRoute("", None, None), session),
                sha256=(digest_of(path) if is_same else None) or "another",
                source=path.name,
                names=[path.stem],
                now=self.today,
                since=self.today,
            )
        assert isinstance(claim, Claim)
        if place is None:
            path.unlink()
        else:
            target = self.folder.root / place
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        return claim

    def ledger(self) -> Ledger:
        return Ledger(self.root / LEDGER)

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.between()

    def seller_of(self, profile: str | None) -> str:
        """The seller of a profile: another for each, unless the test sets it."""
        return self.sellers.get(profile, profile or "seller")

    @contextmanager
    def session(self, profile: str | None) -> Iterator[SellerAccount]:
        """The account of a profile, a seller of that name."""
        if self.meeting:
            self.meeting.wait(PATIENCE)
        if profile in self.closed:
            raise UsageProblem("there is no token")
        seller = self.seller_of(profile)
        state = self.root / STATE
        transport = SandboxTransport(sandbox_parts(), state, settings=quick(), real=lambda: NOON)
        client = Client(ADDRESS, seller, self.token, language="en", transport=transport)
        service = Session(client, seller, ADDRESS, "en", transport.now, transport.sleep, pool=1)
        service = replace(service, stopping=lambda: self.stopped)
        with client, self.ledger() as ledger:
            snapshots = Snapshots(self.root / self.snapshots)
            workspace = Workspace(ledger, snapshots, self.root / "spares")
            recipes = RecipeFolders(lambda: self.today, profile=self.recipes, is_dropped=True)
            yield SellerAccount(
                service,
                workspace,
                ReadOptions(recipes=recipes),
                language=self.language,
            )

    def applied(self) -> list[Applied]:
        """The requests that the service has applied, in its order."""
        with Sandbox(sandbox_parts(), self.root / STATE) as sandbox:
            return list(applied_requests(sandbox))

    def sent(self) -> list[str | None]:
        """The references of the applied requests."""
        return [request.reference for request in self.applied()]

    def files(self) -> list[str]:
        """All files, without the hidden ones of the folder."""
        files = (path for path in self.folder.root.rglob("*") if path.is_file())
        return sorted(self.folder.relative(path) for path in files if path.name[0] != ".")

    def summary(self, name: str) -> dict[str, Any]:
        path = self.folder.results / f"{name}.summary.json"
        summary: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return summary

    def reason(self, name: str) -> list[str]:
        return (self.folder.error / f"{name}.reason.txt").read_text("utf-8").splitlines()

    def messages_of(self, label: str) -> list[str]:
        return [text for kind, text in self.told if kind == label]

    def claimed(self) -> list[str]:
        with self.ledger() as ledger:
            return [claim.source for claim in ledger.claims.under_way(self.name)]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)
