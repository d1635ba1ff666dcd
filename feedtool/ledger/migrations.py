"""Migrate the tables of every earlier version to those of this one.

A step takes a ledger from one version to the next: the first in `STEPS` from version 1 to 2. It
neither begins nor ends a transaction: all steps that a ledger needs, and the note of its new
version, are one. A crash, a full disk or a failing step leaves the old ledger as it was.

To change the tables: change `tables` as if they had always been so, and append a step to `STEPS`,
which says in its own words what a column is. Once released, it is never changed. A test takes
ledgers of versions 1 and 8 through all steps and compares them with a new one.

A step uses what SQL both databases read alike. SQLite adds a column that is NOT NULL only with a
`server_default`, and one with a foreign key only without. It changes no column: make a new table,
copy, drop the old one, rename, after `PRAGMA defer_foreign_keys = ON`.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import TypeAlias

import sqlalchemy as sa

from feedtool.ledger.fleet_migrations import fleet, run_lists
from feedtool.ledger.table_changes import add_column, creation, execute, integer_key, number, texts

Step: TypeAlias = Callable[[sa.Connection], None]


def migrate(connection: sa.Connection, version: int, steps: Sequence[Step]) -> None:
    """Run the steps that a ledger of an older version lacks, in their order."""
    for step in steps[version - FIRST :]:
        step(connection)


# 1 to 2: rows that are sent again, references in flight, outputs.


def _send_again(connection: sa.Connection) -> None:
    add_column(connection, "rows", number("sends", is_key=False, server_default="0"))
    add_column(connection, "rows", sa.Column("fate", sa.Text))
    add_column(connection, "rows", sa.Column("fate_text", sa.Text))
    add_column(connection, "attempts", sa.Column("package_id", sa.Text))
    execute(connection, "CREATE INDEX row_by_reference ON rows (reference)")
    create = creation(connection)
    create(
        "outputs",
        sa.Column("path", sa.Text, primary_key=True),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id"), nullable=False),
        *texts("sha256"),
        sa.Column("written_at", sa.String(32), nullable=False),
        has_rowid=True,
    )
    create(
        "flights",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column(
            "package", integer_key(), sa.ForeignKey("packages.package"), nullable=False, index=True
        ),
    )
    _take_off(connection)


def _take_off(connection: sa.Connection) -> None:
    """Put rows of open packages in flight; a row of two packages in the older one."""
    packages = connection.execute(
        sa.text(
            "SELECT p.package, p.channel, r.service, r.seller"
            " FROM packages p JOIN files f ON f.file = p.file JOIN runs r ON r.run_id = f.run_id"
            " WHERE p.phase NOT IN ('planned', 'closed') ORDER BY p.package"
        )
    )
    flying = sa.text(
        "INSERT INTO flights (scope, key, package)"
        " SELECT CAST(:scope AS TEXT), k.key, CAST(:package AS BIGINT) FROM ("
        " SELECT 'r' || reference AS key FROM rows WHERE package = :package"
        " UNION SELECT 'p' || product FROM rows WHERE package = :package AND product <> ''"
        ") k WHERE NOT EXISTS ("
        " SELECT 1 FROM flights f WHERE f.scope = :scope AND f.key = k.key)"
    )
    for package in packages.all():
        account = f"{package.service}\n{package.seller}\n{package.channel}"
        scope = sha256(account.encode()).hexdigest()[:24]
        connection.execute(flying, {"scope": scope, "package": package.package})


# 2 to 3: batches of products; 3 to 4: legacy zips. The tables stay; but older tools must refuse a
# ledger with these phases, and with messages that name a field.


def _refused_by_older(_: sa.Connection) -> None:
    """Change nothing: the new version number makes older tools refuse the ledger."""


# 4 to 5: files that a watcher has taken.


def _claims(connection: sa.Connection) -> None:
    create = creation(connection)
    create(
        "claims",
        sa.Column("claim", integer_key(), primary_key=True),
        *texts("folder", "lane", "scope", "sha256", "source", "name", "state"),
        sa.Column("taken_at", sa.String(32), nullable=False),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("target", sa.Text),
        sa.Index("claim_by_content", "scope", "sha256", unique=True),
        sa.Index("claim_by_name", "folder", "lane", "name", unique=True),
        has_rowid=True,
    )


# 5 to 6: last accepted values, rows that were not sent, sizes of files.


def _accepted(connection: sa.Connection) -> None:
    add_column(connection, "files", sa.Column("size", sa.Integer))
    create = creation(connection)
    create(
        "withheld",
        sa.Column("file", integer_key(), sa.ForeignKey("files.file"), primary_key=True),
        number("row"),
        *texts("reference", "status", "messages"),
    )
    create(
        "accepted",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("reference", sa.Text, primary_key=True),
        sa.Column("terms", sa.Text),
        number("is_sure", is_key=False),
        *texts("product"),
        sa.Column("run_id", sa.BigInteger, nullable=False),
        sa.Column("last_price", sa.Text),
    )
    create(
        "stocks",
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("product", sa.Text, primary_key=True),
        sa.Column("quantity", sa.BigInteger),
        sa.Column("begun", sa.String(32), nullable=False),
        sa.Column("until", sa.String(32), nullable=False),
    )
    package = sa.ForeignKey("packages.package")
    key = sa.Column("package", integer_key(), package, primary_key=True, autoincrement=False)
    create("absorbed", key, has_rowid=True)


# 6 to 7: no index of rows in flight by package, since reading all is faster.


def _unindexed(connection: sa.Connection) -> None:
    execute(connection, "DROP INDEX ix_flights_package")


# 7 to 8: the state before a single request was sent.


def _baseline(connection: sa.Connection) -> None:
    add_column(connection, "packages", sa.Column("baseline", sa.Text))


# 8 to 9: requests of several rows, and rows of several requests.


def _requests(connection: sa.Connection) -> None:
    create = creation(connection)
    create(
        "requests",
        sa.Column("file", integer_key(), sa.ForeignKey("files.file"), primary_key=True),
        number("row"),
        number("number"),
        sa.Column("package", integer_key(), sa.ForeignKey("packages.package"), nullable=False),
        number("upload", is_key=False),
        *texts("reference", "product"),
        sa.Column("body", sa.LargeBinary, nullable=False),
        number("sends", is_key=False, server_default="0"),
        sa.Column("fate", sa.Text),
        sa.Column("fate_text", sa.Text),
        sa.Index("request_by_upload", "package", "upload"),
        sa.Index("request_by_reference", "reference"),
    )
    create(
        "request_rows",
        sa.Column("file", integer_key(), primary_key=True, autoincrement=False),
        *map(number, ("row", "first_row", "number")),
        sa.ForeignKeyConstraint(
            ["file", "first_row", "number"], ["requests.file", "requests.row", "requests.number"]
        ),
    )
    create(
        "withheld_by_channel",
        sa.Column("file", integer_key(), sa.ForeignKey("files.file"), primary_key=True),
        number("row"),
        sa.Column("channel", sa.Text, primary_key=True),
        *texts("reference", "status", "messages"),
    )
    execute(
        connection,
        """
        INSERT INTO requests
            (file, row, number, package, upload, reference, product, body, sends, fate, fate_text)
        SELECT file, row, 0, package, upload, reference, product, body, sends, fate, fate_text
        FROM rows
        """,
        "DROP TABLE rows",
        """
        INSERT INTO withheld_by_channel (file, row, channel, reference, status, messages)
        SELECT file, row, '', reference, status, messages FROM withheld
        """,
        "DROP TABLE withheld",
        "ALTER TABLE withheld_by_channel RENAME TO withheld",
    )


# 9 to 10: accepted values before a run.


def _earlier(connection: sa.Connection) -> None:
    creation(connection)(
        "earlier",
        sa.Column(
            "run_id",
            integer_key(),
            sa.ForeignKey("runs.run_id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("scope", sa.Text, primary_key=True),
        sa.Column("reference", sa.Text, primary_key=True),
        sa.Column("terms", sa.Text),
        sa.Column("quantity", sa.BigInteger),
    )


# 10 to 11: exports with a cursor.


def _cursors(connection: sa.Connection) -> None:
    create = creation(connection)
    create(
        "cursors",
        sa.Column("cursor", integer_key(), primary_key=True),
        *texts("service", "seller", "kind", "name", "filters"),
        *(sa.Column(name, sa.String(32), nullable=False) for name in ("since", "reconciled_at")),
        sa.Column("position", sa.String(32)),
        sa.Index("cursor_by_name", "service", "seller", "kind", "name", unique=True),
        has_rowid=True,
    )
    create(
        "batches",
        sa.Column("batch", integer_key(), primary_key=True),
        sa.Column(
            "cursor", integer_key(), sa.ForeignKey("cursors.cursor"), nullable=False, index=True
        ),
        *texts("target", "sha256"),
        *(sa.Column(name, sa.String(32), nullable=False) for name in ("since", "intended_at")),
        *(sa.Column(name, sa.String(32)) for name in ("position", "reconciled_at")),
        sa.Column("is_placed", sa.Integer),
        has_rowid=True,
    )
    create(
        "seen",
        sa.Column("cursor", integer_key(), sa.ForeignKey("cursors.cursor"), primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("batch", integer_key(), sa.ForeignKey("batches.batch"), primary_key=True),
        *texts("version"),
        sa.Index("seen_by_batch", "batch"),
    )


# 11 to 12: entries of journals.


def _entries(connection: sa.Connection) -> None:
    creation(connection)(
        "entries",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("service", "seller", "journal")),
        number("number"),
        *texts("key", "period", "text"),
        sa.Column("reverses", sa.Integer),
        sa.Index("entry_by_key", "service", "seller", "journal", "key"),
        sa.Index("entry_by_period", "service", "seller", "journal", "period", "number"),
    )


# 12 to 13: numbers of rows that guards hold, by file and code.


def _held(connection: sa.Connection) -> None:
    creation(connection)(
        "held",
        sa.Column("file", integer_key(), sa.ForeignKey("files.file"), primary_key=True),
        sa.Column("code", sa.Text, primary_key=True),
        number("rows", is_key=False),
        sa.Column("dropped_at", sa.String(32)),
    )
    held = sa.text("SELECT file, messages FROM withheld WHERE status = 'Held'")
    counts = Counter(
        (file, code)
        for file, messages in connection.execute(held)
        for code in {message[0] for message in json.loads(messages)} - {""}
    )
    if counts:
        rows = [{"file": file, "code": code, "rows": n} for (file, code), n in counts.items()]
        adding = "INSERT INTO held (file, code, rows) VALUES (:file, :code, :rows)"
        connection.execute(sa.text(adding), rows)


FIRST = 1
"""The oldest released version."""

STEPS: tuple[Step, ...] = (
    _send_again,
    _refused_by_older,
    _refused_by_older,
    _claims,
    _accepted,
    _unindexed,
    _baseline,
    _requests,
    _earlier,
    _cursors,
    _entries,
    _held,
    fleet,
    run_lists,
)
"""The n-th of them takes a ledger from version n to n + 1."""

VERSION = FIRST + len(STEPS)
"""The version of the present tables."""
