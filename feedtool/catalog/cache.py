"""The file of the catalogue: SQLite, in the state folder, readable by the user only.

Everything in it can be downloaded again. So each step of a sync is saved at once, a stopped sync
continues later, and a file of another version, or a broken one, is created anew.
"""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from feedtool.catalog.lookup import Catalog
from feedtool.catalog.model import (
    Brand,
    Category,
    CheckedProperties,
    Origin,
    Property,
    Validators,
    as_json,
    document_of,
    properties_of,
    stamp,
    with_paths,
)
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import tr

FILE = "catalog.sqlite"

STALE = timedelta(days=1)
"""A stopped sync of this age begins again."""

PATIENCE = 30.0
"""Seconds until a wait for another process fails."""

VERSION = 2
"""The version of the tables, in the file's `user_version`: increase it with each change."""

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
    CREATE TABLE entries(
      catalog INTEGER NOT NULL,
      kind TEXT NOT NULL,       -- Category, Brand or Property
      reference TEXT NOT NULL,  -- of properties, their category's
      checked_at TEXT,          -- of properties, as are the next two
      etag TEXT,
      last_modified TEXT,
      document TEXT NOT NULL,   -- JSON; last, since what stands behind it is slow to read
      PRIMARY KEY (catalog, kind, reference)
    )""",
)
ENTRIES = "FROM entries WHERE catalog = ? AND kind = ?"
REMOVE = (
    "DELETE FROM entries WHERE catalog = ? AND kind = ?"
    " AND reference NOT IN (SELECT value FROM json_each(?))"
)
OLD_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*'"


class Saved(StrEnum):
    """The difference between an entry and its stored version."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"


class SyncState(NamedTuple):
    """A sync in the cache."""

    catalog: int
    started_at: datetime
    """The start; in the past if the sync continues."""
    fetched: frozenset[str]
    """Categories whose properties this sync has saved already."""
    marks: dict[str, Validators]
    """Validators of stored properties, by category."""


class Removed(NamedTuple):
    """The numbers of entries that the service no longer lists."""

    categories: int
    brands: int


