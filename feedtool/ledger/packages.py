"""Packages and their uploads: add them, read them, and save changes by steps and answers.

Saving changes is the hot loop of a delivery: for a package of 50,000 rows it happens some 700
times, and each request waits for it. So changes of the same place are gathered first, and the last
one counts. There is one statement for each table, and its text is made here: SQLAlchemy would make
it anew for each statement and each row, which took longer than the database.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from itertools import chain, compress, count
from operator import attrgetter, is_not
from typing import Any, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    func,
    insert,
    select,
    update,
)

from feedtool.ledger import tables as t
from feedtool.ledger.records import REQUEUE, Attempt, Change, Package, Phase, Resolution, Stage
from feedtool.ledger.row_history import digest_of, message_of, messages_as_text
from feedtool.model.nouns import Message, Upload
from feedtool.model.text import kept_text

PLAIN = tuple(
    name
    for name in Package.__struct_fields__
    if name not in {"key", "uploads", "message", "package_type", "phase", "blocked_by"}
)
"""Fields of a Package that are columns of the same name."""

FIXED = {"file", "number", "channel", "rows"}
"""Fields that no step changes; `rows` changes only where rows are moved."""


def add_row(db: Connection, table: Table, **values: Any) -> int:
    """Insert a row; return the key that the database gives it."""
    key: Any = db.execute(insert(table).values(values)).inserted_primary_key
    return int(key[0])


def add_uploads(
    db: Connection, file: int, keys: dict[int, int], batch: Iterable[tuple[int, Upload]]
) -> None:
    """Save uploads and their requests; add the keys of new packages to `keys`, by number."""
    uploads: list[dict[str, Any]] = []
    requests: list[dict[str, Any]] = []
    further_rows: list[dict[str, int]] = []
    for number, upload in batch:
        if number not in keys:
            first = upload.items[0]
            keys[number] = add_package(db, file, number, first.channel, first.package_type)
        place = {"package": keys[number], "upload": upload.number}
        uploads.append({**place, "stage": Stage.PLANNED})
        requests += [
            {
                **place,
                "file": file,
                "row": item.row,
                "number": item.number,
                "reference": item.reference,
                "product": item.product,
                "body": item.body,
            }
            for item in upload.items
        ]
        further_rows += [
            {"file": file, "row": row, "first_row": item.row, "number": item.number}
            for item in upload.items
            for row in item.further_rows
        ]
    db.execute(insert(t.uploads), uploads)
    db.execute(insert(t.requests), requests)
    if further_rows:
        db.execute(insert(t.request_rows), further_rows)


def add_package(db: Connection, file: int, number: int, channel: str, package_type: str) -> int:
    """Insert a package without rows; return its key."""
    kind = {"channel": channel, "package_type": str(package_type)}
    return add_row(db, t.packages, file=file, number=number, rows=0, phase=Phase.PLANNED, **kind)


def count_requests(db: Connection, package: int) -> None:
    counted = select(func.count()).where(t.requests.c.package == package).scalar_subquery()
    db.execute(update(t.packages).where(t.packages.c.package == package).values(rows=counted))


def forget_requests(db: Connection, packages: Collection[int]) -> None:
    """Replace the requests of packages by digests, which show if one is sent again."""
    columns = t.requests.c
    query = select(columns.body, columns.file, columns.row, columns.number).where(
        columns.package.in_(packages)
    )
    requests = db.execute(query) if packages else ()
    _update(db, _FORGET, [(digest_of(body), *key) for body, *key in requests])


def read_packages(db: Connection, which: ColumnElement[bool]) -> list[Package]:
    """The packages of a condition, file by file, by number."""
    stages: dict[int, list[Stage]] = {}
    for package, stage in db.execute(_STAGES.where(which)):
        stages.setdefault(package, []).append(Stage(stage))
    return [
        Package(
            key=row.package,
            uploads=tuple(stages.get(row.package, ())),
            package_type=row.package_type,
            phase=Phase(row.phase),
            message=message_of(row.message_code, row.message_text),
            **{name: getattr(row, name) for name in PLAIN},
        )
        for row in db.execute(_PACKAGES.where(which))
    ]


_STAGES = (
    select(t.uploads.c.package, t.uploads.c.stage)
    .select_from(t.uploads.join(t.package_runs))
    .order_by(*t.uploads.primary_key)
)
_PACKAGES = (
    select(t.packages).select_from(t.package_runs).order_by(t.packages.c.file, t.packages.c.number)
)


# Changes.

Whole: TypeAlias = tuple[str | int | bytes | None, ...]
"""A whole row, in the order of its table's columns; or the values of an update, then its keys."""


