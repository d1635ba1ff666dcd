"""Answer requests of a browser to a grid: some rows, the next problem, a text."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Self
from weakref import finalize

import msgspec
import orjson

from feedtool.model.cells import letters
from feedtool.model.nouns import Problem, Severity, Status
from feedtool.model.text import text_of_kept
from feedtool.page.grid.facts import (
    ALL,
    CHECK,
    NOTE,
    PROBLEMS,
    FoundText,
    GridPlace,
    GridRow,
    GridSheet,
    ProblemGroup,
    RowFilter,
    ViewFacts,
)
from feedtool.page.grid.tables import (
    BEFORE_CELLS,
    PACKED,
    open_existing,
    pack_id,
    row_numbers,
    sheets_of,
)
from feedtool.page.grid.view import list_of, view_of

_text = lru_cache(4096)(text_of_kept)
"""Cached: most texts of a sheet are repeated."""
_PROBLEMS = (
    "SELECT at, row, col, field, code, severity, value, message, hint FROM problems"
    " WHERE view IN (?, ?) AND at "
)


class Grid:
    """The checked sheets of a file; a context manager, for one thread at a time.

    GridUnusable if the grid's file is missing; another check makes it.
    """

    def __init__(self, path: Path) -> None:
        self._db = open_existing(path)
        self.close = finalize(self, self._db.close)
        """Closes the file."""
        self._views: dict[tuple[int, str], ViewFacts] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def sheets(self) -> Sequence[GridSheet]:
        """The sheets in the order of the command; one for a file that could not be read."""
        return sheets_of(self._db)

    def views(self, sheet: int) -> Sequence[str]:
        rows = self._db.execute("SELECT name FROM views WHERE sheet = ? ORDER BY id", (sheet,))
        return [name for (name,) in rows]

    def groups(self, sheet: int, view: str = CHECK) -> Sequence[ProblemGroup]:
        return self._facts(sheet, view).groups

    def statuses(self, sheet: int, view: str = CHECK) -> Mapping[Status, int]:
        return self._facts(sheet, view).statuses

    def count(self, rows: RowFilter) -> int:
        if rows.which == ALL:
            return self.sheets[rows.sheet].rows
        return len(self._positions(rows))

    def rows_of(self, rows: RowFilter) -> Sequence[int]:
        """The numbers in the sheet of the rows of a filter, ascending."""
        numbers = row_numbers(self._db, rows.sheet)
        if rows.which == ALL:
            return numbers
        return array(numbers.typecode, map(numbers.__getitem__, self._positions(rows)))

    def rows(self, rows: RowFilter, start: int, count: int) -> Sequence[GridRow]:
        """Some rows of a filter, from a place among them on."""
        positions = self._positions(rows)[start : start + count]
        if not positions:
            return []
        problems: dict[int, list[Problem]] = {}
        notes: dict[int, list[str]] = {}
        for position, entry in self._entries(rows, f"IN ({_marks(positions)})", positions):
            if isinstance(entry, Problem):
                problems.setdefault(position, []).append(entry)
            else:
                notes.setdefault(position, []).append(entry)
        statuses = self._statuses(rows, positions)
        cells = self._cells(rows.sheet, positions)
        return [
            GridRow(
                position,
                row,
                bool(is_hidden),
                texts,
                status,
                problems.get(position, ()),
                notes.get(position, ()),
            )
            for position, (row, is_hidden, *texts), status in zip(
                positions, cells, statuses, strict=True
            )
        ]

    def of_sheet(self, sheet: int, view: str = CHECK) -> Sequence[Problem]:
        """The problems of the sheet or of a column, and not of a row."""
        entries = self._entries(RowFilter(sheet, view), "IS NULL")
        return [entry for _, entry in entries if isinstance(entry, Problem)]

    def next(self, rows: RowFilter, at: int, step: int) -> GridPlace | None:
        """Find the next row of a filter with a problem, or the previous; None if no row has one.

        `at` is a position among all rows of the sheet; -1 is before the first. `step` is 1, or -1
        for the previous row. After the last comes the first again.
        """
        positions = self._positions(rows)
        few, many = sorted((positions, self._list(rows, PROBLEMS)), key=len)
        position = next(_around(few, many, at, step), None)
        return None if position is None else GridPlace(bisect_left(positions, position), position)

    def find(self, rows: RowFilter, text: str, start: int = 0) -> FoundText | None:
        """Find the first row with a text in a cell, ignoring case, from a place in a filter on.

        After the last row comes the first; None if no row has the text.
        """
        positions, folded = self._positions(rows), text.casefold()
        if not positions:
            return None
        first = positions[start] if start < len(positions) else 0
        for position, cells in self._rows_like(rows.sheet, folded, first):
            if not _is_in(positions, position):
                continue
            for column, cell in enumerate(cells):
                if folded in cell.casefold():
                    return FoundText(bisect_left(positions, position), position, column)
        return None

    def _facts(self, sheet: int, view: str) -> ViewFacts:
        """The facts of a view; empty if it is missing."""
        key = sheet, view
        if key not in self._views:
            record = self._db.execute(
                "SELECT facts FROM views WHERE sheet = ? AND name = ?", key
            ).fetchone()
            self._views[key] = (
                msgspec.json.decode(record[0], type=ViewFacts) if record else ViewFacts((), {}, ())
            )
        return self._views[key]

    def _list(self, rows: RowFilter, name: str) -> "array[int]":
        return list_of(self._db, view_of(self._db, rows.sheet, rows.view), name)

    def _positions(self, rows: RowFilter) -> Sequence[int]:
        """The positions of the rows of a filter."""
        if rows.which == ALL:
            return range(self.sheets[rows.sheet].rows)
        return self._list(rows, rows.which)

    def _entries(
        self, rows: RowFilter, where: str, values: Iterable[int] = ()
    ) -> Iterator[tuple[int, Problem | str]]:
        """Yield the problems and notes of the check and the view, by position."""
        views = (view_of(self._db, rows.sheet, CHECK), view_of(self._db, rows.sheet, rows.view))
        headers = {column.index: column.header for column in self.sheets[rows.sheet].columns}
        for position, row, index, field, code, severity, value, message, hint in self._db.execute(
            f"{_PROBLEMS}{where} ORDER BY at, id", (*views, *values)
        ):
            if severity == NOTE:
                yield position, _text(message)
                continue
            letter, header = None if index is None else letters(index), headers.get(index)
            place = (row, None, letter, header, field or None, code, Severity(severity), value)
            yield position, Problem(*place, _text(message), _text(hint))

    def _statuses(self, rows: RowFilter, positions: Sequence[int]) -> Sequence[Status | None]:
        """The statuses of rows, ascending."""
        first, last = positions[0], positions[-1]
        states = self._db.execute(
            "SELECT substr(states, ?, ?) FROM views WHERE sheet = ? AND name = ?",
            (first + 1, last - first + 1, rows.sheet, rows.view),
        ).fetchone()
        words = (None, *self._facts(rows.sheet, rows.view).words)
        return [words[states[0][position - first]] if states else None for position in positions]

    def _cells(self, sheet: int, positions: Sequence[int]) -> Iterator[list[Any]]:
        """Yield lists: a row's number, 1 if it is hidden, and the texts of its cells."""
        ids = {pack_id(sheet, position // PACKED) for position in positions}
        records = self._db.execute(
            f"SELECT id, rows FROM packs WHERE id IN ({_marks(ids)})",  # noqa: S608  # only marks
            (*ids,),
        )
        packs = {pack: orjson.loads(rows) for pack, rows in records}
        arranged = _arranged(self.sheets[sheet])
        for position in positions:
            yield arranged(packs[pack_id(sheet, position // PACKED)][position % PACKED])

    def _rows_like(self, sheet: int, folded: str, first: int) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of packs that may have a text, from a position on, then from the first."""
        written = orjson.dumps(folded)[1:-1]
        arranged, total = _arranged(self.sheets[sheet]), self.sheets[sheet].rows
        for part in (range(first, total), range(first)):
            packs = (pack_id(sheet, part.start // PACKED), pack_id(sheet, part.stop // PACKED))
            for pack, rows in self._db.execute(
                "SELECT id, rows FROM packs WHERE id BETWEEN ? AND ? ORDER BY id", packs
            ):
                start = (pack - pack_id(sheet)) * PACKED
                for offset, row in enumerate(
                    orjson.loads(rows) if _may_have(rows, written) else ()
                ):
                    if start + offset in part:
                        yield start + offset, arranged(row)[BEFORE_CELLS:]


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))


def _may_have(rows: bytes, written: bytes) -> bool:
    """True if a text, in lower case and as JSON, is somewhere in a pack."""
    if rows.isascii():
        return written in rows.lower()
    return written in rows.decode().casefold().encode()


def _arranged(sheet: GridSheet) -> Callable[[list[Any]], list[Any]]:
    """Return a function that sorts a packed row's cells by the sheet's columns."""
    if list(sheet.slots) == sorted(sheet.slots):
        return list
    order = [sheet.slots.index(column.index) + BEFORE_CELLS for column in sheet.columns]

    def arrange(row: list[Any]) -> list[Any]:
        return [*row[:BEFORE_CELLS], *(row[slot] if slot < len(row) else "" for slot in order)]

    return arrange


def _is_in(positions: Sequence[int], position: int) -> bool:
    place = bisect_left(positions, position)
    return place < len(positions) and positions[place] == position


def _around(few: Sequence[int], many: Sequence[int], position: int, step: int) -> Iterator[int]:
    """Yield positions in both lists, from one on in a direction, then from the other end."""
    first = bisect_right(few, position) if step > 0 else bisect_left(few, position)
    turn = chain(range(first, len(few)), range(first))
    if step < 0:
        turn = chain(reversed(range(first)), reversed(range(first, len(few))))
    return (few[place] for place in turn if _is_in(many, few[place]))
