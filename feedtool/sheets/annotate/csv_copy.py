"""The annotated copy of a CSV: each record keeps its bytes, and three fields are put behind them.

Record numbers and fields are those of the reader (`csv_source`); bytes are those of the file. In
UTF-8 and the single-byte encodings separators, quotes and line ends are single bytes that mean
nothing else, so the file is cut there as bytes, and nothing is decoded but our headings.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice, tee
from pathlib import Path
from typing import NamedTuple

from feedtool.model.cells import letters
from feedtool.sheets.annotate.notes import Note, NoteQueue, SheetNotes
from feedtool.sheets.annotate.sheet_plan import NoRoom
from feedtool.sheets.read.csv_dialect import line_ends
from feedtool.sheets.read.csv_encoding import MULTIBYTE, lead
from feedtool.sheets.read.csv_source import MOST_FIELDS, CsvDialect, CsvSource, used_fields
from feedtool.sheets.read_back import Digest

_RECORDS = 1000
"""Of a batch."""
_ENDS = re.compile(r"(?:\r\n?|\n|\x1a)\Z")
"""The end of a record; a Ctrl-Z only where it ends the file."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of texts that a spreadsheet program takes for formulas, or loses before them.

The last four are the full-width `= + - @`, which Japanese editions read as the plain ones.
"""
UNHELD = re.compile("[\0\x1a\ufeff]")
"""Characters that a reader takes for the file's own: its end, or its byte order mark."""
_PLAIN = str.maketrans({"“": '"', "”": '"', "…": "...", "€": "EUR"})
"""Marks in our messages, and what stands for them where they would be misread."""
_BLOCK = 1 << 16
_BYTEWISE = ("utf-8", "ascii", "cp125", "cp437", "cp85", "iso8859", "latin", "koi8", "mac")
"""Encodings (beginnings of their names) in which no byte of ASCII is part of another letter."""


class CsvBatch(NamedTuple):
    """Some records of the file."""

    first: int
    """The number of the first, 1-based; blank records and a `sep=` line count."""
    raw: Sequence[str]
    """Each as it stands in the file, one character a byte if its encoding is bytewise."""
    fields: list[list[str]]

    @property
    def numbers(self) -> range:
        """The numbers of the records."""
        return range(self.first, self.first + len(self.fields))


@dataclass(frozen=True, slots=True)
class CsvLayout:
    """The columns that our fields go into."""

    header_row: int
    columns: tuple[int, ...]
    """Of status, message and code, 0-based."""
    earlier: frozenset[int]
    """The columns under our headings now."""


class _Text:
    """The way a CSV is cut into records and ours is written."""

    def __init__(self, source: CsvSource) -> None:
        self.source = source
        self.dialect: CsvDialect = source.dialect
        encoding, quoting = self.dialect.encoding, self.dialect.quoting
        bytewise = encoding.startswith(_BYTEWISE) and self.dialect.separator.isascii()
        self.codec = "latin-1" if bytewise else encoding
        """The one that the file is cut with: `latin-1` shows each byte as a character."""
        has_mark = encoding.startswith("utf")
        self.mark = "\ufeff".encode(encoding).decode(self.codec) if has_mark else ""
        """A byte order mark in that codec."""
        plain = f"[^{re.escape(self.dialect.separator)}\r\n]*"
        blanks, quote = " *" * quoting.skips_blanks, quoting.mark
        # As the csv module reads: behind the closing quote the field goes on without quotes.
        quoted = f"{blanks}{quote}(?:[^{quote}]|{quote}{quote})*+{quote}"
        self.fields = re.compile(f"{quoted}{plain}|{plain}")

    def batches(self, path: Path) -> Iterator[CsvBatch]:
        """The records in order; in the last batch, which has none, what follows them."""
        first, lines = 1, 0
        with path.open("rb") as file:
            file.seek(len(self.dialect.mark))
            raw, read = tee(TextIOWrapper(file, self.codec, newline=""))
            reader = self.dialect.reader(self.source.encoding.lines(read, self.mark))
            while fields := list(islice(reader, _RECORDS)):
                taken = list(islice(raw, reader.line_num - lines))
                yield CsvBatch(first, _by_record(taken, fields), fields)
                first += len(fields)
                lines = reader.line_num
            yield CsvBatch(first, ["".join(raw)], [])

    def split(self, body: str) -> list[str]:
        """The fields of a record as they stand in the file, quotation marks and all."""
        start = len(lead(body, self.mark))
        raw = []
        while start <= len(body):
            match = self.fields.match(body, start)
            end = match.end() if match else len(body)
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
        text = UNHELD.sub("\ufffd", text)
        if text.startswith(FORMULA_STARTS):
            text = "'" + text
        if text.isascii():
            return text
        raw = text.encode(self.dialect.encoding, "replace")
        if self.codec == "latin-1" and not self.mark and MULTIBYTE.search(raw):
            # A letter of theirs and a mark of ours, such as `É”`, would look like UTF-8.
            raw = text.translate(_PLAIN).encode(self.dialect.encoding, "replace")
            raw = MULTIBYTE.sub(lambda match: b"?" * len(match[0]), raw)
        return raw.decode(self.codec)

    def quoted(self, text: str) -> str:
        """A field's text with quotation marks, where it needs them.

        Among apostrophes it always has them: by its headings such a file is known.
        """
        quote, skips_blanks = self.dialect.quoting
        special = (self.dialect.separator, quote, "\r", "\n")
        if (
            quote == "'"
            or any(mark in text for mark in special)
            or (skips_blanks and text.startswith(" "))
        ):
            return quote + text.replace(quote, quote * 2) + quote
        return text


