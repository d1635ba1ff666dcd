"""The annotated copy of a CSV: each record keeps its bytes, and gets three fields at its end.

Record numbers and fields come from the reader (`csv_source`), bytes from the file. In UTF-8 and
the single-byte encodings separators, quotes and line ends are single bytes without another meaning,
so the file is cut there as bytes, and only the headings are decoded.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from io import TextIOWrapper
from itertools import filterfalse, islice, pairwise, tee
from pathlib import Path
from typing import NamedTuple
from unicodedata import combining, normalize

from feedtool.model.cells import letters
from feedtool.model.text import tr
from feedtool.sheets.annotate.notes import Note, NoteQueue, SheetNotes
from feedtool.sheets.annotate.sheet_plan import NoRoom
from feedtool.sheets.atomic_write import Digest
from feedtool.sheets.read.csv_encoding import MULTIBYTE, leading_marks
from feedtool.sheets.read.csv_source import (
    MOST_FIELDS,
    CsvDialect,
    CsvRecords,
    CsvSource,
    used_fields,
)

_RECORDS = 1000
"""Records of a batch."""
_ENDS = re.compile(r"(?:\r\n?|\n|\x1a)\Z")
"""The end of a record; a Ctrl-Z only where it ends the file."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Beginnings of texts that spreadsheet programs read as formulas, or skip before a formula.

