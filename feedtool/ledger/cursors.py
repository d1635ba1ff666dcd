"""Positions of the readers of an export, and the things that each has received exactly once.

The file of an export is a batch. It is noted when it is finished, before it is put in its place.
Once it is there it is settled: only then the cursor moves, and its things are known. A process
that finds a batch that is not settled looks for its file, and settles or drops the batch.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from msgspec import Struct
from sqlalchemy import Connection, Engine, and_, delete, func, insert, select, update

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.packages import add_row

CHUNK = 5_000
"""Keys in a statement; databases limit their number."""


class CursorName(NamedTuple):
    """The owner of a cursor and its kind of export."""

    service: str
    seller: str
    kind: str
    name: str


class Cursor(Struct, frozen=True):
    """A cursor, as stored."""

    cursor: int
    service: str
    seller: str
    kind: str
    name: str
    filters: str
    """The filters that the cursor is bound to; other filters need another cursor."""
    since: datetime
    """The service's time from which everything is exported."""
    position: datetime | None
    """The service's time up to which all was read; None if the service gave no time."""
    reconciled_at: datetime
    """The time of the last complete reading of the recent days."""


class Advance(NamedTuple):
    """The new position of a cursor after a reading."""

    filters: str
    since: datetime
    """The service's time from which things were read."""
    position: datetime | None
    """None if the service gave no time: the cursor stays where it is."""
    reconciled_at: datetime | None = None
    """None if nothing was reconciled."""


class Batch(Struct, frozen=True):
    """A finished file, noted before it is put in its place."""

    batch: int
    target: str
    sha256: str
    things: int


class CursorState(NamedTuple):
    """A cursor, and the numbers of its batches and things."""

    cursor: Cursor
    batches: int
    things: int


class Cursors:
    """All cursors of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, name: CursorName) -> Cursor | None:
        """The cursor of a name; None if it was never used."""
        with reading(self._engine) as db:
            return _find(db, name)

    def listed(self, kind: str) -> list[CursorState]:
        """The cursors of a kind of export by name, with the numbers of batches and things."""
        cursor, batch = t.cursors.c, t.batches.c
        query = (
            select(
                t.cursors,
                func.count(batch.batch.distinct()).label("batches"),
                func.count(t.seen.c.key.distinct()).label("things"),
            )
            .outerjoin(t.batches, and_(batch.cursor == cursor.cursor, batch.is_placed == 1))
            .outerjoin(t.seen, t.seen.c.batch == batch.batch)
            .where(cursor.kind == kind)
            .group_by(*cursor)
            .order_by(cursor.service, cursor.seller, cursor.name)
        )
        with reading(self._engine) as db:
            rows = db.execute(query).all()
        return [CursorState(Cursor(*row[:-2]), *row[-2:]) for row in rows]

    def known(self, cursor: int, keys: Sequence[str]) -> dict[str, str]:
        """The keys, among these, that a cursor has received, each with its last version."""
        seen, versions = t.seen.c, dict[str, str]()
        query = select(seen.key, seen.version).join(t.batches, t.batches.c.batch == seen.batch)
        query = query.where(seen.cursor == cursor, t.batches.c.is_placed == 1)
        with reading(self._engine) as db:
            for begin in range(0, len(keys), CHUNK):
                some = query.where(seen.key.in_(keys[begin : begin + CHUNK])).order_by(seen.batch)
                versions.update((key, version) for key, version in db.execute(some))
        return versions

    def next_batch(self) -> int:
        """The number of the next batch, if no other export is faster."""
        with reading(self._engine) as db:
            return int(db.scalar(select(func.coalesce(func.max(t.batches.c.batch), 0))) or 0) + 1

    def unsettled(self, cursor: int) -> list[Batch]:
        """The batches that are not noted as placed or dropped."""
        batches = t.batches.c
        things = select(func.count()).where(t.seen.c.batch == batches.batch).scalar_subquery()
        query = select(batches.batch, batches.target, batches.sha256, things.label("things"))
        query = query.where(batches.cursor == cursor, batches.is_placed.is_(None)).order_by(
            batches.batch
        )
        with reading(self._engine) as db:
            return [Batch(**row._asdict()) for row in db.execute(query)]

    def intend(
        self,
        name: CursorName,
        move: Advance,
        versions: Mapping[str, str],
        *,
        target: str,
        sha256: str,
        now: datetime,
    ) -> int:
        """Note a finished file that is about to be put in its place, and its things."""
        with writing(self._engine) as db:
            cursor = _open(db, name, move, now)
            batch = add_row(
                db,
                t.batches,
                cursor=cursor,
                target=target,
                sha256=sha256,
                since=move.since,
                position=move.position,
                reconciled_at=move.reconciled_at,
                intended_at=now,
            )
            entries = [
                {"cursor": cursor, "key": key, "batch": batch, "version": version}
                for key, version in versions.items()
            ]
            db.execute(insert(t.seen), entries)
        return batch

    def settle(self, batch: int, *, is_placed: bool) -> None:
        """Move the cursor if the file is in its place; else forget the batch: it comes again."""
        with writing(self._engine) as db:
            is_same = t.batches.c.batch == batch
            noted = db.execute(select(t.batches).where(is_same)).one()
            db.execute(update(t.batches).where(is_same).values(is_placed=int(is_placed)))
            if is_placed:
                position, reconciled_at = noted.position, noted.reconciled_at
                _move(db, noted.cursor, position=position, reconciled_at=reconciled_at)
            else:
                _forget(db, [batch])

    def advance(self, name: CursorName, move: Advance, now: datetime) -> None:
        """Move the cursor without a batch, since nothing was new."""
        with writing(self._engine) as db:
            cursor = _open(db, name, move, now)
            _move(db, cursor, position=move.position, reconciled_at=move.reconciled_at)

    def rewind(self, cursor: int, when: datetime) -> int:
        """Forget the batches from a time on; return how many things come again."""
        columns = t.batches.c
        since = and_(columns.cursor == cursor, columns.intended_at >= when)
        with writing(self._engine) as db:
            undone = db.execute(select(columns.batch, columns.since).where(since)).all()
            numbers = [row.batch for row in undone]
            was = db.execute(select(t.cursors).where(t.cursors.c.cursor == cursor)).one()
            begins = [when, *(row.since for row in undone)]
            things = select(func.count(t.seen.c.key.distinct())).where(t.seen.c.batch.in_(numbers))
            count = int(db.scalar(things) or 0)
            _forget(db, numbers)
            position = was.position and min(was.position, *begins)
            _move(db, cursor, position=position, since=min(was.since, *begins))
        return count


def _open(db: Connection, name: CursorName, move: Advance, now: datetime) -> int:
    """The key of the cursor of a name, made if it is new."""
    if cursor := _find(db, name):
        return cursor.cursor
    begun = {"filters": move.filters, "since": move.since, "reconciled_at": now}
    return add_row(db, t.cursors, **name._asdict(), **begun)


def _find(db: Connection, name: CursorName) -> Cursor | None:
    row = db.execute(select(t.cursors).filter_by(**name._asdict())).one_or_none()
    return None if row is None else Cursor(*row)


def _move(db: Connection, cursor: int, **moved: datetime | None) -> None:
    values = {name: value for name, value in moved.items() if value is not None}
    if values:
        db.execute(update(t.cursors).where(t.cursors.c.cursor == cursor).values(**values))


def _forget(db: Connection, batches: Collection[int]) -> None:
    """Forget the things of some batches, whose numbers are never used again."""
    db.execute(delete(t.seen).where(t.seen.c.batch.in_(batches)))