def _by_record(lines: list[str], fields: list[list[str]]) -> Sequence[str]:
    """The lines of a batch, those of each record joined."""
    if len(lines) == len(fields):
        return lines
    given = iter(lines)
    raw = []
    for record in fields:
        text = "\0".join(record)
        raw.append("".join(islice(given, 1 + line_ends(text, 0, len(text)))))
    return raw


def annotate_csv(source: Path, result: Path, notes: SheetNotes, fallback: str) -> None:
    """Write the annotated copy of `source` to `result` and check it.

    Raises UsageProblem (NoRoom), FileProblem, NotAsWritten, OSError.
    """
    text = _Text(CsvSource(source, fallback))
    if text.source.quotes.problem:
        raise text.source.quotes.problem
    layout = _layout(text, source, notes)
    written, read = Digest(), Digest()
    with result.open("wb") as out:
        out.write(text.dialect.mark)
        for raw, fields in _annotated(text, source, layout, notes):
            written.add(enumerate(map(tuple, fields), written.count))
            out.write("".join(raw).encode(text.codec))
    for batch in text.batches(result):
        read.add(enumerate(map(tuple, batch.fields), read.count))
    read.require_same(written, source.name)


def is_annotated_csv(path: Path, notes: SheetNotes, fallback: str) -> bool:
    """True if a CSV has all of our headings in its row of headings. Raises FileProblem."""
    text = _Text(CsvSource(path, fallback))
    return all(_headed(text, path, notes).values())


def _layout(text: _Text, source: Path, notes: SheetNotes) -> CsvLayout:
    """The columns behind the longest record, so that ours stand in line. Raises NoRoom.

    Where that is beyond a sheet's last column, what is longest is blank, and ours go into it.
    """
    by_heading = _headed(text, source, notes)
    earlier = frozenset(column for columns in by_heading.values() for column in columns)
    if all(by_heading.values()):
        return CsvLayout(
            notes.header_row, tuple(columns[0] for columns in by_heading.values()), earlier
        )
    last = MOST_FIELDS - len(notes.headings)
    first = _widest(text, source, notes, len)
    if first > last:
        first = _widest(text, source, notes, used_fields)
    if first > last:
        raise NoRoom(
            f"The table is used up to column {letters(first - 1)}, which leaves no room for the "
            "three columns of the result.",
            "Delete what stands in its last columns.",
        )
    return CsvLayout(notes.header_row, (first, first + 1, first + 2), earlier)


def _widest(text: _Text, source: Path, notes: SheetNotes, width: Callable[[list[str]], int]) -> int:
    """The greatest width of the records from the headings on."""
    return max(
        width(fields)
        for batch in text.batches(source)
        for fields in batch.fields[max(notes.header_row - batch.first, 0) :]
    )


def _headed(text: _Text, source: Path, notes: SheetNotes) -> dict[str, list[int]]:
    """The columns under each of our headings."""
    batches = (batch for batch in text.batches(source) if notes.header_row in batch.numbers)
    batch = next(batches, None)
    header = batch.fields[notes.header_row - batch.first] if batch else []
    names = [text.decoded(name).strip() for name in header]
    return {
        heading: [column for column, name in enumerate(names) if name == heading]
        for heading in notes.headings
    }


def _annotated(
    text: _Text, source: Path, layout: CsvLayout, notes: SheetNotes
) -> Iterator[tuple[Sequence[str], list[list[str]]]]:
    """Batches of records with ours in them, and the fields that they should then be read as."""
    due = NoteQueue(notes)
    for batch in text.batches(source):
        if not (batch.fields and (layout.earlier or due.row in batch.numbers)):
            yield batch.raw, batch.fields
            continue
        raws, read = [], []
        for number, raw, fields in zip(batch.numbers, batch.raw, batch.fields, strict=True):
            note = due.take(number)
            if number < layout.header_row:
                raws.append(raw)
                read.append(fields)
                continue
            body = _ENDS.sub("", raw)
            new, shown = _with_ours(text, layout, body, fields, note)
            raws.append(new + raw[len(body) :])
            read.append(shown)
        yield raws, read
    due.finish()


def _with_ours(
    text: _Text, layout: CsvLayout, body: str, fields: list[str], note: Note | None
) -> tuple[str, list[str]]:
    """A record's body with ours in it, and the fields that it should then be read as."""
    present = fields or [""]
    changes = {column: "" for column in layout.earlier if column < len(present) and present[column]}
    if note is not None:
        ours = (note.status, note.message, note.code)
        changes |= zip(layout.columns, map(text.held, ours), strict=True)
    if not changes:
        return body, fields
    behind = range(len(present), max(*changes, len(present) - 1) + 1)
    shown = present + [""] * len(behind)
    raw = text.split(body) if min(changes) < len(present) else [body]
    for column, changed in changes.items():
        shown[column] = changed
        if column < len(present):
            raw[column] = text.quoted(changed)
    raw += (text.quoted(shown[column]) for column in behind)
    return text.dialect.separator.join(raw), shown
