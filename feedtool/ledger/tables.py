"""How the ledger is kept. Portable: the same tables on SQLite and on PostgreSQL.

Times are fixed-width ISO 8601 in UTC, so that they sort as text and can be read by people.
"""

from datetime import UTC, datetime

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

VERSION = 9
"""Of these tables; `migrations` brings an older ledger up to it."""


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

schema_version = Table("schema_version", metadata, Column("version", Integer, nullable=False))

runs = Table(
    "runs",
    metadata,
    Column("run_id", Key, primary_key=True),
    Column("started_at", UtcTime, nullable=False),
    Column("seller", Text, nullable=False),
    Column("service", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("options", Text, nullable=False),
)

files = Table(
    "files",
    metadata,
    Column("file", Key, primary_key=True),
    Column("run_id", ForeignKey(runs.c.run_id), nullable=False, index=True),
    Column("path", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("kind", Text, nullable=False),
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
    Column("channel", Text, nullable=False),
    Column("package_type", Text, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("phase", Text, nullable=False),
    Column("package_id", Text),
    Column("state", Text),
    Column("message_code", Text),
    Column("message_text", Text),
    Column("created_at", ServiceTime),
    Column("committed_at", UtcTime),
    Column("finished_at", ServiceTime),
    Column("creations", Integer, nullable=False, default=0),
    Column("readings", Integer, nullable=False, default=0),
    Column("link", Text),
    Column("pages", Integer, nullable=False, default=0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("tries", Integer, nullable=False, default=0),
    Column("failures", Integer, nullable=False, default=0),
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
    Column("message_code", Text),
    Column("message_text", Text),
    sqlite_with_rowid=False,
)

# What is sent, by its first row and its number among the requests of that row.
requests = Table(
    "requests",
    metadata,
    Column("file", ForeignKey(files.c.file), primary_key=True),
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("package", ForeignKey(packages.c.package), nullable=False),
    Column("upload", Integer, nullable=False),
    Column("reference", Text, nullable=False),
    Column("product", Text, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("sends", Integer, nullable=False, default=0, server_default="0"),
    Column("fate", Text),
    Column("fate_text", Text),
    Index("request_by_upload", "package", "upload"),
    Index("request_by_reference", "reference"),
    sqlite_with_rowid=False,
)

# The further rows of requests that have several; most have one, and nothing here.
request_rows = Table(
    "request_rows",
    metadata,
    Column("file", Key, primary_key=True, autoincrement=False),
    Column("row", Integer, primary_key=True, autoincrement=False),
    Column("first_row", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
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
    Column("scope", Text, primary_key=True),
    Column("key", Text, primary_key=True),
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
    Column("trace_id", Text),
    Column("detail", Text),
    Column("package_id", Text),
    sqlite_with_rowid=False,
)

results = Table(
    "results",
    metadata,
    Column("package", ForeignKey(packages.c.package), primary_key=True),
    Column("reference", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("messages", Text, nullable=False),
    sqlite_with_rowid=False,
)

# A file that a watcher has taken: one row for each content that a seller was sent as one kind.
claims = Table(
    "claims",
    metadata,
    Column("claim", Key, primary_key=True),
    Column("folder", Text, nullable=False),
    Column("lane", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
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
    Column("reference", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("messages", Text, nullable=False),
    sqlite_with_rowid=False,
)

# What the service has last accepted, as far as it was projected from closed packages.
accepted = Table(
    "accepted",
    metadata,
    Column("scope", Text, primary_key=True),
    Column("reference", Text, primary_key=True),
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
    Column("scope", Text, primary_key=True),
    Column("product", Text, primary_key=True),
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
