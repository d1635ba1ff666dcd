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
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

import sqlalchemy as sa
from sqlalchemy.schema import CreateColumn, SchemaItem
from sqlalchemy.types import TypeEngine

# Functions by which a step of a migration changes tables.


def add_column(connection: sa.Connection, table: str, column: sa.Column[Any]) -> None:
    """Run `ALTER TABLE … ADD COLUMN` in the SQL of this database."""
    quote = connection.dialect.identifier_preparer.quote
    spelt = CreateColumn(column).compile(dialect=connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {quote(table)} ADD COLUMN {spelt}")


def integer_key() -> TypeEngine[int]:
    """The type of a key that the database counts up."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def texts(*names: str) -> list[sa.Column[Any]]:
    """Columns of text that are NOT NULL."""
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def number(name: str, *, is_key: bool = True, **more: Any) -> sa.Column[Any]:
    """A column of whole numbers, a part of the key unless `is_key` is false."""
    return sa.Column(
        name, sa.Integer, primary_key=is_key, nullable=False, autoincrement=False, **more
    )


def creation(connection: sa.Connection) -> Callable[..., None]:
    """A function that creates tables, which may refer to runs, files, packages and each other."""
    known = sa.MetaData()
    for table, key in (("runs", "run_id"), ("files", "file"), ("packages", "package")):
        sa.Table(table, known, sa.Column(key, integer_key(), primary_key=True))

    def create(name: str, *items: SchemaItem, has_rowid: bool = False) -> None:
        sa.Table(name, known, *items, sqlite_with_rowid=has_rowid).create(connection)

    return create


def execute(connection: sa.Connection, *statements: str) -> None:
    for statement in statements:
        connection.execute(sa.text(statement))


# 13 to 14: parcels, sellers, counts of runs, budgets.


def fleet(connection: sa.Connection) -> None:
    """Add the tables of files that wait for a worker, of sellers, counts and budgets."""
    create = creation(connection)
    _parcels(create)
    create(
        "sellers",
        sa.Column("service", sa.Text, primary_key=True),
        sa.Column("seller", sa.Text, primary_key=True),
        *texts("profile"),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("passed_at", sa.String(32)),
        *(number(name, is_key=False) for name in ("passes", "failures")),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text),
        sa.Column("not_before", sa.String(32)),
        sa.Column("pace", sa.Text),
        *texts("answers"),
    )
    run_id = sa.Column(
        "run_id",
        integer_key(),
        sa.ForeignKey("runs.run_id"),
        primary_key=True,
        autoincrement=False,
    )
    create(
        "counts",
        run_id,
        *texts("service", "seller", "statuses"),
        sa.Column("counted_at", sa.String(32), nullable=False),
        *(number(count, is_key=False) for count in ("answered", "refused", "held", "is_finished")),
        sa.Index("counts_by_seller", "service", "seller", "run_id"),
        sa.Index("counts_by_time", "service", "seller", "counted_at", "answered", "refused"),
        _partial("counts_held", "held > 0", "service", "seller", "held"),
        _partial("counts_unfinished", "is_finished = 0", "service", "seller", "run_id"),
        _partial("counts_uncounted", "statuses = ''", "run_id"),
    )
    create(
        "budgets",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )
    _begin_counts(connection)


def _partial(name: str, where: str, *columns: str) -> sa.Index:
    only = sa.text(where)
    return sa.Index(name, *columns, sqlite_where=only, postgresql_where=only)


# Every run is in `counts`. Its rows are counted when they are shown, since counting 100,000 runs
# would take minutes. The step only notes if a run is finished, and the last run of each seller.

AT_ONCE = 1_000


class _Left(NamedTuple):
    """Facts of runs, from the other tables."""

    open: set[int]
    """Runs with a package that is not closed."""
    sheets: dict[int, set[tuple[str, str | None]]]
    """The sheets that are written down, by run."""
    held: dict[int, int]
    """The number of rows that guards hold, by run."""


def _begin_counts(db: sa.Connection) -> None:
    left = _Left(set(), defaultdict(set), {})
    left.open.update(run for (run,) in db.execute(_OPEN))
    for run, path, sheet in db.execute(sa.text("SELECT run_id, path, sheet FROM files")):
        left.sheets[run].add((path, sheet))
    left.held.update(map(tuple, db.execute(_HELD)))
    sellers: dict[tuple[str, str], dict[str, Any]] = {}
    for runs in _runs(db):
        entries = [_entry(run, left) for run in runs]
        sellers |= {(entry["service"], entry["seller"]): entry for entry in entries}
        db.execute(_COUNT, entries)
    if sellers:
        db.execute(_SELLER, [*sellers.values()])


def _runs(db: sa.Connection) -> Iterator[list[Any]]:
    """All runs, the oldest first, in lists of at most AT_ONCE."""
    query = sa.text(
        "SELECT run_id, started_at, seller, service, options FROM runs"
        " WHERE run_id > :after ORDER BY run_id LIMIT :limit"
    )
    after = 0
    while runs := [*db.execute(query, {"after": after, "limit": AT_ONCE})]:
        yield runs
        after = runs[-1].run_id


def _entry(run: Any, left: _Left) -> dict[str, Any]:
    try:
        options = json.loads(run.options)
    except ValueError:  # unreadable options count as none
        options = {}
    sheets = {tuple(sheet) for sheet in options.get("sheets", ())}
    is_given_up = "abandoned" in options
    is_whole = is_given_up or sheets <= left.sheets[run.run_id]
    return {
        "run_id": run.run_id,
        "service": run.service.rstrip("/").casefold(),
        "seller": run.seller,
        "profile": options.get("profile") or "",
        "at": run.started_at,
        "held": 0 if is_given_up else left.held.get(run.run_id, 0),
        "is_finished": int(is_whole and run.run_id not in left.open),
    }


_OPEN = sa.text(
    "SELECT DISTINCT f.run_id FROM files f JOIN packages p ON p.file = f.file"
    " WHERE p.phase <> 'closed'"
)
_HELD = sa.text(
    "SELECT f.run_id, SUM(h.rows) FROM files f JOIN held h ON h.file = f.file"
    " WHERE h.dropped_at IS NULL GROUP BY f.run_id"
)
_COUNT = sa.text(
    "INSERT INTO counts (run_id, service, seller, statuses, counted_at, answered, refused, held,"
    " is_finished) VALUES (:run_id, :service, :seller, '', :at, 0, 0, :held, :is_finished)"
)
_SELLER = sa.text(
    "INSERT INTO sellers (service, seller, profile, run_id, passes, failures, answers)"
    " VALUES (:service, :seller, :profile, :run_id, 0, 0, '{}')"
)


def _parcels(create: Callable[..., None]) -> None:
    waits = sa.text("state <> 'answered'")
    create(
        "parcels",
        sa.Column("parcel", integer_key(), primary_key=True),
        *texts("service", "seller", "profile", "kind", "name", "sha256", "origin", "state"),
        sa.Column("size", sa.BigInteger, nullable=False),
        number("priority", is_key=False),
        sa.Column("arrived_at", sa.String(32), nullable=False),
        *(
            sa.Column(name, sa.String(32))
            for name in ("not_before", "begun_at", "answered_at", "told_at")
        ),
        sa.Column("run_id", integer_key(), sa.ForeignKey("runs.run_id")),
        sa.Column("exit_code", sa.Integer),
        sa.Column("message", sa.Text),
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


# 14 to 15: indexes that find runs among many.


def run_lists(connection: sa.Connection) -> None:
    """Index runs by seller, open packages and unwritten copies; make the table of parcels anew."""
    # No command of version 14 wrote parcels.
    execute(connection, "DROP TABLE parcels")
    _parcels(creation(connection))
    execute(
        connection,
        "CREATE INDEX run_by_seller ON runs (service, seller)",
        "CREATE INDEX run_by_service ON runs (service, run_id)",
        "CREATE INDEX package_open ON packages (file) WHERE phase <> 'closed'",
        "CREATE INDEX output_unwritten ON outputs (run_id) WHERE sha256 = ''",
    )


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
