"""Giving a run up: its packages are closed, and it is never gone on with. One transaction."""

import json
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, exists, func, or_, select, update

from feedtool.ledger import clearing
from feedtool.ledger import tables as t
from feedtool.ledger.records import REQUEUE, Phase
from feedtool.model.nouns import Status

ABANDONED = "abandoned"
"""When a run was given up, among its options: no table has to change for it."""


def abandon(
    db: Connection, run_id: int, now: datetime, ended: Mapping[int, tuple[Status, str]]
) -> dict[int, int]:
    """Write down that a run is given up.

    Args:
        db: The transaction.
        run_id: The run.
        now: The time, which is kept.
        ended: By the key of each of its open packages, what is told of the rows that have no
            result.

    Returns:
        By the same keys, how many rows these are.
    """
    options = json.loads(db.execute(select(t.runs.c.options).where(_is(run_id))).scalar_one())
    noted = json.dumps({**options, ABANDONED: now.isoformat()})
    db.execute(update(t.runs).where(_is(run_id)).values(options=noted))
    rows = {}
    for package, (status, text) in ended.items():
        has_result = exists().where(
            t.results.c.package == t.requests.c.package,
            t.results.c.reference == t.requests.c.reference,
        )
        is_open = or_(t.requests.c.fate.is_(None), t.requests.c.fate == REQUEUE)
        done = db.execute(
            update(t.requests)
            .where(t.requests.c.package == package, is_open, ~has_result)
            .values(fate=str(status), fate_text=text)
        )
        rows[package] = done.rowcount
        db.execute(
            update(t.packages)
            .where(t.packages.c.package == package)
            .values(
                phase=str(Phase.CLOSED),
                finished_at=func.coalesce(t.packages.c.finished_at, t.as_text(now)),
                due=None,
            )
        )
        clearing.release(db, package)
    return rows


def _is(run_id: int) -> ColumnElement[bool]:
    return t.runs.c.run_id == run_id
