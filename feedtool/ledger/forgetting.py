"""Remove old runs with all their rows, in short steps between which others continue.

    begin     mark a run as forgotten, if nothing has changed; nobody uses it from then on
    remove    delete its rows, referring ones first, some in each transaction
    end       delete the rest of its options, which name its snapshots, and its count

Each step may be the last before a crash: a later process continues with the marked runs. The row
of a forgotten run stays, with the rows of its files and its copies: later files and copies are
compared with them. Requests of the package types that are `remembered` stay too.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    exists,
    func,
    or_,
    select,
    tuple_,
    update,
)

from feedtool.ledger import tables as t
from feedtool.ledger.claims import ClaimState
from feedtool.ledger.database import reading, writing
from feedtool.ledger.parcels import ParcelState
from feedtool.ledger.records import FORGOTTEN, INVALID, LEAVING, PROFILE, SellerKey
from feedtool.ledger.run_lists import read_options
from feedtool.ledger.tables import counts, parcels, sellers

# Find runs that are old enough to be forgotten, and the reasons why others are not.


CHUNK = 1_000
"""Runs in a query."""


class KeepReason(StrEnum):
    """The reason why a run is not forgotten, although it is old enough."""

    OPEN = "open"  # not all of it is sent, answered and written
    HELD = "held"  # guards hold rows of it
    UNDELIVERED = "untold"  # its input file, or its answers, are not in their places yet
    LAST = "last"  # the seller's last one


class OldRuns(NamedTuple):
    """The runs of a seller that are forgotten together."""

    key: SellerKey
    profile: str
    """The account's name; empty if unknown."""
    runs: Sequence[int]
    """The runs' numbers, the lowest first."""
    rows: int
    """Requests of the runs, sent or to be sent."""
    first: datetime | None
    """The beginning of the first run; None without runs."""
    last: datetime | None
    stays: tuple[int, KeepReason] | None
    """The first run that stays although it is old enough, as all later ones do, and the reason."""


def find_old_runs(engine: Engine, before: datetime, unfinished: Collection[int]) -> list[OldRuns]:
    """The runs that began before a time and may be forgotten, by seller, and why others may not.

    `unfinished` are runs that are unfinished for reasons outside the ledger.
    """
    with reading(engine) as db:
        reasons = dict.fromkeys(db.scalars(_LAST), KeepReason.LAST)
        reasons |= dict.fromkeys(db.scalars(_UNDELIVERED), KeepReason.UNDELIVERED)
        reasons |= dict.fromkeys(unfinished, KeepReason.OPEN)
        profiles = {(row.service, row.seller): row.profile for row in db.execute(_PROFILES)}
        runs: Sequence[Any] = db.execute(_OLD, {"before": before}).all()
    split = {
        key: _split(of_seller, reasons)
        for key, of_seller in groupby(runs, key=lambda run: (run.service, run.seller))
    }
    numbers = [run.run_id for gone, _ in split.values() for run in gone]
    sizes = {row.run_id: int(row.sent) for row in of_runs(engine, _SIZES, numbers)}
    return [
        OldRuns(
            key,
            profiles.get(key, ""),
            [run.run_id for run in gone],
            sum(sizes.get(run.run_id, 0) for run in gone),
            min((run.started_at for run in gone), default=None),
            max((run.started_at for run in gone), default=None),
            stays,
        )
        for key, (gone, stays) in split.items()
        if gone or stays
    ]


def of_runs(engine: Engine, query: Select[Any], runs: Sequence[int]) -> Iterator[Row[Any]]:
    """The rows of a query for some runs, however many these are."""
    for some in parts_of(runs, CHUNK):
        with reading(engine) as db:
            yield from db.execute(query.where(t.runs.c.run_id.in_(some))).all()


