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

# A file that has arrived: its seller, and when it is to be sent. A content waits in one row only.
# `begun_at` is the time when a worker took it: from then on only that worker changes it.
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

# A seller's state after the last pass over his files. `answers` counts all rows ever answered, by
# status, and `passes` all passes: neither ever falls.
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

# The number of a run's rows by result, noted whenever that changes. A run without `statuses` is
# not counted yet: it is being written down, or is older than this table.
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

# Calls that several sellers share: the time until which the allowed calls use up the budget, in
# seconds of the database's own clock.
budgets = sa.Table(
    "budgets",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("until", sa.Float, nullable=False),
    sqlite_with_rowid=False,
)
