"""The sheets of a command as the browser shows them, written while they are checked."""

import secrets
import sqlite3
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import finalize

import msgspec
import orjson
from msgspec.structs import asdict

from feedtool.areas.registry import load
from feedtool.model.cells import Block, Cell, Header, index_of, letters, shown
from feedtool.model.errors import FileProblem
from feedtool.model.nouns import Status
from feedtool.model.sheet import INVALID, SKIPPED, VALID, CheckedSheet
from feedtool.model.text import kept_text
from feedtool.page.grid.facts import CHECK, NOTE, GridColumn, GridSheet, SheetError
from feedtool.page.grid.tables import (
    BEFORE_CELLS,
    INDEX,
    MOST_PACKS,
    PACKED,
    POSITION,
    create,
    discard,
    pack_id,
    place_in,
    writing,
)
from feedtool.page.grid.view import GridEntry, add_view
from feedtool.report.plain import clean, shorten

LONGEST_TEXT = 300
"""Characters of a cell that are shown: the grid is an overview, a description may be endless."""
MOST_COLUMNS = 1_000
"""Columns that are shown."""
REMEMBERED = 4096
"""Different cells of a column that are remembered."""
LINE_END = "⏎"
"""Stands for a line break in a cell."""
_STATUSES = {VALID: Status.VALID, INVALID: Status.INVALID, SKIPPED: Status.SKIPPED}
WORDS = [_STATUSES[mark] for mark in sorted(_STATUSES)]
"""The marks of rows count them from 1 on."""


