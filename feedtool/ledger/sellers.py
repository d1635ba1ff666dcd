"""States of sellers: the table `sellers`, a row for each seller with a run or a pass.

A new run notes itself as the seller's last run, and a pass over his files notes its end: each is
one statement.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, and_, case, func, or_, select, text, update

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading, writing
from feedtool.ledger.lock import Holder, at_work, holders
from feedtool.ledger.parcels import ParcelState
from feedtool.ledger.records import SellerKey
from feedtool.ledger.run_lists import RunCounts, are_of
from feedtool.ledger.tables import HELD, UNCOUNTED, WAITS, as_text, counts, parcels, sellers
from feedtool.model.errors import FeedtoolError
from feedtool.model.nouns import Status
from feedtool.model.text import kept_text, text_of_kept


class Sellers:
    """All sellers of a ledger. Every method is one transaction."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def passed(
        self,
        key: SellerKey,
        profile: str | None,
        run_id: int | None,
        error: FeedtoolError | None,
        not_before: datetime | None,
        now: datetime,
    ) -> None:
        """Note how a pass over a seller's files, or a command that sent some, has ended.

        Args:
            key: The seller.
            profile: The account's name; None if it had none.
            run_id: The run that it began or resumed; None keeps the one before.
            error: The error that stopped it; None if it reached its end.
            not_before: The earliest time of the next pass; None is at once.
            now: The time, for people.
        """
        ended = {
            **_owner(key),
            "profile": profile or "",
            "run_id": run_id,
            "passed_at": as_text(now),
            "failures": int(error is not None),
            "exit_code": int(error.exit) if error else None,
            "message": kept_text(error.message) if error else None,
            "not_before": as_text(not_before),
        }
        with writing(self._engine) as db:
            db.execute(_PASSED, ended)

    def of_profiles(self, profiles: Collection[str]) -> set[SellerKey]:
        """The sellers whose last run or pass was by one of these accounts."""
        query = select(sellers.c.service, sellers.c.seller).where(sellers.c.profile.in_(profiles))
        with reading(self._engine) as db:
            return {(service, seller) for service, seller in db.execute(query)}

    def pass_pause(self, key: SellerKey) -> tuple[int, datetime | None]:
        """A seller's failed passes in a row, and the earliest time of the next pass."""
        query = select(sellers.c.failures, sellers.c.not_before).filter_by(**_owner(key))
        with reading(self._engine) as db:
            row = db.execute(query).one_or_none()
        return (0, None) if row is None else (row.failures, row.not_before)

    def set_next_pass(self, key: SellerKey, moment: datetime | None = None) -> None:
        """Set the earliest time of the next pass over a seller's files; None is at once."""
        with writing(self._engine) as db:
            db.execute(update(sellers).filter_by(**_owner(key)).values(not_before=moment))

    def pace(self, key: SellerKey) -> str | None:
        """The pace that a seller's last run has learnt; None is full speed."""
        with reading(self._engine) as db:
            return db.scalar(select(sellers.c.pace).filter_by(**_owner(key)))

    def keep_pace(self, key: SellerKey, pace: str | None) -> None:
        """Save the pace for the next run; the caller must hold the seller's lock."""
        with writing(self._engine) as db:
            db.execute(_PACE, {**_owner(key), "pace": pace})


def begin_seller(db: Connection, key: SellerKey, profile: str | None, run_id: int) -> None:
    """Note a seller's last run, in the transaction that makes it."""
    db.execute(_BEGUN, {**_owner(key), "profile": profile or "", "run_id": run_id})


def _owner(key: SellerKey) -> dict[str, Any]:
    service, seller = key
    return {"service": service, "seller": seller}


_NEW = "INSERT INTO sellers (service, seller, profile, {more}, answers)"
_OR = "ON CONFLICT (service, seller) DO UPDATE SET"
# Whoever names no profile does not take away the one that is known.
_PROFILE = (
    "profile = CASE WHEN excluded.profile = '' THEN sellers.profile ELSE excluded.profile END"
)

_BEGUN = text(
    f"{_NEW.format(more='run_id, passes, failures')}"
    f" VALUES (:service, :seller, :profile, :run_id, 0, 0, '{{}}')"
    f" {_OR} run_id = excluded.run_id, {_PROFILE}"
)
_PASSED = text(
    f"{_NEW.format(more='run_id, passed_at, passes, failures, exit_code, message, not_before')}"
    " VALUES (:service, :seller, :profile, :run_id, :passed_at, 1, :failures, :exit_code, :message,"
    f" :not_before, '{{}}') {_OR} {_PROFILE},"
    " run_id = COALESCE(excluded.run_id, sellers.run_id), passed_at = excluded.passed_at,"
    " passes = sellers.passes + 1,"
    " failures = CASE WHEN excluded.failures = 0 THEN 0 ELSE sellers.failures + 1 END,"
    " exit_code = excluded.exit_code, message = excluded.message, not_before = excluded.not_before"
)
_PACE = text(
    f"{_NEW.format(more='passes, failures, pace')}"
    f" VALUES (:service, :seller, '', 0, 0, :pace, '{{}}') {_OR} pace = excluded.pace"
)


