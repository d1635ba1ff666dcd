"""One database behind one URL: SQLite in a file or in memory, or PostgreSQL.

This module and `lock` have all that only one of them needs. The differences:

                      SQLite                            PostgreSQL
    a commit is kept  WAL, synchronous FULL             synchronous_commit on
    a writer begins   BEGIN IMMEDIATE                   READ COMMITTED
    a reader sees     one moment, by BEGIN              one moment, by REPEATABLE READ
    tables are made   under the writer's lock           under an advisory lock
    access            the file's owner                  users that the server lets in
"""

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Column, Engine, Select, tuple_
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.pool import NullPool, StaticPool
from sqlalchemy.schema import CreateIndex
from sqlalchemy.util import LRUCache

from feedtool.ledger import tables, trouble
from feedtool.ledger.migrations import FIRST, STEPS, VERSION, Step, migrate
from feedtool.ledger.trouble import explain, explained, is_file, shown_as
from feedtool.model.errors import Interrupted, LedgerAway, UsageProblem, reason_of
from feedtool.model.text import tr

# SQLAlchemy's dialect of SQLite, so that a statement compiled for one file serves all others.


DRIVER = "sqlite+feedtool"
COMPILED: LRUCache[Any, Any] = LRUCache(500)
"""The statements of this process, of which there are about two hundred."""


class Dialect(SQLiteDialect_pysqlite):
    """SQLAlchemy's usual dialect; all its instances are equal, since they are made in one way."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect)

    def __hash__(self) -> int:
        return hash(Dialect)


registry.register(DRIVER.replace("+", "."), __name__, Dialect.__name__)


@cache
def creation(tables: sa.MetaData, dialect: sa.Dialect) -> list[str]:
    """The statements that make the tables; kept, since compiling takes longer than running them."""
    statements: list[str] = []

    def note(statement: sa.schema.ExecutableDDLElement, *_: object) -> None:
        statements.append(str(statement.compile(dialect=dialect)))

    url = f"{dialect.name}+{dialect.driver}://"
    tables.create_all(sa.create_mock_engine(url, note), checkfirst=False)
    return statements


@compiles(CreateIndex, "postgresql")
def _as_on_sqlite(create: CreateIndex, compiler: Any, **options: Any) -> str:
    """The SQL of a partial index on PostgreSQL."""
    index, sql = create.element, str(compiler.visit_create_index(create, **options))
    where = index.dialect_options["sqlite"]["where"]
    is_declared = index.dialect_options["postgresql"]["where"] is not None
    return sql if where is None or is_declared else f"{sql} WHERE {where}"


IN_MEMORY = "sqlite://"

DRIVERS = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
}
"""The beginning of a URL, and its driver."""

WAIT_FOR_LOCK_MS = 30_000
PAUSE_MS = 20

PRAGMAS = (
    # First, since the others may have to wait too.
    f"PRAGMA busy_timeout = {WAIT_FOR_LOCK_MS}",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # Deleted content, such as the requests of orders, does not stay in free pages.
    "PRAGMA secure_delete = ON",
)

SESSION = (
    f"SET lock_timeout = {WAIT_FOR_LOCK_MS}",
    # A server may be set to lose the last commits in a crash; values stricter than `on` stay.
    """SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') = 'off'""",
)

