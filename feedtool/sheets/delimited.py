"""CSV in all its writings, record by record, each with the physical line where it starts."""

import csv
from collections.abc import Generator, Hashable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from io import StringIO, TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import Self

from feedtool.cells import BLANK, Block, Cell, Kind
from feedtool.sheets.blocks import first_rows, rows_after
from feedtool.sheets.encoding import Encoding, find_encoding
from feedtool.sheets.separator import announced_separator, find_separator
from feedtool.sheets.source import HeadRow, Merge, Notice, by_code
from feedtool.sheets.unreadable import CsvUnterminatedQuote, GridOutOfRange
from feedtool.sheets.workbook import SheetEntry

_RECORDS = 1000
"""Records of a block."""
_SAMPLE = 1 << 16
"""Characters by which the separator is found."""
_LONGEST_FIELD = 16 << 20
"""Characters; Python's own limit is 131,072, and a description may be longer."""
MOST_FIELDS = 16_384
"""Of a record, those that are not blank: the columns of a sheet."""
_END = ["\0", "\0"]
"""A record after the last. No text has a NUL; so if it comes out otherwise, it was swallowed by a
field whose quote was left open."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a CSV is written, so that a copy can be written alike."""

    encoding: str
    """A codec that leaves the byte order mark alone."""
    mark: bytes
    """The byte order mark, or nothing."""
    separator: str
    is_announced: bool
    """The first record is a `sep=` line."""
    line_end: str
    """That of the first line."""


class CsvSource:
    """An open CSV; a context manager, though nothing is kept open between readings.

    Raises CsvEncoding, CsvNul, EmptyFile, NotAWorkbook.
    """

    format = "csv"

    def __init__(self, path: Path, fallback: str = "cp1252") -> None:
        self.path = path
        self.sheets = (SheetEntry("", ""),)
        self.properties: dict[str, str] = {}
        self._encoding = find_encoding(path, fallback)
        self.dialect = _dialect(path, self._encoding)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str = "") -> "CsvSheet":
        """The only table, whatever the name."""
        del name
        return CsvSheet(self.path, self._encoding, self.dialect)