The last four are the full-width `= + - @`, which Japanese editions read as the plain ones.
"""
FORBIDDEN = re.compile("[\0\x1a\ufeff]")
"""Characters that a reader takes for the end of the file, or its byte order mark."""
_PLAIN = str.maketrans(
    {**dict.fromkeys("“”«»", '"'), **dict.fromkeys("\xa0\u202f", " "), "…": "...", "€": "EUR"}
)
"""Marks in our messages, and their replacements in a file that would make them unreadable."""
_BLOCK = 1 << 16
_BYTEWISE = ("utf-8", "ascii", "cp125", "cp437", "cp85", "iso8859", "latin", "koi8", "mac")
"""Encodings (beginnings of their names) in which no byte of ASCII is part of another letter."""


class CsvLayout(NamedTuple):
    """The columns of our fields, 0-based."""

    columns: tuple[int, ...]
    """The columns of status, message and code."""
    earlier: frozenset[int]
    """The columns that have our headings in the source."""


class _Text:
    """Cuts a CSV into records, and encodes our fields."""

    def __init__(self, source: CsvSource) -> None:
        self.source = source
        self.dialect: CsvDialect = source.dialect
        quoting, separator = self.dialect.quoting, self.dialect.separator
        self.encoding = self.dialect.encoding.name
        bytewise = self.encoding.startswith(_BYTEWISE) and separator.isascii()
        self.codec = "latin-1" if bytewise else self.encoding
        """The codec for cutting the file: `latin-1` shows each byte as a character."""
        has_mark = self.encoding.startswith("utf")
        self.mark = "\ufeff".encode(self.encoding).decode(self.codec) if has_mark else ""
        """A byte order mark, decoded with `codec`."""
        plain = f"[^{re.escape(separator)}\r\n]*"
        blanks, quote = " *" * quoting.skips_blanks, quoting.mark
        # As in the csv module a field may go on without quotes after its closing quote.
        quoted = f"{blanks}{quote}(?:[^{quote}]|{quote}{quote})*+{quote}"
        self.fields = re.compile(f"{quoted}{plain}|{plain}")

    def records(self, path: Path) -> Iterator[tuple[CsvRecords, Sequence[str]]]:
        """Yield records with their text in the file; a bytewise one has a character for each byte.

        The last item has no records, and the rest of the file.
        """
        end = CsvRecords(1, 1, 1, [])
        with path.open("rb") as file:
            file.seek(len(self.dialect.encoding.mark))
            raw, read = tee(TextIOWrapper(file, self.codec, newline=""))
            for records in self.dialect.records(self.dialect.encoding.lines(read, self.mark)):
                starts = [*records.starts(), records.following]
                lines = list(islice(raw, records.following - records.line))
                if len(lines) > len(records.fields):
                    remaining = iter(lines)
                    sizes = (after - before for before, after in pairwise(starts))
                    lines = ["".join(islice(remaining, size)) for size in sizes]
                yield records, lines
                end = records._replace(first=records.numbers.stop, fields=[])
            yield end, ["".join(raw)]

    def split(self, body: str) -> list[str]:
        """Return the fields of a record with their quotation marks."""
        start = len(leading_marks(body, self.mark))
        raw = []
        while start <= len(body):
            match = self.fields.match(body, start)
            end = match.end() if match else len(body)
            raw.append(body[start:end])
            start = end + 1
        return [leading_marks(body, self.mark) + raw[0], *raw[1:]]

    def decoded(self, text: str) -> str:
        if self.codec == self.encoding or text.isascii():
            return text
        return text.encode(self.codec).decode(self.encoding, "replace")

    def encodable(self, text: str) -> str:
        """Return one of our texts without characters that the file cannot hold, in `codec`."""
        text = FORBIDDEN.sub("\ufffd", text)
        if text.startswith(FORMULA_STARTS):
            text = "'" + text
        if text.isascii():
            return text
        if not self.dialect.encoding.is_certain:  # our letters could change it
            without_accents = filterfalse(combining, normalize("NFD", text.translate(_PLAIN)))
            return "".join(without_accents).encode("ascii", "replace").decode()
        raw = text.encode(self.encoding, "replace")
        if self.codec == "latin-1" and not self.mark and MULTIBYTE.search(raw):
            # A letter beside one of our marks, such as `É”`, would look like UTF-8.
            raw = text.translate(_PLAIN).encode(self.encoding, "replace")
            raw = MULTIBYTE.sub(lambda match: b"?" * len(match[0]), raw)
        return raw.decode(self.codec)

    def quoted(self, text: str, old: str = "") -> str:
        """Return a field's text, with quotation marks if it needs them, or the field `old` has.

        In a file that quotes with apostrophes it always has them: the reader recognises such a
        file by its headings.
        """
        quote, skips_blanks = self.dialect.quoting
        special = (self.dialect.separator, quote, "\r", "\n")
        if (
            quote == "'"
            or (text and old.strip().startswith(quote))
            or any(mark in text for mark in special)
            or (skips_blanks and text.startswith(" "))
        ):
            return quote + text.replace(quote, quote * 2) + quote
        return text


def _new_values(text: _Text, note: Note, present: list[str]) -> dict[int, str]:
    """Return the new values of a record by column.

    A field keeps its old value if the file's encoding lacks a character of the new one, or if a
    spreadsheet program would read only the new one as a formula.
    """
    fields = {}
    for column, value in note.values:
        new = value if isinstance(value, str) else f"{value:f}"
        old = present[column] if column < len(present) else ""
        with suppress(UnicodeEncodeError):
            if old.startswith(FORMULA_STARTS) or not new.startswith(FORMULA_STARTS):
                fields[column] = new.encode(text.encoding).decode(text.codec)
    return fields


def annotate_csv(source: Path, result: Path, notes: SheetNotes, fallback: str) -> None:
    """Write the annotated copy of `source` to `result` and check it.

    Raises UsageProblem (NoRoom), FileProblem, NotAsWritten, OSError.
    """
    text = _Text(CsvSource(source, fallback))
    if text.source.quotes.problem:
        raise text.source.quotes.problem
    layout = _layout(text, notes)
    written, read = Digest(), Digest()
    with result.open("wb") as out:
        out.write(text.dialect.encoding.mark)
        for raw, fields in _annotated(text, layout, notes):
            written.add(enumerate(map(tuple, fields), written.count))
            out.write("".join(raw).encode(text.codec))
    for records, _ in text.records(result):
        read.add(enumerate(map(tuple, records.fields), read.count))
    read.require_same(written, source.name)


def is_annotated_csv(path: Path, notes: SheetNotes, fallback: str) -> bool:
    """True if a CSV has all of our headings in its row of headings. Raises FileProblem."""
    text = _Text(CsvSource(path, fallback))
    return all(_heading_columns(text, notes).values())


def _layout(text: _Text, notes: SheetNotes) -> CsvLayout:
    """Return the columns after the longest record, so that our fields form columns.

    If that is beyond a sheet's last column, blank fields at the end of records are used. Raises
    NoRoom.
    """
    by_heading = _heading_columns(text, notes)
    earlier = frozenset(column for columns in by_heading.values() for column in columns)
    if all(by_heading.values()):
        return CsvLayout(tuple(columns[0] for columns in by_heading.values()), earlier)
    last = MOST_FIELDS - len(notes.headings)
    first = _widest(text, notes, len)
    if first > last:
        first = _widest(text, notes, used_fields)
    if first > last:
        raise NoRoom(
            tr(
                "the table is used up to column {column}, which leaves no room for the three"
                " columns of the result",
                column=letters(first - 1),
            ),
            tr("delete what stands in its last columns"),
        )
    return CsvLayout((first, first + 1, first + 2), earlier)


def _widest(text: _Text, notes: SheetNotes, width: Callable[[list[str]], int]) -> int:
    """Return the greatest width of the records from the headings on."""
    return max(
        width(fields)
        for records, _ in text.records(text.source.path)
        for fields in records.fields[max(notes.header_row - records.first, 0) :]
    )


def _heading_columns(text: _Text, notes: SheetNotes) -> dict[str, list[int]]:
    columns = dict[str, list[int]]((heading, []) for heading in notes.headings)
    rows = notes.header_rows
    for records, _ in text.records(text.source.path):
        for row in range(max(rows.start, records.first), min(rows.stop, records.numbers.stop)):
            for column, name in enumerate(records.fields[row - records.first]):
                of_heading = columns.get(text.decoded(name).strip(), [column])
                of_heading += [column] * (column not in of_heading)
        if records.numbers.stop >= rows.stop:
            break
    return columns


def _annotated(
    text: _Text, layout: CsvLayout, notes: SheetNotes
) -> Iterator[tuple[Sequence[str], list[list[str]]]]:
    """Yield batches of records with our fields, and the fields that a reader should then find."""
    due = NoteQueue(notes)
    for records, raws in text.records(text.source.path):
        if not (records.fields and (layout.earlier or due.row in records.numbers)):
            yield raws, records.fields
            continue
        new, read = [], []
        for number, raw, fields in zip(records.numbers, raws, records.fields, strict=True):
            note, body, shown = due.take(number), raw, fields
            if number >= notes.header_row:
                end = len(_ENDS.sub("", raw))
                body, shown = _with_results(text, layout, raw[:end], fields, note)
                body += raw[end:]
            new.append(body)
            read.append(shown)
        yield new, read
    due.finish()


def _with_results(
    text: _Text, layout: CsvLayout, body: str, fields: list[str], note: Note | None
) -> tuple[str, list[str]]:
    """Return a record with our fields, and the fields that a reader should then find."""
    present = fields or [""]
    changes = {column: "" for column in layout.earlier if column < len(present) and present[column]}
    values = {} if note is None else _new_values(text, note, present)
    if note is not None:
        results = (note.status, note.line, note.code)
        changes |= zip(layout.columns, map(text.encodable, results), strict=True)
        changes |= values
    if not changes:
        return body, fields
    appended = range(len(present), max(*changes, len(present) - 1) + 1)
    shown = present + [""] * len(appended)
    raw = text.split(body) if min(changes) < len(present) else [body]
    for column, changed in changes.items():
        shown[column] = changed
        if column < len(present):
            raw[column] = text.quoted(changed, raw[column] if column in values else "")
    raw += (text.quoted(shown[column]) for column in appended)
    return text.dialect.separator.join(raw), shown
