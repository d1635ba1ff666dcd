"""Runs that are old enough to be forgotten, and how all that hangs on them goes.

Of each seller the oldest runs go, up to the first that is not at its end, or that is still needed:
what a later run has sent is asked for as long as an earlier one has anything left. So far:

    begin     a run is marked as forgotten, if nothing has changed that; nobody uses it any more
    remove    its rows go, those first that name others, some in each transaction
    end       the rest of its options goes, by which its snapshots were found, and its count

Each may be the last before a crash: whoever comes next goes on with the runs that are marked. Of a
forgotten run its own line stays, with those of its files and of its copies: with them later files
and copies are compared. So do requests of the package types that are `remembered`.
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
from feedtool.ledger.fleet_tables import counts, parcels, sellers
from feedtool.ledger.parcels import ParcelState
from feedtool.ledger.records import FORGOTTEN, INVALID, LEAVING, PROFILE, SellerKey

RUNS_AT_ONCE = 100
"""Runs that are marked, or ended, in a transaction."""
ROWS_AT_ONCE = 5_000
"""Rows that are removed in a transaction: others wait a few hundredths of a second."""
CHUNK = 1_000
STAYS = ("who", PROFILE, INVALID, "sandbox")
"""Options of a forgotten run that stay: whose it was, and what its line in lists says."""
DIGEST = re.compile(r"\b[0-9a-f]{64}\b")


class Stay(StrEnum):
    """Why a run is not forgotten, although it is old enough."""

    OPEN = "open"  # not all of it is sent, answered and written
    HELD = "held"  # guards hold rows of it
    UNTOLD = "untold"  # the file that it came from, or its answers, are not where they belong
    LAST = "last"  # the seller's last one


class OldRuns(NamedTuple):
    """The runs of a seller that are forgotten together."""

    key: SellerKey
    profile: str
    """The account's name; empty where none is known."""
    runs: Sequence[int]
    """Their numbers, the lowest first."""
    rows: int
    """The requests that they have sent, or had to send."""
    first: datetime | None
    """When the first of them began; None where there is none."""
    last: datetime | None
    stays: tuple[int, Stay] | None
    """The first run that is old enough and yet stays, as all later ones do; and the reason."""


