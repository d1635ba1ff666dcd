"""Write the sheets of a command for the browser, while they are checked."""

import secrets
import sqlite3
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, Self
from weakref import finalize

import msgspec
import orjson
from msgspec.structs import asdict

from feedtool.areas.registry import load
from feedtool.model.cells import Block, Cell, Header, index_of, letters, shown
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
"""Most characters of a cell that are shown: descriptions may be very long."""
MOST_COLUMNS = 1_000
"""Most columns that are shown."""
REMEMBERED = 4096
"""Most different cells of a column that are cached."""
LINE_END = "⏎"
"""The sign for a line break in a cell."""
_STATUSES = {VALID: Status.VALID, INVALID: Status.INVALID, SKIPPED: Status.SKIPPED}
WORDS = [_STATUSES[mark] for mark in sorted(_STATUSES)]
"""The statuses by the marks of rows, which begin with 1."""


class GridWriter:
    """Sees the sheets of a command while they are checked, then writes the results.

        with GridWriter(path) as writer:
            writer.conclude(check(inputs, replace(options, see=writer.see), areas))

    Only then the file exists; CannotWrite if it cannot be written.
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

    def __exit__(self, *_: object) -> None:
        self._discard()

    def see(self, checked: CheckedSheet, number: int) -> Callable[[Block], None]:
        """The `see` of `ReadOptions`; drops the rows of an earlier reading of the sheet."""
        if checked.header is None:
            raise ValueError("a sheet is read once its header is known")
        self._forget(number)
        rows = self._rows[number] = _RowsWriter(self._db, number, checked.header)

        def see(block: Block) -> None:
            with writing(self._path):
                rows.add(block)

        return see

    def conclude(self, sheets: Sequence[CheckedSheet]) -> None:
        """Write the results of checking, and move the file to its place."""
        with writing(self._path):
            self._db.execute(INDEX)
            for number, checked in enumerate(sheets):
                self._add_sheet(number, checked)
            for number in self._rows.keys() - range(len(sheets)):
                self._forget(number)  # from a reading of a file that has changed since
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
    """Yield the problems of a check, and the reasons of skipped rows."""
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
        position = place_in(numbers, skipped.row)
        for message in skipped.messages:
            if not message.code:  # else a problem has the same text
                text = kept_text(message.text)
                yield GridEntry(position, skipped.row, None, "", "", NOTE, None, text, "")


def _facts(number: int, checked: CheckedSheet, rows: "_RowsWriter | None") -> GridSheet:
    sheet, header = checked.sheet or "", checked.header
    if rows is None or header is None:
        error = None
        if why := checked.error:
            error = SheetError(why.code, kept_text(why.message), kept_text(why.hint))
        return GridSheet(number, checked.file, sheet, checked.kind or "", error=error)
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


def _columns(
    columns: "Mapping[int, _ShownColumn]", header: Header, places: Mapping[str, Sequence[int]]
) -> Iterator[GridColumn]:
    keys = {index: key for key, indexes in reversed(list(places.items())) for index in indexes}
    texts = {**header.texts, **header.labels}
    for index, column in sorted(columns.items()):
        text = displayed(texts.get(index, ""))
        yield GridColumn(index, letters(index), text, keys.get(index, ""), column.width)


class _RowsWriter:
    """Writes the rows of one reading of a sheet in packs."""

    def __init__(self, db: sqlite3.Connection, number: int, header: Header) -> None:
        self._db, self._own = db, header.own
        self._next_pack = pack_id(number)
        self._held: list[tuple[Any, ...]] = []
        self.columns = {index: _ShownColumn() for index in sorted(header.texts.keys() - header.own)}
        """Columns by index, in the order of the cells in packed rows."""
        self.numbers = array(POSITION)
        """The numbers of rows that are not blank."""

    def add(self, block: Block) -> None:
        """Add the rows of a block, without blank ones."""
        texts: dict[int, Iterable[str]] = {}
        for index in block.used(0):
            column = self.columns.get(index)
            if column is None and index not in self._own and len(self.columns) < MOST_COLUMNS:
                column = self.columns[index] = _ShownColumn()
            if column is not None:
                texts[index] = column.read(block.column(index), block.decode)
        blank: Iterable[str] = repeat("")
        hidden = [int(row in block.hidden) for row in block.rows]
        cells = (texts.get(index, blank) for index in self.columns)
        every = zip(block.rows, hidden, *cells, strict=False)  # `blank` never ends
        rows = [row for row in every if any(row[BEFORE_CELLS:])]
        self.numbers.extend([row[0] for row in rows])
        self._held += rows
        self._pack(len(self._held) // PACKED * PACKED)

    def finish(self) -> "array[int]":
        self._pack(len(self._held))
        return self.numbers

    def _pack(self, count: int) -> None:
        """Pack the first `count` of the rows that are held."""
        packs = [
            (self._next_pack + number, orjson.dumps(self._held[start : start + PACKED]))
            for number, start in enumerate(range(0, count, PACKED))
        ]
        self._db.executemany("INSERT INTO packs VALUES (?, ?)", packs)
        self._next_pack += len(packs)
        del self._held[:count]


class _ShownColumn(dict[Hashable, str]):
    """The texts of a column's cells, by key: each different cell is decoded once."""

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
    """Return a cell's text on one line, shortened and without control characters."""
    if text.isprintable() and len(text) <= LONGEST_TEXT:
        return text
    line = shorten(text, LONGEST_TEXT).replace("\r\n", "\n").replace("\n", LINE_END)
    return clean(line)
