"""Read any dialect of CSV record by record, with the physical line at which each starts."""

import csv
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from functools import partial
from io import StringIO
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple, Self

from msgspec import Struct

from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.model.text import tr
from feedtool.sheets.read.csv_dialect import (
    USUAL,
    Quotes,
    Quoting,
    announced_quoting,
    announced_separator,
    find_quoting,
    find_separator,
    unclosed,
)
from feedtool.sheets.read.csv_encoding import Encoding, find_encoding, line_ends
from feedtool.sheets.read.errors import GridOutOfRange
from feedtool.sheets.read.source import LAST_COLUMN, Sheet
from feedtool.sheets.read.workbook import SheetEntry

_RECORDS = 1000
_SAMPLE = 1 << 16
"""Characters of the sample that shows the separator."""
_LONGEST_FIELD = 16 << 20
"""Characters; Python's own limit is 131,072, and a description may be longer."""
MOST_FIELDS = LAST_COLUMN + 1
"""Fields of a record at most, without blank ones at its end: the columns of a sheet."""


class CsvRecords(NamedTuple):
    """Some records in order."""

    first: int
    """The number of the first record, 1-based; blank records and a `sep=` line count."""
    line: int
    """The physical line at which the first record starts."""
    following: int
    """The line after the last record."""
    fields: list[list[str]]

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + len(self.fields))

    def starts(self) -> Sequence[int]:
        """Return the line at which each record starts."""
        if self.following - self.line == len(self.fields):
            return range(self.line, self.following)
        lines = (1 + line_ends("\0".join(record)) for record in self.fields[:-1])
        return list(accumulate(lines, initial=self.line))


class CsvDialect(Struct, frozen=True):
    """The dialect of a CSV, which its annotated copy keeps."""

    encoding: Encoding
    separator: str
    is_announced: bool
    """True if the first record is a `sep=` line."""
    quoting: Quoting

    def records(self, lines: Iterable[str]) -> Iterator[CsvRecords]:
        """Yield the records of lines in batches. Raises csv.Error for a field without end."""
        csv.field_size_limit(_LONGEST_FIELD)
        reader = csv.reader(
            lines,
            delimiter=self.separator,
            quotechar=self.quoting.mark,
            skipinitialspace=self.quoting.skips_blanks,
        )
        number = line = 1
        while fields := list(islice(reader, _RECORDS)):
            yield CsvRecords(number, line, reader.line_num + 1, fields)
            number += len(fields)
            line = reader.line_num + 1


class CsvSource:
    """A CSV; a context manager like other sources, though no file stays open between readings.

    Raises CsvEncoding, CsvNul, EmptyFile, NotAWorkbook.
    """

    format = "csv"

    def __init__(self, path: Path, fallback: str = "") -> None:
        self.path = path
        self.sheets = (SheetEntry("", ""),)
        self.properties: dict[str, str] = {}
        self.dialect, self.quotes = _dialect(path, find_encoding(path, fallback))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str = "") -> "CsvSheet":
        """Return the only table, for any name."""
        del name
        return CsvSheet(self)


class CsvSheet(Sheet):
    """The table of a CSV. It may be read several times. A cell's key is its text."""

    def __init__(self, source: CsvSource) -> None:
        super().__init__()
        self._path, self._dialect, self._quotes = source.path, source.dialect, source.quotes
        self._used = 0
        """The most fields of a record so far, without blank ones at its end."""
        for notice in (*source.dialect.encoding.notices, *source.quotes.notices()):
            self._notice(notice.code, notice.text)
        self.doubts = source.dialect.encoding.doubts

    @property
    def size(self) -> int:
        return self._path.stat().st_size

    def _read(self) -> Generator[Block, None, None]:
        encoding, quotes, line = self._dialect.encoding, self._quotes, 1
        with encoding.open(self._path) as file:
            try:
                for records in self._dialect.records(encoding.lines(file)):
                    line = records.following
                    if quotes.problem and quotes.opened in range(records.line, line):
                        raise quotes.problem
                    if records.first == 1 and self._dialect.is_announced:
                        records.fields[0] = []
                    if any(records.fields):
                        yield self._block(records)
            except csv.Error as error:
                raise (quotes.problem or unclosed(line)) from error

    def _block(self, block: CsvRecords) -> Block:
        """Return records as a block; columns of uneven records are made when they are read."""
        records, starts = block.fields, block.starts()
        used, widths = self._used, set(map(len, records))
        widest = max(widths)
        if widest > used:
            for line, record in zip(starts, records, strict=True):
                if len(record) > used:
                    used = max(used, used_fields(record))
                    if used > MOST_FIELDS:
                        raise GridOutOfRange(
                            tr(
                                "The record in line {line} has {used:,} fields, more than a sheet "
                                "has columns.",
                                line=line,
                                used=used,
                            ),
                            tr(
                                "Look at that line: line ends are missing, or the separator is "
                                "another."
                            ),
                        )
        self._used = used
        width = min(widest, used)
        is_even = len(widths) == 1 and widest <= MOST_FIELDS
        columns = list(zip(*records, strict=True)) if is_even else None

        def column(index: int) -> Iterable[Hashable]:
            if columns is not None:
                return columns[index]
            return [record[index] if index < len(record) else "" for record in records]

        return Block(block.numbers, starts, frozenset(), width, column, decode)


def decode(key: Hashable) -> Cell:
    """Return the cell of a text; `="0036"`, Excel's notation to keep zeros, is `0036`."""
    text = str(key)
    if text[:2] == '="' and text[-1] == '"' and len(text) > len('="'):
        text = text[2:-1].replace('""', '"')
    return Cell(Kind.TEXT, text) if text else BLANK


def used_fields(record: list[str]) -> int:
    """Return the number of a record's fields up to the last one that is not empty."""
    used = len(record)
    while used and not record[used - 1]:
        used -= 1
    return used


def _dialect(path: Path, encoding: Encoding) -> tuple[CsvDialect, Quotes]:
    with encoding.open(path) as file:
        sample = file.read(_SAMPLE)
    lines = [line.lstrip("\ufeff") for line in StringIO(sample, newline="")]
    shown = announced_quoting(lines) if "'" in encoding.quotes else USUAL
    announced = announced_separator(lines[0]) if lines else None
    # The last line of the sample may be cut off.
    separator = announced or find_separator(lines[:-1] or lines, shown.mark)
    pieces = partial(_pieces, path, encoding)
    quoting, quotes = find_quoting(pieces, encoding.quotes, separator, shown)
    return CsvDialect(encoding, separator, bool(announced), quoting), quotes


def _pieces(path: Path, encoding: Encoding) -> Iterator[str]:
    """Yield the text, some lines at a time."""
    with encoding.open(path) as file:
        lines = iter(encoding.lines(file))
        while piece := "".join(islice(lines, _RECORDS)):
            yield piece