class Forgetting:
    """The removal of old runs from a ledger. Every method is some short transactions."""

    def __init__(self, engine: Engine, remembered: Collection[str]) -> None:
        self._engine, self._remembered = engine, sorted(remembered)

    def find(self, before: datetime, unfinished: Collection[int]) -> list[OldRuns]:
        """The runs that began before a time and may go, by seller, and why others may not.

        `unfinished` are runs of which something is to be done that the ledger does not tell.
        """
        with reading(self._engine) as db:
            reasons = dict.fromkeys(db.scalars(_LAST), Stay.LAST)
            reasons |= dict.fromkeys(db.scalars(_UNTOLD), Stay.UNTOLD)
            reasons |= dict.fromkeys(unfinished, Stay.OPEN)
            profiles = {tuple(key): name for *key, name in db.execute(_PROFILES)}
            runs: Sequence[Any] = db.execute(_OLD, {"before": before}).all()
        found = []
        for key, of_seller in groupby(runs, key=lambda run: (run.service, run.seller)):
            gone, stays = _split(of_seller, reasons)
            if gone or stays:
                times = [run.started_at for run in gone]
                numbers = [run.run_id for run in gone]
                found.append(
                    OldRuns(
                        key,
                        profiles.get(key, ""),
                        numbers,
                        self._rows(numbers),
                        min(times, default=None),
                        max(times, default=None),
                        stays,
                    )
                )
        return found

    def accounts(self, runs: Sequence[int]) -> list[tuple[str, str]]:
        """The services and sellers of some runs, as these name them."""
        query = select(t.runs.c.service, t.runs.c.seller).distinct()
        return sorted({tuple(row) for row in self._of(query, runs)})

    def begin(self, runs: Sequence[int], now: datetime) -> list[int]:
        """Mark runs as forgotten; those that are, since one may go on again at any moment."""
        begun: list[int] = []
        for some in _some(runs, RUNS_AT_ONCE):
            with writing(self._engine) as db:
                lock_runs(db, some)
                query = select(t.runs.c.run_id, t.runs.c.options).join(counts)
                free = db.execute(query.where(t.runs.c.run_id.in_(some), _IS_FREE)).all()
                marked = [(row, _options(row.options)) for row in free]
                _write_options(
                    db,
                    {
                        row.run_id: {FORGOTTEN: now.isoformat(), **options, LEAVING: True}
                        for row, options in marked
                    },
                )
                begun += [row.run_id for row in free]
        return begun

    def remove(self, runs: Sequence[int], limit: int) -> int:
        """Remove so many rows of some runs that are marked; how many that were: 0 at the end."""
        removed = 0
        with writing(self._engine) as db:
            for table, which in removals(runs, self._remembered):
                if removed < limit:
                    removed += _remove(db, table, which, limit - removed)
        return removed

    def snapshots(self, runs: Sequence[int]) -> set[str]:
        """The snapshots that some runs, and no others, nor files that wait, may need."""
        own = {
            digest
            for (options,) in self._of(select(t.runs.c.options), runs)
            for digest in DIGEST.findall(options)
        }
        with reading(self._engine) as db:
            own.difference_update(db.scalars(_WAITING))
        if own:
            for options in self._others({*runs}):
                own.difference_update(DIGEST.findall(options))
        return own

    def end(self, runs: Sequence[int], *, keep_counts: bool) -> None:
        """Nothing is left of some runs that is to go, nor of their snapshots."""
        for some in _some(runs, RUNS_AT_ONCE):
            with writing(self._engine) as db:
                query = select(t.runs.c.run_id, t.runs.c.options).where(t.runs.c.run_id.in_(some))
                kept = {run: _options(options) for run, options in db.execute(query)}
                names = (FORGOTTEN, *STAYS)
                _write_options(
                    db,
                    {
                        run: {name: options[name] for name in names if name in options}
                        for run, options in kept.items()
                    },
                )
                if not keep_counts:
                    db.execute(delete(counts).where(counts.c.run_id.in_(some)))

    def remove_others(self, before: datetime, *, keep_counts: bool) -> None:
        """Remove what is as old and has no run, or none that is not forgotten."""
        is_gone = and_(t.runs.c.started_at < before, IS_FORGOTTEN, ~_IS_LEAVING)
        claim, parcel = t.claims.c, parcels.c
        others: list[tuple[Table, ColumnElement[bool]]] = [
            (t.claims, and_(claim.run_id.is_(None), ~_IS_TAKEN, claim.taken_at < before)),
            (parcels, and_(parcel.run_id.is_(None), ~_IS_UNTOLD, parcel.told_at < before)),
        ]
        if not keep_counts:
            others += [(counts, counts.c.run_id.in_(select(t.runs.c.run_id).where(is_gone)))]
        for table, which in others:
            removed = ROWS_AT_ONCE
            while removed == ROWS_AT_ONCE:
                with writing(self._engine) as db:
                    removed = _remove(db, table, which, ROWS_AT_ONCE)

    def _rows(self, runs: Sequence[int]) -> int:
        query = select(func.coalesce(func.sum(t.packages.c.rows), 0)).select_from(
            t.runs.join(t.files).join(t.packages)
        )
        return sum(int(rows) for (rows,) in self._of(query, runs))

    def _of(self, query: Select[Any], runs: Sequence[int]) -> Iterator[Row[Any]]:
        """What a query finds of some runs."""
        for some in _some(runs, CHUNK):
            with reading(self._engine) as db:
                yield from db.execute(query.where(t.runs.c.run_id.in_(some))).all()

    def _others(self, runs: Collection[int]) -> Iterator[str]:
        """The options of all other runs that are not forgotten."""
        of, after = t.runs.c, 0
        query = select(of.run_id, of.options).where(~IS_FORGOTTEN).order_by(of.run_id).limit(CHUNK)
        while True:
            with reading(self._engine) as db:
                rows = db.execute(query.where(of.run_id > after)).all()
            yield from (row.options for row in rows if row.run_id not in runs)
            if len(rows) < CHUNK:
                return
            after = rows[-1].run_id


