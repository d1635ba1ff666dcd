"""How many rows of a run have come to what, and how the service's clock goes: for the history."""

from collections import Counter
from datetime import timedelta

from sqlalchemy import Connection, bindparam, func, select

from feedtool.ledger import tables as t
from feedtool.ledger.row_results import row_result
from feedtool.ledger.rows import FACTS, facts_of
from feedtool.model.nouns import EARLIEST, LATEST, Status

A_SECOND = timedelta(seconds=1)
"""What a Date header can be off by."""

_OF_A_ROW = {"row", "reference", "fate_text", "messages", "upload_text"}
"""What does not decide on a status."""


def statuses(db: Connection, run_id: int) -> Counter[Status]:
    """How many rows of a run have each status; rows that are alike are looked at once."""
    deciding = [one for one in FACTS.selected_columns if one.name not in _OF_A_ROW]
    shown = [
        func.min(one).label(one.name) if one.name in _OF_A_ROW else one
        for one in FACTS.selected_columns
    ]
    query = (
        FACTS.with_only_columns(*shown, func.count())
        .join(t.files, t.files.c.file == t.rows.c.file)
        .where(t.files.c.run_id == run_id)
        .order_by(None)
        .group_by(*deciding)
    )
    found: Counter[Status] = Counter()
    for *facts, count in db.execute(query):
        found[row_result(facts_of(facts)).status] += count
    for status, count in db.execute(_WITHHELD, {"run_id": run_id}):
        found[Status(status)] += count
    return found


_WITHHELD = (
    select(t.withheld.c.status, func.count())
    .select_from(t.withheld.join(t.files))
    .where(t.files.c.run_id == bindparam("run_id"))
    .group_by(t.withheld.c.status)
)


def skew(db: Connection, service: str) -> timedelta:
    """What the service's clock was ahead of ours when it last created a package; 0 if unknown."""
    query = (
        select(t.packages.c.created_at, t.attempts.c.answered_at)
        .select_from(
            t.attempts.join(t.packages, t.packages.c.package == t.attempts.c.package)
            .join(t.files, t.files.c.file == t.packages.c.file)
            .join(t.runs, t.runs.c.run_id == t.files.c.run_id)
        )
        .where(
            t.runs.c.service == service,
            t.attempts.c.package_id == t.packages.c.package_id,
            t.attempts.c.answered_at.is_not(None),
            t.packages.c.created_at.between(EARLIEST, LATEST),
        )
        .order_by(t.attempts.c.answered_at.desc())
        .limit(1)
    )
    row = db.execute(query).one_or_none()
    if row is None:
        return timedelta(0)
    ahead = row.created_at - row.answered_at
    return ahead if abs(ahead) > A_SECOND else timedelta(0)
