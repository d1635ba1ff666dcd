"""The annotated copy of a CSV: each record keeps its bytes, and three fields are put behind them.

Record numbers and fields are those of the reader (`delimited`); bytes are those of the file. In
UTF-8 and the single-byte encodings separators, quotes and line ends are single bytes that mean
nothing else, so the file is cut there as bytes, and nothing is decoded but our headings.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from feedtool.cells import letters
from feedtool.sheets.annotate.check import NotAsWritten
from feedtool.sheets.annotate.notes import SheetNotes
from feedtool.sheets.annotate.plan import NoRoom
from feedtool.sheets.delimited import MOST_FIELDS, CsvSource, Dialect
from feedtool.sheets.encoding import MULTIBYTE
from feedtool.sheets.unreadable import CsvUnterminatedQuote

_LONGEST_FIELD = 16 << 20
_END = ["\0", "\0"]
"""A record after the last. No text has a NUL; so if it comes out otherwise, it was swallowed by a
field whose quote was left open."""
_CTRL_Z = "\x1a"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What makes a spreadsheet program take a text for a formula, or lose what comes before one.

The last four are the full-width `= + - @`, which Japanese editions read as the plain ones.
"""
_UNHELD = re.compile("[\0\x1a\ufeff]")
"""What a reader takes for something of the file's own: its end, or its byte order mark."""
_PLAIN = str.maketrans({"“": '"', "”": '"', "…": "...", "€": "EUR"})
"""Marks in our messages, and what stands for them where they would be misread."""
_BLOCK = 1 << 16
_BYTEWISE = ("utf-8", "ascii", "cp125", "cp437", "cp85", "iso8859", "latin", "koi8", "mac")
"""Encodings (beginnings of their names) in which no byte of ASCII is part of another letter."""


class Record(NamedTuple):
    """One record of the file."""

    number: int
    """1-based; blank records and a `sep=` line count."""
    body: str
    """As it stands in the file, one character for each byte if the encoding is bytewise."""
    end: str
    """Its line end, or a final Ctrl-Z."""
    fields: list[str]

    @property
    def is_rest(self) -> bool:
        """Whether it is no record, but what the file ends with behind the last one."""
        return not self.number


@dataclass(frozen=True, slots=True)
class Layout:
    """Where our fields go."""

    header_row: int
    columns: tuple[int, ...]
    """Of status, message and code, 0-based."""
    earlier: frozenset[int]
    """The columns under our headings now."""