def _some(runs: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    return (runs[begin : begin + count] for begin in range(0, len(runs), count))


def lock_runs(db: Connection, runs: Sequence[int]) -> list[int]:
    """Let nobody else take up, or forget, some runs until the transaction ends.

    Returns those that are not forgotten.
    """
    of = t.runs.c
    query = select(of.run_id, IS_FORGOTTEN).where(of.run_id.in_(runs)).order_by(of.run_id)
    return [run for run, is_gone in db.execute(query.with_for_update()) if not is_gone]


def _noted(name: str) -> ColumnElement[bool]:
    """True of runs that have an option of a name; no text among options has such marks."""
    return t.runs.c.options.contains(f'"{name}": ', autoescape=True)


IS_FORGOTTEN, _IS_LEAVING = _noted(FORGOTTEN), _noted(LEAVING)

_LAST = select(sellers.c.run_id).union(
    select(func.max(counts.c.run_id)).group_by(counts.c.service, counts.c.seller)
)
_IS_UNTOLD = or_(parcels.c.state != str(ParcelState.ANSWERED), parcels.c.told_at.is_(None))
_IS_TAKEN = t.claims.c.state != str(ClaimState.ENDED)
_UNTOLD = (
    select(parcels.c.run_id)
    .where(_IS_UNTOLD, parcels.c.run_id.is_not(None))
    .union(select(t.claims.c.run_id).where(_IS_TAKEN, t.claims.c.run_id.is_not(None)))
)
_WAITING = (
    select(parcels.c.sha256).where(_IS_UNTOLD).union(select(t.claims.c.sha256).where(_IS_TAKEN))
)
_PROFILES = select(sellers.c.service, sellers.c.seller, sellers.c.profile)
_OLD = (
    select(
        *(counts.c[name] for name in ("run_id", "service", "seller", "held", "is_finished")),
        t.runs.c.started_at,
        IS_FORGOTTEN.label("is_forgotten"),
        _IS_LEAVING.label("is_leaving"),
    )
    .join(t.runs, t.runs.c.run_id == counts.c.run_id)
    .where(t.runs.c.started_at < bindparam("before", type_=t.UtcTime))
    .order_by(counts.c.service, counts.c.seller, counts.c.run_id)
)
_OPEN_PACKAGES = (
    exists()
    .where(t.IS_OPEN, t.files.c.run_id == t.runs.c.run_id)
    .select_from(t.packages.join(t.files))
    .correlate(t.runs)
)
_IS_FREE = and_(
    or_(
        _IS_LEAVING,
        and_(
            counts.c.is_finished == 1,
            counts.c.held == 0,
            ~_OPEN_PACKAGES,
            ~exists().where(sellers.c.run_id == t.runs.c.run_id),
            ~exists().where(_IS_UNTOLD, parcels.c.run_id == t.runs.c.run_id),
            ~exists().where(_IS_TAKEN, t.claims.c.run_id == t.runs.c.run_id),
        ),
    ),
)
"""True of runs that nothing has changed since they were found."""


def _split(
    runs: Iterable[Row[Any]], reasons: Mapping[int, Stay]
) -> tuple[list[Row[Any]], tuple[int, Stay] | None]:
    """The first runs of a seller, which may go, and the first that stays."""
    gone: list[Row[Any]] = []
    stays: tuple[int, Stay] | None = None
    for run in runs:
        if run.is_leaving:  # somebody has begun with it
            gone.append(run)
        elif not run.is_forgotten and stays is None:
            reason = reasons.get(run.run_id)
            if run.held:
                reason = Stay.HELD
            if not run.is_finished:
                reason = Stay.OPEN
            if reason:
                stays = (run.run_id, reason)
            else:
                gone.append(run)
    return gone, None if stays and stays[1] is Stay.LAST else stays


def removals(
    runs: Sequence[int], remembered: Sequence[str]
) -> Iterator[tuple[Table, ColumnElement[bool]]]:
    """The tables in whose rows something of runs is, and which rows; who names others first."""
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


def _options(kept: str) -> dict[str, Any]:
    """Options as they are kept; none where that cannot be read."""
    try:
        options: dict[str, Any] = json.loads(kept)
    except ValueError:
        return {}
    return options


def _write_options(db: Connection, options: Mapping[int, Mapping[str, Any]]) -> None:
    if options:
        rows = [{"run": run, "noted": json.dumps(it)} for run, it in options.items()]
        db.execute(_WRITE, rows)


_WRITE = (
    update(t.runs).where(t.runs.c.run_id == bindparam("run")).values(options=bindparam("noted"))
)
