"""One database behind one URL. All that only SQLite or only PostgreSQL needs is in this module."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from feedtool.errors import Interrupted, UsageProblem
from feedtool.ledger import tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

IN_MEMORY = "sqlite://"

WAIT_FOR_LOCK_MS = 30_000

PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    f"PRAGMA busy_timeout = {WAIT_FOR_LOCK_MS}",
)


def open_engine(place: Path | str) -> Engine:
    """The database of a file (made where it is absent) or of a URL, its tables in place.

    UsageProblem for what is no ledger, for one of another version, and for a URL without its
    driver.
    """
    url = place if isinstance(place, str) and "://" in place else _file_url(Path(place))
    shown = str(place)
    try:
        shown = make_url(url).render_as_string(hide_password=True)
        engine = _sqlite(url) if url.startswith("sqlite") else create_engine(url)
    except (ArgumentError, NoSuchModuleError, ImportError) as error:
        raise UsageProblem(
            f"The ledger {shown} cannot be opened: {_first_line(error)}.",
            "It is a path, or the URL of a database whose driver is installed.",
        ) from error
    try:
        _prepare(engine, shown)
    except SQLAlchemyError as error:
        raise UsageProblem(
            f"The ledger {shown} cannot be opened: {_first_line(error)}.",
            "Name another with --home, or move the file away to begin a new one.",
        ) from error
    return engine


def _file_url(path: Path) -> str:
    """The URL of a file that its owner alone can read; so can its folder, when that is new."""
    try:
        if not path.parent.exists():
            path.parent.mkdir(mode=0o700, parents=True)
        # Made here rather than by SQLite, so that it is never readable by others.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise UsageProblem(
            f"The ledger {path} cannot be opened: {error.strerror}.", "Name another with --home."
        ) from error
    return f"sqlite:///{path.absolute()}"


def _sqlite(url: str) -> Engine:
    options: dict[str, Any] = {"connect_args": {"check_same_thread": False}}
    if url == IN_MEMORY:
        options["poolclass"] = StaticPool
    engine = create_engine(url, **options)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        # The driver's own way of beginning transactions leaves reads out of them.
        connection.isolation_level = None
        for pragma in PRAGMAS:
            connection.execute(pragma).close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        # A writer says so at once: to become one later can fail when another was faster.
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A short look at the database; Interrupted when it cannot be had."""
    with _told("read"), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction, committed in full at its end or not at all; Interrupted when it cannot."""
    with (
        _told("written"),
        engine.connect().execution_options(writes=True) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def _told(done: str) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        # IntegrityError and the like are bugs of ours; these are the world's: a full disk, a
        # lock that is not let go, a server that is gone.
        if type(error).__name__ not in {"OperationalError", "InterfaceError"}:
            raise
        raise Interrupted(
            f"The ledger cannot be {done}: {_first_line(error)}.",
            "Nothing that it does not know of was sent; make room, or name another with --home.",
        ) from error


def _prepare(engine: Engine, shown: str) -> None:
    """Make the tables of a new ledger, or see that an old one has the version known here."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if not inspect(connection).get_table_names():
            tables.metadata.create_all(connection)
            connection.execute(insert(tables.schema_version).values(version=tables.VERSION))
            return
        found = _version(connection)
    if found == tables.VERSION:
        return
    if found is None:
        raise UsageProblem(f"{shown} is a database, but no ledger.", "Name another with --home.")
    newer = found > tables.VERSION
    raise UsageProblem(
        f"The ledger {shown} is of version {found}, made by {'a newer' if newer else 'an older'}"
        f" feedtool; this one knows version {tables.VERSION}.",
        "Upgrade feedtool, or name another ledger with --home."
        if newer
        else "Finish its runs with the feedtool that made it, or name another with --home.",
    )


def _version(connection: Connection) -> int | None:
    if not inspect(connection).has_table(tables.schema_version.name):
        return None
    found = connection.execute(select(tables.schema_version.c.version)).scalar()
    return None if found is None else int(found)


def _first_line(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return (str(cause) or type(cause).__name__).splitlines()[0].rstrip(".")
