"""Files that wait for a worker, their answers, and the delivery of these.

A parcel waits, or is held by a person, until it is answered; then its answers are delivered, once.
Of each content of a profile and a kind only one parcel waits. A worker begins a parcel before it
touches its file: from then on nobody drops or holds it. The parcel's claim, whose lane in `FOLDER`
is the parcel's number, has the progress of the file. The claim ends and the parcel is answered in
one transaction, so that they never contradict each other.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    and_,
    delete,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from feedtool.ledger import tables as t
from feedtool.ledger.claims import Claim, ClaimState, EarlierClaim, find_earlier, scope_of
from feedtool.ledger.database import reading, writing
from feedtool.ledger.packages import add_row
from feedtool.ledger.tables import parcels as table
from feedtool.model.text import kept_text, text_of_kept

FOLDER = "workers"
"""The folder of all parcels' claims, on every machine."""

_of = table.c


class ParcelState(StrEnum):
    """Progress of a parcel."""

    WAITING = "waiting"
    HELD = "held"
    """The parcel waits until a person releases it."""
    ANSWERED = "answered"
    DROPPED = "dropped"
    """It was removed at this moment: no table has this state."""


class Parcel(Struct, frozen=True):
    """A file that has arrived."""

    parcel: int
    service: str
    seller: str
    profile: str
    kind: str
    """The kind of feed; empty if the file itself shows it."""
    name: str
    sha256: str
    origin: str
    """Its origin, for people."""
    state: ParcelState
    size: int
    """Bytes."""
    priority: int
    """The higher goes first."""
    arrived_at: datetime
    not_before: datetime | None
    begun_at: datetime | None
    """The time when a worker took it."""
    run_id: int | None
    exit_code: int | None
    message: str | None
    """The reason if nothing was sent."""
    answered_at: datetime | None
    told_at: datetime | None

    @property
    def key(self) -> tuple[str, str]:
        """The service and the seller, as in the seller's lock."""
        return self.service, self.seller

    @property
    def lane(self) -> str:
        return str(self.parcel)


class DueSeller(NamedTuple):
    """A seller with work for a worker."""

    service: str
    seller: str
    profile: str
    """A profile with waiting files."""
    priority: int
    """The highest priority of what is due."""


class ParcelAnswer(NamedTuple):
    """The result of a parcel."""

    exit_code: int
    run_id: int | None
    message: str | None
    """The reason if nothing was sent."""


WAITS = _of.state == ParcelState.WAITING
IS_UNDELIVERED = and_(_of.state == ParcelState.ANSWERED, _of.told_at.is_(None))
IS_OPEN = or_(_of.state.in_([ParcelState.WAITING, ParcelState.HELD]), IS_UNDELIVERED)


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(WAITS, or_(_of.not_before.is_(None), _of.not_before <= now))


def _is_of(key: tuple[str, str]) -> ColumnElement[bool]:
    return and_(_of.service == key[0], _of.seller == key[1])