@dataclass(slots=True)
class _Text:
    """How a CSV is cut into records and how ours is written."""

    dialect: Dialect
    codec: str = field(init=False)
    """The one that the file is cut with: `latin-1` shows each byte as a character."""
    mark: str = field(init=False)
    """A byte order mark in that codec."""
    fields: re.Pattern[str] = field(init=False)

    def __post_init__(self) -> None:
        encoding = self.dialect.encoding
        bytewise = encoding.startswith(_BYTEWISE) and self.dialect.separator.isascii()
        self.codec = "latin-1" if bytewise else encoding
        has_mark = encoding.startswith("utf")
        self.mark = "\ufeff".encode(encoding).decode(self.codec) if has_mark else ""
        plain = f"[^{re.escape(self.dialect.separator)}\r\n]*"
        # As the csv module reads: behind the closing quote the field goes on without quotes.
        self.fields = re.compile(f'"(?:[^"]|"")*+"{plain}|{plain}')

    def records(self, path: Path) -> Iterator[Record]:
        """The records in order, and what follows the last. Raises CsvUnterminatedQuote."""
        csv.field_size_limit(_LONGEST_FIELD)
        separator = self.dialect.separator
        with path.open("rb") as file:
            file.seek(len(self.dialect.mark))
            lines = _Lines(TextIOWrapper(file, self.codec, newline=""), self.mark)
            reader = csv.reader(chain(lines, (separator.join(_END),)), delimiter=separator)
            try:
                for number, fields in enumerate(reader, 1):
                    raw = lines.taken()
                    if fields == _END:
                        yield Record(0, raw, "", [])
                        return
                    ends = ("\r\n", "\n", "\r", lines.final)
                    end = next(end for end in ends if raw.endswith(end))
                    yield Record(number, raw.removesuffix(end), end, fields)
            except csv.Error as error:
                raise _unterminated() from error
        raise _unterminated()

    def split(self, body: str) -> list[str]:
        """The fields of a record as they stand in the file, quotation marks and all."""
        start = len(lead(body, self.mark))
        raw = []
        while start <= len(body):
            found = self.fields.match(body, start)
            end = found.end() if found else len(body)
            raw.append(body[start:end])
            start = end + 1
        return [lead(body, self.mark) + raw[0], *raw[1:]]

    def decoded(self, text: str) -> str:
        """A field's text."""
        if self.codec == self.dialect.encoding or text.isascii():
            return text
        return text.encode(self.codec).decode(self.dialect.encoding, "replace")

    def held(self, text: str) -> str:
        """A text of ours as this file can hold it, in the codec that the file is cut with."""
        text = _UNHELD.sub("\ufffd", text)
        if text.startswith(_FORMULA):
            text = "'" + text
        if text.isascii():
            return text
        raw = text.encode(self.dialect.encoding, "replace")
        if self.codec == "latin-1" and not self.mark and MULTIBYTE.search(raw):
            # A letter of theirs and a mark of ours, such as `É”`, would look like UTF-8.
            raw = text.translate(_PLAIN).encode(self.dialect.encoding, "replace")
            raw = MULTIBYTE.sub(lambda found: b"?" * len(found[0]), raw)
        return raw.decode(self.codec)

    def quoted(self, text: str) -> str:
        """A field's text with quotation marks, where it needs them."""
        if any(mark in text for mark in (self.dialect.separator, '"', "\r", "\n")):
            return '"' + text.replace('"', '""') + '"'
        return text


def _unterminated() -> CsvUnterminatedQuote:
    return CsvUnterminatedQuote(
        "A quotation mark opens and is never closed.",
        "Close it, or double it if it belongs to the text; then try again.",
    )


class _Lines:
    """Gives the csv module its lines, and remembers those of the record that it is reading."""

    def __init__(self, file: TextIOWrapper, mark: str) -> None:
        self._file = file
        self._mark = mark
        self._taken: list[str] = []
        self.final = ""
        """The Ctrl-Z, once the last line is given that ends in one."""

    def taken(self) -> str:
        """The lines since the last call."""
        raw = "".join(self._taken)
        self._taken.clear()
        return raw

    def __iter__(self) -> Iterator[str]:
        line = self._file.readline()
        while line:
            following = self._file.readline()
            self._taken.append(line)
            # The reader does the same: marks of joined files and a final Ctrl-Z are no text.
            shown = line[len(lead(line, self._mark)) :]
            if not following and shown.endswith(_CTRL_Z):
                self.final = _CTRL_Z
                shown = shown.removesuffix(_CTRL_Z)
            if shown:
                yield shown
            line = following


def lead(line: str, mark: str) -> str:
    """The byte order marks that a line begins with."""
    count = 0
    while mark and line.startswith(mark, count):
        count += len(mark)
    return line[:count]


def annotate_csv(source: Path, result: Path, notes: SheetNotes, fallback: str) -> None:
    """Write the annotated copy of `source` to `result` and check it.

    Raises UsageProblem (NoRoom), FileProblem, NotAsWritten, OSError.
    """
    text = _Text(CsvSource(source, fallback).dialect)
    layout = _layout(text, source, notes)
    written, read = _Digest(), _Digest()
    with result.open("wb") as out:
        out.write(text.dialect.mark)
        for record, ours in _with_notes(text.records(source), notes):
            body, fields = _annotated(text, layout, record, ours)
            written.add(fields)
            out.write((body + record.end).encode(text.codec))
    for record in text.records(result):
        read.add(record.fields)
    if written.value() != read.value():
        raise NotAsWritten(
            "The annotated copy was not kept: it did not read back as it was written.",
            "Try again; if it happens twice, the disk is failing or feedtool has a bug.",
        )


