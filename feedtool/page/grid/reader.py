"""The answers to what a browser asks of a grid: some rows, the next problem, a text."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from types import TracebackType
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
"""Most texts of a sheet come again and again."""
_PROBLEMS = (
    "SELECT at, row, col, field, code, severity, value, message, hint FROM problems"
    " WHERE view IN (?, ?) AND at "
)


class Grid:
    """The sheets of a file as they were checked; a context manager, for one thread at a time.

    GridUnusable where there is no such file; another check makes it.
    """

    def __init__(self, path: Path) -> None:
        self._db = open_existing(path)
        self.close = finalize(self, self._db.close)
        """Lets go of the file."""
        self._views: dict[tuple[int, str], ViewFacts] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @cached_property
    def sheets(self) -> Sequence[GridSheet]:
        """The sheets in the order of the command; of a file that could not be read one."""
        return sheets_of(self._db)

    def views(self, sheet: int) -> Sequence[str]:
        """The names of what is known of a sheet, in the order in which they were added."""
        found = self._db.execute("SELECT name FROM views WHERE sheet = ? ORDER BY id", (sheet,))
        return [name for (name,) in found]

    def groups(self, sheet: int, view: str = CHECK) -> Sequence[ProblemGroup]:
        """The problems of a sheet by code: errors first, then the most frequent."""
        return self._facts(sheet, view).groups

    def statuses(self, sheet: int, view: str = CHECK) -> Mapping[Status, int]:
        """The number of rows by status."""
        return self._facts(sheet, view).statuses

    def count(self, rows: RowFilter) -> int:
        """The number of rows of a filter."""
        if rows.which == ALL:
            return self.sheets[rows.sheet].rows
        return len(self._positions(rows))

    def rows_of(self, rows: RowFilter) -> Sequence[int]:
        """The sheet's own numbers of the rows of a filter, ascending."""
        numbers = row_numbers(self._db, rows.sheet)
        if rows.which == ALL:
            return numbers
        return array(numbers.typecode, map(numbers.__getitem__, self._positions(rows)))

    def rows(self, rows: RowFilter, start: int, count: int) -> Sequence[GridRow]:
        """Some rows of a filter, from a position among them on."""
        positions = self._positions(rows)[start : start + count]
        if not positions:
            return []
        problems: dict[int, list[Problem]] = {}
        notes: dict[int, list[str]] = {}
        for at, said in self._said(rows, f"IN ({_marks(positions)})", positions):
            if isinstance(said, Problem):
                problems.setdefault(at, []).append(said)
            else:
                notes.setdefault(at, []).append(said)
        statuses = self._statuses(rows, positions)
        cells = self._cells(rows.sheet, positions)
        return [
            GridRow(
                at, row, bool(is_hidden), texts, status, problems.get(at, ()), notes.get(at, ())
            )
            for at, (row, is_hidden, *texts), status in zip(positions, cells, statuses, strict=True)
        ]

    def of_sheet(self, sheet: int, view: str = CHECK) -> Sequence[Problem]:
        """The problems that are about no row: the sheet's own, or a column's."""
        found = self._said(RowFilter(sheet, view), "IS NULL")
        return [said for _, said in found if isinstance(said, Problem)]

    def next(self, rows: RowFilter, at: int, step: int) -> GridPlace | None:
        """The next row of a filter with a problem, or the one before; None where there is none.

        Args:
            rows: The filter.
            at: The position of a row among all of the sheet; -1 is before the first.
            step: 1, or -1 for the one before. After the last comes the first again.
        """
        positions = self._positions(rows)
        few, many = sorted((positions, self._list(rows, PROBLEMS)), key=len)
        position = next(_around(few, many, at, step), None)
        return None if position is None else GridPlace(bisect_left(positions, position), position)

    def find(self, rows: RowFilter, text: str, start: int = 0) -> FoundText | None:
        """The first row with a text in a cell, in any case, from a position in a filter on.

        After the last row the first one follows; None where no row has it.
        """
        positions, wanted = self._positions(rows), text.casefold()
        if not positions:
            return None
        first = positions[start] if start < len(positions) else 0
        for at, cells in self._rows_like(rows.sheet, wanted, first):
            if not _is_in(positions, at):
                continue
            for column, cell in enumerate(cells):
                if wanted in cell.casefold():
                    return FoundText(bisect_left(positions, at), at, column)
        return None

    def _facts(self, sheet: int, view: str) -> ViewFacts:
        """What a view says; nothing where there is none."""
        key = sheet, view
        if key not in self._views:
            found = self._db.execute(
                "SELECT facts FROM views WHERE sheet = ? AND name = ?", key
            ).fetchone()
            self._views[key] = (
                msgspec.json.decode(found[0], type=ViewFacts) if found else ViewFacts((), {}, ())
            )
        return self._views[key]

    def _list(self, rows: RowFilter, name: str) -> "array[int]":
        return list_of(self._db, view_of(self._db, rows.sheet, rows.view), name)

    def _positions(self, rows: RowFilter) -> Sequence[int]:
        """The positions of the rows of a filter."""
        if rows.which == ALL:
            return range(self.sheets[rows.sheet].rows)
        return self._list(rows, rows.which)

    def _said(
        self, rows: RowFilter, where: str, values: Iterable[int] = ()
    ) -> Iterator[tuple[int, Problem | str]]:
        """The problems and notes of the check and the view, by position."""
        views = (view_of(self._db, rows.sheet, CHECK), view_of(self._db, rows.sheet, rows.view))
        headers = {column.index: column.header for column in self.sheets[rows.sheet].columns}
        for at, row, index, field, code, severity, value, message, hint in self._db.execute(
            f"{_PROBLEMS}{where} ORDER BY at, id", (*views, *values)
        ):
            if severity == NOTE:
                yield at, _text(message)
                continue
            letter, header = None if index is None else letters(index), headers.get(index)
            place = (row, None, letter, header, field or None, code, Severity(severity), value)
            yield at, Problem(*place, _text(message), _text(hint))

    def _statuses(self, rows: RowFilter, positions: Sequence[int]) -> Sequence[Status | None]:
        """The statuses of rows, ascending."""
        first, last = positions[0], positions[-1]
        found = self._db.execute(
            "SELECT substr(states, ?, ?) FROM views WHERE sheet = ? AND name = ?",
            (first + 1, last - first + 1, rows.sheet, rows.view),
        ).fetchone()
        words = (None, *self._facts(rows.sheet, rows.view).words)
        return [words[found[0][at - first]] if found else None for at in positions]

    def _cells(self, sheet: int, positions: Sequence[int]) -> Iterator[list[Any]]:
        """Of each row its number, whether it is hidden, and the texts of its cells."""
        ids = {pack_id(sheet, at // PACKED) for at in positions}
        found = self._db.execute(
            f"SELECT id, rows FROM packs WHERE id IN ({_marks(ids)})",  # noqa: S608  # only marks
            (*ids,),
        )
        packs = {pack: orjson.loads(rows) for pack, rows in found}
        arranged = _arranged(self.sheets[sheet])
        for at in positions:
            yield arranged(packs[pack_id(sheet, at // PACKED)][at % PACKED])

    def _rows_like(self, sheet: int, wanted: str, first: int) -> Iterator[tuple[int, list[str]]]:
        """The rows of the packs that may have a text, from a position on and around."""
        written = orjson.dumps(wanted)[1:-1]
        arranged, total = _arranged(self.sheets[sheet]), self.sheets[sheet].rows
        for part in (range(first, total), range(first)):
            packs = (pack_id(sheet, part.start // PACKED), pack_id(sheet, part.stop // PACKED))
            for pack, rows in self._db.execute(
                "SELECT id, rows FROM packs WHERE id BETWEEN ? AND ? ORDER BY id", packs
            ):
                start = (pack - pack_id(sheet)) * PACKED
                for at, row in enumerate(orjson.loads(rows) if _may_have(rows, written) else ()):
                    if start + at in part:
                        yield start + at, arranged(row)[BEFORE_CELLS:]


def _marks(values: Collection[object]) -> str:
    """The question marks of a list in SQL."""
    return ", ".join("?" * len(values))


def _may_have(rows: bytes, written: bytes) -> bool:
    """True if a text, in lower case and as JSON has it, is somewhere in a pack."""
    if rows.isascii():
        return written in rows.lower()
    return written in rows.decode().casefold().encode()


def _arranged(sheet: GridSheet) -> Callable[[list[Any]], list[Any]]:
    """Puts the cells of a packed row in the order of the sheet's columns."""
    if list(sheet.slots) == sorted(sheet.slots):
        return list
    order = [sheet.slots.index(column.index) + BEFORE_CELLS for column in sheet.columns]

    def arrange(row: list[Any]) -> list[Any]:
        return [*row[:BEFORE_CELLS], *(row[at] if at < len(row) else "" for at in order)]

    return arrange


def _is_in(positions: Sequence[int], at: int) -> bool:
    place = bisect_left(positions, at)
    return place < len(positions) and positions[place] == at


def _around(few: Sequence[int], many: Sequence[int], at: int, step: int) -> Iterator[int]:
    """The positions that are in both lists, from one on in a direction, then from the other end."""
    first = bisect_right(few, at) if step > 0 else bisect_left(few, at)
    turn = chain(range(first, len(few)), range(first))
    if step < 0:
        turn = chain(reversed(range(first)), reversed(range(first, len(few))))
    return (few[place] for place in turn if _is_in(many, few[place]))
