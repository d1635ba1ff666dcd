"""What later runs of the seller have sent of some references, and what was answered to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from feedtool.ledger import clearing
from feedtool.ledger import tables as t
from feedtool.ledger.row_results import row_result
from feedtool.ledger.rows import FACTS, facts_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from feedtool.ledger.records import Run
    from feedtool.model.nouns import Verdict

CHUNK = 400
"""References that one query asks for."""


class Sent(NamedTuple):
    """A row of a later run, and what became of it."""

    run_id: int
    path: str
    """Its file, as it was named."""
    package_type: str
    verdict: Verdict


def sent_later(
    db: Connection, run: Run, channel: str, references: Collection[str], besides: Collection[int]
) -> dict[str, Sent]:
    """By reference the last row of it that a later run has sent; see `Ledger.sent_later`."""
    found: dict[str, Sent] = {}
    wanted = list(references)
    for start in range(0, len(wanted), CHUNK):
        query = (
            FACTS.add_columns(t.runs.c.run_id, t.files.c.path, t.packages.c.package_type)
            .join(t.files, t.files.c.file == t.rows.c.file)
            .join(t.runs, t.runs.c.run_id == t.files.c.run_id)
            .where(
                t.rows.c.reference.in_(wanted[start : start + CHUNK]),
                t.packages.c.channel == channel,
                t.runs.c.run_id > run.run_id,
                t.runs.c.run_id.not_in(besides),
                t.runs.c.seller == run.seller,
                t.runs.c.service == run.service,
                clearing.supersedes(t.packages, t.rows),
            )
            .order_by(None)
            .order_by(t.runs.c.run_id, t.rows.c.row)
        )
        for *facts, run_id, path, package_type in db.execute(query):
            one = row_result(facts_of(facts))
            found[one.reference] = Sent(run_id, path, package_type, one)
    return found
