"""A seller with a workbook, a home and a service behind a proxy, and what must hold at the end."""

import os
import signal
import sqlite3
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO, Any, ClassVar, NamedTuple

from openpyxl import Workbook, load_workbook

from feedtool.areas.registry import sandbox_parts
from feedtool.ledger.admission import MOST_SENDS
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import Applied, applied_requests
from tests.conftest import gtin, offer
from tests.forked import Child
from tests.resume.proxy import Plan, Proxy

SPEED = 300.0
"""Speed of the service's time and the commands': they wait hardly longer than they work."""
DEADLINE = 180.0
"""Seconds within which anything must have happened, on a machine with much else to do."""
ROUNDS = 25
"""Commands within which there must be an end."""
SHOP = """\
[profile.shop]
base_url = "{base}"
seller = "{seller}"
channel = "PRIMARY"
token = "sandbox"
answer_timeout = {timeout}

[profile.shop.limits]
upload = 2
package = 8
"""
ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "COLUMNS": "200"}
"""The environment of all commands."""

IN_FAST_TIME, COMMAND = (f"tests.resume.runner:{name}" for name in ("in_fast_time", "command"))
WRONG = ("kill", "limit", "bug")

Kill = int | str
"""The point at which a command dies, by its number or its name; see `runner`."""


class Served(NamedTuple):
    """The sandbox in a process of its own, and a proxy before it."""

    state: Path
    proxy: Proxy
    epoch: float
    process: Child

    def applied(self, seller: str) -> list[Applied]:
        """The requests that the service has applied for a seller."""
        with Sandbox(sandbox_parts(), self.state) as sandbox:
            return [request for request in applied_requests(sandbox) if request.seller == seller]


@contextmanager
def serving(folder: Path, speed: float = SPEED) -> Iterator[Served]:
    """`feedtool sandbox` on a port, behind a proxy."""
    state = folder / "sandbox.sqlite"
    words = ["sandbox", "--port", "0", "--state", str(state), "--speed", str(speed)]
    with Child("feedtool.cli:run", words, folder=folder, stdout=PIPE) as process:
        try:
            base = pipe(process.stdout).readline().strip()
            epoch = time.time()
            with closing(Proxy(base)) as proxy:
                yield Served(state, proxy, epoch, process)
        finally:
            process.terminate()
            process.wait(DEADLINE)


