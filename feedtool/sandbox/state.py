"""The sandbox's state: SQLite, in memory or in a file that several processes may share.

The tables belong to the parts; this module opens, protects and locks the state.
"""

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

LAYOUT = 6
"""The number of the tables' layout, raised with every change; another layout is refused, not
migrated."""

APPLICATION = 0x46_54_53_42
"""Marks a SQLite file as a sandbox's state ("FTSB")."""

PATIENCE = 120.0
"""Seconds to wait for another process: the largest package takes as long to integrate."""

ATTEMPTS = 100

CLOCK_TABLE = """
CREATE TABLE IF NOT EXISTS clock(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  latest TEXT NOT NULL,           -- the latest time that any request saw
  offset_us INTEGER NOT NULL      -- how far the virtual clock is ahead of the real one
);
INSERT OR IGNORE INTO clock VALUES (1, '', 0);
"""


class StateUnreadableError(Exception):
    """The state file is no state of this sandbox, or has another version."""


def stamp(moment: datetime) -> str:
    """Format a time in UTC, of one width, so that text sorts as time does."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(text: str) -> datetime:
    return datetime.fromisoformat(text)


class State:
    """One connection, used by one thread at a time; transactions are those of SQLite."""

    def __init__(self, path: Path | None, tables: Iterable[str]) -> None:
        """Open the file, or a private state in memory without one; refuse foreign files."""
        if path is not None:
            # Readable by its owner alone; SQLite gives its side files the same mode.
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        self._lock = threading.RLock()
        self._db = sqlite3.connect(
            path or ":memory:", timeout=PATIENCE, isolation_level=None, check_same_thread=False
        )
        self._db.row_factory = sqlite3.Row
        try:
            if path is None and hasattr(self._db, "deserialize"):  # not every SQLite can
                # In a tenth of the time of the tables' SQL.
                with closing(sqlite3.connect(":memory:")) as empty:
                    empty.deserialize(empty_state(tuple(tables)))
                    empty.backup(self._db)
            else:
                self._prepare(tables)
        except BaseException as error:
            self._db.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise StateUnreadableError(f"{path} cannot be used as a state: {error}") from error
            raise

    def _prepare(self, tables: Iterable[str]) -> None:
        with self.transaction() as db:  # exclusively: no other process is half way through this
            (application,) = db.execute("PRAGMA application_id").fetchone()
            (layout,) = db.execute("PRAGMA user_version").fetchone()
            (count,) = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
            if count and application != APPLICATION:
                raise StateUnreadableError("the file is another program's database")
            if count and layout != LAYOUT:
                text = f"the state has layout {layout}, this version reads {LAYOUT}"
                raise StateUnreadableError(text)
        self._write_ahead()
        # NORMAL survives the end of the process; a crash of the machine loses the last commits.
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute("PRAGMA cache_size = -32768")
        with self.transaction() as db:
            _make_tables(db, tables)

    def _write_ahead(self) -> None:
        """Switch to WAL, with retries: SQLite fails at once if another process does so too."""
        for _ in range(ATTEMPTS):
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                with self.transaction():  # waits until the other one is done
                    pass
            else:
                return
        raise StateUnreadableError("other processes keep it locked")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """One BEGIN IMMEDIATE transaction: committed at the end, undone by an exception."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite undoes some failures by itself
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _make_tables(db: sqlite3.Connection, tables: Iterable[str]) -> None:
    for statement in _statements(CLOCK_TABLE, *tables):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {LAYOUT}")


@cache
def empty_state(tables: tuple[str, ...]) -> bytes:
    """The database of an empty state."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        _make_tables(db, tables)
        return db.serialize()


def _statements(*scripts: str) -> Iterator[str]:
    """Yield statements one by one; `executescript` would commit the open transaction."""
    for script in scripts:
        statement = ""
        for line in script.splitlines(keepends=True):
            statement += line
            if sqlite3.complete_statement(statement):
                yield statement
                statement = ""


def latest_moment(db: sqlite3.Connection, now: datetime) -> datetime:
    """The later of `now` and the state's latest time: sandbox time never runs backwards."""
    (latest,) = db.execute("SELECT latest FROM clock").fetchone()
    now = now.astimezone(UTC)
    text = stamp(now)
    if text <= latest:
        return moment_of(latest)
    db.execute("UPDATE clock SET latest = ?", (text,))
    return now


MICROSECOND = timedelta(microseconds=1)


def wall() -> datetime:
    return datetime.now(UTC)


def reached_moment(db: sqlite3.Connection, real: datetime) -> datetime:
    """The state's sandbox time, at least its latest time."""
    latest, offset = db.execute("SELECT latest, offset_us FROM clock").fetchone()
    now: datetime = real + offset * MICROSECOND
    if latest and moment_of(latest) > now:
        set_clock_offset(db, moment_of(latest) - real)
        return moment_of(latest)
    return now


def set_clock_offset(db: sqlite3.Connection, offset: timedelta) -> None:
    db.execute("UPDATE clock SET offset_us = ?", (offset // MICROSECOND,))