class Parcels:
    """All parcels of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # For bringing files.

    def add(
        self,
        *,
        key: tuple[str, str],
        profile: str,
        kind: str | None,
        name: str,
        sha256: str,
        size: int,
        origin: str,
        now: datetime,
        priority: int = 0,
        not_before: datetime | None = None,
        since: datetime | None = None,
    ) -> Parcel | EarlierClaim | None:
        """Note a file that has arrived, once its content is in the store.

        None if the same content waits already for that profile and kind. With `since`, return the
        run that the same content of the seller and kind began then or later, by the rule of
        `Claims.take`.
        """
        values = {"service": key[0], "seller": key[1], "profile": profile, "kind": kind or ""}
        values |= {"name": name, "sha256": sha256, "origin": origin, "state": ParcelState.WAITING}
        try:
            with writing(self._engine) as db, db.begin_nested() as meanwhile:
                # Inserted first: from then on the same content cannot be answered unnoticed.
                more = {"size": size, "priority": priority, "not_before": not_before}
                parcel = add_row(db, table, **values, **more, arrived_at=now)
                scope = scope_of(FOLDER, key, kind)
                if earlier := find_earlier(db, scope, sha256, name, since):
                    meanwhile.rollback()
                    return earlier
                return _parcel(db.execute(select(table).where(_of.parcel == parcel)).one())
        except IntegrityError:
            return None

    # For workers.

    def sellers_due(self, now: datetime) -> list[DueSeller]:
        """The sellers with due parcels, or with answers that are to be delivered."""
        is_work = or_(_is_due(now), IS_UNDELIVERED)
        highest, profile = func.max(_of.priority), func.min(_of.profile)
        query = select(_of.service, _of.seller, profile, highest).where(is_work)
        with reading(self._engine) as db:
            rows = db.execute(query.group_by(_of.service, _of.seller)).all()
        return sorted(DueSeller(*row) for row in rows)

    def due(self, key: tuple[str, str], now: datetime, limit: int) -> list[Parcel]:
        """The first due parcels of a seller: by priority, then by arrival."""
        return self._all(and_(_is_of(key), _is_due(now)), limit)

    def next_due(self, key: tuple[str, str], now: datetime) -> tuple[datetime | None, int] | None:
        """The time when a seller's next parcel is due, None for at once; and the highest priority.

        The priority is that of due parcels, or else of all that wait. None if no parcel waits.
        """
        at_once = func.max(_of.priority).filter(_is_due(now))
        query = select(at_once, func.min(_of.not_before), func.max(_of.priority))
        with reading(self._engine) as db:
            due, first, later = db.execute(query.where(_is_of(key), WAITS)).one()
        if later is None:
            return None
        return (first, later) if due is None else (None, due)

    def begun(self, key: tuple[str, str]) -> list[Parcel]:
        """A seller's parcels that a worker has begun and not answered, on any machine."""
        return self._all(and_(_is_of(key), WAITS, _of.begun_at.is_not(None)))

    def begin(self, parcel: int, now: datetime) -> bool:
        """Begin a parcel; False if it is dropped, held or answered."""
        return self._change(parcel, WAITS, begun_at=now) is not None

    def put_back(self, parcel: int) -> None:
        """Let a parcel wait again whose worker has begun nothing."""
        self._change(parcel, WAITS, begun_at=None)

    def answer(self, parcel: int, answer: ParcelAnswer, now: datetime) -> None:
        """Save the answer of a parcel without a claim."""
        with writing(self._engine) as db:
            _answer(db, parcel, answer, now)

    def settle(self, claim: Claim, answer: ParcelAnswer, now: datetime) -> None:
        with writing(self._engine) as db:
            is_same = t.claims.c.claim == claim.claim
            db.execute(update(t.claims).where(is_same).values(state=ClaimState.ENDED))
            _answer(db, int(claim.lane), answer, now)

    def undelivered(self, key: tuple[str, str]) -> list[Parcel]:
        return self._all(and_(_is_of(key), IS_UNDELIVERED))

    def mark_delivered(self, parcel: int, now: datetime) -> None:
        self._change(parcel, IS_UNDELIVERED, told_at=now)

    # For people.

    def find(self, parcel: int) -> Parcel | None:
        return next(iter(self._all(_of.parcel == parcel)), None)

    def same(
        self, key: tuple[str, str], profile: str, kind: str | None, sha256: str
    ) -> Parcel | None:
        """The unanswered parcel of a content, because of which `add` returned None."""
        is_same = and_(_of.profile == profile, _of.kind == (kind or ""), _of.sha256 == sha256)
        is_there = and_(_is_of(key), is_same, _of.state != ParcelState.ANSWERED)
        return next(iter(self._all(is_there)), None)

    def listing(self, limit: int | None = None) -> list[Parcel]:
        """The parcels whose answers are not delivered: by priority, then by arrival."""
        return self._all(IS_OPEN, limit)

    def count_waiting(self) -> int:
        """The number of waiting parcels, due or not."""
        with reading(self._engine) as db:
            return db.scalar(select(func.count()).select_from(table).where(WAITS)) or 0

    def drop(self, parcel: int) -> Parcel | None:
        """Remove and return a parcel; None if it is absent or begun."""
        is_free = and_(_of.parcel == parcel, _is_free())
        with writing(self._engine) as db:
            row = db.execute(delete(table).where(is_free).returning(table)).one_or_none()
            return None if row is None else replace(_parcel(row), state=ParcelState.DROPPED)

    def hold(self, parcel: int) -> Parcel | None:
        """Make a parcel wait until it is released; None as in `drop`."""
        return self._change(parcel, _is_free(), state=ParcelState.HELD)

    def release(self, parcel: int) -> Parcel | None:
        """Release a held parcel; None if it was not held."""
        is_held = _of.state == ParcelState.HELD
        return self._change(parcel, is_held, state=ParcelState.WAITING)

    def hurry(self, parcel: int) -> Parcel | None:
        """Put a parcel before all others, due at once; None as in `drop`."""
        highest = select(func.max(_of.priority)).where(_of.state != ParcelState.ANSWERED)
        first = func.coalesce(highest.scalar_subquery(), 0) + 1
        return self._change(parcel, _is_free(), priority=first, not_before=None)

    def _all(self, which: ColumnElement[bool], limit: int | None = None) -> list[Parcel]:
        query = select(table).where(which)
        # By the database's number: the clocks of the machines that bring files differ.
        query = query.order_by(_of.priority.desc(), _of.parcel).limit(limit)
        with reading(self._engine) as db:
            return [*map(_parcel, db.execute(query))]

    def _change(self, parcel: int, which: ColumnElement[bool], **values: Any) -> Parcel | None:
        """Change a parcel if the condition holds, and return it; else None."""
        may_change = and_(_of.parcel == parcel, which)
        with writing(self._engine) as db:
            changed = update(table).where(may_change).values(**values).returning(table)
            row = db.execute(changed).one_or_none()
            return None if row is None else _parcel(row)


def _is_free() -> ColumnElement[bool]:
    """True of parcels that no worker has begun."""
    return and_(_of.state != ParcelState.ANSWERED, _of.begun_at.is_(None))


def _answer(db: Connection, parcel: int, answer: ParcelAnswer, now: datetime) -> None:
    message = None if answer.message is None else kept_text(answer.message)
    values = {**answer._asdict(), "message": message, "answered_at": now}
    is_unanswered = and_(_of.parcel == parcel, _of.state != ParcelState.ANSWERED)
    db.execute(update(table).where(is_unanswered).values(**values, state=ParcelState.ANSWERED))


def _parcel(row: Row[Any]) -> Parcel:
    message = None if row.message is None else text_of_kept(row.message)
    return Parcel(**row._asdict() | {"state": ParcelState(row.state), "message": message})