def save_changes(db: Connection, changes: Iterable[Change]) -> None:
    """Save changes; later ones overwrite earlier ones."""
    packages: dict[int, Package] = {}
    uploads: dict[tuple[int, int], Whole] = {}
    begun: list[Whole] = []
    answered: dict[tuple[int, int], Whole] = {}
    results: dict[tuple[int, str], Whole] = {}
    resolved: list[Whole] = []
    for change in changes:
        key = change.after.key
        packages[key] = change.after
        for number in _moved(change):
            uploads[key, number] = _upload(change, number)
        if change.attempt and change.attempt.answered_at is None:
            begun.append(_attempt(key, change.attempt))
        elif change.attempt:
            answered[key, change.attempt.number] = _attempt(key, change.attempt)
        # A later result of a reference replaces an earlier one: pages may be read more than once.
        for reference, status, messages in change.results:
            text = messages_as_text(messages)
            results[key, reference] = (key, reference, str(status), text)
        resolved += [_fate(change.after, resolution) for resolution in change.resolutions]
    rows = [
        (*map(_kept, _changed(package)), *_message(package.message), package.key)
        for package in packages.values()
    ]
    _update(db, _UPDATE_PACKAGE, rows)
    _insert(db, t.uploads, [*uploads.values()])
    # A step that was taken back at once is both begun and answered.
    _insert(db, t.attempts, begun, replaces=False)
    _insert(db, t.attempts, [*answered.values()])
    _insert(db, t.results, [*results.values()])
    _update(db, _UPDATE_FATE, resolved)


def _kept(value: Any) -> str | int | None:
    if isinstance(value, datetime):
        return t.as_text(value)
    return str(value) if isinstance(value, StrEnum) else value


CHANGED = ("phase", *(name for name in PLAIN if name not in FIXED))
_changed = attrgetter(*CHANGED)


def _moved(change: Change) -> Sequence[int]:
    """The numbers of the uploads whose stage has changed."""
    old, new = change.before.uploads, change.after.uploads
    return () if old is new else [*compress(count(1), map(is_not, old, new))]


def _upload(change: Change, number: int) -> Whole:
    refused = change.refused if change.refused and change.refused[0] == number else None
    stage = str(change.after.uploads[number - 1])
    return (change.after.key, number, stage, *_message(refused[1] if refused else None))


def _message(message: Message | None) -> tuple[str | None, str | None]:
    return (message.code, kept_text(message.text)) if message else (None, None)


_tried = attrgetter(*t.attempts.columns.keys()[1:])


def _attempt(key: int, attempt: Attempt) -> Whole:
    return (key, *map(_kept, _tried(attempt)))


def _fate(package: Package, fate: Resolution) -> Whole:
    status = REQUEUE if fate.status is None else str(fate.status)
    return (status, fate.text and kept_text(fate.text), package.file, fate.row, fate.number)


# Statements, the same for both databases except the placeholder of a value.


def _updating(table: Table, changed: Iterable[str], *keys: str) -> str:
    values, which = ([f"{name} = ?" for name in names] for names in (changed, keys))
    return " ".join((f"UPDATE {table.name} SET", ", ".join(values), "WHERE", " AND ".join(which)))


_UPDATE_PACKAGE = _updating(t.packages, (*CHANGED, "message_code", "message_text"), "package")
_FORGET = _updating(t.requests, ("body",), "file", "row", "number")
_UPDATE_FATE = _updating(t.requests, ("fate", "fate_text"), "file", "row", "number")


def _mark(db: Connection) -> str:
    return "?" if db.dialect.positional else "%s"


def _update(db: Connection, statement: str, rows: Sequence[Whole]) -> None:
    if rows:
        db.exec_driver_sql(statement.replace("?", _mark(db)), rows)


AT_ONCE = 100
"""Rows in a statement; a page of the service has as many results."""


def _insert(db: Connection, table: Table, rows: Sequence[Whole], *, replaces: bool = True) -> None:
    """Insert whole rows, many in a statement; `replaces` overwrites rows with the same key.

    Between two rows of an `executemany` the driver lets other threads run, and would wait for
    the lanes as often as a page has rows.
    """
    for begin in range(0, len(rows), AT_ONCE):
        some = rows[begin : begin + AT_ONCE]
        statement = _inserting(table, len(some), _mark(db), replaces=replaces)
        db.exec_driver_sql(statement, (*chain.from_iterable(some),))


@lru_cache
def _inserting(table: Table, rows: int, mark: str, *, replaces: bool) -> str:
    names = table.columns.keys()
    values = ", ".join([f"({', '.join([mark] * len(names))})"] * rows)
    keys = table.primary_key.columns.keys()
    changed = ", ".join(f"{name} = excluded.{name}" for name in names if name not in keys)
    conflict = f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changed}" if replaces else ""
    return " ".join((f"INSERT INTO {table.name} ({', '.join(names)}) VALUES", values, conflict))
