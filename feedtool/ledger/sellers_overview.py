"""All sellers at a glance: who waits, who is in work, what came of the last run, who is in trouble.

Everybody is read in three short queries, which is enough to choose and to order them. The rest is
read for a page of them, and costs the same however many runs the ledger has.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, and_, case, func, or_, select

from feedtool.ledger import tables as t
from feedtool.ledger.database import reading
from feedtool.ledger.fleet_tables import HELD, UNCOUNTED, WAITS, counts, parcels, sellers
from feedtool.ledger.lock import Holder, at_work, holders
from feedtool.ledger.parcels import ParcelState
from feedtool.ledger.records import SellerKey
from feedtool.ledger.run_counts import RunCounts, are_of
from feedtool.model.nouns import Status
from feedtool.model.text import text_of_kept

RATE_OF = timedelta(days=7)
"""The time for which it is told how many rows were refused."""
AT_ONCE = 200
"""Runs of an older ledger whose rows are counted at a look."""
NEVER = datetime.max.replace(tzinfo=UTC)


class SellerLine(NamedTuple):
    """As much of a seller as decides where he stands among the others."""

    key: SellerKey
    profile: str
    """The account's name; empty where none is known."""
    waiting: int = 0
    """Files that wait to be sent."""
    oldest: datetime | None = None
    """When the first of them arrived."""
    on_hold: int = 0
    """Files that somebody has put off."""
    held: int = 0
    """Rows that guards hold, in all runs."""
    run_id: int | None = None
    """The last run."""
    passed_at: datetime | None = None
    failures: int = 0
    """Passes in a row that did not get to their end."""
    exit_code: int | None = None
    message: str | None = None
    """Why the last of them did not."""
    not_before: datetime | None = None
    """When the next one may come."""

    @property
    def has_begun(self) -> bool:
        """True if anything was ever sent for him, or tried."""
        return self.run_id is not None or self.passed_at is not None


class SellerFilter(NamedTuple):
    """Which sellers are wanted: those of whom all of it is true."""

    is_in_trouble: bool = False
    is_held: bool = False
    """True if guards hold rows of theirs."""
    waiting_since: datetime | None = None
    """Those of whom a file has waited since then, or longer."""
    has_never_begun: bool = False

    def takes(self, line: SellerLine) -> bool:
        """True if a seller is wanted."""
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
    """How many rows have each, as they were counted last."""
    is_finished: bool


class SellerState(NamedTuple):
    """A seller at a glance."""

    line: SellerLine
    is_in_work: bool
    holder: Holder | None
    """Who is at work for him; None where nobody is, or has not said yet who he is."""
    last: LastRun | None
    answered: int
    """Rows that were answered, or refused by the checks, in the last 7 days."""
    refused: int
    """Those of them that were refused."""

    @property
    def refused_rate(self) -> float | None:
        """The part that was refused; None where nothing was answered."""
        return self.refused / self.answered if self.answered else None


class Figures(NamedTuple):
    """What all sellers come to together."""

    waiting: int
    """Files that wait."""
    oldest: datetime | None
    """When the first of them arrived."""
    on_hold: int
    """Files that somebody has put off."""
    held: int
    """Rows that guards hold."""
    sellers: int
    sellers_waiting: int
    """Those of whom files wait."""
    in_trouble: int
    """Those whose last pass did not get to its end."""
    passes: int
    """So far, as the next: neither ever falls."""
    answers: Mapping[str, int]
    """Rows by status."""
    processes: Mapping[str, int]
    """Those that send now, or wait for work, by command."""


class SellersOverview:
    """What is known of all sellers of a ledger."""

    def __init__(self, engine: Engine, run_counts: RunCounts) -> None:
        self._engine, self._counts = engine, run_counts

    def lines(
        self,
        wanted: SellerFilter = EVERYBODY,
        *,
        known: Mapping[SellerKey, str] | None = None,
        among: Collection[SellerKey] | None = None,
    ) -> list[SellerLine]:
        """The sellers that are wanted: those in trouble first, then who has waited longest.

        Args:
            wanted: Which ones.
            known: The names of accounts that may not have sent anything yet.
            among: Those alone that may be shown; None: all.
        """
        with reading(self._engine) as db:
            found = _lines(db)
        for key, profile in (known or {}).items():
            line = found.get(key, SellerLine(key, profile))
            found[key] = line._replace(profile=line.profile or profile)
        seen = found.values() if among is None else (it for it in found.values() if it.key in among)
        return sorted(filter(wanted.takes, seen), key=_place)

    def states(self, lines: Sequence[SellerLine], now: datetime) -> list[SellerState]:
        """All that there is to know of some sellers, in their order; of few at a time."""
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
        """What all sellers come to together."""
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
        """Count rows of runs that are older than the table, as far as they are shown."""
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
    """All sellers that a run, a pass or a file has named."""
    of = parcels.c
    waits, is_held = of.state == str(ParcelState.WAITING), of.state == str(ParcelState.HELD)
    waiting = (
        select(
            *(of.service, of.seller, func.min(of.profile), func.count(case((waits, 1)))),
            *(func.min(case((waits, of.arrived_at))), func.count(case((is_held, 1)))),
        )
        .where(WAITS)
        .group_by(of.service, of.seller)
    )
    held = select(counts.c.service, counts.c.seller, func.sum(counts.c.held)).where(HELD)
    columns = (sellers.c[name] for name in (*_KEY, "profile", *_OF_SELLER))
    found = {
        (service, seller): SellerLine((service, seller), profile, 0, None, 0, 0, *rest)
        for service, seller, profile, *rest in db.execute(select(*columns))
    }
    for service, seller, profile, *facts in db.execute(waiting):
        line = found.get((service, seller), SellerLine((service, seller), profile))
        found[line.key] = line._replace(waiting=facts[0], oldest=facts[1], on_hold=facts[2])
    for service, seller, rows in db.execute(held.group_by(counts.c.service, counts.c.seller)):
        if (service, seller) in found:
            found[service, seller] = found[service, seller]._replace(held=int(rows))
    return found


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
    of = counts.c
    query = (
        select(of.service, of.seller, func.sum(of.answered), func.sum(of.refused))
        .where(are_of(keys), of.counted_at >= since)
        .group_by(of.service, of.seller)
    )
    return {(service, seller): (int(a), int(r)) for service, seller, a, r in db.execute(query)}


def message_of(line: SellerLine) -> str:
    """What kept a seller's last pass from its end, to be translated; empty where nothing did."""
    return text_of_kept(line.message or "") if line.failures else ""
