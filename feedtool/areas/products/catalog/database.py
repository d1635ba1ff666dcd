"""The cache's file and its tables: SQLite, readable by the user alone.

There are no migrations: whatever is in it can be had again, so a file of another version, or a
broken one, is made anew.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 30.0
"""Seconds to wait for another process."""

VERSION = 1
"""Of the tables, in the file's `user_version`: to change them, count it up."""

TABLES = (
    """
    CREATE TABLE catalogs(
      catalog INTEGER PRIMARY KEY,
      service TEXT NOT NULL,
      language TEXT NOT NULL,
      scope TEXT,       -- of a sync under way: whose properties it brings, "" for all
      started_at TEXT,  -- of a sync under way
      synced_at TEXT,   -- the end of the last one that came to its end
      UNIQUE (service, language)
    )""",
    """
    CREATE TABLE categories(
      catalog INTEGER, reference TEXT, label TEXT NOT NULL, level INTEGER NOT NULL,
      is_active BOOLEAN NOT NULL, parent TEXT, is_brand_mandatory BOOLEAN NOT NULL,
      is_variant BOOLEAN NOT NULL, PRIMARY KEY (catalog, reference)
    ) WITHOUT ROWID""",
    """
    CREATE TABLE properties(
      catalog INTEGER, category TEXT, etag TEXT, last_modified TEXT, checked_at TEXT NOT NULL,
      document TEXT NOT NULL,  -- last, since what stands behind it is slow to read
      PRIMARY KEY (catalog, category)
    )""",
    """
    CREATE TABLE brands(
      catalog INTEGER, reference TEXT, name TEXT NOT NULL, PRIMARY KEY (catalog, reference)
    ) WITHOUT ROWID""",
)


def open_database(path: Path) -> sqlite3.Connection:
    """The cache, its tables in place; a broken one, or one of another version, is made anew."""
    try:
        return _prepared(path)
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # locked, or a disk that fails: not broken
            raise
        for end in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        return _prepared(path)


def _prepared(path: Path) -> sqlite3.Connection:
    # SQLite makes the files beside it in the same mode.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        with suppress(sqlite3.OperationalError):  # where another holds it, it does without
            db.execute("PRAGMA journal_mode = WAL")
        # A crash of the machine may lose the last steps, which are then brought again.
        db.execute("PRAGMA synchronous = NORMAL")
        if not _is_ours(db):
            _make_tables(db)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _make_tables(db: sqlite3.Connection) -> None:
    with transaction(db, "IMMEDIATE"):
        if _is_ours(db):  # another process was faster
            return
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"
        for (name,) in db.execute(query).fetchall():
            db.execute(f'DROP TABLE "{name}"')
        for statement in TABLES:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {VERSION}")


def _is_ours(db: sqlite3.Connection) -> bool:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return bool(version == VERSION)


@contextmanager
def transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Kept in full at its end or not at all."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite undoes some failures by itself
            db.execute("ROLLBACK")
        raise


def reason(error: Exception) -> str:
    """The cause of an error, for a message."""
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
