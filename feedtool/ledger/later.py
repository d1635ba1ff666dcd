"""Which references of a run a later run of the seller has sent again."""

from collections.abc import Collection

from sqlalchemy import Connection, func, select

from feedtool.ledger import clearing
from feedtool.ledger import tables as t
from feedtool.ledger.records import Run

CHUNK = 400
"""References that one query asks for."""


def sent_later(
    db: Connection, run: Run, channel: str, references: Collection[str]
) -> dict[str, int]:
    """By reference the last run that has sent it; see `Ledger.sent_later`."""
    result: dict[str, int] = {}
    wanted = list(references)
    for start in range(0, len(wanted), CHUNK):
        query = (
            select(t.rows.c.reference, func.max(t.runs.c.run_id))
            .select_from(t.rows)
            .join(t.packages, t.packages.c.package == t.rows.c.package)
            .join(t.files, t.files.c.file == t.rows.c.file)
            .join(t.runs, t.runs.c.run_id == t.files.c.run_id)
            .where(
                t.rows.c.reference.in_(wanted[start : start + CHUNK]),
                t.packages.c.channel == channel,
                t.runs.c.run_id > run.run_id,
                t.runs.c.seller == run.seller,
                t.runs.c.service == run.service,
                clearing.supersedes(t.packages, t.rows),
            )
            .group_by(t.rows.c.reference)
        )
        result.update((reference, run_id) for reference, run_id in db.execute(query))
    return result
