"""The tables of sellers whose files are handed out to workers; see `tables` for the others.

`service` and `seller` are those of `SellerKey`: the address in lower case, without a slash at its
end.
"""

from typing import Any

import sqlalchemy as sa

from feedtool.ledger.tables import Key, UtcTime, metadata, only, runs


def _texts(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _numbers(*names: str) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Integer, nullable=False) for name in names]


WAITS = sa.text("state <> 'answered'")
HELD, UNFINISHED = sa.text("held > 0"), sa.text("is_finished = 0")
UNCOUNTED = sa.text("statuses = ''")

# A file that has arrived: who is to send it, and when. Of what waits, one row for each content.
# `begun_at` is there from when a worker takes it in hand: from then on it is the worker's alone.
# `claim` is that of the watcher that has handed it over, and that brings its answers back.
parcels = sa.Table(
    "parcels",
    metadata,
    sa.Column("parcel", Key, primary_key=True),
    *_texts("service", "seller", "profile", "kind", "name", "sha256", "origin", "state"),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("priority", sa.Integer, nullable=False),
    sa.Column("arrived_at", UtcTime, nullable=False),
    sa.Column("not_before", UtcTime),
    sa.Column("begun_at", UtcTime),
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id)),
    sa.Column("exit_code", sa.Integer),
    sa.Column("message", sa.Text),
    sa.Column("answered_at", UtcTime),
    sa.Column("told_at", UtcTime),
    sa.Index(
        "parcel_by_content",
        *("service", "seller", "profile", "kind", "sha256"),
        unique=True,
        **only(WAITS),
    ),
    sa.Index("parcel_by_seller", "service", "seller", "state"),
    sa.Index("parcel_by_state", "state", "told_at"),
)

# How a seller's files come on, as the last pass over them has left it. `answers` has how many rows
# were ever answered so, by status, and `passes` how many passes there were: neither ever falls.
sellers = sa.Table(
    "sellers",
    metadata,
    sa.Column("service", sa.Text, primary_key=True),
    sa.Column("seller", sa.Text, primary_key=True),
    *_texts("profile"),
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id)),
    sa.Column("passed_at", UtcTime),
    *_numbers("passes", "failures"),
    sa.Column("exit_code", sa.Integer),
    sa.Column("message", sa.Text),
    sa.Column("not_before", UtcTime),
    sa.Column("pace", sa.Text),
    *_texts("answers"),
    sqlite_with_rowid=False,
)

# How many rows of a run have which result, noted whenever that changes. Not counted yet are the
# rows of a run without `statuses`: it is being written down, or is older than this table.
counts = sa.Table(
    "counts",
    metadata,
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id), primary_key=True, autoincrement=False),
    *_texts("service", "seller", "statuses"),
    sa.Column("counted_at", UtcTime, nullable=False),
    *_numbers("answered", "refused", "held", "is_finished"),
    sa.Index("counts_by_seller", "service", "seller", "run_id"),
    sa.Index("counts_by_time", "service", "seller", "counted_at", "answered", "refused"),
    sa.Index("counts_held", "service", "seller", "held", **only(HELD)),
    sa.Index("counts_unfinished", "service", "seller", "run_id", **only(UNFINISHED)),
    sa.Index("counts_uncounted", "run_id", **only(UNCOUNTED)),
    sqlite_with_rowid=False,
)

# What several sellers may ask of one service together: when the last call that was allowed is paid
# for, in seconds of the database's own clock.
budgets = sa.Table(
    "budgets",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("until", sa.Float, nullable=False),
    sqlite_with_rowid=False,
)