def is_annotated_csv(path: Path, notes: SheetNotes, fallback: str) -> bool:
    """Whether a CSV has all of our headings in its row of headings. Raises FileProblem."""
    text = _Text(CsvSource(path, fallback).dialect)
    records = (record for record in text.records(path) if record.number == notes.header_row)
    header = next(records, None)
    return header is not None and all(_headed(text, header, notes).values())


class _Digest:
    """Of records, field by field."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, fields: list[str]) -> None:
        self._hash.update("\0".join((*fields, "\1")).encode())

    def value(self) -> bytes:
        return self._hash.digest()


def _layout(text: _Text, source: Path, notes: SheetNotes) -> Layout:
    """Look through the file: ours begin behind the longest record, so that they stand in line.

    Where that is beyond a sheet's last column, what is longest is blank, and ours go into it.

    Raises NoRoom.
    """
    widest = used = 0
    by_heading: dict[str, list[int]] = {}
    for record in text.records(source):
        if record.number == notes.header_row:
            by_heading = _headed(text, record, notes)
        if record.number >= notes.header_row:
            widest = max(widest, len(record.fields))
            used = max(used, _used(record.fields, used))
    earlier = frozenset(column for columns in by_heading.values() for column in columns)
    if by_heading and all(by_heading.values()):
        return Layout(
            notes.header_row, tuple(columns[0] for columns in by_heading.values()), earlier
        )
    last = MOST_FIELDS - len(notes.headings)
    first = widest if widest <= last else used
    if first > last:
        raise NoRoom(
            f"The table is used up to column {letters(first - 1)}, which leaves no room for the "
            "three columns of the result.",
            "Delete what stands in its last columns.",
        )
    return Layout(notes.header_row, (first, first + 1, first + 2), earlier)


def _used(fields: list[str], least: int) -> int:
    """How many fields a record has without the blank ones at its end, if more than so many."""
    count = len(fields)
    while count > least and not fields[count - 1]:
        count -= 1
    return count


def _headed(text: _Text, header: Record, notes: SheetNotes) -> dict[str, list[int]]:
    """The columns under each of our headings."""
    names = [text.decoded(name).strip() for name in header.fields]
    return {
        heading: [column for column, name in enumerate(names) if name == heading]
        for heading in notes.headings
    }


def _with_notes(
    records: Iterator[Record], notes: SheetNotes
) -> Iterator[tuple[Record, tuple[str, str, str] | None]]:
    """Each record with the three texts that belong beside it."""
    due = iter(notes.notes)
    note = next(due, None)
    row = notes.header_row
    for record in records:
        if note is not None and (note.row <= row or record.is_rest or note.row < record.number):
            raise ValueError(f"the note of row {note.row} is out of order or has no record")
        if record.number == notes.header_row:
            yield record, notes.headings
        elif note is not None and note.row == record.number:
            yield record, (note.status, note.message, note.code)
            row, note = note.row, next(due, None)
        else:
            yield record, None


def _annotated(
    text: _Text, layout: Layout, record: Record, ours: tuple[str, str, str] | None
) -> tuple[str, list[str]]:
    """A record's body with ours in it, and the fields that it should then be read as."""
    if record.number < layout.header_row:
        return record.body, record.fields
    present = record.fields or [""]
    changes = {column: "" for column in layout.earlier if column < len(present) and present[column]}
    if ours is not None:
        changes |= zip(layout.columns, map(text.held, ours), strict=True)
    if not changes:
        return record.body, record.fields
    behind = range(len(present), max(*changes, len(present) - 1) + 1)
    fields = present + [""] * len(behind)
    raw = text.split(record.body) if min(changes) < len(present) else [record.body]
    for column, changed in changes.items():
        fields[column] = changed
        if column < len(present):
            raw[column] = text.quoted(changed)
    raw += (text.quoted(fields[column]) for column in behind)
    return text.dialect.separator.join(raw), fields
