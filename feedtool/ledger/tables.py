"""How the ledger is kept. Portable: the same tables on SQLite and on PostgreSQL.

Whoever changes them adds a step to `migrations`, which bring an older ledger up to them.
Times are fixed-width ISO 8601 in UTC, so that they sort as text and can be read by people.
"""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    and_,
)
from sqlalchemy.types import TypeDecorator

from feedtool.model.nouns import plausible_time


def as_text(moment: datetime | None) -> str | None:
    """A time as it is kept. ValueError for one without a zone, which could be any time."""
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC as text, to the microsecond."""

    impl = String(32)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: object) -> str | None:
        """The text of it; ValueError for a time without a zone."""
        del dialect
        return as_text(value)

    def process_result_value(self, value: str | None, dialect: object) -> datetime | None:
        """The time as it was written."""
        del dialect
        return None if value is None else datetime.fromisoformat(value)


class ServiceTime(UtcTime):
    """A time by the service's clock; None where it is not plausible.

    Ledgers of earlier versions hold what a Date header said, be it the year 9999.
    """

    cache_ok = True

    def process_result_value(self, value: str | None, dialect: object) -> datetime | None:
        """The time as it was written, or None."""
        time = super().process_result_value(value, dialect)
        return None if time is None else plausible_time(time)


metadata = MetaData()
# SQLite counts up only what it calls INTEGER.
Key = BigInteger().with_variant(Integer, "sqlite")


def _texts(*names: str, **options: Any) -> list[Column[Any]]:
    return [Column(name, Text, **{"nullable": False, **options}) for name in names]


def _numbers(*names: str, **options: Any) -> list[Column[Any]]:
    more = {"nullable": False, "autoincrement": False, **options}
    return [Column(name, Integer, **more) for name in names]


schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("run_id", Key, primary_key=True),
    Column("started_at", UtcTime, nullable=False),
    *_texts("seller", "service", "language", "options"),
)

files = Table(
    "files",
    metadata,
    Column("file", Key, primary_key=True),
    Column("run_id", ForeignKey(runs.c.run_id), nullable=False, index=True),
    *_texts("path", "sha256", "kind"),
    Column("sheet", Text),
    Column("size", Integer),
)

outputs = Table(
    "outputs",
    metadata,
    Column("path", Text, primary_key=True),
    Column("run_id", ForeignKey(runs.c.run_id), nullable=False),
    Column("sha256", Text, nullable=False),
    Column("written_at", UtcTime, nullable=False),
)

packages = Table(
    "packages",
    metadata,
    Column("package", Key, primary_key=True),
    Column("file", ForeignKey(files.c.file), nullable=False),
    Column("number", Integer, nullable=False),
    *_texts("channel", "package_type"),
    Column("rows", Integer, nullable=False),
    Column("phase", Text, nullable=False),
    *_texts("package_id", "state", "message_code", "message_text", nullable=True),
    Column("created_at", ServiceTime),
    Column("committed_at", UtcTime),
    Column("finished_at", ServiceTime),
    *_numbers("creations", "readings", default=0),
    Column("link", Text),
    *_numbers("pages", "attempts", "tries", "failures", default=0),
    Column("since", UtcTime),
    Column("due", UtcTime),
    Column("baseline", Text),
    Index("package_by_file", "file", "number", unique=True),
)

uploads = Table(
    "uploads",
    metadata,
    Column("package", ForeignKey(packages.c.package), primary_key=True),
    Column("upload", Integer, primary_key=True, autoincrement=False),
    Column("stage", Text, nullable=False),
    *_texts("message_code", "message_text", nullable=True),
    sqlite_with_rowid=False,
)

# What is sent, by its first row and its number among the requests of that row.
requests = Table(
    "requests",
    metadata,
    Column("file", ForeignKey(files.c.file), primary_key=True),
    *_numbers("row", "number", primary_key=True),
    Column("package", ForeignKey(packages.c.package), nullable=False),
    Column("upload", Integer, nullable=False),
    *_texts("reference", "product"),
    Column("body", LargeBinary, nullable=False),
    Column("sends", Integer, nullable=False, default=0, server_default="0"),
    *_texts("fate", "fate_text", nullable=True),
    Index("request_by_upload", "package", "upload"),
    Index("request_by_reference", "reference"),
    sqlite_with_rowid=False,
)

# The further rows of requests that have several; most have one, and nothing here.
request_rows = Table(
    "request_rows",
    metadata,
    Column("file", Key, primary_key=True, autoincrement=False),
    *_numbers("row", "first_row", "number", primary_key=True),
    ForeignKeyConstraint(
        ["file", "first_row", "number"], [requests.c.file, requests.c.row, requests.c.number]
    ),
    sqlite_with_rowid=False,
)

# One reference, and one product, in one open package of a channel: the primary key is the
# constraint, and a package that is closed takes its rows out. Without an index by package, since
# going through all that is in flight takes a quarter of the time of keeping one.
key_locks = Table(
    "flights",
    metadata,
    *_texts("scope", "key", primary_key=True),
    Column("package", ForeignKey(packages.c.package), nullable=False),
    sqlite_with_rowid=False,
)

attempts = Table(
    "attempts",
    metadata,
    Column("package", ForeignKey(packages.c.package), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("step", Text, nullable=False),
    Column("upload", Integer),
    Column("intended_at", UtcTime, nullable=False),
    Column("answered_at", UtcTime),
    Column("outcome", Text),
    Column("status", Integer),
    *_texts("trace_id", "detail", "package_id", nullable=True),
    sqlite_with_rowid=False,
)

results = Table(
    "results",
    metadata,
    Column("package", ForeignKey(packages.c.package), primary_key=True),
    Column("reference", Text, primary_key=True),
    *_texts("status", "messages"),
    sqlite_with_rowid=False,
)

# A file that a watcher has taken: one row for each content that a seller was sent as one kind.
claims = Table(
    "claims",
    metadata,
    Column("claim", Key, primary_key=True),
    *_texts("folder", "lane", "scope", "sha256", "source", "name", "state"),
    Column("taken_at", UtcTime, nullable=False),
    Column("run_id", ForeignKey(runs.c.run_id)),
    Column("target", Text),
    Index("claim_by_content", "scope", "sha256", unique=True),
    Index("claim_by_name", "folder", "lane", "name", unique=True),
)

# Requests that were valid and not sent, and skipped rows: the result of each, by row and channel.
withheld = Table(
    "withheld",
    metadata,
    Column("file", ForeignKey(files.c.file), primary_key=True),
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("channel", Text, primary_key=True),
    *_texts("reference", "status", "messages"),
    sqlite_with_rowid=False,
)

# What the service has last accepted, as far as it was projected from closed packages.
accepted = Table(
    "accepted",
    metadata,
    *_texts("scope", "reference", primary_key=True),
    Column("terms", Text),
    Column("is_sure", Integer, nullable=False),
    Column("product", Text, nullable=False),
    Column("run_id", BigInteger, nullable=False),
    Column("last_price", Text),
    sqlite_with_rowid=False,
)

stocks = Table(
    "stocks",
    metadata,
    *_texts("scope", "product", primary_key=True),
    Column("quantity", BigInteger),
    Column("begun", UtcTime, nullable=False),
    Column("until", UtcTime, nullable=False),
    sqlite_with_rowid=False,
)

absorbed = Table(
    "absorbed",
    metadata,
    Column("package", ForeignKey(packages.c.package), primary_key=True, autoincrement=False),
)

package_runs = packages.join(files).join(runs)
"""Packages with their files and runs."""


def is_of(service: str, seller: str) -> ColumnElement[bool]:
    """True of the runs of a seller of a service."""
    return and_(runs.c.service == service, runs.c.seller == seller)
