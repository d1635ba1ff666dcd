"""Ledgers on both databases, and other processes that use them at the same time.

`place` is where a new ledger may be: a file, and a database of a PostgreSQL that runs for as long
as the tests do. A test that takes it runs on both.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Self

import psycopg
import pytest
from sqlalchemy import Engine
from sqlalchemy.engine import make_url

from feedtool.areas.offers.package_types import PackageType
from feedtool.areas.registry import load
from feedtool.delivery import plan
from feedtool.ledger import Clearance, Ledger, Package, Run
from feedtool.ledger.database import open_engine
from feedtool.model.nouns import Item
from feedtool.model.settings import PackageLimits
from tests.buckets import bucket, s3, store
from tests.ledger import cluster
from tests.ledger.cluster import PATIENCE

__all__ = ["bucket", "s3", "store"]

ROOT = Path(__file__).resolve().parents[2]

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SERVICE = "https://service.example/v2"


DATABASES = count(1)


class Server:
    """A PostgreSQL of the tests' own, on a socket in a folder of its own."""

    def __init__(self, cluster: cluster.Cluster) -> None:
        self.cluster, self.url = cluster, cluster.url

    def execute(self, *statements: str) -> None:
        """As the server's master, outside of the tests' databases and of any transaction."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def end_connections(self, url: str, which: str = "true") -> None:
        """As a server does that is shut down, or taken over by another."""
        ending = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname ="
        self.execute(f"{ending} '{make_url(url).database}' AND {which}")

    def allow(self, url: str, *, connections: bool) -> None:
        self.execute(f"ALTER DATABASE {make_url(url).database} ALLOW_CONNECTIONS {connections}")

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The URL of a new, empty database, gone afterwards whoever still uses it."""
        name = f"ledger_{os.getpid()}_{next(DATABASES)}"
        self.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield make_url(self.url).set(database=name).render_as_string(hide_password=False)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Server:
    """Started by the first test that needs it; where it does not start, no test goes on."""
    try:
        return Server(cluster.shared())
    except cluster.Unavailable as error:
        reason = str(error)
    request.session.shouldfail = reason
    pytest.fail(reason, pytrace=False)


@pytest.fixture
def postgresql(server: Server) -> Iterator[str]:
    """The URL of a database for one test."""
    with server.database() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a ledger may be made: a file, then the URL of a database."""
    if request.param == "sqlite":
        return tmp_path / "state" / "ledger.db"
    return str(request.getfixturevalue("postgresql"))


def cleared(
    ledger: Ledger, package: Package, run: Run, clearance: Clearance | None = None
) -> Package:
    """A package, begun."""
    (found,) = ledger.clear([(package, clearance or Clearance())], run)
    return found


def add_run(
    ledger: Ledger,
    items: Iterable[Item],
    limits: PackageLimits | None = None,
    *,
    run_id: int | None = None,
    seller: str = "S1",
    service: str = SERVICE,
    **file: Any,
) -> tuple[int, int]:
    """A run with a file of these requests, or a further file of a run."""
    run_id = run_id or ledger.start_run(now=NOW, seller=seller, service=service)
    stream = plan.uploads(items, load().routes, limits)
    told = {"path": "a", "sha256": "", "kind": "k", **file}
    return run_id, ledger.add_file(run_id, stream, **told)


def item(row: int, channel: str = "P", kind: str = PackageType.UPSERT, **more: Any) -> Item:
    """The request of a row, of reference `R…` and product `G…`."""
    told: dict[str, Any] = {"reference": f"R{row}", "product": f"G{row}", "body": b'{"n":%d}' % row}
    return Item(row, kind, channel, **{**told, **more})


def read_run(ledger: Ledger, run_id: int) -> Run:
    run = ledger.run(run_id)
    assert run is not None
    return run


@pytest.fixture
def ledger(place: Path | str) -> Iterator[Ledger]:
    """On SQLite, then on PostgreSQL."""
    with Ledger(place) as opened:
        yield opened


Opening = Callable[..., Engine]


@pytest.fixture
def opening() -> Iterator[Opening]:
    """Opens databases, which are closed when the test ends."""
    with ExitStack() as stack:

        def open_closed_later(place: Path | str, **more: Any) -> Engine:
            engine = open_engine(place, **more)
            stack.callback(engine.dispose)
            return engine

        yield open_closed_later


class Process:
    """Another Python that runs a few lines; `say` in them is a line for `heard`.

    They find `place`, and what else they were given, as texts in `sys.argv[1:]`, and wait in
    `listen()` for a line from `tell`.
    """

    PREAMBLE = """
import os, signal, sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from feedtool.model.errors import FeedtoolError
from feedtool.ledger.database import open_engine, reading, writing
place, *rest = sys.argv[1:]
now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
say = lambda words: print(words, flush=True)
listen = lambda: sys.stdin.readline().strip()
"""

    def __init__(
        self, lines: str, place: Path | str, *arguments: str, prefix: Sequence[str] = ()
    ) -> None:
        """`prefix` is the command that starts it elsewhere."""
        self._running = subprocess.Popen(  # noqa: S603  # our own lines
            [*prefix, sys.executable, "-c", self.PREAMBLE + lines, str(place), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.pid = self._running.pid

    def heard(self) -> str:
        """The next line that it says; empty once it has ended."""
        assert self._running.stdout is not None
        return self._running.stdout.readline().rstrip("\n")

    def tell(self, line: str = "go") -> None:
        assert self._running.stdin is not None
        self._running.stdin.write(line + "\n")
        self._running.stdin.flush()

    def kill(self) -> None:
        """As the system does when it is out of memory: nothing is tidied up."""
        self._running.kill()
        self._running.wait(PATIENCE)

    def ended(self) -> tuple[int, str, str]:
        """Its exit code and all that it said and complained of, once it has ended."""
        said, complained = self._running.communicate(timeout=PATIENCE)
        return self._running.returncode, said, complained

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for pipe in (self._running.stdin, self._running.stdout, self._running.stderr):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()
