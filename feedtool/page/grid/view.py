"""A view of a sheet: the problems of its rows, and the lists by which rows are filtered."""

import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress, count
from typing import NamedTuple

import msgspec

from feedtool.model.nouns import Severity, Status
from feedtool.page.grid.facts import (
    CHECK,
    NOTE,
    PROBLEMS,
    ProblemGroup,
    ViewFacts,
    of_code,
    of_status,
)
from feedtool.page.grid.tables import POSITION


class GridEntry(NamedTuple):
    """A problem or a note, as a row of the table: its texts come from `kept_text`."""

    position: int | None
    """The position of its row; None if it belongs to no shown row."""
    row: int | None
    column: int | None
    field: str
    code: str
    severity: str
    value: str | None
    message: str
    hint: str


def add_view(
    db: sqlite3.Connection,
    sheet: int,
    name: str,
    words: Sequence[Status],
    states: bytes | bytearray,
    entries: Iterable[GridEntry],
) -> int:
    """Add a view of a sheet, and the lists of its rows; return its id.

    Args:
        db: The file.
        sheet: The number of the sheet.
        name: The name of the view.
        words: The statuses that rows may have.
        states: The number of each row's status among the words, from 1 on; 0 without a status. They
            may become known while the entries come.
        entries: The problems and notes; those of a row in the order of display.
    """
    view = db.execute("INSERT INTO views VALUES (NULL, ?, ?, '', '')", (sheet, name)).lastrowid
    if view is None:
        raise ValueError("a row that was inserted has an id")
    db.executemany(
        "INSERT INTO problems VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((view, *entry) for entry in entries),
    )
    counted = Counter(states)
    for state, word in enumerate(words, 1):
        if state in counted:
            places = compress(count(), map(state.__eq__, states))
            add_list(db, view, of_status(word), array(POSITION, places))
    problems = _ViewProblems()
    for entry in db.execute(
        "SELECT at, code, severity, message FROM problems WHERE view IN (?, ?) ORDER BY at, id",
        (view, view_of(db, sheet, CHECK)),
    ):
        problems.add(*entry)
    for list_name, positions in problems.lists.items():
        add_list(db, view, list_name, positions)
    statuses = {word: counted[state] for state, word in enumerate(words, 1) if state in counted}
    facts = ViewFacts(tuple(words), statuses, tuple(problems.groups()))
    kept = msgspec.json.encode(facts).decode()
    db.execute("UPDATE views SET facts = ?, states = ? WHERE id = ?", (kept, states, view))
    return view


def add_list(db: sqlite3.Connection, view: int, name: str, numbers: "array[int]") -> None:
    db.execute("INSERT INTO lists VALUES (?, ?, ?)", (view, name, numbers.tobytes()))


def list_of(db: sqlite3.Connection, view: int | None, name: str) -> "array[int]":
    """A list of numbers; empty if it is missing."""
    record = db.execute(
        "SELECT positions FROM lists WHERE view = ? AND name = ?", (view, name)
    ).fetchone()
    return array(POSITION, record[0] if record else b"")


def view_of(db: sqlite3.Connection, sheet: int, name: str) -> int | None:
    """The id of a view of a sheet; None if it is missing."""
    record = db.execute(
        "SELECT id FROM views WHERE sheet = ? AND name = ?", (sheet, name)
    ).fetchone()
    return record and int(record[0])


def remove_view(db: sqlite3.Connection, sheet: int, name: str) -> None:
    """Remove a view of a sheet, if it exists."""
    view = view_of(db, sheet, name)
    for table, key in (("problems", "view"), ("lists", "view"), ("views", "id")):
        db.execute(f"DELETE FROM {table} WHERE {key} = ?", (view,))  # noqa: S608  # our constants


class _ViewProblems:
    """The problems of a view, counted and listed; they are added by position."""

    def __init__(self) -> None:
        self.lists: dict[str, array[int]] = {}
        self._counts: Counter[str] = Counter()
        self._first: dict[str, tuple[str, str]] = {}

    def add(self, position: int | None, code: str, severity: str, message: str) -> None:
        """Add an entry; ignore notes."""
        if severity == NOTE:
            return
        if code:
            self._counts[code] += 1
            self._first.setdefault(code, (severity, message))
        if position is None:
            return
        for name in (PROBLEMS, severity, of_code(code)):
            positions = self.lists.setdefault(name, array(POSITION))
            if not positions or positions[-1] != position:
                positions.append(position)

    def groups(self) -> list[ProblemGroup]:
        """The problems by code: errors first, then the most frequent."""
        groups = [
            ProblemGroup(code, Severity(severity), self._counts[code], len(self._of(code)), message)
            for code, (severity, message) in self._first.items()
        ]
        return sorted(groups, key=lambda group: (group.severity, -group.count, group.code))

    def _of(self, code: str) -> Sequence[int]:
        return self.lists.get(of_code(code), ())
