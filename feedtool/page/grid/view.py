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

    `words` are the statuses that rows may have, `states` the number of each row's status among
    them, from 1 on; 0 without a status. The states may become known while the entries come, which
    are in the order of display within a row.
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
    lists, groups = _sorted_out(
        db.execute(
            "SELECT at, code, severity, message FROM problems WHERE view IN (?, ?) ORDER BY at, id",
            (view, view_of(db, sheet, CHECK)),
        )
    )
    for list_name, positions in lists.items():
        add_list(db, view, list_name, positions)
    statuses = {word: counted[state] for state, word in enumerate(words, 1) if state in counted}
    facts = ViewFacts(tuple(words), statuses, tuple(groups))
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


def _sorted_out(
    entries: Iterable[tuple[int | None, str, str, str]],
) -> tuple[dict[str, "array[int]"], list[ProblemGroup]]:
    """The positions of problems by filter, and the problems by code, without notes.

    The entries are position, code, severity and message, by position. The groups have errors
    first, then the most frequent.
    """
    lists: dict[str, array[int]] = {}
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str]] = {}
    for position, code, severity, message in entries:
        if severity == NOTE:
            continue
        if code:
            counts[code] += 1
            first.setdefault(code, (severity, message))
        if position is None:
            continue
        for name in (PROBLEMS, severity, of_code(code)):
            positions = lists.setdefault(name, array(POSITION))
            if not positions or positions[-1] != position:
                positions.append(position)
    groups = [
        ProblemGroup(
            code, Severity(severity), counts[code], len(lists.get(of_code(code), ())), message
        )
        for code, (severity, message) in first.items()
    ]
    return lists, sorted(groups, key=lambda group: (group.severity, -group.count, group.code))