def pipe(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream


class Ran(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str
    points: list[str]  # what it was about to write, or had written; the last is where it was killed


INVALID = {5}
"""Rows that are refused here."""
REFUSED = {3, 9}
"""Rows that the service refuses: it knows no product of a restricted GTIN."""


def workbook(path: Path, rows: int, prefix: str = "SKU") -> None:
    """Offers with one row that is invalid and some that the service rejects."""
    offers = []
    for number in range(1, rows + 1):
        row = offer(number, sellerExternalReference=f"{prefix}-{number}")
        row |= {"quantity": "-1"} if number in INVALID else {}
        offers.append(row | ({"product.gtin": gtin(number, 2)} if number in REFUSED else {}))
    fill(path, Offers=offers)


def fill(path: Path | IO[bytes], **sheets: list[dict[str, str]]) -> None:
    """A workbook of plain sheets whose first rows hold keys."""
    book = Workbook()
    for number, (title, rows) in enumerate(sheets.items()):
        sheet = book.create_sheet(title, number)
        for cells in (rows[0], *(row.values() for row in rows)):
            sheet.append(list(cells))
    del book["Sheet"]
    book.save(path)


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return dict(found)


class Gate:
    """Holds back the requests of a proxy whose method and path end like this, until it opens."""

    def __init__(self, method: str, ending: str) -> None:
        self._what = (method, ending)
        self._reached = threading.Event()
        self._open = threading.Event()

    def __call__(self, method: str, path: str) -> None:
        if (method, path.rpartition("/")[2]) == self._what:
            self._reached.set()
            assert self._open.wait(DEADLINE)

    def wait(self) -> None:
        """Wait until a request is held back."""
        assert self._reached.wait(DEADLINE)

    def open(self) -> None:
        self._open.set()


@dataclass
class World:
    """A seller and its service."""

    SUBMIT: ClassVar[tuple[str, ...]] = (
        *("submit", "offers.xlsx", "--profile", "shop", "--no-failed"),
    )

    folder: Path
    served: Served
    seller: str
    rows: int = 12
    timeout: float = 1

    def __post_init__(self) -> None:
        self.folder.mkdir()
        base = self.served.proxy.base
        shop = SHOP.format(base=base, seller=self.seller, timeout=self.timeout)
        (self.folder / "feedtool.toml").write_text(shop, "utf-8")
        workbook(self.folder / "offers.xlsx", self.rows)

    def run(
        self, *arguments: str, environment: Mapping[str, str] | None = None, **wrong: Any
    ) -> Ran:
        """A command in a process of its own; for what may be `wrong` with it see `runner`."""
        given = (self._words(arguments), self.served.epoch, SPEED, *map(wrong.get, WRONG))
        around = {**ENVIRONMENT, **(environment or {})}
        with Child(COMMAND, *given, folder=self.folder, environment=around) as process:
            code = process.wait(DEADLINE)
        out, err, points = (
            (self.folder / name).read_text("utf-8") for name in ("stdout", "stderr", "points")
        )
        assert "Traceback" not in out + err
        return Ran(code, out, err, points.splitlines())

    @contextmanager
    def start(self, *arguments: str) -> Iterator[Child]:
        """A command that is left alone; its stderr is a pipe."""
        given = (self._words(arguments), self.served.epoch, SPEED)
        streams = {"stdout": DEVNULL, "stderr": PIPE}
        with Child(
            IN_FAST_TIME, *given, folder=self.folder, environment=ENVIRONMENT, **streams
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _words(self, arguments: Sequence[str]) -> list[str]:
        return [*arguments, "--home", str(self.folder / "home")]

    def submit(self, kill: Kill | None = None) -> Ran:
        return self.run(*self.SUBMIT, kill=kill)

    def complete(self) -> None:
        assert self.go_on()[-1].code == 1
        self.check()

    @contextmanager
    def start_to(self, ending: str) -> Iterator[tuple[Child, Gate]]:
        """A patient submit that stands before a gate, where such a POST goes no further."""
        gate = self.served.proxy.plan.wait = Gate("POST", ending)
        with self.start(*self.SUBMIT, "--answer-timeout", "60") as process:
            gate.wait()
            yield process, gate

    def survive(self, *kills: Kill) -> None:
        """Be killed, go on until it ends, and compare; a point with a name is always reached."""
        done = self.finish(kills)
        for kill, ran in zip_longest(kills, done[: len(kills)]):
            if isinstance(kill, str):
                assert ran, kill
                assert ran.code == -signal.SIGKILL, (kill, ran)
        assert done[-1].code in (1, 9), [(ran.code, ran.err, ran.points[-1:]) for ran in done]
        self.check()

    def posts(self, ending: str) -> int:
        """The number of POSTs to paths with this ending."""
        asked = self.served.proxy.plan.asked
        return sum(line.startswith("POST") and line.endswith(ending) for line in asked)

    def finish(self, kills: Sequence[Kill] = ()) -> list[Ran]:
        """Submit, with these kills, and go on to the end."""
        return self.go_on(self.submit(kills[0] if kills else None), kills[1:])

    def go_on(self, first: Ran | None = None, kills: Iterable[Kill] = ()) -> list[Ran]:
        """Resume until there is an end, or submit where no run is noted."""
        left, done = iter(kills), [first] if first else []
        while not done or (done[-1].code not in (0, 1, 9) and len(done) < ROUNDS):
            command = ("resume",) if self.has_run() else self.SUBMIT
            done.append(self.run(*command, kill=next(left, None)))
        return done

    def has_run(self) -> bool:
        """True if a run is noted."""
        path = self.folder / "home" / "ledger.sqlite"
        # A process may have been killed before there was any table.
        with suppress(sqlite3.OperationalError), closing(sqlite3.connect(path)) as ledger:
            return bool(ledger.execute("SELECT 1 FROM runs").fetchone())
        return False

    def answers(
        self,
        name: str = "offers.result.xlsx",
        sheet: str = "Offers",
        key: str = "sellerExternalReference",
    ) -> dict[str, list[str]]:
        """Reference → the statuses beside its rows in the annotated workbook."""
        book = load_workbook(self.folder / name)
        head, *rows = book[sheet].iter_rows(values_only=True)
        reference, status = head.index(key), head.index("feedtool status")
        return grouped((str(row[reference]), str(row[status])) for row in rows)

    def applied(self) -> dict[str, list[str]]:
        """Reference → what the service has done for it."""
        return grouped(
            (str(request.reference), request.outcome)
            for request in self.served.applied(self.seller)
        )

    def check(self, name: str = "offers.result.xlsx") -> None:
        """The annotated workbook and what the service applied agree in every row."""
        applied, answers = self.applied(), self.answers(name)
        assert list(answers) == [f"SKU-{number}" for number in range(1, self.rows + 1)]
        lost = self.lost() - set(applied)
        expected = {
            reference: ["Unknown"] if reference in lost else applied.get(reference, ["Invalid"])
            for reference in answers
        }
        assert answers == expected
        assert not set(applied) - set(answers)
        told = Counter(one for told in answers.values() for one in told)
        assert lost or told == {"Integrated": self.rows - 3, "Rejected": 2, "Invalid": 1}

    def lost(self) -> set[str]:
        """The references that the network swallowed in every package that a row may go into."""
        query = (
            "SELECT reference FROM requests JOIN uploads USING (package, upload)"
            " WHERE sends = ? AND stage = 'doubtful'"
        )
        with closing(sqlite3.connect(self.folder / "home" / "ledger.sqlite")) as ledger:
            return {reference for (reference,) in ledger.execute(query, [MOST_SENDS - 1])}

    def meet(self, seed: str, plan: Plan) -> None:
        """Set the proxy's behaviour from now on."""
        plan.seed = seed
        self.served.proxy.plan = plan