CONNECTING: Mapping[str, str | int] = {
    "application_name": "feedtool",
    "client_encoding": "utf8",
    "connect_timeout": 10,
    # A server that has silently gone is noticed within the minute, not after hours.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""Defaults of a connection; a URL may have others."""

MAKING_TABLES = "SELECT pg_advisory_xact_lock(x'66656564'::int, 0)"
"""The first statement of a transaction that makes or migrates tables on PostgreSQL."""

READS: Mapping[str, Mapping[str, Any]] = {
    "sqlite": {},
    "postgresql": {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
}
WRITES: Mapping[str, Mapping[str, Any]] = {
    "sqlite": {"writes": True},
    "postgresql": {"writes": True, "isolation_level": "READ COMMITTED"},
}
"""Options of a connection, by the database's name. Event listeners read `writes`."""


def open_engine(place: Path | str, *, steps: Sequence[Step] = STEPS) -> sa.Engine:
    """The database of a file (made if absent) or of a URL, with its tables.

    A ledger of an older version is migrated by `steps`. UsageProblem if it is no ledger, or one of
    a newer version, and for a URL without its driver.
    """
    url, shown = _url_of(place)
    if url.get_backend_name() == "sqlite":
        if is_file(url):
            _own(Path(str(url.database)), shown)
        engine = _sqlite(url)
    else:
        engine = _postgresql(url, shown)
    try:
        with _opening(url, shown):
            _prepare(engine, shown, steps)
    except BaseException:
        engine.dispose()
        raise
    return engine


@contextmanager
def _opening(url: sa.URL, shown: str) -> Iterator[None]:
    """Turn a failure of the database into UsageProblem: the ledger cannot be opened."""
    try:
        yield
    except SQLAlchemyError as error:
        reason, way_out = explain(error, url, trouble.ON_OPENING)
        kind = LedgerAway if trouble.is_away(error) else UsageProblem
        raise kind(
            tr("The ledger {shown} cannot be opened: {reason}.", shown=shown, reason=reason),
            way_out,
        ) from error


class LedgerView(NamedTuple):
    """A ledger at one moment."""

    connection: sa.Connection
    shown: str
    version: int
    is_file: bool


@contextmanager
def open_read_only(place: Path | str) -> Iterator[LedgerView]:
    """Read one moment of a ledger without making, migrating or writing anything.

    Others may write meanwhile. UsageProblem if there is no ledger, or it cannot be opened.
    """
    url, shown = _url_of(place)
    is_sqlite = url.get_backend_name() == "sqlite"
    path = Path(str(url.database))
    no_ledger = UsageProblem(
        tr("There is no ledger {shown}.", shown=shown),
        tr("Name another with --home or --ledger."),
    )
    if is_sqlite and not (is_file(url) and path.is_file()):
        raise no_ledger
    engine = _read_only(path) if is_sqlite else _postgresql(url, shown)
    options = READS[engine.dialect.name]
    try:
        with _opening(url, shown), engine.connect().execution_options(**options) as connection:
            if is_sqlite:
                connection.exec_driver_sql("BEGIN")
            version = _version(connection, shown, VERSION)
            if version is None:
                raise no_ledger
            yield LedgerView(connection, shown, version, is_sqlite)
    finally:
        engine.dispose()


# URLs.


def _url_of(place: Path | str) -> tuple[sa.URL, str]:
    """The URL of a ledger, and its name for people."""
    if not (isinstance(place, str) and "://" in place):
        return sa.URL.create("sqlite", database=str(Path(place).absolute())), str(place)
    scheme = place.partition("://")[0]
    hint = tr("It is a path, sqlite:///PATH, or postgresql://USER:PASSWORD@HOST/DATABASE.")
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        # Not shown, not even as a cause: a malformed URL may have its password anywhere.
        url = None
    if url is None or ("@" in (url.database or "") and not scheme.startswith("sqlite")):
        raise UsageProblem(
            tr(
                "The ledger {scheme}://… cannot be opened: that is not the URL of a database.",
                scheme=scheme,
            ),
            hint,
        )
    if url.drivername not in DRIVERS or "uri" in url.query:
        raise UsageProblem(
            tr(
                "The ledger {shown} cannot be opened: feedtool keeps it in SQLite or in "
                "PostgreSQL.",
                shown=shown_as(url),
            ),
            hint,
        )
    url = url.set(drivername=DRIVERS[url.drivername])
    # The folder that we stand in may be another one later.
    if is_file(url):
        url = url.set(database=str(Path(str(url.database)).absolute()))
    return url, shown_as(url)


@contextmanager
def _closed_on_failure(connection: Any) -> Iterator[None]:
    """Close a connection that cannot be prepared: SQLAlchemy forgets it."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


# SQLite.


def _own(path: Path, shown: str) -> None:
    """Make a file that only its owner can read, and its folder if it is new."""
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made here rather than by SQLite, so that it is never readable by others. SQLite makes
        # the files beside it in the same mode.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise UsageProblem(
            tr(
                "The ledger {shown} cannot be opened: {why}.",
                shown=shown,
                why=reason_of(error),
            ),
            tr("Name another with --home."),
        ) from error
    for old in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))):
        # The rights of another owner's file cannot be changed, and a missing file needs none.
        with suppress(OSError):
            old.chmod(0o600)


def _sqlite(url: sa.URL) -> sa.Engine:
    options: dict[str, Any] = {
        "connect_args": {"check_same_thread": False},
        "execution_options": {"compiled_cache": COMPILED},
    }
    if not is_file(url):
        options["poolclass"] = StaticPool
    engine = sa.create_engine(url.set(drivername=DRIVER), hide_parameters=True, **options)
    path = Path(str(url.database)) if is_file(url) else None
    opened = path and trouble.identity(path)

    def _refuse_replaced() -> None:
        # SQLite itself would continue to write into a deleted file.
        if path and trouble.identity(path) != opened:
            raise trouble.gone(path)

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        with _closed_on_failure(connection):
            _refuse_replaced()
            # The driver would begin transactions without their first reads.
            connection.isolation_level = None
            for pragma in PRAGMAS:
                connection.execute(pragma).close()
            _write_ahead(connection)

    @sa.event.listens_for(engine, "begin")
    def _begun(connection: sa.Connection) -> None:
        # A writer locks at once: later that can fail if another was faster.
        writes = connection.get_execution_options().get("writes", False)
        _refuse_replaced()
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _read_only(path: Path) -> sa.Engine:
    connect = partial(
        sqlite3.connect,
        f"{path.as_uri()}?mode=ro",
        uri=True,
        timeout=WAIT_FOR_LOCK_MS / 1000,
        isolation_level=None,
    )
    return sa.create_engine(
        f"{DRIVER}://", creator=connect, poolclass=NullPool, hide_parameters=True
    )


def _write_ahead(connection: Any) -> None:
    """Turn the write-ahead log on. Where two do so at once SQLite refuses one without waiting."""
    until = time.monotonic() + WAIT_FOR_LOCK_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(PAUSE_MS / 1000)
        else:
            return


# PostgreSQL.


def _postgresql(url: sa.URL, shown: str) -> sa.Engine:
    options = {name: value for name, value in CONNECTING.items() if name not in url.query}
    try:
        # A pooled connection may be dead by its next use: it is tested first, and replaced.
        engine = sa.create_engine(
            url, connect_args=options, pool_pre_ping=True, hide_parameters=True
        )
    except (ImportError, NoSuchModuleError) as error:
        raise UsageProblem(
            tr(
                "The ledger {shown} cannot be opened: the driver psycopg is not installed.",
                shown=shown,
            ),
            tr("Install it with: pip install 'feedtool[postgresql]'"),
        ) from error

    @sa.event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        with _closed_on_failure(connection):
            for setting in SESSION:
                connection.execute(setting)
            connection.commit()

    return engine


# Transactions.


@contextmanager
def reading(engine: sa.Engine) -> Iterator[sa.Connection]:
    """Read one moment of the database; Interrupted if it cannot be read."""
    options = READS[engine.dialect.name]
    with explained(engine, "read"), engine.connect().execution_options(**options) as connection:
        yield connection


@contextmanager
def writing(engine: sa.Engine) -> Iterator[sa.Connection]:
    """One transaction, committed in full or not at all; Interrupted if it cannot be."""
    with explained(engine, "written"), _transaction(engine) as connection:
        yield connection


@contextmanager
def _transaction(engine: sa.Engine) -> Iterator[sa.Connection]:
    options = WRITES[engine.dialect.name]
    with engine.connect().execution_options(**options) as connection, connection.begin():
        yield connection


# Versions.


def _prepare(engine: sa.Engine, shown: str, steps: Sequence[Step]) -> None:
    """Make the tables of a new ledger, and migrate those of an older one."""
    version = FIRST + len(steps)
    # A mere reader waits for no writer.
    with engine.connect().execution_options(**READS[engine.dialect.name]) as connection:
        if _version(connection, shown, version) == version:
            refuse_other_tables(connection, shown, version)
            return
    with _transaction(engine) as connection:
        if engine.dialect.name == "postgresql":
            # Only a database in UTF-8 can hold every text of a seller.
            encoding = connection.execute(sa.text("SHOW server_encoding")).scalar()
            if encoding != "UTF8":
                raise UsageProblem(
                    tr(
                        "The ledger {shown} cannot be opened: the database's encoding is "
                        "{encoding}.",
                        shown=shown,
                        encoding=encoding,
                    ),
                    tr(
                        "make one with `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`",
                    ),
                )
            connection.execute(sa.text(MAKING_TABLES))
        current = _version(connection, shown, version)
        if current is None:
            for statement in creation(tables.parcels.metadata, engine.dialect):
                connection.exec_driver_sql(statement)
            connection.execute(sa.insert(tables.schema_version).values(version=version))
        elif current < version:
            migrate(connection, current, steps)
            if steps is STEPS:
                refuse_other_tables(connection, shown, current)
            connection.execute(sa.update(tables.schema_version).values(version=version))


COLUMNS = {
    "sqlite": (
        "SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p"
        " WHERE m.type = 'table'"
    ),
    "postgresql": (
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid"
        " WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())"
        " AND a.attnum > 0 AND NOT a.attisdropped"
    ),
}
"""All tables and their columns."""


def refuse_other_tables(connection: sa.Connection, shown: str, version: int) -> None:
    """Raise UsageProblem if a column of the version is missing, as in some development states."""
    columns = set(map(tuple, connection.execute(sa.text(COLUMNS[connection.dialect.name]))))
    every = tables.metadata.tables.values()
    lacking = {(table.name, column.name) for table in every for column in table.columns} - columns
    if lacking:
        raise UsageProblem(
            tr(
                "The ledger {shown} cannot be opened: it says that it is of version {version}, and"
                " has no {column}. A development state of feedtool made it.",
                shown=shown,
                version=version,
                column=".".join(min(lacking)),
            ),
            tr("Go on with that state, or name another ledger with --home. Nothing was written."),
        )


def _version(connection: sa.Connection, shown: str, wanted: int) -> int | None:
    """The version of a ledger, None if it is empty; UsageProblem if it is unusable."""
    inspector = sa.inspect(connection)
    if not inspector.has_table(tables.schema_version.name):
        if not inspector.get_table_names():
            return None
        raise UsageProblem(
            tr("{shown} is a database, but no ledger.", shown=shown),
            tr("Name another with --home.")
            if connection.dialect.name == "sqlite"
            else tr("Name a database or a schema of its own (URL?options=-csearch_path%3DSCHEMA)."),
        )
    version = connection.execute(sa.select(tables.schema_version.c.version)).scalar()
    if version is None:
        raise UsageProblem(
            tr("{shown} is a database, but no ledger.", shown=shown),
            tr("Name another with --home."),
        )
    if version > wanted:
        raise UsageProblem(
            tr(
                "The ledger {shown} is of version {version}, made by a newer feedtool; this one"
                " knows version {wanted}.",
                shown=shown,
                version=version,
                wanted=wanted,
            ),
            tr("Upgrade feedtool, or name another ledger with --home."),
        )
    return int(version)


# Make a ledger's file smaller if much of it is free.


WORTH = 0.25
"""The part of the file that has to be free: rewriting costs as much as copying it."""
LEAST = 1 << 20
"""Bytes that have to be free."""


class Shrunk(NamedTuple):
    """The size of a ledger's file, in bytes."""

    before: int
    after: int


def shrink(engine: Engine) -> Shrunk | None:
    """Rewrite a ledger's file without its free pages; None if it is not worth it.

    Meanwhile others read, and wait to write: a second or two for each 100 MB that stay. A crash
    leaves the file as it was.

    Raises:
        Interrupted: It is in use for too long, or there is no room for the copy.
    """
    if not is_file(engine.url):
        return None
    path = Path(str(engine.url.database))
    with explained(engine, "written"), closing(engine.raw_connection()) as pooled:
        connection: Any = pooled.driver_connection  # no statement begins a transaction here
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        if free * size < LEAST or free < pages * WORTH:
            return None
        try:
            connection.execute("VACUUM").close()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        except sqlite3.OperationalError as error:
            raise Interrupted(
                tr("The ledger {path} was not made smaller: {why}.", path=path, why=error),
                tr("Its free space is used for new runs. Make room, or wait, and run it again."),
            ) from error
    return Shrunk(pages * size, path.stat().st_size)


# Rows of a query, page by page, so that nothing is held open meanwhile.


CHUNK = 5_000


def pages(engine: Engine, query: Select[Any], *keys: Column[Any]) -> Iterator[Any]:
    """The rows of a query, ordered by `keys`, which are its first columns."""
    query = query.order_by(None).order_by(*keys).limit(CHUNK)
    page = query
    while True:
        with reading(engine) as db:
            rows = db.execute(page).all()
        yield from rows
        if len(rows) < CHUNK:
            return
        page = query.where(tuple_(*keys) > tuple_(*rows[-1][: len(keys)]))