# All sellers at a glance.


RATE_OF = timedelta(days=7)
"""The time for which the rate of refused rows is shown."""
AT_ONCE = 200
"""Runs of an older ledger that are counted by one call."""
NEVER = datetime.max.replace(tzinfo=UTC)


class SellerLine(NamedTuple):
    """The facts by which sellers are chosen and ordered."""

    key: SellerKey
    profile: str
    """The account's name; empty if unknown."""
    waiting: int = 0
    """Files that wait to be sent."""
    oldest: datetime | None = None
    """The arrival of the first waiting file."""
    on_hold: int = 0
    """Files that a person holds."""
    held: int = 0
    """Rows that guards hold, in all runs."""
    run_id: int | None = None
    """The last run."""
    passed_at: datetime | None = None
    failures: int = 0
    """Failed passes in a row."""
    exit_code: int | None = None
    message: str | None = None
    """The error of the last failed pass."""
    not_before: datetime | None = None
    """The earliest time of the next pass."""

    @property
    def has_begun(self) -> bool:
        return self.run_id is not None or self.passed_at is not None


class SellerFilter(NamedTuple):
    """A filter of sellers; all its conditions must be true."""

    is_in_trouble: bool = False
    is_held: bool = False
    """Only sellers with rows that guards hold."""
    waiting_since: datetime | None = None
    """Only sellers with a file that has waited since then, or longer."""
    has_never_begun: bool = False

    def takes(self, line: SellerLine) -> bool:
        """True if a seller meets all conditions."""
        since = self.waiting_since
        return not (
            (self.is_in_trouble and not line.failures)
            or (self.is_held and not line.held)
            or (since is not None and (line.oldest or NEVER) > since)
            or (self.has_never_begun and line.has_begun)
        )


EVERYBODY = SellerFilter()


class LastRun(NamedTuple):
    """The last run of a seller."""

    run_id: int
    started_at: datetime
    statuses: Mapping[Status, int]
    """The number of rows by status, as last counted."""
    is_finished: bool


class SellerState(NamedTuple):
    """A seller at a glance."""

    line: SellerLine
    is_in_work: bool
    holder: Holder | None
    """The process that works for him; None if nobody does, or it has no description yet."""
    last: LastRun | None
    answered: int
    """Rows that were answered, or refused by the checks, in the last 7 days."""
    refused: int
    """Refused rows among the answered."""

    @property
    def refused_rate(self) -> float | None:
        """The part of answered rows that was refused; None without answers."""
        return self.refused / self.answered if self.answered else None


class Figures(NamedTuple):
    """Totals of all sellers."""

    waiting: int
    """Files that wait."""
    oldest: datetime | None
    """The arrival of the first waiting file."""
    on_hold: int
    """Files that a person holds."""
    held: int
    """Rows that guards hold."""
    sellers: int
    sellers_waiting: int
    """Sellers with waiting files."""
    in_trouble: int
    """Sellers whose last pass failed."""
    passes: int
    """All passes so far; this and the next never fall."""
    answers: Mapping[str, int]
    """Rows by status."""
    processes: Mapping[str, int]
    """Processes that send now, or wait for work, by command."""


