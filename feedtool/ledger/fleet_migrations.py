"""The steps of `migrations` from version 13 on: what is handed out to workers."""

import sqlalchemy as sa

from feedtool.ledger.table_changes import creation, integer_key, number, texts

# 13 to 14: parcels, sellers, counts of runs, budgets.


def fleet(connection: sa.Connection) -> None:
    """Files that wait for a worker, and what is known of their sellers."""
    create = creation(connection)
    waits = sa.text("state <> 'answered'")
    create(
        "parcels",
        sa.Column("parcel", integer_key(), primary_key=True),
        *texts("service", "seller", "profile", "kind", "name", "sha256", "origin", "state"),
        sa.Column("size", sa.BigInteger, nullable=False),
        number("priority", is_key=False),
        sa.Column("arrived_at", sa.String(32), nullable=False),
        sa.Column("not_before", sa.String(32)),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text),
        sa.Column("answered_at", sa.String(32)),
        sa.Column("told_at", sa.String(32)),
        sa.Index(
            "parcel_by_content",
            *("service", "seller", "profile", "kind", "sha256"),
            unique=True,
            sqlite_where=waits,
            postgresql_where=waits,
        ),
        sa.Index("parcel_by_seller", "service", "seller", "state"),
        sa.Index("parcel_by_state", "state", "told_at"),
        has_rowid=True,
    )
    create(
        "sellers",
        sa.Column("service", sa.Text, primary_key=True),
        sa.Column("seller", sa.Text, primary_key=True),
        *texts("profile"),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("passed_at", sa.String(32)),
        number("failures", is_key=False),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text),
        sa.Column("not_before", sa.String(32)),
        sa.Column("pace", sa.Text),
    )
    create(
        "counts",
        sa.Column(
            "run_id",
            integer_key(),
            sa.ForeignKey("runs.run_id"),
            primary_key=True,
            autoincrement=False,
        ),
        *texts("service", "seller", "statuses"),
        sa.Column("counted_at", sa.String(32), nullable=False),
        *(number(name, is_key=False) for name in ("rows", "refused", "held", "is_finished")),
        sa.Index("counts_by_seller", "service", "seller", "run_id"),
    )
    create(
        "budgets",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )
