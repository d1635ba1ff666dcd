"""The SQLite file of a grid: made beside its place, private, and put there once it is whole."""

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
"""Of the tables; a file of another one is made anew by a check."""
PACKED = 16
"""Rows of a pack: what is read, and decoded, for one of them."""
BEFORE_CELLS = 2
"""A packed row begins with its number, and 1 if it is hidden."""
PAGE_SIZE = 16_384
"""Bytes; several packs fit in a page of the file."""
MOST_PACKS = 1 << 32
"""Of a sheet, so that its number and a pack's make one key."""
PATIENCE = 30
"""Seconds that one who writes waits for others."""
POSITION = "I"
"""The type of the numbers in lists, of four bytes."""

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
"""Made when all of what a check found is there."""


class GridUnusable(UsageProblem):
    """The file of a grid is missing, damaged, or of another version."""


def create(path: Path) -> sqlite3.Connection:
    """A new file, of which nothing needs to survive the death of the process."""
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
    """A file that is whole; GridUnusable where there is none.

    Whoever reads it may write it, too: SQLite then undoes by itself what was left half written.
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
        tr("what the page shows of this file is no longer there"), tr("check the file again")
    )


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """CannotWrite where the file cannot be written."""
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
    """Closes a file that will not be whole, and removes it."""
    db.close()
    with suppress(OSError):
        path.unlink(missing_ok=True)


def pack_id(sheet: int, pack: int = 0) -> int:
    """The key of a pack of rows."""
    return sheet * MOST_PACKS + pack


def sheets_of(db: sqlite3.Connection) -> list[GridSheet]:
    """The sheets of a grid, in the order of the command."""
    found = db.execute("SELECT facts FROM sheets ORDER BY number")
    return [msgspec.json.decode(facts, type=GridSheet) for (facts,) in found]


def row_numbers(db: sqlite3.Connection, sheet: int) -> "array[int]":
    """The sheet's own numbers of its rows, by position."""
    (numbers,) = db.execute("SELECT rows FROM sheets WHERE number = ?", (sheet,)).fetchone()
    return array(POSITION, numbers)


def place_in(numbers: "array[int]", row: int | None) -> int | None:
    """The position of a row; None of one that is not there."""
    if row is None:
        return None
    at = bisect_left(numbers, row)
    return at if at < len(numbers) and numbers[at] == row else None
