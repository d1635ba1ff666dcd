"""Find runs that are old enough to be forgotten, and the reasons why others are not.

The oldest runs of a seller are forgotten, up to the first that is not finished or is still needed:
later requests are compared with those of earlier unfinished runs.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Engine, Row, Select, bindparam, func, or_, select

from feedtool.ledger import tables as t
from feedtool.ledger.claims import ClaimState
from feedtool.ledger.database import reading
from feedtool.ledger.fleet_tables import counts, parcels, sellers
from feedtool.ledger.parcels import ParcelState
from feedtool.ledger.records import FORGOTTEN, LEAVING, SellerKey

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
    sizes = _sizes(engine, [run.run_id for gone, _ in split.values() for run in gone])
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


def _sizes(engine: Engine, runs: Sequence[int]) -> dict[int, int]:
    """The number of requests, by run."""
    tables = t.runs.join(t.files).join(t.packages)
    query = select(t.runs.c.run_id, func.sum(t.packages.c.rows).label("sent"))
    query = query.select_from(tables).group_by(t.runs.c.run_id)
    return {row.run_id: int(row.sent) for row in of_runs(engine, query, runs)}


def of_runs(engine: Engine, query: Select[Any], runs: Sequence[int]) -> Iterator[Row[Any]]:
    """The rows of a query for some runs, however many these are."""
    for some in parts_of(runs, CHUNK):
        with reading(engine) as db:
            yield from db.execute(query.where(t.runs.c.run_id.in_(some))).all()


def parts_of(runs: Sequence[int], count: int) -> Iterator[Sequence[int]]:
    """Split runs into lists of at most `count`."""
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
