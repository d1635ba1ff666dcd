"""The file in which the catalogue is kept: SQLite, in the state folder, for the user alone.

All in it can be had again. So each step of a sync is saved as it comes, and a sync that was stopped
goes on where it was.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self

from feedtool.areas.products.catalog.database import open_database, reason, transaction
from feedtool.areas.products.catalog.lookup import Catalog
from feedtool.areas.products.catalog.model import (
    Brand,
    Category,
    Listed,
    Origin,
    Property,
    Validators,
    document_of,
    properties_of,
    with_paths,
)
from feedtool.model.errors import Interrupted, UsageProblem

FILE = "catalog.sqlite"

STALE = timedelta(days=1)
"""A sync that was stopped goes on only when it is younger."""


class Statements(NamedTuple):
    """The statements for the entries of one kind."""

    find: str
    replace: str
    remove: str
    """All that are not listed."""


CATEGORIES = Statements(
    "SELECT * FROM categories WHERE catalog = ? AND reference = ?",
    "INSERT OR REPLACE INTO categories VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    "DELETE FROM categories WHERE catalog = ?"
    " AND reference NOT IN (SELECT value FROM json_each(?))",
)
BRANDS = Statements(
    "SELECT * FROM brands WHERE catalog = ? AND reference = ?",
    "INSERT OR REPLACE INTO brands VALUES (?, ?, ?)",
    "DELETE FROM brands WHERE catalog = ? AND reference NOT IN (SELECT value FROM json_each(?))",
)
PROPERTIES = Statements(
    "SELECT document FROM properties WHERE catalog = ? AND category = ?",
    "INSERT OR REPLACE INTO properties VALUES (?, ?, ?, ?, ?, ?)",
    "DELETE FROM properties WHERE catalog = ? AND category NOT IN (SELECT value FROM json_each(?))",
)


class Saved(StrEnum):
    """The difference of an entry to the one that was kept."""

    NEW = "new"
    CHANGED = "changed"
    SAME = "same"


class Begun(NamedTuple):
    """A sync as the cache knows it."""

    catalog: int
    """The catalogue's key."""
    started_at: datetime
    is_resumed: bool
    fetched: frozenset[str]
    """Categories whose properties this sync has already brought."""
    marks: dict[str, Validators]
    """Of the properties that an earlier sync brought, by category."""


class Removed(NamedTuple):
    """The numbers of entries that the service no longer lists."""

    categories: int
    brands: int


