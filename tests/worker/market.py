"""Sellers whose files wait in a shared ledger, and workers on machines that send them.

The workers are real processes with a home each. They share a PostgreSQL, a store and the sandbox,
which one process serves behind a proxy. Each worker has a token of its own, so that the proxy can
tell whose call is whose.
"""

import csv
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

from sqlalchemy import func, select

from feedtool.areas.registry import sandbox_parts
from feedtool.ledger import Ledger, tables
from feedtool.ledger.database import reading
from feedtool.ledger.lock import holders
from feedtool.ledger.parcels import Parcel
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.ledger.snapshots import open_snapshots
from feedtool.model.errors import Exit
from feedtool.sandbox import Sandbox
from feedtool.worker.queue import PassQueue
from tests.areas.offers.sandbox.records import Applied, applied_requests
from tests.conftest import offer, table
from tests.forked import Child
from tests.machines import Crew, Machine
from tests.resume.proxy import Passed, Plan
from tests.resume.world import DEADLINE, Served

PROFILE = """\
[profile.{name}]
base_url = "{base}"
seller = "{seller}"
channel = "PRIMARY"
token = "{token}"
answer_timeout = 60
results = "{out}"
"""
TOKEN = "worker-{number}"
LATENCY = 0.02
"""Seconds that each call takes at least, so that calls at the same time are seen to be."""


@dataclass(kw_only=True)
class Market(Crew):
    """Sellers S0, S1 and so on, each a profile of all machines."""

    ROWS: ClassVar[int] = 2
    """Rows of each file."""

    root: Path
    served: Served
    ledger: Ledger
    queue: PassQueue
    sellers: int
    tokens: dict[int, str] = field(default_factory=dict)
    """The token of each process that was started."""
    deaths: dict[str, float] = field(default_factory=dict)
    """The time of each worker's death, by its token."""

    # Before.

    def names(self) -> list[str]:
        return [f"S{number}" for number in range(self.sellers)]

    def seller(self, name: str) -> str:
        """The SellerId, unique to this test: others may share the sandbox."""
        return f"{self.root.name}-{name}"

    def key(self, name: str) -> SellerKey:
        return seller_key(self.served.proxy.base, self.seller(name))

    def bring(self, files: int) -> None:
        """Deal this number of files to the sellers in turn, with a pass for each."""
        snapshots = open_snapshots(self.root, str(self.root / "store"))
        for number in range(files):
            name = f"S{number % self.sellers}"
            file = self.root / f"{name}-{number}.csv"
            rows = [offer(self.ROWS * number + row) for row in range(self.ROWS)]
            file.write_text(table(rows), "utf-8")
            self.ledger.parcels.add(
                key=self.key(name),
                profile=name,
                kind=None,
                name=file.name,
                sha256=snapshots.keep(file),
                size=file.stat().st_size,
                origin="test",
                now=datetime.now(UTC),
            )
        for name in self.names():
            self.queue.put(self.key(name))

    # In the midst.

    def start(self, *more: str) -> Child:
        """Start one more worker, which by default ends when all is done."""
        token = TOKEN.format(number=len(self.tokens) % len(self.machines))
        process = super().start(*more or ("--drain",))
        self.tokens[process.pid] = token
        return process

    def kill(self, victim: Child) -> None:
        super().kill(victim)
        self.deaths[self.tokens[victim.pid]] = time.monotonic()

    def stop(self, sleeper: Child, seconds: float) -> None:
        """Let a worker stand still; what it has in hand nobody else touches meanwhile."""
        sleeper.send_signal(signal.SIGSTOP)
        begun, held = time.monotonic(), self.held_by(sleeper)
        self.wait_for(lambda: time.monotonic() > begun + seconds)
        calls = [call for name in held for call in self.calls(name) if call.begun > begun]
        assert [call for call in calls if call.token != self.tokens[sleeper.pid]] == []
        sleeper.send_signal(signal.SIGCONT)

    def parcels(self) -> list[Parcel]:
        """All that were brought, as they are now."""
        with reading(self.ledger.engine) as db:
            last = db.scalar(select(func.max(tables.parcels.c.parcel))) or 0
        found = map(self.ledger.parcels.find, range(1, last + 1))
        return [parcel for parcel in found if parcel]

    def delivered(self) -> int:
        """The number of answers that are out."""
        with reading(self.ledger.engine) as db:
            return db.scalar(select(func.count(tables.parcels.c.told_at))) or 0

    def held_by(self, process: Child) -> set[str]:
        return {name for name, pid in self._holders().items() if pid == process.pid}

    def someone_at_work(self, luck: random.Random) -> Child:
        """One of the processes that send a file at the moment."""
        pids: set[int | None] = set()
        ours = [process.pid for process in self.processes]

        def is_any() -> bool:
            pids.update(self._holders().values())
            return bool(pids.intersection(ours))

        self.wait_for(is_any)
        return luck.choice([one for one in self.processes if one.pid in pids])

    def _holders(self) -> dict[str, int | None]:
        keys = {self.key(name): name for name in self.names()}
        found = holders(self.ledger.engine, keys)
        return {keys[key]: holder.pid if holder else None for key, holder in found.items()}

    def is_in_trouble(self, process: Child) -> bool:
        """True if a worker has reported a trouble to monitors."""
        return bool(json.loads(self._health(process).read_text())["troubles"])

    def is_there(self, process: Child) -> bool:
        """True once a worker has reported to monitors."""
        return self._health(process).exists()

    def _health(self, process: Child) -> Path:
        return self.root / self.tokens[process.pid] / "h" / "parcels" / "health.json"

    def state(self) -> object:
        return Counter(str(parcel.state) for parcel in self.parcels())

    # Afterwards.

    def has_ended(self) -> bool:
        """True once all workers have ended without a fault; some may have found nothing to do."""
        return {worker.wait(DEADLINE) for worker in self.processes} <= {Exit.OK, Exit.NOTHING}

    def check(self, files: int) -> None:
        """Each file has one run, one package and one answer, and each row was applied once."""
        parcels = self.parcels()
        assert len(parcels) == files
        assert [parcel for parcel in parcels if not parcel.told_at or parcel.exit_code] == []
        assert len({parcel.run_id for parcel in parcels}) == files
        assert self._counted() == {"runs": files, "files": files}
        applied = self._applied()
        expected = [
            (self.seller(f"S{row // self.ROWS % self.sellers}"), f"SKU-{row}")
            for row in range(self.ROWS * files)
        ]
        assert Counter((request.seller, request.reference) for request in applied) == Counter(
            expected
        )
        # One that was made when its worker died stays empty, and is nobody's.
        assert len({one.package_id for one in applied}) == files
        # A part of an answer may be left of whoever was killed.
        out = {path.name for path in (self.root / "out").iterdir() if path.name[0] != "."}
        stems = [Path(parcel.name).stem for parcel in parcels]
        assert out == {f"{stem}.{end}" for stem in stems for end in ("result.csv", "summary.json")}
        for stem, parcel in zip(stems, parcels, strict=True):
            self._check_answer(stem, parcel)
        assert self.overlapping() == []

    def _counted(self) -> dict[str, int]:
        with reading(self.ledger.engine) as db:
            return {
                it.name: db.scalar(select(func.count()).select_from(it)) or 0
                for it in (tables.runs, tables.files)
            }

    def _check_answer(self, stem: str, parcel: Parcel) -> None:
        out = self.root / "out"
        assert json.loads((out / f"{stem}.summary.json").read_text())["run"] == str(parcel.run_id)
        with (out / f"{stem}.result.csv").open(encoding="utf-8-sig") as file:
            statuses = [row["feedtool status"] for row in csv.DictReader(file)]
        assert statuses == ["Integrated"] * self.ROWS

    def _applied(self) -> list[Applied]:
        """The requests that the service has applied for the sellers of this market."""
        ours = {self.seller(name) for name in self.names()}
        with Sandbox(sandbox_parts(), self.served.state) as sandbox:
            return [request for request in applied_requests(sandbox) if request.seller in ours]

    def calls(self, name: str) -> list[Passed]:
        """A seller's calls, as they came in; what a killed worker asked ends with it."""
        calls = (it for it in self.served.proxy.plan.passed if it.seller == self.seller(name))
        cut = (
            it._replace(ended=min(it.ended, self.deaths.get(it.token, it.ended))) for it in calls
        )
        return sorted(cut, key=lambda call: call.begun)

    def overlapping(self) -> list[tuple[Passed, Passed]]:
        """Two calls of one seller at the same time."""
        of_each = (pairwise(self.calls(name)) for name in self.names())
        return [
            (one, next_) for pairs in of_each for one, next_ in pairs if next_.begun < one.ended
        ]


