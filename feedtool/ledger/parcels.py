"""The files that have arrived and wait for a worker; what came of each, and whether that was told.

A parcel waits, or is held by a person, until it is answered; then it is to be told, once. Of what
waits there is one parcel for each content of a profile and a kind. A worker begins with a parcel
before it touches its file: from then on nobody drops or holds it. How far the file is says the
parcel's claim, which has the parcel's number for its lane (`FOLDER`): the claim ends and the parcel
is answered in one transaction, so that neither can say what the other does not.
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
from feedtool.ledger.fleet_tables import parcels as table
from feedtool.ledger.packages import add_row
from feedtool.model.text import kept_text, text_of_kept

FOLDER = "workers"
"""The folder of all parcels' claims, whichever machine has them."""

_of = table.c


class ParcelState(StrEnum):
    """How far a parcel is."""

    WAITING = "waiting"
    HELD = "held"
    """It waits until somebody releases it."""
    ANSWERED = "answered"
    DROPPED = "dropped"
    """It was removed at this moment: no table has it any more."""


class Parcel(Struct, frozen=True):
    """A file that has arrived."""

    parcel: int
    service: str
    seller: str
    profile: str
    kind: str
    """Of feed; empty where the file itself says it."""
    name: str
    sha256: str
    origin: str
    """Where it came from, for people."""
    state: ParcelState
    size: int
    """Bytes."""
    priority: int
    """The higher goes first."""
    arrived_at: datetime
    not_before: datetime | None
    begun_at: datetime | None
    """Since when a worker has it in hand."""
    run_id: int | None
    exit_code: int | None
    message: str | None
    """Why nothing was sent, where that is so."""
    answered_at: datetime | None
    told_at: datetime | None

    @property
    def key(self) -> tuple[str, str]:
        """The service and the seller, as the seller's lock tells them apart."""
        return self.service, self.seller

    @property
    def lane(self) -> str:
        """The lane of its claim."""
        return str(self.parcel)


class DueSeller(NamedTuple):
    """A seller that a worker has something to do for."""

    service: str
    seller: str
    profile: str
    """One of those whose files wait."""
    priority: int
    """The highest of what is due."""


class ParcelAnswer(NamedTuple):
    """What came of a parcel."""

    exit_code: int
    run_id: int | None
    message: str | None
    """Why nothing was sent, where that is so."""


WAITS = _of.state == ParcelState.WAITING
IS_UNTOLD = and_(_of.state == ParcelState.ANSWERED, _of.told_at.is_(None))
IS_OPEN = or_(_of.state.in_([ParcelState.WAITING, ParcelState.HELD]), IS_UNTOLD)


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(WAITS, or_(_of.not_before.is_(None), _of.not_before <= now))


def _is_of(key: tuple[str, str]) -> ColumnElement[bool]:
    return and_(_of.service == key[0], _of.seller == key[1])


