"""Where the catalogue is kept: a SQLite file of its own in the state folder.

All in it can be had again. So each step of a sync is saved as it comes, a sync that was stopped
goes on where it was, and a file of another version, or a broken one, is made anew.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, RowMapping, Table, delete, select, update
from sqlalchemy.dialects.sqlite import insert

from feedtool.areas.products.catalog import tables
from feedtool.areas.products.catalog.database import open_engine, reading, writing
from feedtool.areas.products.catalog.documents import document_of, moment, properties_of, stamp
from feedtool.areas.products.catalog.lookup import Catalog, Listed, Origin
from feedtool.areas.products.catalog.model import Brand, Category, Property, Validators
from feedtool.areas.products.catalog.tree import with_paths

FILE = "catalog.sqlite"

STALE = timedelta(days=1)
"""What a sync that was stopped has brought is brought again when it is older."""

AT_ONCE = 500
"""References in one query; SQLite takes more, but not any number."""


class Saved(StrEnum):
    """What became of what was brought."""

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
    """What the service no longer lists."""

    categories: int
    brands: int


class Cache:
    """The catalogues of all services and languages that were brought. Not for several threads."""

    def __init__(self, path: Path) -> None:
        """Open the cache, made where it is absent, readable by the user alone.

        Raises:
            UsageProblem: it cannot be made there.
        """
        self._engine = open_engine(path)

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # What is there.

    def origins(self) -> list[Origin]:
        """All catalogues, the one that was brought last first."""
        catalogs = tables.catalogs.c
        order = (catalogs.synced_at.desc().nulls_last(), catalogs.started_at.desc())
        with reading(self._engine) as connection:
            rows = connection.execute(select(tables.catalogs).order_by(*order)).mappings()
            return [_origin(row) for row in rows]

    def catalog(self, service: str, language: str) -> Catalog | None:
        """One catalogue; None where nothing was ever brought of it.

        What it has not read yet is read from here when it is asked for: the cache stays open.
        """
        known = tables.catalogs
        with reading(self._engine) as connection:
            row = connection.execute(
                select(known).where(known.c.service == service, known.c.language == language)
            ).mappings()
            result = row.first()
            if result is None:
                return None
            categories = self._categories(connection, result["catalog"])
        key = result["catalog"]
        return Catalog(
            _origin(result),
            with_paths(categories),
            lambda category: self._listed(key, category),
            lambda: self._brands(key),
        )

    def _categories(self, connection: Connection, key: int) -> dict[str, Category]:
        rows = connection.execute(_of(tables.categories, key)).mappings()
        return {row["reference"]: _category(row) for row in rows}

    def _listed(self, key: int, category: str) -> Listed | None:
        wanted = _of(tables.properties, key).where(tables.properties.c.category == category)
        with reading(self._engine) as connection:
            row = connection.execute(wanted).mappings().first()
        if row is None:
            return None
        return Listed(properties_of(row["document"]), moment(row["checked_at"]))

    def _brands(self, key: int) -> Iterator[Brand]:
        with reading(self._engine) as connection:
            rows = connection.execute(_of(tables.brands, key).order_by(tables.brands.c.reference))
            yield from [Brand(row.reference, row.name) for row in rows]

    # A sync.

    def begin(self, service: str, language: str, scope: Iterable[str], now: datetime) -> Begun:
        """Begin a sync, or go on with one that was stopped less than a day ago.

        `scope` is whose properties are wanted; empty for all of them. A sync goes on only with
        one of the same scope.
        """
        known, told = tables.catalogs, " ".join(sorted(scope))
        with writing(self._engine) as connection:
            connection.execute(
                insert(known).values(service=service, language=language).on_conflict_do_nothing()
            )
            row = connection.execute(
                select(known).where(known.c.service == service, known.c.language == language)
            ).one()
            earlier = moment(row.started_at) if row.started_at else None
            goes_on = (
                earlier is not None and row.scope == told and timedelta(0) <= now - earlier < STALE
            )
            started = earlier if goes_on and earlier else now
            connection.execute(
                update(known)
                .where(known.c.catalog == row.catalog)
                .values(scope=told, started_at=stamp(started))
            )
            kept = connection.execute(
                select(
                    *(tables.properties.c[name] for name in ("category", *Validators._fields)),
                    tables.properties.c.checked_at,
                ).where(tables.properties.c.catalog == row.catalog)
            ).all()
        return Begun(
            row.catalog,
            started,
            goes_on,
            frozenset(item.category for item in kept if item.checked_at >= stamp(started))
            if goes_on
            else frozenset(),
            {item.category: Validators(item.etag, item.last_modified) for item in kept},
        )

    def save_categories(self, key: int, categories: Sequence[Category]) -> Counter[Saved]:
        """Keep categories; only those that differ are written."""
        rows = [{"catalog": key, **category._asdict()} for category in categories]
        for row in rows:
            del row["path"]
        return self._save(tables.categories, key, rows)

    def save_brands(self, key: int, brands: Sequence[Brand]) -> Counter[Saved]:
        """Keep brands; only those that differ are written."""
        rows = [{"catalog": key, **brand._asdict()} for brand in brands]
        return self._save(tables.brands, key, rows)

    def _save(self, table: Table, key: int, rows: list[dict[str, Any]]) -> Counter[Saved]:
        counts: Counter[Saved] = Counter()
        with writing(self._engine) as connection:
            for start in range(0, len(rows), AT_ONCE):
                some = {row["reference"]: row for row in rows[start : start + AT_ONCE]}
                wanted = _of(table, key).where(table.c.reference.in_(some))
                kept = {
                    row["reference"]: dict(row) for row in connection.execute(wanted).mappings()
                }
                for reference, row in some.items():
                    known = kept.get(reference)
                    how = Saved.CHANGED if known else Saved.NEW
                    how = Saved.SAME if row == known else how
                    counts[how] += 1
                    if how is not Saved.SAME:
                        connection.execute(insert(table).values(row).prefix_with("OR REPLACE"))
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
        table = tables.properties
        new = {"etag": marks.etag, "last_modified": marks.last_modified, "checked_at": stamp(at)}
        here = (table.c.catalog == key, table.c.category == category)
        with writing(self._engine) as connection:
            kept = connection.execute(select(table.c.document).where(*here)).scalar()
            document = kept if properties is None else document_of(properties)
            if document is None:
                raise ValueError(f"nothing is known of {category} that could be as it was")
            if document == kept:
                connection.execute(update(table).where(*here).values(new))
                return Saved.SAME
            row = {"catalog": key, "category": category, "document": document, **new}
            connection.execute(insert(table).values(row).prefix_with("OR REPLACE"))
            return Saved.NEW if kept is None else Saved.CHANGED

    def finish(
        self, key: int, categories: frozenset[str], brands: frozenset[str], at: datetime
    ) -> Removed:
        """End a sync that brought all: what the service no longer lists goes.

        Where it lists not a single brand the brands stay: that is sooner a fault than the truth.
        """
        known = tables.catalogs
        with writing(self._engine) as connection:
            removed = Removed(
                _remove(connection, tables.categories, "reference", key, categories),
                _remove(connection, tables.brands, "reference", key, brands) if brands else 0,
            )
            _remove(connection, tables.properties, "category", key, categories)
            connection.execute(
                update(known)
                .where(known.c.catalog == key)
                .values(scope=None, started_at=None, synced_at=stamp(at))
            )
        return removed


def _of(table: Table, key: int) -> Any:
    return select(table).where(table.c.catalog == key)


def _remove(
    connection: Connection, table: Table, name: str, key: int, listed: frozenset[str]
) -> int:
    """Remove what is not listed; how much that was."""
    column = table.c[name]
    kept = connection.execute(select(column).where(table.c.catalog == key)).scalars()
    gone = [item for item in kept if item not in listed]
    for item in gone:
        connection.execute(delete(table).where(table.c.catalog == key, column == item))
    return len(gone)


# Rows and nouns.


def _origin(row: RowMapping) -> Origin:
    synced = row["synced_at"]
    return Origin(row["service"], row["language"], moment(synced) if synced else None)


def _category(row: RowMapping) -> Category:
    values = {name: value for name, value in row.items() if name != "catalog"}
    return Category(**values, path=(row["label"] or row["reference"],))