class GridWriter:
    """Sees the sheets of a command while they are checked, then writes what was found.

        with GridWriter(path) as writer:
            writer.conclude(check(inputs, replace(options, see=writer.see), areas))

    Only then there is a file; CannotWrite where it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
        with writing(path):
            self._db = create(self._temporary)
        self._discard = finalize(self, discard, self._db, self._temporary)
        self._rows: dict[int, _RowsWriter] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._discard()

    def see(self, checked: CheckedSheet, number: int) -> Callable[[Block], None]:
        """The `see` of `ReadOptions`; what was seen of a sheet before is forgotten."""
        if checked.header is None:
            raise ValueError("a sheet is read once its header is known")
        self._forget(number)
        rows = self._rows[number] = _RowsWriter(self._db, number, checked.header)

        def see(block: Block) -> None:
            with writing(self._path):
                rows.add(block)

        return see

    def conclude(self, sheets: Sequence[CheckedSheet]) -> None:
        """Writes what checking found, and puts the file in its place."""
        with writing(self._path):
            self._db.execute(INDEX)
            for number, checked in enumerate(sheets):
                self._add_sheet(number, checked)
            for number in self._rows.keys() - range(len(sheets)):
                self._forget(number)  # of a reading that a change of the file made void
            self._db.execute("COMMIT")
            self._db.close()
            self._temporary.replace(self._path)
        self._discard()

    def _forget(self, number: int) -> None:
        if self._rows.pop(number, None):
            first = pack_id(number)
            last = first + MOST_PACKS - 1
            self._db.execute("DELETE FROM packs WHERE id BETWEEN ? AND ?", (first, last))

    def _add_sheet(self, number: int, checked: CheckedSheet) -> None:
        if checked.error:
            self._forget(number)
        rows = self._rows.get(number)
        facts = msgspec.json.encode(_facts(number, checked, rows)).decode()
        numbers = rows.finish() if rows else array(POSITION)
        self._db.execute("INSERT INTO sheets VALUES (?, ?, ?)", (number, facts, numbers))
        last = numbers[-1] if numbers else 0
        marks = bytes(checked.rows.marks).ljust(last + 1, b"\0")
        states = bytes(map(marks.__getitem__, numbers))
        add_view(self._db, number, CHECK, WORDS, states, _entries(checked, numbers))


def _entries(checked: CheckedSheet, numbers: "array[int]") -> Iterator[GridEntry]:
    """What checking found, and why rows were skipped, each in its place."""
    for problem in checked.problems():
        column = None if problem.column is None else index_of(problem.column)
        yield GridEntry(
            place_in(numbers, problem.row),
            problem.row,
            column,
            problem.field or "",
            problem.code,
            problem.severity,
            problem.value,
            kept_text(problem.message),
            kept_text(problem.hint),
        )
    for skipped in checked.rows.skipped:
        at = place_in(numbers, skipped.row)
        for message in skipped.messages:
            if not message.code:  # else a problem says it
                text = kept_text(message.text)
                yield GridEntry(at, skipped.row, None, "", "", NOTE, None, text, "")


def _facts(number: int, checked: CheckedSheet, rows: "_RowsWriter | None") -> GridSheet:
    sheet, header, error = checked.sheet or "", checked.header, checked.error
    if rows is None or header is None:
        return GridSheet(number, checked.file, sheet, checked.kind or "", error=_why(error))
    places = header.places()
    feed = load().feeds.get(checked.kind or "")
    return GridSheet(
        number,
        checked.file,
        sheet,
        checked.kind or "",
        header.row,
        len(rows.numbers),
        tuple(_columns(rows.columns, header, places)),
        tuple(rows.columns),
        next(iter(places.get(feed.requests.reference, ())), None) if feed else None,
        {name: count for name, count in asdict(checked.counts()).items() if type(count) is int},
        places=places,
        names=header.names(),
        labels={key: tuple(labels) for key, labels in checked.labels.items()},
        language=checked.language,
    )


def _why(error: FileProblem | None) -> SheetError | None:
    if error is None:
        return None
    return SheetError(error.code, kept_text(error.message), kept_text(error.hint))


def _columns(
    columns: "Mapping[int, _ShownColumn]", header: Header, places: Mapping[str, Sequence[int]]
) -> Iterator[GridColumn]:
    keys = {index: key for key, indexes in reversed(list(places.items())) for index in indexes}
    texts = {**header.texts, **header.labels}
    for index, column in sorted(columns.items()):
        text = displayed(texts.get(index, ""))
        yield GridColumn(index, letters(index), text, keys.get(index, ""), column.width)


class _RowsWriter:
    """The rows of one reading of a sheet, packed as they come."""

    def __init__(self, db: sqlite3.Connection, number: int, header: Header) -> None:
        self._db, self._own = db, header.own
        self._next_pack = pack_id(number)
        self._held: list[tuple[Any, ...]] = []
        self.columns = {index: _ShownColumn() for index in sorted(header.texts.keys() - header.own)}
        """By index, in the order in which rows keep their cells."""
        self.numbers = array(POSITION)
        """Of the rows that are not blank."""

    def add(self, block: Block) -> None:
        """Adds the rows of a block, but for blank ones."""
        texts: dict[int, Iterable[str]] = {}
        for index in block.used(0):
            column = self._column(index)
            if column is not None:
                texts[index] = column.read(block.column(index), block.decode)
        blank: Iterable[str] = repeat("")
        hidden = [int(row in block.hidden) for row in block.rows]
        cells = (texts.get(index, blank) for index in self.columns)
        every = zip(block.rows, hidden, *cells, strict=False)  # blank ones never end
        rows = [row for row in every if any(row[BEFORE_CELLS:])]
        self.numbers.extend([row[0] for row in rows])
        self._held += rows
        self._pack(len(self._held) // PACKED * PACKED)

    def finish(self) -> "array[int]":
        """Packs the last rows; the numbers of all."""
        self._pack(len(self._held))
        return self.numbers

    def _pack(self, count: int) -> None:
        """Packs as many of the rows that are held."""
        packs = [
            (self._next_pack + number, orjson.dumps(self._held[start : start + PACKED]))
            for number, start in enumerate(range(0, count, PACKED))
        ]
        self._db.executemany("INSERT INTO packs VALUES (?, ?)", packs)
        self._next_pack += len(packs)
        del self._held[:count]

    def _column(self, index: int) -> "_ShownColumn | None":
        """A column by its index; None of one that is not shown."""
        column = self.columns.get(index)
        if column is None and index not in self._own and len(self.columns) < MOST_COLUMNS:
            column = self.columns[index] = _ShownColumn()
        return column


class _ShownColumn(dict[Hashable, str]):
    """What the cells of a column show, by key: each different one is decoded once."""

    def __init__(self) -> None:
        super().__init__()
        self.width = 0
        self._decode: Callable[[Hashable], Cell]

    def __missing__(self, key: Hashable) -> str:
        text = self[key] = displayed(shown(self._decode(key)))
        self.width = max(self.width, len(text))
        return text

    def read(self, keys: Iterable[Hashable], decode: Callable[[Hashable], Cell]) -> list[str]:
        """The texts of a block's cells."""
        if len(self) > REMEMBERED:
            self.clear()
        self._decode = decode
        return list(map(self.__getitem__, keys))


def displayed(text: str) -> str:
    """A cell's text on one line, of bearable length, with nothing that steers."""
    if text.isprintable() and len(text) <= LONGEST_TEXT:
        return text
    line = shorten(text, LONGEST_TEXT).replace("\r\n", "\n").replace("\n", LINE_END)
    return clean(line)