class Parcels:
    """All parcels of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    # Those who bring files.

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

        None where the same content waits already for that profile and kind. With `since`, the run
        that the same content of the seller and kind began then or later, as `Claims.take` tells it.
        """
        given = {"service": key[0], "seller": key[1], "profile": profile, "kind": kind or ""}
        given |= {"name": name, "sha256": sha256, "origin": origin, "state": ParcelState.WAITING}
        try:
            with writing(self._engine) as db, db.begin_nested() as meanwhile:
                # First: once it is in, no other of its content is answered without our seeing it.
                more = {"size": size, "priority": priority, "not_before": not_before}
                parcel = add_row(db, table, **given, **more, arrived_at=now)
                scope = scope_of(FOLDER, key, kind)
                if earlier := find_earlier(db, scope, sha256, name, since):
                    meanwhile.rollback()
                    return earlier
                return _read(db, parcel)
        except IntegrityError:
            return None

    # Workers.

    def sellers_due(self, now: datetime) -> list[DueSeller]:
        """The sellers with parcels that are due, or that a worker is to tell the answers of."""
        is_work = or_(_is_due(now), IS_UNTOLD)
        highest, profile = func.max(_of.priority), func.min(_of.profile)
        query = select(_of.service, _of.seller, profile, highest).where(is_work)
        with reading(self._engine) as db:
            found = db.execute(query.group_by(_of.service, _of.seller)).all()
        return sorted(DueSeller(*row) for row in found)

    def due(self, key: tuple[str, str], now: datetime, limit: int) -> list[Parcel]:
        """The first of a seller's parcels that are due: by priority, then as they arrived."""
        return self._all(and_(_is_of(key), _is_due(now)), limit)

    def next_due(self, key: tuple[str, str], now: datetime) -> tuple[datetime | None, int] | None:
        """When the first of a seller's parcels is due, None for at once; and the highest priority.

        That is of what is due at once, else of all that waits. None where nothing waits.
        """
        at_once = func.max(_of.priority).filter(_is_due(now))
        query = select(at_once, func.min(_of.not_before), func.max(_of.priority))
        with reading(self._engine) as db:
            due, first, later = db.execute(query.where(_is_of(key), WAITS)).one()
        if later is None:
            return None
        return (first, later) if due is None else (None, due)

    def begun(self, key: tuple[str, str]) -> list[Parcel]:
        """A seller's parcels that a worker has taken in hand and not answered, on any machine."""
        return self._all(and_(_is_of(key), WAITS, _of.begun_at.is_not(None)))

    def begin(self, parcel: int, now: datetime) -> bool:
        """Take a parcel in hand; False where somebody has dropped or held it, or answered it."""
        return self._change(parcel, WAITS, begun_at=now) is not None

    def put_back(self, parcel: int) -> None:
        """Nothing of a parcel that was taken in hand is begun: it waits as before."""
        self._change(parcel, WAITS, begun_at=None)

    def answer(self, parcel: int, answer: ParcelAnswer, now: datetime) -> None:
        """Note what came of a parcel that has no claim."""
        with writing(self._engine) as db:
            _answer(db, parcel, answer, now)

    def settle(self, claim: Claim, answer: ParcelAnswer, now: datetime) -> None:
        """End the claim of a parcel, and note what came of it."""
        with writing(self._engine) as db:
            is_it = t.claims.c.claim == claim.claim
            db.execute(update(t.claims).where(is_it).values(state=ClaimState.ENDED))
            _answer(db, int(claim.lane), answer, now)

    def untold(self, key: tuple[str, str]) -> list[Parcel]:
        """A seller's parcels that are answered, and that a worker has not told the answers of."""
        return self._all(and_(_is_of(key), IS_UNTOLD))

    def tell(self, parcel: int, now: datetime) -> None:
        """The answers of a parcel are where they belong."""
        self._change(parcel, IS_UNTOLD, told_at=now)

    # People.

    def find(self, parcel: int) -> Parcel | None:
        """A parcel; None where there is none of that number."""
        return next(iter(self._all(_of.parcel == parcel)), None)

    def same(
        self, key: tuple[str, str], profile: str, kind: str | None, sha256: str
    ) -> Parcel | None:
        """The parcel of a content that waits already, as `add` has found it."""
        is_same = and_(_of.profile == profile, _of.kind == (kind or ""), _of.sha256 == sha256)
        is_there = and_(_is_of(key), is_same, _of.state != ParcelState.ANSWERED)
        return next(iter(self._all(is_there)), None)

    def listing(self, limit: int | None = None) -> list[Parcel]:
        """Those that are not told yet: by priority, then as they arrived."""
        return self._all(IS_OPEN, limit)

    def count_waiting(self) -> int:
        """How many wait, whether they are due or not."""
        with reading(self._engine) as db:
            return db.scalar(select(func.count()).select_from(table).where(WAITS)) or 0

    def drop(self, parcel: int) -> Parcel | None:
        """Remove a parcel, and return it; None where there is none, or it is begun."""
        is_it = and_(_of.parcel == parcel, _is_free())
        with writing(self._engine) as db:
            row = db.execute(delete(table).where(is_it).returning(table)).one_or_none()
            return None if row is None else replace(_parcel(row), state=ParcelState.DROPPED)

    def hold(self, parcel: int) -> Parcel | None:
        """Let a parcel wait until it is released; None as `drop`."""
        return self._change(parcel, _is_free(), state=ParcelState.HELD)

    def release(self, parcel: int) -> Parcel | None:
        """Let a parcel go on that was held; None where it was not."""
        is_held = _of.state == ParcelState.HELD
        return self._change(parcel, is_held, state=ParcelState.WAITING)

    def hurry(self, parcel: int) -> Parcel | None:
        """Put a parcel before all others, whenever it was to be sent; None as `drop`."""
        highest = select(func.max(_of.priority)).where(_of.state != ParcelState.ANSWERED)
        first = func.coalesce(highest.scalar_subquery(), 0) + 1
        return self._change(parcel, _is_free(), priority=first, not_before=None)

    def _all(self, which: ColumnElement[bool], limit: int | None = None) -> list[Parcel]:
        query = select(table).where(which)
        # By the number that the database gave: the clocks of those who bring files differ.
        query = query.order_by(_of.priority.desc(), _of.parcel).limit(limit)
        with reading(self._engine) as db:
            return [*map(_parcel, db.execute(query))]

    def _change(self, parcel: int, which: ColumnElement[bool], **values: Any) -> Parcel | None:
        """The parcel as it is afterwards; None where it is not as it has to be."""
        is_it = and_(_of.parcel == parcel, which)
        with writing(self._engine) as db:
            changed = update(table).where(is_it).values(**values).returning(table)
            row = db.execute(changed).one_or_none()
            return None if row is None else _parcel(row)


def _is_free() -> ColumnElement[bool]:
    """True of what no worker has in hand."""
    return and_(_of.state != ParcelState.ANSWERED, _of.begun_at.is_(None))


def _answer(db: Connection, parcel: int, answer: ParcelAnswer, now: datetime) -> None:
    message = None if answer.message is None else kept_text(answer.message)
    values = {**answer._asdict(), "message": message, "answered_at": now}
    is_it = and_(_of.parcel == parcel, _of.state != ParcelState.ANSWERED)
    db.execute(update(table).where(is_it).values(**values, state=ParcelState.ANSWERED))


def _read(db: Connection, parcel: int) -> Parcel:
    return _parcel(db.execute(select(table).where(_of.parcel == parcel)).one())


def _parcel(row: Row[Any]) -> Parcel:
    message = None if row.message is None else text_of_kept(row.message)
    return Parcel(**row._asdict() | {"state": ParcelState(row.state), "message": message})
