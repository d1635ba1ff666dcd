"""Ledgers on both databases, and other processes that use them at the same time.

`place` is where a ledger may be opened: a file, and a database of a PostgreSQL that runs for as
long as the tests do. A test that takes it runs on both.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from subprocess import PIPE
from typing import Any, Self

import psycopg
import pytest
from sqlalchemy import Engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError

from feedtool.areas.offers.delivery import PackageType
from feedtool.areas.registry import load
from feedtool.delivery import plan
from feedtool.ledger import Clearance, Ledger, Package, Run
from feedtool.ledger.database import open_engine
from feedtool.model.nouns import Item
from feedtool.model.settings import PackageLimits
from feedtool.worker.queue import PassQueue
from tests.buckets import bucket, s3, store
from tests.forked import Child
from tests.ledger import cluster
from tests.ledger.cluster import PATIENCE
from tests.ledger.compiled import share_compiled
from tests.ledger.empty import is_emptied, make_file

__all__ = ["bucket", "s3", "store"]

share_compiled()

ROOT = Path(__file__).resolve().parents[2]

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SERVICE = "https://service.example/v2"


DATABASES = count(1)


class Server:
    """A PostgreSQL of the tests' own, on a socket in a folder of its own."""

    def __init__(self, cluster: cluster.Cluster) -> None:
        self.cluster, self.url = cluster, cluster.url

    def execute(self, *statements: str) -> None:
        """Run statements as the server's master, outside the tests' databases."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def end_connections(self, url: str, which: str = "true") -> None:
        """End connections, like a server that is shut down, or replaced by another."""
        ending = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname ="
        self.execute(f"{ending} '{make_url(url).database}' AND {which}")

    def allow(self, url: str, *, connections: bool) -> None:
        self.execute(f"ALTER DATABASE {make_url(url).database} ALLOW_CONNECTIONS {connections}")

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The URL of a new, empty database, dropped afterwards even if still in use.

        Its files are copied, which takes half as long as to log them, since none is synced.
        """
        name = f"ledger_{os.getpid()}_{next(DATABASES)}"
        self.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY {options}")
        try:
            yield make_url(self.url).set(database=name).render_as_string(hide_password=False)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def ledger(self) -> Iterator[str]:
        """The URL of a database with the tables of a ledger and of its queue, all empty.

        Others had it before and will have it: to empty it takes far less than to make it.
        """
        made = SPARE.pop() if SPARE else MadeDatabase(self)
        try:
            yield made.url
        finally:
            if made.is_emptied():
                SPARE.append(made)


class MadeDatabase:
    """A database that a test may find as it was made; it goes with its server."""

    def __init__(self, server: Server) -> None:
        name = f"ledger_{os.getpid()}_{next(DATABASES)}"
        server.execute(f"CREATE DATABASE {name} STRATEGY FILE_COPY")
        self.url = make_url(server.url).set(database=name).render_as_string(hide_password=False)
        self.ledger = KEPT[self.url] = Ledger(self.url)
        with PassQueue(self.ledger.engine):
            pass
        with psycopg.connect(self.url, autocommit=True) as connection:
            self._shape = connection.execute(SHAPE).fetchall()
            tables = [str(name) for name, kind, _ in self._shape if kind == "r"]
            empty = [
                table
                for table in tables
                if not connection.execute(f"SELECT FROM {table} LIMIT 1".encode()).fetchall()
            ]
        # No trigger has a say, so that the order of the tables does not matter.
        statements = ["SET LOCAL session_replication_role = replica", RESTARTING]
        statements += [f"DELETE FROM {table}" for table in empty]  # noqa: S608  # our own tables
        self._emptying = "; ".join(statements)

    def is_emptied(self) -> bool:
        """True once it is as it was made; False where a test has changed more than rows."""
        with (
            suppress(psycopg.Error, SQLAlchemyError),
            closing(self.ledger.engine.raw_connection()) as connection,
        ):
            cursor = connection.cursor()
            cursor.execute(LEAVING)
            cursor.execute(SHAPE)
            if cursor.fetchall() == self._shape:
                cursor.execute(self._emptying)
                connection.commit()
                return True
        KEPT.pop(self.url).close()
        return False


SPARE: list[MadeDatabase] = []
"""The databases of this process that no test uses."""
KEPT: dict[str, Ledger] = {}
"""An open ledger for each of `SPARE` and `FILES`, by URL or path: to open one takes long."""
SHAPE = """
SELECT oid::regclass::text, relkind::text, relnatts FROM pg_class
 WHERE relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
UNION ALL SELECT '', datallowconn::text, 0 FROM pg_database WHERE datname = current_database()
 ORDER BY 1"""
