"""CSV in all its writings, record by record, each with the physical line where it starts."""

import csv
from collections.abc import Generator, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from feedtool.model.cells import BLANK, Block, Cell, Kind
from feedtool.sheets.read.csv_dialect import (
    USUAL,
    Quotes,
    Quoting,
    announced_quoting,
    announced_separator,
    find_quoting,
    find_separator,
    line_ends,
    unclosed,
)
from feedtool.sheets.read.csv_encoding import Encoding, find_encoding
from feedtool.sheets.read.errors import GridOutOfRange
from feedtool.sheets.read.source import LAST_COLUMN, Sheet
from feedtool.sheets.read.workbook import SheetEntry

if TYPE_CHECKING:
    import _csv

_RECORDS = 1000
"""Records of a block."""
_SAMPLE = 1 << 16
"""Characters by which the separator is found."""
_LONGEST_FIELD = 16 << 20
"""Characters; Python's own limit is 131,072, and a description may be longer."""
MOST_FIELDS = LAST_COLUMN + 1
"""Of a record, those that are not blank: the columns of a sheet."""


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """The dialect of a CSV, so that a copy can be written alike."""

    encoding: str
    """A codec that leaves the byte order mark alone."""
    mark: bytes
    """The byte order mark, or nothing."""
    separator: str
    is_announced: bool
    """The first record is a `sep=` line."""
    line_end: str
    """That of the first line."""
    quoting: Quoting

    def reader(self, lines: Iterable[str]) -> "_csv.Reader":
        """The csv module's reader of such lines."""
        csv.field_size_limit(_LONGEST_FIELD)
        return csv.reader(
            lines,
            delimiter=self.separator,
            quotechar=self.quoting.mark,
            skipinitialspace=self.quoting.skips_blanks,
        )


class CsvSource:
    """An open CSV; a context manager, though nothing is kept open between readings.

    Raises CsvEncoding, CsvNul, EmptyFile, NotAWorkbook.
    """

    format = "csv"

    def __init__(self, path: Path, fallback: str = "cp1252") -> None:
        self.path = path
        self.sheets = (SheetEntry("", ""),)
        self.properties: dict[str, str] = {}
        self.encoding = find_encoding(path, fallback)
        self.dialect, self.quotes = _dialect(path, self.encoding)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def sheet(self, name: str = "") -> "CsvSheet":
        """The only table, whatever the name."""
        del name
        return CsvSheet(self.path, self.encoding, self.dialect, self.quotes)


class CsvSheet(Sheet):
    """The table of a CSV. It may be read several times. A cell's key is its text."""

    def __init__(self, path: Path, encoding: Encoding, dialect: CsvDialect, quotes: Quotes) -> None:
        super().__init__()
        self.dialect = dialect
        for notice in (*encoding.notices, *quotes.notices()):
            self._notice(notice.code, notice.text)
        self._path = path
        self._encoding = encoding
        self._quotes = quotes

    def _read(self) -> Generator[Block, None, None]:
        dialect, quotes = self.dialect, self._quotes
        with self._encoding.open(self._path) as file:
            reader = dialect.reader(self._encoding.lines(file))
            number, line = 0, 1
            while True:
                try:
                    records = list(islice(reader, _RECORDS))
                except csv.Error as error:
                    raise (quotes.problem or unclosed(line)) from error
                following = reader.line_num + 1
                if quotes.problem and quotes.opened in range(line, following):
                    raise quotes.problem
                if not records:
                    return
                if number == 0 and dialect.is_announced:
                    records[0] = []
                if any(records):
                    yield self._block(number, records, _starts(records, line, following))
                number += len(records)
                line = following

    def _block(self, number: int, records: list[list[str]], starts: Sequence[int]) -> Block:
        """Records as columns; ragged ones column by column, only when a column is asked for."""
        used, widths = self.last_column + 1, set(map(len, records))
        widest = max(widths)
        if widest > used:
            for line, record in zip(starts, records, strict=True):
                if len(record) > used:
                    used = max(used, used_fields(record))
                    if used > MOST_FIELDS:
                        raise GridOutOfRange(
                            f"The record in line {line} has {used:,} fields, "
                            "more than a sheet has columns.",
                            "Look at that line: line ends are missing, "
                            "or the separator is another.",
                        )
        self.last_column = used - 1
        width = min(widest, used)
        is_even = len(widths) == 1 and widest <= MOST_FIELDS
        columns = list(zip(*records, strict=True)) if is_even else None

        def column(index: int) -> Iterable[Hashable]:
            if columns is not None:
                return columns[index]
            return [record[index] if index < len(record) else "" for record in records]

        rows = range(number + 1, number + len(records) + 1)
        return Block(rows, starts, frozenset(), width, column, decode)


def decode(key: Hashable) -> Cell:
    """The cell of a text; `="0036"`, which keeps Excel from dropping zeros, is `0036`."""
    text = str(key)
    if text[:2] == '="' and text[-1] == '"' and len(text) > len('="'):
        text = text[2:-1].replace('""', '"')
    return Cell(Kind.TEXT, text) if text else BLANK


def used_fields(record: list[str]) -> int:
    """The number of a record's fields up to the last that is not empty."""
    used = len(record)
    while used and not record[used - 1]:
        used -= 1
    return used


def _starts(records: list[list[str]], line: int, following: int) -> Sequence[int]:
    """The line where each record starts, from that of the first to that after the last."""
    if following - line == len(records):
        return range(line, following)
    starts = []
    for record in records:
        starts.append(line)
        text = "\0".join(record)
        line += 1 + line_ends(text, 0, len(text))
    return starts


def _dialect(path: Path, encoding: Encoding) -> tuple[CsvDialect, Quotes]:
    with encoding.open(path) as file:
        sample = file.read(_SAMPLE)
    lines = [line.lstrip("\ufeff") for line in StringIO(sample, newline="")]
    announced = announced_quoting(lines) if "'" in encoding.quotes else USUAL
    separator, is_announced = _separator(lines, announced)
    quoting, quotes = find_quoting(
        partial(_pieces, path, encoding), encoding.quotes, separator, announced
    )
    return (
        CsvDialect(
            encoding.name, encoding.mark, separator, is_announced, _line_end(sample), quoting
        ),
        quotes,
    )


def _pieces(path: Path, encoding: Encoding) -> Iterator[str]:
    """The text, some lines at a time."""
    with encoding.open(path) as file:
        lines = iter(encoding.lines(file))
        while piece := "".join(islice(lines, _RECORDS)):
            yield piece


def _separator(lines: list[str], quoting: Quoting) -> tuple[str, bool]:
    """The separator, and whether the first line announces it."""
    announced = announced_separator(lines[0]) if lines else None
    if announced:
        return announced, True
    # The last line of the sample may be cut off.
    return find_separator(lines[:-1] or lines, quoting.mark), False


def _line_end(sample: str) -> str:
    r"""The first line end: `\r\n`, `\n` or `\r`."""
    line = sample[: sample.find("\n") + 1] or sample
    if line.endswith("\r\n") and line.count("\r") == 1:
        return "\r\n"
    return "\r" if "\r" in line else "\n"