class SellersOverview:
    """Queries for the states of all sellers of a ledger."""

    def __init__(self, engine: Engine, run_counts: RunCounts) -> None:
        self._engine, self._counts = engine, run_counts

    def lines(
        self,
        wanted: SellerFilter = EVERYBODY,
        *,
        known: Mapping[SellerKey, str] | None = None,
        among: Collection[SellerKey] | None = None,
    ) -> list[SellerLine]:
        """The sellers of a filter: failing ones first, then by the longest wait.

        Args:
            wanted: The filter.
            known: The names of accounts that may not have sent anything yet.
            among: Only these sellers may be shown; None shows all.
        """
        with reading(self._engine) as db:
            lines = _lines(db)
        for key, profile in (known or {}).items():
            line = lines.get(key, SellerLine(key, profile))
            lines[key] = line._replace(profile=line.profile or profile)
        seen = [line for line in lines.values() if among is None or line.key in among]
        return sorted(filter(wanted.takes, seen), key=_place)

    def states(self, lines: Sequence[SellerLine], now: datetime) -> list[SellerState]:
        """The states of some sellers, in their order; for few at a time."""
        keys, since = [line.key for line in lines], now - RATE_OF
        self._count_older(lines, since)
        runs = [line.run_id for line in lines if line.run_id is not None]
        with reading(self._engine) as db:
            last = {run.run_id: run for run in _last_runs(db, runs)}
            rates = _rates(db, keys, since)
        in_work = holders(self._engine, keys)
        return [
            SellerState(
                line,
                line.key in in_work,
                in_work.get(line.key),
                last.get(line.run_id or 0),
                *rates.get(line.key, (0, 0)),
            )
            for line in lines
        ]

    def figures(self) -> Figures:
        with reading(self._engine) as db:
            lines = [*_lines(db).values()]
            totals = db.execute(select(sellers.c.passes, sellers.c.answers)).all()
        answers = Counter[str]()
        for _, kept in totals:
            answers.update(json.loads(kept))
        processes = Counter(holder.command for holder in at_work(self._engine))
        return Figures(
            waiting=sum(line.waiting for line in lines),
            oldest=min((line.oldest for line in lines if line.oldest), default=None),
            on_hold=sum(line.on_hold for line in lines),
            held=sum(line.held for line in lines),
            sellers=len(lines),
            sellers_waiting=sum(1 for line in lines if line.waiting),
            in_trouble=sum(1 for line in lines if line.failures),
            passes=sum(passes for passes, _ in totals),
            answers=answers,
            processes=processes,
        )

    def _count_older(self, lines: Sequence[SellerLine], since: datetime) -> None:
        """Count the rows of uncounted runs that are about to be shown."""
        runs = [line.run_id for line in lines if line.run_id is not None]
        recent = and_(are_of([line.key for line in lines]), counts.c.counted_at >= since)
        query = (
            select(counts.c.run_id)
            .where(UNCOUNTED, or_(recent, counts.c.run_id.in_(runs)))
            .order_by(counts.c.run_id.desc())
            .limit(AT_ONCE)
        )
        with reading(self._engine) as db:
            uncounted = db.scalars(query).all()
        if uncounted:
            self._counts.note_first(uncounted)


def _lines(db: Connection) -> dict[SellerKey, SellerLine]:
    """All sellers with a run, a pass or a file."""
    parcel = parcels.c
    waits, is_held = parcel.state == str(ParcelState.WAITING), parcel.state == str(ParcelState.HELD)
    waiting = (
        select(
            *(
                parcel.service,
                parcel.seller,
                func.min(parcel.profile),
                func.count(case((waits, 1))),
            ),
            *(func.min(case((waits, parcel.arrived_at))), func.count(case((is_held, 1)))),
        )
        .where(WAITS)
        .group_by(parcel.service, parcel.seller)
    )
    held = select(counts.c.service, counts.c.seller, func.sum(counts.c.held)).where(HELD)
    columns = (sellers.c[name] for name in (*_KEY, "profile", *_OF_SELLER))
    lines = {
        (service, seller): SellerLine((service, seller), profile, 0, None, 0, 0, *rest)
        for service, seller, profile, *rest in db.execute(select(*columns))
    }
    for service, seller, profile, *facts in db.execute(waiting):
        line = lines.get((service, seller), SellerLine((service, seller), profile))
        lines[line.key] = line._replace(waiting=facts[0], oldest=facts[1], on_hold=facts[2])
    for service, seller, rows in db.execute(held.group_by(counts.c.service, counts.c.seller)):
        if (service, seller) in lines:
            lines[service, seller] = lines[service, seller]._replace(held=int(rows))
    return lines


_KEY = ("service", "seller")
_OF_SELLER = SellerLine._fields[SellerLine._fields.index("run_id") :]


def _place(line: SellerLine) -> tuple[Any, ...]:
    name = (line.profile or line.key[1]).casefold()
    return not line.failures, line.oldest or NEVER, name, line.key


def _last_runs(db: Connection, runs: Sequence[int]) -> Iterable[LastRun]:
    query = (
        select(t.runs.c.run_id, t.runs.c.started_at, counts.c.statuses, counts.c.is_finished)
        .join(counts, counts.c.run_id == t.runs.c.run_id)
        .where(t.runs.c.run_id.in_(runs))
    )
    for run_id, started_at, kept, is_finished in db.execute(query):
        statuses = {Status(status): count for status, count in json.loads(kept or "{}").items()}
        yield LastRun(run_id, started_at, statuses, bool(is_finished))


def _rates(
    db: Connection, keys: Sequence[SellerKey], since: datetime
) -> dict[SellerKey, tuple[int, int]]:
    columns = counts.c
    query = (
        select(
            columns.service, columns.seller, func.sum(columns.answered), func.sum(columns.refused)
        )
        .where(are_of(keys), columns.counted_at >= since)
        .group_by(columns.service, columns.seller)
    )
    return {
        (service, seller): (int(answered), int(refused))
        for service, seller, answered, refused in db.execute(query)
    }


def message_of(line: SellerLine) -> str:
    """The error of a seller's last pass, to be translated; empty if it did not fail."""
    return text_of_kept(line.message or "") if line.failures else ""