"""Name, kind and number of columns of all tables, indexes and sequences; may it be connected to?"""
RESTARTING = "SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'"
LEAVING = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()"""
"""Ends all other connections, as a test may have left some open."""


@pytest.fixture(scope="session")
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
    """The URL of a database with an empty ledger, only for this test."""
    with server.ledger() as url:
        yield url


@pytest.fixture
def new_database(server: Server) -> Iterator[str]:
    with server.database() as url:
        yield url


MOSTLY_SQLITE = pytest.mark.parametrize(
    "place", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
"""A test that runs on PostgreSQL in the long runs alone: others go through its statements there."""


def on_both(
    names: Sequence[str] | str,
    rows: Iterable[Any],
    *,
    on_postgresql: int = 1,
    on_sqlite: int | None = None,
    ids: Iterable[str] | None = None,
) -> pytest.MarkDecorator:
    """Run the first rows of a table on each database, on SQLite all by default; long runs all."""
    table = [(row,) if isinstance(names, str) else tuple(row) for row in rows]
    names = (names,) if isinstance(names, str) else tuple(names)
    labels = [*ids] if ids is not None else [None] * len(table)
    counts = {
        "sqlite": len(table) if on_sqlite is None else on_sqlite,
        "postgresql": on_postgresql,
    }
    every = [
        pytest.param(database, *row, marks=[pytest.mark.long] * (number >= count))
        for database, count in counts.items()
        for number, row in enumerate(table)
    ]
    if ids is not None:
        every = [
            param._replace(id=f"{param.values[0]}-{label}")
            for param, label in zip(every, [*labels, *labels], strict=True)
        ]
    return pytest.mark.parametrize(("place", *names), every, indirect=["place"])


FILES: list[Path] = []
"""The ledgers in files that no test uses; like the databases they stay open, and are emptied."""


@contextmanager
def file_of_ledger(folder: Callable[[], Path]) -> Iterator[Path]:
    """The file of an empty ledger that is open; a new one is made in the folder."""
    if FILES:
        path = FILES.pop()
    else:
        path = folder() / "ledger.db"
        make_file(path)
        KEPT[str(path)] = Ledger(path)
    try:
        yield path
    finally:
        if path.exists() and is_emptied(KEPT[str(path)]):
            FILES.append(path)
        else:
            KEPT.pop(str(path)).close()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """The place for a ledger, or of the test's ledger: a file, then the URL of a database."""
    if request.param != "sqlite":
        yield str(request.getfixturevalue("postgresql"))
    elif "ledger" not in request.fixturenames:
        yield tmp_path / "state" / "ledger.db"
    else:
        folders: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
        with file_of_ledger(lambda: folders.mktemp("ledger")) as path:
            yield path


def cleared(
    ledger: Ledger, package: Package, run: Run, clearance: Clearance | None = None
) -> Package:
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
    """A ledger on SQLite, then on PostgreSQL, which stays open for the next test."""
    if kept := KEPT.get(str(place)):
        yield kept
        return
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
        """Fork a process, or start it by the command `prefix`."""
        given = (self.PREAMBLE + lines, str(place), *arguments)
        self._running: Child | subprocess.Popen[str]
        if prefix:
            command = [*prefix, sys.executable, "-c", *given]
            self._running = subprocess.Popen(  # noqa: S603  # our own lines
                command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, cwd=ROOT
            )
        else:
            self._running = Child(
                *("tests.ledger.lines:run_lines", *given),
                folder=ROOT,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
            )
        self.pid = self._running.pid

    def heard(self) -> str:
        """Its next line; empty once it has ended."""
        assert self._running.stdout is not None
        return self._running.stdout.readline().rstrip("\n")

    def tell(self, line: str = "go") -> None:
        assert self._running.stdin is not None
        self._running.stdin.write(line + "\n")
        self._running.stdin.flush()

    def kill(self) -> None:
        """Kill it, without any tidying up, like the system when out of memory."""
        self._running.kill()
        self._running.wait(PATIENCE)

    def ended(self) -> tuple[int, str, str]:
        """Its exit code, output and errors, once it has ended."""
        said, complained = self._running.communicate(timeout=PATIENCE)
        return self._running.wait(), said, complained

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for pipe in (self._running.stdin, self._running.stdout, self._running.stderr):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()
