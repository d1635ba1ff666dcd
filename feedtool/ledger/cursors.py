"""How far each reader of an export has come, and what it was given: nothing twice, nothing never.

The file of an export is a batch. It is noted when it is finished, before it takes its place; once
it is there it is settled, and only then does the cursor move and is what is in it known. Whoever
finds a batch that is not settled looks for its file, and settles or drops it.
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
"""Keys in a statement, which takes only so many at once."""


class CursorName(NamedTuple):
    """Whose a cursor is, and of which kind of export."""

    service: str
    seller: str
    kind: str
    name: str


class Cursor(Struct, frozen=True):
    """A cursor as it is kept."""

    cursor: int
    service: str
    seller: str
    kind: str
    name: str
    filters: str
    """What it is bound to: whoever asks otherwise needs another one."""
    since: datetime
    """From here on all is to come, by the service's time."""
    position: datetime | None
    """Up to here, by the service's time, all was read; None where the service told no time."""
    reconciled_at: datetime
    """When the last days were read as a whole."""


class Advance(NamedTuple):
    """Where a reading takes a cursor."""

    filters: str
    since: datetime
    """From here on was read, by the service's time."""
    position: datetime | None
    """None where the service told no time: the cursor stays where it is."""
    reconciled_at: datetime | None = None
    """None where nothing was reconciled."""


class Batch(Struct, frozen=True):
    """A file that was about to take its place."""

    batch: int
    target: str
    sha256: str
    things: int


class CursorState(NamedTuple):
    """A cursor, and what came of it."""

    cursor: Cursor
    batches: int
    things: int


class Cursors:
    """All cursors of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def find(self, name: CursorName) -> Cursor | None:
        """The cursor of a name, if it was ever used."""
        with reading(self._engine) as db:
            return _find(db, name)

    def listed(self, kind: str) -> list[CursorState]:
        """The cursors of a kind of export, with what each was given, by their names."""
        of, batch = t.cursors.c, t.batches.c
        query = (
            select(
                t.cursors,
                func.count(batch.batch.distinct()).label("batches"),
                func.count(t.seen.c.key.distinct()).label("things"),
            )
            .outerjoin(t.batches, and_(batch.cursor == of.cursor, batch.is_placed == 1))
            .outerjoin(t.seen, t.seen.c.batch == batch.batch)
            .where(of.kind == kind)
            .group_by(*of)
            .order_by(of.service, of.seller, of.name)
        )
        with reading(self._engine) as db:
            rows = db.execute(query).all()
        return [CursorState(Cursor(*row[:-2]), *row[-2:]) for row in rows]

    def known(self, cursor: int, keys: Sequence[str]) -> dict[str, str]:
        """Those of some keys that a cursor was given, each with the last version of it."""
        of, found = t.seen.c, dict[str, str]()
        query = select(of.key, of.version).join(t.batches, t.batches.c.batch == of.batch)
        query = query.where(of.cursor == cursor, t.batches.c.is_placed == 1)
        with reading(self._engine) as db:
            for begin in range(0, len(keys), CHUNK):
                some = query.where(of.key.in_(keys[begin : begin + CHUNK])).order_by(of.batch)
                found.update((key, version) for key, version in db.execute(some))
        return found

    def next_batch(self) -> int:
        """The number that the next batch will have, if no other export is faster."""
        with reading(self._engine) as db:
            return int(db.scalar(select(func.coalesce(func.max(t.batches.c.batch), 0))) or 0) + 1

    def unsettled(self, cursor: int) -> list[Batch]:
        """The batches of which nobody has noted whether they took their place."""
        of = t.batches.c
        things = select(func.count()).where(t.seen.c.batch == of.batch).scalar_subquery()
        query = select(of.batch, of.target, of.sha256, things.label("things"))
        query = query.where(of.cursor == cursor, of.is_placed.is_(None)).order_by(of.batch)
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
        """Note a finished file that is about to take its place, and what is in it."""
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
        """The file is in its place: the cursor moves. Or it never was: all of it comes again."""
        with writing(self._engine) as db:
            is_it = t.batches.c.batch == batch
            meant = db.execute(select(t.batches).where(is_it)).one()
            db.execute(update(t.batches).where(is_it).values(is_placed=int(is_placed)))
            if is_placed:
                moved = {"position": meant.position, "reconciled_at": meant.reconciled_at}
                _move(db, meant.cursor, **moved)
            else:
                _forget(db, [batch])

    def advance(self, name: CursorName, move: Advance, now: datetime) -> None:
        """Nothing was new: the cursor moves without a batch."""
        with writing(self._engine) as db:
            cursor = _open(db, name, move, now)
            _move(db, cursor, position=move.position, reconciled_at=move.reconciled_at)

    def rewind(self, cursor: int, when: datetime) -> int:
        """Forget what was given then or later; returns how many things come again."""
        of = t.batches.c
        since = and_(of.cursor == cursor, of.intended_at >= when)
        with writing(self._engine) as db:
            undone = db.execute(select(of.batch, of.since).where(since)).all()
            numbers = [row.batch for row in undone]
            was = db.execute(select(t.cursors).where(t.cursors.c.cursor == cursor)).one()
            begins = [when, *(row.since for row in undone)]
            given = select(func.count(t.seen.c.key.distinct())).where(t.seen.c.batch.in_(numbers))
            count = int(db.scalar(given) or 0)
            _forget(db, numbers)
            position = was.position and min(was.position, *begins)
            _move(db, cursor, position=position, since=min(was.since, *begins))
        return count


def _open(db: Connection, name: CursorName, move: Advance, now: datetime) -> int:
    """The key of the cursor of a name, made where it is new."""
    if found := _find(db, name):
        return found.cursor
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
    """What was in some batches is not known any more; their numbers are never given again."""
    db.execute(delete(t.seen).where(t.seen.c.batch.in_(batches)))