class Cache:
    """The catalogues of all services and languages that were brought. Not for several threads."""

    def __init__(self, path: Path) -> None:
        """Open the cache, made where it is absent, readable by the user alone.

        Raises:
            UsageProblem: it cannot be made there.
        """
        self._path = path
        try:
            self._db = open_database(path)
        except (OSError, sqlite3.Error) as error:
            raise UsageProblem(
                f"The catalogue's cache {path} cannot be opened: {reason(error)}.",
                "Choose another folder with --home.",
            ) from error

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _use(self, done: str) -> Iterator[sqlite3.Connection]:
        """One transaction, Interrupted where it cannot be `done`: read, or written."""
        try:
            with transaction(self._db, "IMMEDIATE" if done == "written" else "DEFERRED"):
                yield self._db
        except sqlite3.DatabaseError as error:
            if type(error) not in {sqlite3.OperationalError, sqlite3.DatabaseError}:
                raise
            raise Interrupted(
                f"The catalogue's cache {self._path} cannot be {done}: {reason(error)}.",
                "Make room, or remove the file: `feedtool catalog sync` brings all of it again.",
            ) from error

    # Reading.

    def origins(self) -> list[Origin]:
        """All catalogues, the one that was brought last first."""
        with self._use("read") as db:
            rows = db.execute(
                "SELECT service, language, synced_at FROM catalogs"
                " ORDER BY synced_at DESC NULLS LAST, started_at DESC"
            )
            return [_origin(*row) for row in rows]

    def catalog(self, service: str, language: str) -> Catalog | None:
        """One catalogue; None where nothing was ever brought of it.

        What it has not read yet is read from here when it is asked for: the cache stays open.
        """
        with self._use("read") as db:
            row = db.execute(
                "SELECT catalog, synced_at FROM catalogs WHERE service = ? AND language = ?",
                (service, language),
            ).fetchone()
            if row is None:
                return None
            key, synced = row
            rows = db.execute("SELECT * FROM categories WHERE catalog = ?", (key,))
            categories = {item[1]: _category(*item) for item in rows}
        return Catalog(
            _origin(service, language, synced),
            with_paths(categories),
            lambda category: self._listed(key, category),
            lambda: self._brands(key),
        )

    def _listed(self, key: int, category: str) -> Listed | None:
        query = "SELECT document, checked_at FROM properties WHERE catalog = ? AND category = ?"
        with self._use("read") as db:
            row = db.execute(query, (key, category)).fetchone()
        return row and Listed(properties_of(row[0]), datetime.fromisoformat(row[1]))

    def _brands(self, key: int) -> list[Brand]:
        query = "SELECT reference, name FROM brands WHERE catalog = ? ORDER BY reference"
        with self._use("read") as db:
            return [Brand(*row) for row in db.execute(query, (key,))]

    # A sync.

    def begin(self, service: str, language: str, scope: Iterable[str], now: datetime) -> Begun:
        """Begin a sync, or go on with one that was stopped less than a day ago.

        `scope` is whose properties are wanted; empty for all of them. A sync goes on only with
        one of the same scope.
        """
        wanted = " ".join(sorted(scope))
        with self._use("written") as db:
            db.execute(
                "INSERT INTO catalogs(service, language) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (service, language),
            )
            key, before, text = db.execute(
                "SELECT catalog, scope, started_at FROM catalogs"
                " WHERE service = ? AND language = ?",
                (service, language),
            ).fetchone()
            started = datetime.fromisoformat(text) if text else None
            is_resumed = bool(
                started and before == wanted and timedelta(0) <= now - started < STALE
            )
            started = started if started and is_resumed else now
            db.execute(
                "UPDATE catalogs SET scope = ?, started_at = ? WHERE catalog = ?",
                (wanted, _stamp(started), key),
            )
            kept = db.execute(
                "SELECT category, checked_at, etag, last_modified FROM properties"
                " WHERE catalog = ?",
                (key,),
            ).fetchall()
        fetched = (code for code, at, *_ in kept if is_resumed and at >= _stamp(started))
        marks = {code: Validators(*values) for code, _, *values in kept}
        return Begun(key, started, is_resumed, frozenset(fetched), marks)

    def save_categories(self, key: int, categories: Iterable[Category]) -> Counter[Saved]:
        """Keep categories; only those that differ are written."""
        rows = [(*item[:5], *item[6:]) for item in categories]  # all but the path
        return self._save(CATEGORIES, key, rows)

    def save_brands(self, key: int, brands: Iterable[Brand]) -> Counter[Saved]:
        """Keep brands; only those that differ are written."""
        return self._save(BRANDS, key, brands)

    def _save(
        self, statements: Statements, key: int, rows: Iterable[tuple[Any, ...]]
    ) -> Counter[Saved]:
        counts: Counter[Saved] = Counter()
        with self._use("written") as db:
            for row in rows:
                kept = db.execute(statements.find, (key, row[0])).fetchone()
                how = Saved.CHANGED if kept else Saved.NEW
                how = Saved.SAME if kept == (key, *row) else how
                counts[how] += 1
                if how is not Saved.SAME:
                    db.execute(statements.replace, (key, *row))
        return counts

    def save_properties(
        self,
        key: int,
        category: str,
        properties: Sequence[Property] | None,
        marks: Validators,
        at: datetime,
    ) -> Saved:
        """Keep a category's properties, or that they are as they were (None)."""
        with self._use("written") as db:
            (kept,) = db.execute(PROPERTIES.find, (key, category)).fetchone() or (None,)
            document = kept if properties is None else document_of(properties)
            if document is None:
                raise ValueError(f"nothing is known of {category} that could be as it was")
            db.execute(PROPERTIES.replace, (key, category, *marks, _stamp(at), document))
        if kept is None:
            return Saved.NEW
        return Saved.SAME if document == kept else Saved.CHANGED

    def finish(
        self, key: int, categories: frozenset[str], brands: frozenset[str], at: datetime
    ) -> Removed:
        """End a sync that brought all: what the service no longer lists goes.

        Where it lists not a single brand the brands stay: that is sooner a fault than the truth.
        """
        with self._use("written") as db:
            removed = Removed(
                _remove(db, CATEGORIES, key, categories),
                _remove(db, BRANDS, key, brands) if brands else 0,
            )
            _remove(db, PROPERTIES, key, categories)
            db.execute(
                "UPDATE catalogs SET scope = NULL, started_at = NULL, synced_at = ?"
                " WHERE catalog = ?",
                (_stamp(at), key),
            )
        return removed


def _remove(db: sqlite3.Connection, statements: Statements, key: int, listed: Iterable[str]) -> int:
    """Remove the entries that are not listed; how many there were."""
    return db.execute(statements.remove, (key, json.dumps([*listed]))).rowcount


def _origin(service: str, language: str, synced: str | None) -> Origin:
    return Origin(service, language, datetime.fromisoformat(synced) if synced else None)


def _category(
    _: int, reference: str, label: str, level: int, is_active: int, parent: str | None, *flags: int
) -> Category:
    path = (label or reference,)
    return Category(reference, label, level, bool(is_active), parent, path, *map(bool, flags))


def _stamp(at: datetime) -> str:
    """A time in UTC, so written that it sorts as text."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")
