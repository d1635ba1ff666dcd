"""The cache's file: SQLite, readable by the user alone, made anew whenever it is no use."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event
from sqlalchemy.exc import DatabaseError, DBAPIError, SQLAlchemyError

from feedtool.areas.products.catalog import tables
from feedtool.model.errors import Interrupted, UsageProblem

WAIT_FOR_LOCK_MS = 30_000


def open_engine(path: Path) -> Engine:
    """The database of a file, made where it is absent, its tables in place.

    Raises:
        UsageProblem: it cannot be made there.
    """
    try:
        _own(path)
        return _opened(path)
    except (OSError, SQLAlchemyError) as error:
        raise UsageProblem(
            f"The catalogue's cache {path} cannot be opened: {_reason(error)}.",
            "Choose another folder with --home.",
        ) from error


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A look at one moment of it; Interrupted when it cannot be had."""
    with _told(engine, "read"), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One transaction, kept in full at its end or not at all; Interrupted when it cannot be."""
    with (
        _told(engine, "written"),
        engine.connect().execution_options(writes=True) as connection,
        connection.begin(),
    ):
        yield connection


@contextmanager
def _told(engine: Engine, done: str) -> Iterator[None]:
    try:
        yield
    except DatabaseError as error:
        if type(error).__name__ not in {"OperationalError", "DatabaseError"}:
            raise
        raise Interrupted(
            f"The catalogue's cache {engine.url.database} cannot be {done}: {_reason(error)}.",
            "Make room, or remove the file: `feedtool catalog sync` brings all of it again.",
        ) from error


def _own(path: Path) -> None:
    """A file that its owner alone can read; SQLite makes those beside it in the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    path.chmod(0o600)


def _opened(path: Path) -> Engine:
    """The cache, its tables in place; what is broken, or of another version, is made anew."""
    engine = _engine(path)
    try:
        _prepare(engine)
    except DBAPIError as error:
        engine.dispose()
        if type(error).__name__ != "DatabaseError":  # locked, or a disk that fails: not broken
            raise
        for end in ("", "-wal", "-shm", "-journal"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        _own(path)
        engine = _engine(path)
        _prepare(engine)
    return engine


def _prepare(engine: Engine) -> None:
    with engine.connect() as connection:
        if _is_ours(connection):
            return
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if _is_ours(connection):  # another process was faster
            return
        other = MetaData()
        other.reflect(connection)
        other.drop_all(connection)
        tables.metadata.create_all(connection)
        connection.exec_driver_sql(f"PRAGMA user_version = {tables.VERSION}")


def _is_ours(connection: Connection) -> bool:
    return connection.exec_driver_sql("PRAGMA user_version").scalar() == tables.VERSION


def _engine(path: Path) -> Engine:
    url = URL.create("sqlite", database=str(path.absolute()))
    engine = create_engine(url, hide_parameters=True)

    @event.listens_for(engine, "connect")
    def _connected(connection: Any, _record: object) -> None:
        # The driver's own way of beginning transactions leaves reads out of them.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {WAIT_FOR_LOCK_MS}").close()
        with suppress(sqlite3.OperationalError):  # where another holds it, it does without
            connection.execute("PRAGMA journal_mode = WAL").close()
        # A crash of the machine may lose the last steps, which are then brought again.
        connection.execute("PRAGMA synchronous = NORMAL").close()

    @event.listens_for(engine, "begin")
    def _begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def _reason(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    told = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    return str(told).splitlines()[0].rstrip(".")
