"""The changes of a turn, written down: one statement for each table, however many they are.

This is the hot loop of a delivery: while a package of 50,000 rows is delivered it runs some 700
times, and each request waits for it. So what the changes say of the same place is gathered first,
the last word on it counting, and the statements are compiled once for each database: what
SQLAlchemy does anew for each statement, and each row of it, took longer than the database itself.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import chain, compress, count
from operator import is_not, itemgetter
from typing import Any, NamedTuple, Self

from sqlalchemy import Connection, Dialect, Executable, Table, bindparam, update

from feedtool.ledger import tables as t
from feedtool.ledger.packages import PLAIN
from feedtool.ledger.records import REQUEUE, Attempt, Change, Package, Resolution
from feedtool.ledger.row_results import messages_as_text
from feedtool.model.nouns import Message

Value = str | int | None
Row = dict[str, Value]
"""What a statement is given, by the names of its parameters."""
Whole = tuple[Value, ...]
"""A whole row, in the order of its table's columns."""

FIXED = {"file", "number", "channel", "rows"}
"""Columns of a package that no step changes; its rows are counted where they are moved."""
MOMENTS = tuple(name for name in PLAIN if isinstance(t.packages.c[name].type, t.UtcTime))
VALUES = tuple(name for name in PLAIN if name not in FIXED and name not in MOMENTS)


def save_changes(db: Connection, changes: Iterable[Change]) -> None:
    """Write what the changes come to, the later ones over the earlier."""
    packages: dict[int, Package] = {}
    uploads: dict[tuple[int, int], Whole] = {}
    begun: list[Whole] = []
    answered: dict[tuple[int, int], Whole] = {}
    results: dict[tuple[int, str], Whole] = {}
    resolved: list[Row] = []
    for change in changes:
        key = change.after.key
        packages[key] = change.after
        for number in _moved(change):
            uploads[key, number] = _upload(change, number)
        if change.attempt and change.attempt.answered_at is None:
            begun.append(_attempt(key, change.attempt))
        elif change.attempt:
            answered[key, change.attempt.number] = _attempt(key, change.attempt)
        # A later word on a reference replaces an earlier one: pages may be read more than once.
        for reference, status, messages in change.results:
            told = messages_as_text(messages)
            results[key, reference] = (key, reference, str(status), told)
        resolved += [_fate(change.after, resolution) for resolution in change.resolutions]
    _execute(db, _UPDATE_PACKAGE, [*map(_package, packages.values())])
    _insert(db, _UPSERT_UPLOADS, [*uploads.values()])
    # A step that was taken back at once is both begun and answered.
    _insert(db, _INSERT_ATTEMPTS, begun)
    _insert(db, _UPSERT_ATTEMPTS, [*answered.values()])
    _insert(db, _UPSERT_RESULTS, [*results.values()])
    _execute(db, _UPDATE_FATE, resolved)


def _package(package: Package) -> Row:
    return {
        "key": package.key,
        "phase": str(package.phase),
        **{name: getattr(package, name) for name in VALUES},
        **{name: t.as_text(getattr(package, name)) for name in MOMENTS},
        **dict(zip(("message_code", "message_text"), _message(package.message), strict=True)),
    }


def _moved(change: Change) -> Sequence[int]:
    """The uploads that are at another stage."""
    old, new = change.before.uploads, change.after.uploads
    if old is new:
        return ()
    return [*compress(count(1), map(is_not, old, new))]


def _upload(change: Change, number: int) -> Whole:
    refused = change.refused if change.refused and change.refused[0] == number else None
    stage = str(change.after.uploads[number - 1])
    return (change.after.key, number, stage, *_message(refused[1] if refused else None))


def _message(message: Message | None) -> tuple[str | None, str | None]:
    return (message.code, message.text) if message else (None, None)


def _attempt(key: int, attempt: Attempt) -> Whole:
    return (
        key,
        attempt.number,
        str(attempt.step),
        attempt.upload,
        t.as_text(attempt.intended_at),
        t.as_text(attempt.answered_at),
        attempt.outcome and str(attempt.outcome),
        attempt.status,
        attempt.trace_id,
        attempt.detail,
        attempt.package_id,
    )


def _fate(package: Package, fate: Resolution) -> Row:
    return {
        "of": package.file,
        "at": fate.row,
        "nth": fate.number,
        "fate": REQUEUE if fate.status is None else str(fate.status),
        "fate_text": fate.text,
    }


# Statements.


def _named(*names: str) -> dict[str, Any]:
    return {name: bindparam(name) for name in names}


_UPDATE_PACKAGE = (
    update(t.packages)
    .where(t.packages.c.package == bindparam("key"))
    .values(**_named("phase", *VALUES, *MOMENTS, "message_code", "message_text"))
)
_UPDATE_FATE = (
    update(t.requests)
    .where(
        t.requests.c.file == bindparam("of"),
        t.requests.c.row == bindparam("at"),
        t.requests.c.number == bindparam("nth"),
    )
    .values(**_named("fate", "fate_text"))
)


class _Compiled(NamedTuple):
    """A statement as the driver takes it."""

    sql: str
    in_order: Callable[[Row], Any] | None
    """A row's values by position; None where the driver takes them by name."""


def _execute(db: Connection, statement: Executable, rows: Collection[Row]) -> None:
    if not rows:
        return
    sql, in_order = _compiled(statement, db.dialect)
    db.exec_driver_sql(sql, [*map(in_order, rows)] if in_order else [*rows])


@lru_cache
def _compiled(statement: Any, dialect: Dialect) -> _Compiled:
    compiled = statement.compile(dialect=dialect)
    order = compiled.positiontup
    return _Compiled(str(compiled), itemgetter(*order) if order else None)


AT_ONCE = 100
"""Rows in a statement; so many results has a page of the service's."""


class _Insert(NamedTuple):
    """An insertion of whole rows, spelt alike by both databases."""

    into: str
    columns: int
    on_conflict: str = ""

    @classmethod
    def of(cls, table: Table) -> Self:
        """Into a table, where none of the rows is yet."""
        names = [column.name for column in table.columns]
        return cls(f"INSERT INTO {table.name} ({', '.join(names)}) VALUES", len(names))

    @classmethod
    def or_update(cls, table: Table) -> Self:
        """The same, each in the place of the row with the same key."""
        keys = [column.name for column in table.primary_key]
        others = [column.name for column in table.columns if not column.primary_key]
        changed = ", ".join(f"{name} = excluded.{name}" for name in others)
        told = f"ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {changed}"
        return cls.of(table)._replace(on_conflict=told)


_INSERT_ATTEMPTS = _Insert.of(t.attempts)
_UPSERT_ATTEMPTS = _Insert.or_update(t.attempts)
_UPSERT_UPLOADS = _Insert.or_update(t.uploads)
_UPSERT_RESULTS = _Insert.or_update(t.results)


def _insert(db: Connection, insertion: _Insert, rows: Sequence[Whole]) -> None:
    """Write rows, many in a statement.

    Between two rows of an `executemany` the driver lets other threads run, and would wait for
    the lanes as often as a page has rows.
    """
    mark = "?" if db.dialect.positional else "%s"
    for begin in range(0, len(rows), AT_ONCE):
        some = rows[begin : begin + AT_ONCE]
        db.exec_driver_sql(_inserting(insertion, len(some), mark), (*chain.from_iterable(some),))


@lru_cache
def _inserting(insertion: _Insert, rows: int, mark: str) -> str:
    row = f"({', '.join([mark] * insertion.columns)})"
    return " ".join((insertion.into, ", ".join([row] * rows), insertion.on_conflict))