class Cache(AbstractContextManager["Cache"]):
    """The downloaded catalogues of all services and languages. Not thread-safe."""

    def __init__(self, path: Path) -> None:
        """Open the cache, or create it for the user only; raise UsageProblem if that fails."""
        self._path = path
        try:
            self._db = _open(path)
        except (OSError, sqlite3.Error) as error:
            raise UsageProblem(
                tr(
                    "The catalogue's cache {path} cannot be opened: {reason}.",
                    path=path,
                    reason=_reason(error),
                ),
                tr("Choose another folder with --home."),
            ) from error

    def close(self) -> None:
        self._db.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _use(self, *, is_write: bool) -> Iterator[sqlite3.Connection]:
        """Run one transaction that reads or writes; raise Interrupted if it fails."""
        try:
            with _transaction(self._db, "IMMEDIATE" if is_write else "DEFERRED"):
                yield self._db
        except sqlite3.DatabaseError as error:
            if type(error) not in {sqlite3.OperationalError, sqlite3.DatabaseError}:
                raise
            values = {"path": self._path, "reason": _reason(error)}
            raise Interrupted(
                tr("The catalogue's cache {path} cannot be written: {reason}.", **values)
                if is_write
                else tr("The catalogue's cache {path} cannot be read: {reason}.", **values),
                tr(
                    "Make room, or remove the file: `feedtool catalog sync` brings all of it again."
                ),
            ) from error

    # Reading.

    def origins(self) -> list[Origin]:
        """Return the origins of all catalogues, the last downloaded first."""
        return [*self._keys()]

    def _keys(self) -> dict[Origin, int]:
        with self._use(is_write=False) as db:
            rows = db.execute(
                "SELECT catalog, service, language, synced_at FROM catalogs"
                " ORDER BY synced_at DESC NULLS LAST, started_at DESC"
            ).fetchall()
        return {
            Origin(service, language, datetime.fromisoformat(synced) if synced else None): key
            for key, service, language, synced in rows
        }

    def catalog(self, service: str, language: str) -> Catalog | None:
        """Return one catalogue, which reads more when needed; None if never downloaded."""
        matches = (item for item in self._keys().items() if item[0][:2] == (service, language))
        origin, key = next(matches, (None, 0))
        if origin is None:
            return None
        categories = (Category(*item) for item in self._documents(key, Category))
        return Catalog(
            origin,
            with_paths({item.reference: item for item in categories}),
            lambda category: self._listed(key, category),
            lambda: (Brand(*item) for item in self._documents(key, Brand)),
        )

    def _documents(self, key: int, kind: type[Category | Brand]) -> list[list[Any]]:
        """Return all entries of a kind, by reference."""
        with self._use(is_write=False) as db:
            query = f"SELECT document {ENTRIES} ORDER BY reference"
            rows = db.execute(query, (key, kind.__name__)).fetchall()
        documents: list[list[Any]] = json.loads(f"[{','.join(text for (text,) in rows)}]")
        return documents

    def _listed(self, key: int, category: str) -> CheckedProperties | None:
        query = f"SELECT document, checked_at {ENTRIES} AND reference = ?"
        with self._use(is_write=False) as db:
            row = db.execute(query, (key, Property.__name__, category)).fetchone()
        return row and CheckedProperties(properties_of(row[0]), datetime.fromisoformat(row[1]))

    # A sync.

    def begin(self, service: str, language: str, scope: Iterable[str], now: datetime) -> SyncState:
        """Begin a sync, or continue one of the same scope that was stopped less than a day ago.

        `scope` has the categories whose properties are needed; empty for all.
        """
        scope_text = " ".join(sorted(scope))
        with self._use(is_write=True) as db:
            db.execute(
                "INSERT INTO catalogs(service, language) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (service, language),
            )
            key, before, text = db.execute(
                "SELECT catalog, scope, started_at FROM catalogs"
                " WHERE service = ? AND language = ?",
                (service, language),
            ).fetchone()
            is_resumed = (
                before == scope_text and timedelta(0) <= now - datetime.fromisoformat(text) < STALE
            )
            started = datetime.fromisoformat(text) if is_resumed else now
            db.execute(
                "UPDATE catalogs SET scope = ?, started_at = ? WHERE catalog = ?",
                (scope_text, stamp(started), key),
            )
            kept = db.execute(
                f"SELECT reference, checked_at, etag, last_modified {ENTRIES}",
                (key, Property.__name__),
            ).fetchall()
        fetched = (code for code, checked, *_ in kept if is_resumed and checked >= stamp(started))
        marks = {code: Validators(*values) for code, _, *values in kept}
        return SyncState(key, started, frozenset(fetched), marks)

    def save(self, key: int, entries: Iterable[Category | Brand]) -> Counter[Saved]:
        """Save categories or brands; only changed entries are written."""
        counts: Counter[Saved] = Counter()
        with self._use(is_write=True) as db:
            for item in entries:
                # The path of a category depends on the others, and changes with them.
                plain = item._replace(path=()) if isinstance(item, Category) else item
                place = (key, type(item).__name__, item.reference)
                counts[_save(db, place, as_json(plain))] += 1
        return counts

    def save_properties(
        self,
        key: int,
        category: str,
        properties: Sequence[Property] | None,
        marks: Validators,
        checked_at: datetime,
    ) -> Saved:
        """Save a category's properties, or (None) that they are unchanged."""
        document = None if properties is None else document_of(properties)
        with self._use(is_write=True) as db:
            return _save(
                db, (key, Property.__name__, category), document, stamp(checked_at), *marks
            )

    def finish(
        self, key: int, categories: frozenset[str], brands: frozenset[str], synced_at: datetime
    ) -> Removed:
        """End a complete sync: remove entries that the service no longer lists.

        If it lists no brand at all, the brands stay: that is more likely a fault.
        """

        def remove_all_but(kind: type, listed: Collection[str]) -> int:
            return db.execute(REMOVE, (key, kind.__name__, json.dumps([*listed]))).rowcount

        with self._use(is_write=True) as db:
            removed = Removed(
                remove_all_but(Category, categories), remove_all_but(Brand, brands) if brands else 0
            )
            remove_all_but(Property, categories)
            db.execute(
                "UPDATE catalogs SET scope = NULL, started_at = NULL, synced_at = ?"
                " WHERE catalog = ?",
                (stamp(synced_at), key),
            )
        return removed


def _save(
    db: sqlite3.Connection, place: tuple[int, str, str], document: str | None, *checked: str | None
) -> Saved:
    """Save an entry; without a document it stays the same. With `checked`, always write it."""
    row = db.execute(f"SELECT document {ENTRIES} AND reference = ?", place).fetchone()
    kept = row and row[0]
    document = kept if document is None else document
    if document is None:
        raise ValueError(f"nothing is known of {place[-1]} that could be as it was")
    if checked or document != kept:
        values = (*place, *(checked or (None, None, None)), document)
        db.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    if kept is None:
        return Saved.NEW
    return Saved.SAME if document == kept else Saved.CHANGED


# The file.


def _open(path: Path) -> sqlite3.Connection:
    """Open the cache with its tables; create a broken one anew."""
    try:
        return _prepared(path)
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # locked, or a failing disk
            raise
        for end in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        return _prepared(path)


def _prepared(path: Path) -> sqlite3.Connection:
    # SQLite creates its other files with the same mode.
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)
    db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        with suppress(sqlite3.OperationalError):  # another process holds it
            db.execute("PRAGMA journal_mode = WAL")
        # A crash of the machine may lose the last steps, which are then downloaded again.
        db.execute("PRAGMA synchronous = NORMAL")
        if not _is_current(db):
            with _transaction(db, "IMMEDIATE"):
                old = db.execute(OLD_TABLES).fetchall()
                if not _is_current(db):  # another process may have been faster
                    for statement in (*(f'DROP TABLE "{name}"' for (name,) in old), *TABLES):
                        db.execute(statement)
                    db.execute(f"PRAGMA user_version = {VERSION}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _is_current(db: sqlite3.Connection) -> bool:
    return bool(db.execute("PRAGMA user_version").fetchone() == (VERSION,))


@contextmanager
def _transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Run a transaction that is committed whole or not at all."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite already rolls back some failures
            db.execute("ROLLBACK")
        raise


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).rstrip(".")