class CsvSheet:
    """The table of a CSV. It may be read several times. A cell's key is its text."""

    name = ""

    def __init__(self, path: Path, encoding: Encoding, dialect: Dialect) -> None:
        self.dialect = dialect
        self.last_column = -1
        """The 0-based last column with a text seen so far; -1: none."""
        self.merges: list[Merge] = []
        self.warnings: list[Notice] = list(encoding.notices)
        self._path = path
        self._encoding = encoding

    @property
    def notices(self) -> dict[str, list[str]]:
        """The texts of the warnings by code."""
        return by_code(self.warnings)

    def head(self, count: int) -> list[HeadRow]:
        """The first records that are not blank, at most `count`; a `sep=` line counts as blank."""
        with closing(self._read()) as blocks:
            return first_rows(blocks, count)

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The records after one, blank ones included. Raises CsvUnterminatedQuote as it goes."""
        for block in self._read():
            rest = rows_after(block, after_row)
            if rest.rows:
                yield rest

    def _read(self) -> Generator[Block, None, None]:
        csv.field_size_limit(_LONGEST_FIELD)
        with _open(self._path, self._encoding) as file:
            lines = _repaired(file) if self._encoding.is_odd else file
            number, line = 0, 1
            separator = self.dialect.separator
            reader = csv.reader(chain(lines, (separator.join(_END),)), delimiter=separator)
            is_end = False
            while not is_end:
                records: list[list[str]] = []
                starts = []
                try:
                    for record in islice(reader, _RECORDS):
                        records.append(record)
                        starts.append(line)
                        line = reader.line_num + 1
                except csv.Error as error:
                    raise _unterminated(line) from error
                is_end = len(records) < _RECORDS or records[-1] == _END
                if is_end:
                    _take_end(records, starts)
                if number == 0 and self.dialect.is_announced:
                    records[0] = []
                if records:
                    yield self._block(number, records, starts)
                number += len(records)

    def _block(self, number: int, records: list[list[str]], starts: list[int]) -> Block:
        """Records as columns; ragged ones column by column, only when a column is asked for."""
        used = self.last_column + 1
        for line, record in zip(starts, records, strict=True):
            if len(record) > used:
                used = max(used, _used(record, line))
        self.last_column = used - 1
        width = min(max(map(len, records)), used)
        columns = list(zip(*records, strict=True)) if _is_even(records) else None

        def column(index: int) -> Iterable[Hashable]:
            if columns is not None:
                return columns[index]
            return [record[index] if index < len(record) else "" for record in records]

        rows = range(number + 1, number + len(records) + 1)
        return Block(rows, starts, frozenset(), width, column, decode)


def decode(key: Hashable) -> Cell:
    """The cell of a text; `="0036"`, which keeps Excel from dropping zeros, is `0036`."""
    text = str(key)
    if text.startswith('="') and text.endswith('"') and len(text) > len('="'):
        text = text[2:-1].replace('""', '"')
    return Cell(Kind.TEXT, text) if text else BLANK


def _used(record: list[str], line: int) -> int:
    """The number of fields up to the last that is not empty. Raises GridOutOfRange."""
    used = len(record)
    while used and not record[used - 1]:
        used -= 1
    if used > MOST_FIELDS:
        raise GridOutOfRange(
            f"The record in line {line} has {used:,} fields, more than a sheet has columns.",
            "Look at that line: line ends are missing, or the separator is another.",
        )
    return used


def _is_even(records: list[list[str]]) -> bool:
    """Whether all records have the same number of fields, and not an absurd one."""
    width = len(records[0])
    return width <= MOST_FIELDS and all(len(record) == width for record in records)


def _open(path: Path, encoding: Encoding) -> TextIOWrapper:
    """The text after the byte order mark, with the line ends as they are."""
    file = path.open("rb")
    file.seek(len(encoding.mark))
    return TextIOWrapper(file, encoding=encoding.name, newline="")


def _repaired(lines: Iterable[str]) -> Iterator[str]:
    """The lines without byte order marks in front of them and without a final Ctrl-Z."""
    held = ""
    for line in lines:
        if held:
            yield held
        held = line.lstrip("\ufeff")
    held = held.removesuffix("\x1a")
    if held:
        yield held


def _dialect(path: Path, encoding: Encoding) -> Dialect:
    with _open(path, encoding) as file:
        sample = file.read(_SAMPLE)
        lines = [line.lstrip("\ufeff") for line in StringIO(sample, newline="")]
    return Dialect(encoding.name, encoding.mark, *_separator(lines), _line_end(sample))


def _separator(lines: list[str]) -> tuple[str, bool]:
    """The separator, and whether the first line announces it."""
    announced = announced_separator(lines[0]) if lines else None
    if announced:
        return announced, True
    # The last line of the sample may be cut off.
    return find_separator(lines[:-1] or lines), False


def _line_end(sample: str) -> str:
    r"""The first line end: `\r\n`, `\n` or `\r`."""
    line = sample[: sample.find("\n") + 1] or sample
    if line.endswith("\r\n") and line.count("\r") == 1:
        return "\r\n"
    return "\r" if "\r" in line else "\n"


def _take_end(records: list[list[str]], starts: list[int]) -> None:
    """Remove the line after the last. Raises CsvUnterminatedQuote if a field swallowed it."""
    last = records.pop()
    line = starts.pop()
    if last != _END:
        before = "".join(last[:-1])
        raise _unterminated(line + before.count("\n") + before.count("\r") - before.count("\r\n"))


def _unterminated(line: int) -> CsvUnterminatedQuote:
    return CsvUnterminatedQuote(
        f"A quotation mark opens in line {line} and is never closed.",
        "Close it, or double it if it belongs to the text; then try again.",
    )
