"""The tables of the ledger, the same on SQLite and on PostgreSQL.

A change of them needs a step in `migrations`, which changes an older ledger accordingly.
Times are fixed-width ISO 8601 in UTC, so that they sort as text and can be read by people.
"""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeDecorator

from feedtool.model.nouns import plausible_time


def as_text(moment: datetime | None) -> str | None:
    """Format a time for storage. ValueError if it has no zone, and so could be any time."""
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC as text, to the microsecond."""

    impl = sa.String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: object) -> str | None:
        del dialect
        return as_text(value)

    def process_result_value(self, value: str | None, dialect: object) -> datetime | None:
        del dialect
        return None if value is None else datetime.fromisoformat(value)


class ServiceTime(UtcTime):
    """A time by the service's clock; None where it is not plausible.

    Ledgers of earlier versions hold what a Date header said, be it the year 9999.
    """

    cache_ok = True

    def process_result_value(self, value: str | None, dialect: object) -> datetime | None:
        time = super().process_result_value(value, dialect)
        return None if time is None else plausible_time(time)


metadata = sa.MetaData()
# SQLite numbers new rows only in a column of its type INTEGER.
Key = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def _texts(*names: str, **options: Any) -> list[sa.Column[Any]]:
    return [sa.Column(name, sa.Text, **{"nullable": False, **options}) for name in names]


def _numbers(*names: str, **options: Any) -> list[sa.Column[Any]]:
    more = {"nullable": False, "autoincrement": False, **options}
    return [sa.Column(name, sa.Integer, **more) for name in names]


def only(where: sa.TextClause) -> dict[str, Any]:
    """The options of a partial index, declared for SQLite.

    PostgreSQL's option would import its dialect on SQLite too: see `dialect`.
    """
    return {"sqlite_where": where}


# Conditions of partial indexes: a database uses one only for a query with exactly its text.
IS_OPEN, UNWRITTEN = sa.text("phase <> 'closed'"), sa.text("sha256 = ''")

schema_version = sa.Table(
    "schema_version", metadata, sa.Column("version", sa.Integer, nullable=False)
)

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("run_id", Key, primary_key=True),
    sa.Column("started_at", UtcTime, nullable=False),
    *_texts("seller", "service", "language", "options"),
    sa.Index("run_by_seller", "service", "seller"),
    sa.Index("run_by_service", "service", "run_id"),
)

files = sa.Table(
    "files",
    metadata,
    sa.Column("file", Key, primary_key=True),
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id), nullable=False, index=True),
    *_texts("path", "sha256", "kind"),
    sa.Column("sheet", sa.Text),
    sa.Column("size", sa.Integer),
)

outputs = sa.Table(
    "outputs",
    metadata,
    sa.Column("path", sa.Text, primary_key=True),
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id), nullable=False),
    sa.Column("sha256", sa.Text, nullable=False),
    sa.Column("written_at", UtcTime, nullable=False),
    sa.Index("output_unwritten", "run_id", **only(UNWRITTEN)),
)

packages = sa.Table(
    "packages",
    metadata,
    sa.Column("package", Key, primary_key=True),
    sa.Column("file", sa.ForeignKey(files.c.file), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    *_texts("channel", "package_type"),
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    *_texts("package_id", "state", "message_code", "message_text", nullable=True),
    sa.Column("created_at", ServiceTime),
    sa.Column("committed_at", UtcTime),
    sa.Column("finished_at", ServiceTime),
    *_numbers("creations", "readings", default=0),
    sa.Column("link", sa.Text),
    *_numbers("pages", "attempts", "tries", "failures", default=0),
    sa.Column("since", UtcTime),
    sa.Column("due", UtcTime),
    sa.Column("baseline", sa.Text),
    sa.Index("package_by_file", "file", "number", unique=True),
    sa.Index("package_open", "file", **only(IS_OPEN)),
)

uploads = sa.Table(
    "uploads",
    metadata,
    sa.Column("package", sa.ForeignKey(packages.c.package), primary_key=True),
    sa.Column("upload", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("stage", sa.Text, nullable=False),
    *_texts("message_code", "message_text", nullable=True),
    sqlite_with_rowid=False,
)

# Requests, by their first rows and their numbers among the requests of those rows.
requests = sa.Table(
    "requests",
    metadata,
    sa.Column("file", sa.ForeignKey(files.c.file), primary_key=True),
    *_numbers("row", "number", primary_key=True),
    sa.Column("package", sa.ForeignKey(packages.c.package), nullable=False),
    sa.Column("upload", sa.Integer, nullable=False),
    *_texts("reference", "product"),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("sends", sa.Integer, nullable=False, default=0, server_default="0"),
    *_texts("fate", "fate_text", nullable=True),
    sa.Index("request_by_upload", "package", "upload"),
    sa.Index("request_by_reference", "reference"),
    sqlite_with_rowid=False,
)

# The further rows of requests with several rows; most requests have one, and no entry here.
request_rows = sa.Table(
    "request_rows",
    metadata,
    sa.Column("file", Key, primary_key=True, autoincrement=False),
    *_numbers("row", "first_row", "number", primary_key=True),
    sa.ForeignKeyConstraint(
        ["file", "first_row", "number"], [requests.c.file, requests.c.row, requests.c.number]
    ),
    sqlite_with_rowid=False,
)

# One reference, and one product, in one open package of a channel: the primary key is the
# constraint, and a closed package removes its rows. Without an index by package, since reading all
# rows in flight takes a quarter of the time of maintaining one.
key_locks = sa.Table(
    "flights",
    metadata,
    *_texts("scope", "key", primary_key=True),
    sa.Column("package", sa.ForeignKey(packages.c.package), nullable=False),
    sqlite_with_rowid=False,
)

attempts = sa.Table(
    "attempts",
    metadata,
    sa.Column("package", sa.ForeignKey(packages.c.package), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("upload", sa.Integer),
    sa.Column("intended_at", UtcTime, nullable=False),
    sa.Column("answered_at", UtcTime),
    sa.Column("outcome", sa.Text),
    sa.Column("status", sa.Integer),
    *_texts("trace_id", "detail", "package_id", nullable=True),
    sqlite_with_rowid=False,
)

results = sa.Table(
    "results",
    metadata,
    sa.Column("package", sa.ForeignKey(packages.c.package), primary_key=True),
    sa.Column("reference", sa.Text, primary_key=True),
    *_texts("status", "messages"),
    sqlite_with_rowid=False,
)

# A file that a watcher has taken: one row for each content that a seller was sent as one kind.
claims = sa.Table(
    "claims",
    metadata,
    sa.Column("claim", Key, primary_key=True),
    *_texts("folder", "lane", "scope", "sha256", "source", "name", "state"),
    sa.Column("taken_at", UtcTime, nullable=False),
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id)),
    sa.Column("target", sa.Text),
    sa.Index("claim_by_content", "scope", "sha256", unique=True),
    sa.Index("claim_by_name", "folder", "lane", "name", unique=True),
)

# Requests that were valid and not sent, and skipped rows: the result of each, by row and channel.
withheld = sa.Table(
    "withheld",
    metadata,
    sa.Column("file", sa.ForeignKey(files.c.file), primary_key=True),
    sa.Column("row", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("channel", sa.Text, primary_key=True),
    *_texts("reference", "status", "messages"),
    sqlite_with_rowid=False,
)

# The numbers of these that guards hold, by the guard's code; deleted once all were sent later.
held = sa.Table(
    "held",
    metadata,
    sa.Column("file", sa.ForeignKey(files.c.file), primary_key=True),
    sa.Column("code", sa.Text, primary_key=True),
    sa.Column("rows", sa.Integer, nullable=False),
    sa.Column("dropped_at", UtcTime),
    sqlite_with_rowid=False,
)

# The values that the service last accepted, as far as they follow from closed packages.
accepted = sa.Table(
    "accepted",
    metadata,
    *_texts("scope", "reference", primary_key=True),
    sa.Column("terms", sa.Text),
    sa.Column("is_sure", sa.Integer, nullable=False),
    sa.Column("product", sa.Text, nullable=False),
    sa.Column("run_id", sa.BigInteger, nullable=False),
    sa.Column("last_price", sa.Text),
    sqlite_with_rowid=False,
)

# The accepted values before a run changed them: `feedtool undo` restores them.
earlier = sa.Table(
    "earlier",
    metadata,
    sa.Column("run_id", sa.ForeignKey(runs.c.run_id), primary_key=True, autoincrement=False),
    *_texts("scope", "reference", primary_key=True),
    sa.Column("terms", sa.Text),
    sa.Column("quantity", sa.BigInteger),
    sqlite_with_rowid=False,
)

stocks = sa.Table(
    "stocks",
    metadata,
    *_texts("scope", "product", primary_key=True),
    sa.Column("quantity", sa.BigInteger),
    sa.Column("begun", UtcTime, nullable=False),
    sa.Column("until", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)

absorbed = sa.Table(
    "absorbed",
    metadata,
    sa.Column("package", sa.ForeignKey(packages.c.package), primary_key=True, autoincrement=False),
)

# Exports of new things. A cursor is one reader of one kind of export; its position moves when a
# batch, the file of an export, is settled. Before that its file may exist or not.
cursors = sa.Table(
    "cursors",
    metadata,
    sa.Column("cursor", Key, primary_key=True),
    *_texts("service", "seller", "kind", "name", "filters"),
    sa.Column("since", UtcTime, nullable=False),
    sa.Column("position", UtcTime),
    sa.Column("reconciled_at", UtcTime, nullable=False),
    sa.Index("cursor_by_name", "service", "seller", "kind", "name", unique=True),
)

batches = sa.Table(
    "batches",
    metadata,
    sa.Column("batch", Key, primary_key=True),
    sa.Column("cursor", sa.ForeignKey(cursors.c.cursor), nullable=False, index=True),
    *_texts("target", "sha256"),
    *(sa.Column(name, UtcTime, nullable=False) for name in ("since", "intended_at")),
    *(sa.Column(name, UtcTime) for name in ("position", "reconciled_at")),
    sa.Column("is_placed", sa.Integer),
)

seen = sa.Table(
    "seen",
    metadata,
    sa.Column("cursor", sa.ForeignKey(cursors.c.cursor), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("batch", sa.ForeignKey(batches.c.batch), primary_key=True),
    *_texts("version"),
    sa.Index("seen_by_batch", "batch"),
    sqlite_with_rowid=False,
)

# Entries of journals for accountants, by their numbers.
entries = sa.Table(
    "entries",
    metadata,
    *_texts("service", "seller", "journal", primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    *_texts("key", "period", "text"),
    sa.Column("reverses", sa.Integer),
    sa.Index("entry_by_key", "service", "seller", "journal", "key"),
    sa.Index("entry_by_period", "service", "seller", "journal", "period", "number"),
    sqlite_with_rowid=False,
)

package_runs = packages.join(files).join(runs)
"""Packages with their files and runs."""


def is_of(service: str, seller: str) -> sa.ColumnElement[bool]:
    """True of the runs of a seller of a service."""
    return sa.and_(runs.c.service == service, runs.c.seller == seller)


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
