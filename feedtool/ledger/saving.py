"""The changes of a turn, written down: one statement for each table, however many they are.

This is the hot loop of a delivery: while a package of 50,000 rows is delivered it runs some 700
times, and each request waits for it. So what the changes say of the same place is gathered first,
the last word on it counting, and the statements are compiled once for each database: what
SQLAlchemy does anew for each statement, and each row of it, took longer than the database itself.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, compress, count
from operator import is_not, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, insert, update

from feedtool.ledger import tables as t
from feedtool.ledger.records import AGAIN
from feedtool.ledger.rows import PLAIN, messages_as_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from sqlalchemy import Connection, Dialect, Executable

    from feedtool.ledger.records import Attempt, Change, Fate, Package
    from feedtool.model import Message

Row = dict[str, str | int | None]
"""What a statement is given, by the names of its parameters."""

FIXED = {"file", "number", "channel", "rows"}
"""Columns of a package that no step changes; its rows are counted where they are moved."""
MOMENTS = tuple(name for name in PLAIN if isinstance(t.packages.c[name].type, t.Moment))
VALUES = tuple(name for name in PLAIN if name not in FIXED and name not in MOMENTS)


def save_changes(db: Connection, changes: Iterable[Change]) -> None:
    """Write what the changes come to, the later ones over the earlier."""
    packages: dict[int, Package] = {}
    uploads: dict[tuple[int, int], Row] = {}
    begun: list[Row] = []
    answered: list[Row] = []
    results: dict[tuple[int, str], tuple[int, str, str, str]] = {}
    fates: list[Row] = []
    for change in changes:
        key = change.after.key
        packages[key] = change.after
        for number in _moved(change):
            uploads[key, number] = _upload(change, number)
        if change.attempt and change.attempt.answered_at is None:
            begun.append(_begun(key, change.attempt))
        elif change.attempt:
            answered.append(_answered(key, change.attempt))
        # A later word on a reference replaces an earlier one: pages may be read more than once.
        for reference, status, messages in change.results:
            told = messages_as_text(messages)
            results[key, reference] = (key, reference, str(status), told)
        fates += [_fate(change.after, fate) for fate in change.fates]
    _execute(db, _UPDATE_PACKAGE, [*map(_package, packages.values())])
    _execute(db, _UPDATE_UPLOAD, [*uploads.values()])
    # A step that was taken back at once is both begun and answered.
    _execute(db, _INSERT_ATTEMPT, begun)
    _execute(db, _UPDATE_ATTEMPT, answered)
    _execute(db, _UPDATE_FATE, fates)
    _upsert_results(db, [*results.values()])


def _package(package: Package) -> Row:
    return {
        "key": package.key,
        "phase": str(package.phase),
        **{name: getattr(package, name) for name in VALUES},
        **{name: t.as_text(getattr(package, name)) for name in MOMENTS},
        **_message(package.message),
    }


def _moved(change: Change) -> Sequence[int]:
    """The uploads that are at another stage."""
    old, new = change.before.uploads, change.after.uploads
    if old is new:
        return ()
    return [*compress(count(1), map(is_not, old, new))]


def _upload(change: Change, number: int) -> Row:
    refused = change.refused if change.refused and change.refused[0] == number else None
    return {
        "key": change.after.key,
        "at": number,
        "stage": str(change.after.uploads[number - 1]),
        **_message(refused[1] if refused else None),
    }


def _message(message: Message | None) -> Row:
    return {
        "message_code": message.code if message else None,
        "message_text": message.text if message else None,
    }


def _begun(key: int, attempt: Attempt) -> Row:
    return {
        "package": key,
        "number": attempt.number,
        "step": str(attempt.step),
        "upload": attempt.upload,
        "intended_at": t.as_text(attempt.intended_at),
    }


def _answered(key: int, attempt: Attempt) -> Row:
    return {
        "key": key,
        "at": attempt.number,
        "answered_at": t.as_text(attempt.answered_at),
        "outcome": attempt.outcome and str(attempt.outcome),
        "status": attempt.status,
        "trace_id": attempt.trace_id,
        "detail": attempt.detail,
        "package_id": attempt.package_id,
    }


def _fate(package: Package, fate: Fate) -> Row:
    return {
        "of": package.file,
        "at": fate.row,
        "fate": AGAIN if fate.status is None else str(fate.status),
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
_UPDATE_UPLOAD = (
    update(t.uploads)
    .where(t.uploads.c.package == bindparam("key"), t.uploads.c.upload == bindparam("at"))
    .values(**_named("stage", "message_code", "message_text"))
)
_INSERT_ATTEMPT = (
    insert(t.attempts)
    .inline()
    .values(**_named("package", "number", "step", "upload", "intended_at"))
)
_UPDATE_ATTEMPT = (
    update(t.attempts)
    .where(t.attempts.c.package == bindparam("key"), t.attempts.c.number == bindparam("at"))
    .values(**_named("answered_at", "outcome", "status", "trace_id", "detail", "package_id"))
)
_UPDATE_FATE = (
    update(t.rows)
    .where(t.rows.c.file == bindparam("of"), t.rows.c.row == bindparam("at"))
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
"""Results in a statement: a page of the service's."""

# Both databases spell it alike.
_INSERT_RESULTS = "INSERT INTO results (package, reference, status, messages) VALUES"
_OR_UPDATE = (
    "ON CONFLICT (package, reference)"
    " DO UPDATE SET status = excluded.status, messages = excluded.messages"
)


def _upsert_results(db: Connection, rows: Sequence[tuple[int, str, str, str]]) -> None:
    """Write results, many in a statement.

    Between two rows of an `executemany` the driver lets other threads run, and would wait for
    the lanes as often as a page has rows.
    """
    mark = "?" if db.dialect.positional else "%s"
    for begin in range(0, len(rows), AT_ONCE):
        some = rows[begin : begin + AT_ONCE]
        db.exec_driver_sql(_upsert(len(some), mark), (*chain.from_iterable(some),))


@lru_cache
def _upsert(rows: int, mark: str) -> str:
    row = f"({mark}, {mark}, {mark}, {mark})"
    return " ".join((_INSERT_RESULTS, ", ".join([row] * rows), _OR_UPDATE))