def parts_of(runs: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    return (runs[begin : begin + count] for begin in range(0, len(runs), count))


def _split(
    runs: Iterable[Row[Any]], reasons: Mapping[int, KeepReason]
) -> tuple[list[Row[Any]], tuple[int, KeepReason] | None]:
    """The first runs of a seller, which may be forgotten, and the first that stays."""
    gone: list[Row[Any]] = []
    stays: tuple[int, KeepReason] | None = None
    for run in runs:
        if run.is_leaving:  # its removal has begun
            gone.append(run)
        elif not run.is_forgotten and stays is None:
            reason = reasons.get(run.run_id)
            if run.held:
                reason = KeepReason.HELD
            if not run.is_finished:
                reason = KeepReason.OPEN
            if reason:
                stays = (run.run_id, reason)
            else:
                gone.append(run)
    return gone, None if stays and stays[1] is KeepReason.LAST else stays


def _noted(name: str) -> ColumnElement[bool]:
    """True of runs with an option of this name; no text in options contains such quotes."""
    return t.runs.c.options.contains(f'"{name}": ', autoescape=True)


IS_FORGOTTEN, IS_LEAVING = _noted(FORGOTTEN), _noted(LEAVING)
IS_UNDELIVERED = or_(parcels.c.state != str(ParcelState.ANSWERED), parcels.c.told_at.is_(None))
IS_TAKEN = t.claims.c.state != str(ClaimState.ENDED)
"""True of parcels, and of claims, with work left to do."""

_LAST = select(sellers.c.run_id).union(
    select(func.max(counts.c.run_id)).group_by(counts.c.service, counts.c.seller)
)
_UNDELIVERED = (
    select(parcels.c.run_id)
    .where(IS_UNDELIVERED, parcels.c.run_id.is_not(None))
    .union(select(t.claims.c.run_id).where(IS_TAKEN, t.claims.c.run_id.is_not(None)))
)
_PROFILES = select(sellers.c.service, sellers.c.seller, sellers.c.profile)
_OLD = (
    select(
        *(counts.c[name] for name in ("run_id", "service", "seller", "held", "is_finished")),
        t.runs.c.started_at,
        IS_FORGOTTEN.label("is_forgotten"),
        IS_LEAVING.label("is_leaving"),
    )
    .join(t.runs, t.runs.c.run_id == counts.c.run_id)
    .where(t.runs.c.started_at < bindparam("before", type_=t.UtcTime))
    .order_by(counts.c.service, counts.c.seller, counts.c.run_id)
)
_SIZES = (
    select(t.runs.c.run_id, func.sum(t.packages.c.rows).label("sent"))
    .select_from(t.runs.join(t.files).join(t.packages))
    .group_by(t.runs.c.run_id)
)


RUNS_AT_ONCE = 500
"""Runs that are marked, or ended, in a transaction."""
ROWS_AT_ONCE = 5_000
"""Rows removed in a transaction: others wait a few hundredths of a second."""
STAYS = ("who", PROFILE, INVALID, "sandbox")
"""Options of a forgotten run that stay: its user, and what lists of runs show of it."""
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


class Forgetting:
    """Removal of old runs from a ledger. Every method is some short transactions."""

    def __init__(self, engine: Engine, remembered: Collection[str]) -> None:
        self._engine, self._remembered = engine, sorted(remembered)

    def accounts(self, runs: Sequence[int]) -> list[tuple[str, str]]:
        """The services and sellers of some runs, as spelt in the runs."""
        query = select(t.runs.c.service, t.runs.c.seller).distinct()
        return sorted({tuple(row) for row in of_runs(self._engine, query, runs)})

    def begin(self, runs: Sequence[int], now: datetime) -> list[int]:
        """Mark runs as forgotten; return the marked ones: others may be in use again by now."""
        begun: list[int] = []
        for some in parts_of(runs, RUNS_AT_ONCE):
            with writing(self._engine) as db:
                lock_runs(db, some)
                query = select(t.runs.c.run_id, t.runs.c.options).join(counts)
                free = db.execute(query.where(t.runs.c.run_id.in_(some), _IS_FREE)).all()
                marked = {FORGOTTEN: now.isoformat()}
                noted = {
                    run: {**marked, **(read_options(kept) or {}), LEAVING: True}
                    for run, kept in free
                }
                _write_options(db, noted)
                begun += noted
        return begun

    def remove(self, runs: Sequence[int], limit: int) -> int:
        """Remove at most `limit` rows of marked runs; return their number, 0 at the end."""
        removed = 0
        with writing(self._engine) as db:
            for table, which in removals(runs, self._remembered):
                if removed < limit:
                    removed += _remove(db, table, which, limit - removed)
        return removed

    def snapshots(self, runs: Sequence[int]) -> set[str]:
        """The snapshots that only these runs may need: no other runs and no waiting files."""
        digests = {
            digest
            for (options,) in of_runs(self._engine, select(t.runs.c.options), runs)
            for digest in DIGEST.findall(options)
        }
        with reading(self._engine) as db:
            digests.difference_update(db.scalars(_WAITING))
        if digests:
            for options in self._others({*runs}):
                digests.difference_update(DIGEST.findall(options))
        return digests

    def end(self, runs: Sequence[int], *, keep_counts: bool) -> None:
        """Remove the options of runs whose rows and snapshots are gone."""
        for some in parts_of(runs, RUNS_AT_ONCE):
            with writing(self._engine) as db:
                query = select(t.runs.c.run_id, t.runs.c.options).where(t.runs.c.run_id.in_(some))
                noted: dict[int, dict[str, Any]] = {}
                for run, kept in db.execute(query):
                    options = read_options(kept) or {}
                    names = (name for name in (FORGOTTEN, *STAYS) if name in options)
                    noted[run] = {name: options[name] for name in names}
                _write_options(db, noted)
                if not keep_counts:
                    db.execute(delete(counts).where(counts.c.run_id.in_(some)))

    def remove_others(self, before: datetime, *, keep_counts: bool) -> None:
        """Remove old claims and parcels without a run, and the counts of forgotten runs."""
        is_gone = and_(t.runs.c.started_at < before, IS_FORGOTTEN, ~IS_LEAVING)
        claim, parcel = t.claims.c, parcels.c
        others: list[tuple[Table, ColumnElement[bool]]] = [
            (t.claims, and_(claim.run_id.is_(None), ~IS_TAKEN, claim.taken_at < before)),
            (parcels, and_(parcel.run_id.is_(None), ~IS_UNDELIVERED, parcel.told_at < before)),
        ]
        if not keep_counts:
            others += [(counts, counts.c.run_id.in_(select(t.runs.c.run_id).where(is_gone)))]
        for table, which in others:
            removed = ROWS_AT_ONCE
            while removed == ROWS_AT_ONCE:
                with writing(self._engine) as db:
                    removed = _remove(db, table, which, ROWS_AT_ONCE)

    def _others(self, runs: Collection[int]) -> Iterator[str]:
        """The options of all other runs that are not forgotten."""
        columns, after = t.runs.c, 0
        query = (
            select(columns.run_id, columns.options)
            .where(~IS_FORGOTTEN)
            .order_by(columns.run_id)
            .limit(CHUNK)
        )
        while True:
            with reading(self._engine) as db:
                rows = db.execute(query.where(columns.run_id > after)).all()
            yield from (row.options for row in rows if row.run_id not in runs)
            if len(rows) < CHUNK:
                return
            after = rows[-1].run_id


def lock_runs(db: Connection, runs: Sequence[int]) -> list[int]:
    """Lock some runs, so that nobody else resumes or forgets them until the transaction ends.

    Returns those that are not forgotten.
    """
    columns = t.runs.c
    query = (
        select(columns.run_id, IS_FORGOTTEN)
        .where(columns.run_id.in_(runs))
        .order_by(columns.run_id)
    )
    return [run for run, is_gone in db.execute(query.with_for_update()) if not is_gone]


_OPEN_PACKAGES = (
    exists()
    .where(t.IS_OPEN, t.files.c.run_id == t.runs.c.run_id)
    .select_from(t.packages.join(t.files))
    .correlate(t.runs)
)
_IS_FREE = and_(
    or_(
        IS_LEAVING,
        and_(
            counts.c.is_finished == 1,
            counts.c.held == 0,
            ~_OPEN_PACKAGES,
            ~exists().where(sellers.c.run_id == t.runs.c.run_id),
            ~exists().where(IS_UNDELIVERED, parcels.c.run_id == t.runs.c.run_id),
            ~exists().where(IS_TAKEN, t.claims.c.run_id == t.runs.c.run_id),
        ),
    ),
)
"""True of runs that are still as old and finished as when they were selected."""


_WAITING = (
    select(parcels.c.sha256).where(IS_UNDELIVERED).union(select(t.claims.c.sha256).where(IS_TAKEN))
)


def removals(
    runs: Sequence[int], remembered: Sequence[str]
) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """The tables with rows of some runs and the condition of these rows, referring tables first."""
    files = select(t.files.c.file).where(t.files.c.run_id.in_(runs))
    packages = select(t.packages.c.package).where(t.packages.c.file.in_(files))
    gone = packages.where(t.packages.c.package_type.not_in(remembered))
    for table in (t.claims, parcels, t.earlier):
        yield table, table.c.run_id.in_(runs)
    for table in (t.withheld, t.held, t.request_rows):
        yield table, table.c.file.in_(files)
    for table in (t.attempts, t.uploads):
        yield table, table.c.package.in_(packages)
    for table in (t.results, t.requests, t.absorbed, t.packages):
        yield table, table.c.package.in_(gone)


def _remove(db: Connection, table: Table, which: ColumnElement[bool], limit: int) -> int:
    keys = [*table.primary_key]
    some = select(*keys).where(which).limit(limit)
    return db.execute(delete(table).where(tuple_(*keys).in_(some))).rowcount


def _write_options(db: Connection, options: Mapping[int, Mapping[str, Any]]) -> None:
    if options:
        rows = [{"run": run, "noted": json.dumps(noted)} for run, noted in options.items()]
        db.execute(_WRITE, rows)


_WRITE = (
    update(t.runs).where(t.runs.c.run_id == bindparam("run")).values(options=bindparam("noted"))
)