@contextmanager
def market(
    root: Path, served: Served, ledger: str, sellers: int = 1, machines: int = 3
) -> Iterator[Market]:
    """Sellers without a file yet, and machines without a worker."""
    (root / "store").mkdir()
    (root / "out").mkdir()
    shared = {"FEEDTOOL_LEDGER": ledger, "FEEDTOOL_STORE": str(root / "store")}
    tokens = [TOKEN.format(number=number) for number in range(machines)]
    places = [Machine(root / token, WORKER, shared, QUICK) for token in tokens]
    plan = Plan(tokens=dict.fromkeys(tokens, "sandbox"), wait=lambda *_: time.sleep(LATENCY))
    served.proxy.plan = plan
    with ExitStack() as stack, Ledger(ledger) as opened, PassQueue(opened.engine) as queue:
        found = Market(
            machines=places,
            stack=stack,
            root=root,
            served=served,
            ledger=opened,
            queue=queue,
            sellers=sellers,
        )
        for place, token in zip(places, tokens, strict=True):
            place.folder.mkdir()
            words = {"base": served.proxy.base, "token": token, "out": root / "out"}
            profiles = [
                PROFILE.format(name=name, seller=found.seller(name), **words)
                for name in found.names()
            ]
            (place.folder / "feedtool.toml").write_text("".join(profiles), "utf-8")
        yield found


WORKER = ("worker",)
QUICK = "tests.worker.quick_worker:quick_worker"
