"""The SQLite file of a grid: private, written beside its place, and moved there once whole."""

import os
import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import msgspec

from feedtool.model.errors import CannotWrite, UsageProblem
from feedtool.model.text import tr
from feedtool.page.grid.facts import GridSheet

LAYOUT = 1
"""The version of the tables; a check makes a file of another version again."""
PACKED = 16
"""Rows of a pack: all are read, and decoded, for one of them."""
BEFORE_CELLS = 2
"""A packed row begins with its number, and 1 if it is hidden."""
PAGE_SIZE = 16_384
"""Bytes; several packs fit in a page of the file."""
MOST_PACKS = 1 << 32
"""Most packs of a sheet, so that its number and a pack's make one key."""
PATIENCE = 30
"""Seconds that a writer waits for others."""
POSITION = "I"
"""The array type of numbers in lists, of four bytes."""

TABLES = (
    "CREATE TABLE sheets(number INTEGER PRIMARY KEY, facts TEXT NOT NULL, rows BLOB NOT NULL)",
    "CREATE TABLE packs(id INTEGER PRIMARY KEY, rows BLOB NOT NULL)",
    """CREATE TABLE views(
        id INTEGER PRIMARY KEY, sheet INTEGER NOT NULL, name TEXT NOT NULL,
        facts TEXT NOT NULL, states BLOB NOT NULL, UNIQUE (sheet, name))""",
    """CREATE TABLE problems(
        id INTEGER PRIMARY KEY, view INTEGER NOT NULL, at INTEGER, row INTEGER, col INTEGER,
        field TEXT NOT NULL, code TEXT NOT NULL, severity TEXT NOT NULL, value TEXT,
        message TEXT NOT NULL, hint TEXT NOT NULL)""",
    """CREATE TABLE lists(
        view INTEGER NOT NULL, name TEXT NOT NULL, positions BLOB NOT NULL,
        PRIMARY KEY (view, name))""",
)
INDEX = "CREATE INDEX problems_by_place ON problems(view, at)"
"""Created after all problems of a check are inserted."""


class GridUnusable(UsageProblem):
    """The file of a grid is missing, damaged, or of another version."""


def create(path: Path) -> sqlite3.Connection:
    """Create a new file, which need not survive a crash of the process."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    for pragma in (
        *(f"page_size = {PAGE_SIZE}", f"user_version = {LAYOUT}"),
        *("journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE"),
    ):
        db.execute(f"PRAGMA {pragma}")
    db.execute("BEGIN")
    for table in TABLES:
        db.execute(table)
    return db


def open_existing(path: Path) -> sqlite3.Connection:
    """Open a whole file; GridUnusable without one.

    Readers open it for writing, too: SQLite then rolls back transactions that a crash has left.
    """
    address = f"file:{quote(str(path.absolute()))}?mode=rw"
    try:
        db = sqlite3.connect(
            address, timeout=PATIENCE, isolation_level=None, check_same_thread=False, uri=True
        )
        try:
            (layout,) = db.execute("PRAGMA user_version").fetchone()
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise _unusable() from error
    if layout != LAYOUT:
        db.close()
        raise _unusable()
    return db


def _unusable() -> GridUnusable:
    return GridUnusable(
        tr("the page's data of this file is no longer there"), tr("check the file again")
    )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn errors of writing the file into CannotWrite."""
    try:
        yield
    except sqlite3.Error as error:
        raise _unwritable(path, str(error)) from error
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def _unwritable(path: Path, why: str) -> CannotWrite:
    return CannotWrite(
        tr("{place} cannot be written: {why}", place=path, why=why),
        tr("make room there, or see that it may be written"),
    )


def discard(db: sqlite3.Connection, path: Path) -> None:
    """Close a file that is not whole, and remove it."""
    db.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)


def pack_id(sheet: int, pack: int = 0) -> int:
    return sheet * MOST_PACKS + pack


def sheets_of(db: sqlite3.Connection) -> list[GridSheet]:
    rows = db.execute("SELECT facts FROM sheets ORDER BY number")
    return [msgspec.json.decode(facts, type=GridSheet) for (facts,) in rows]


def row_numbers(db: sqlite3.Connection, sheet: int) -> "array[int]":
    """The row numbers in the sheet, by position."""
    (numbers,) = db.execute("SELECT rows FROM sheets WHERE number = ?", (sheet,)).fetchone()
    return array(POSITION, numbers)


def place_in(numbers: "array[int]", row: int | None) -> int | None:
    """The position of a row number; None if it is missing."""
    if row is None:
        return None
    position = bisect_left(numbers, row)
    return position if position < len(numbers) and numbers[position] == row else None
