"""Empty ledgers whose tables are made once: to make them takes longer than most tests."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from feedtool.ledger import Ledger

SPARE: list[Ledger] = []
"""The ledgers in memory of this process that no test uses."""

SHAPE = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"


@contextmanager
def ledger_in_memory() -> Iterator[Ledger]:
    """An empty ledger, which is emptied for the next test."""
    ledger = SPARE.pop() if SPARE else Ledger()
    try:
        yield ledger
    finally:
        if is_emptied(ledger):
            SPARE.append(ledger)
        else:
            ledger.close()


def is_emptied(ledger: Ledger) -> bool:
    """Empty a ledger in SQLite; False if a test has changed more than its rows."""
    shape, emptying = _made()
    with (
        suppress(sqlite3.Error, SQLAlchemyError),
        closing(ledger.engine.raw_connection()) as connection,
    ):
        database: Any = connection.driver_connection
        if database.execute(SHAPE).fetchall() == shape:
            database.executescript(emptying)
            return True
    return False


@cache
def _made() -> tuple[list[tuple[str, ...]], str]:
    """The tables and indexes of a new ledger, and the statements that empty it."""
    with Ledger() as ledger, closing(ledger.engine.raw_connection()) as connection:
        database: Any = connection.driver_connection
        shape = database.execute(SHAPE).fetchall()
        empty = [
            name
            for kind, name, _ in shape
            if kind == "table" and not database.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchall()  # noqa: S608  # our own tables
        ]
    deletions = "; ".join(f"DELETE FROM {name}" for name in empty)  # noqa: S608  # our own tables
    without_keys = "PRAGMA foreign_keys = OFF; BEGIN; {}; COMMIT; PRAGMA foreign_keys = ON"
    return shape, without_keys.format(deletions)


def make_file(path: Path) -> None:
    """Make the file of an empty ledger, which is to be opened."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_file())


@cache
def _file() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.db"
        Ledger(path).close()
        return path.read_bytes()
