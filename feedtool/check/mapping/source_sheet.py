"""Find the sheet of a merchant's own file with the likeliest header, and read its columns."""

from collections import ChainMap
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from shlex import quote
from statistics import median
from typing import NamedTuple

from feedtool.check.headers import HeaderNotFound, TextRow, header_texts, joined_rows
from feedtool.check.mapping.evidence import SheetColumn, is_known
from feedtool.check.mapping.words import groups_in, plain
from feedtool.model.cells import BLANK, Cell, Kind, brief
from feedtool.model.files import STAMP
from feedtool.model.text import in_quotes, joined, tr
from feedtool.sheets import Source
from feedtool.sheets.read.source import HeadRow

# Find the header row of any sheet.


LONGEST_HEADER = 80
"""The most characters of a header; a longer text is content."""
LEAST = 2
"""The least headers of a row, one of which has a known name."""
MOST_VALUES = 0.6
"""The largest share of a header's cells that are no names, such as sizes."""
WIDEST = 256
"""The most cells of a row to examine."""
BELOW = 15
"""The most rows below a header to examine."""
HALF, ALIKE = 0.5, 0.8
"""The least share of an unknown header's columns that a row below fills, and of such rows."""
MANY_DIGITS = 0.5
"""The share of digits above which a text is no name."""
KNOWN, WIDE, VALUES, DATA, REPEATED, LATER = 3, 4, 3, -4, -1, -0.05
"""Scores for: each known name; the width of the rows below; values below; a value in the header
itself; a repeated name; each row before the header."""

Row = tuple[int, Sequence[Cell]]
"""A row's number, and its cells from column A."""


def header_row(rows: Sequence[Row]) -> tuple[float, int]:
    """Return the score and the position of the likeliest header; score 0 without a header."""
    scores = [(_header_score(rows, position), -position) for position in range(len(rows))]
    score, minus = max(scores, default=(0.0, 0))
    # A header may be repeated on each page: the first one counts.
    texts = [[cell.text.strip() for cell in cells] for _, cells in rows]
    return score, texts.index(texts[-minus]) if score else 0


def is_continued(rows: Sequence[Row], position: int) -> bool:
    """Return True if the row below a header continues it, such as `Net` and `Gross` below `Price`.

    It names columns that the header leaves blank, and leaves other columns blank.
    """
    if position + 2 >= len(rows) or rows[position + 1][0] != rows[position][0] + 1:
        return False
    upper, lower, *others = (
        {index: text for index, cell in enumerate(cells) if (text := cell.text.strip())}
        for _, cells in rows[position : position + 2 + BELOW]
    )
    below = dict(ChainMap(*others))
    return (
        len(lower) >= LEAST
        and not _is_data(rows[position + 1][1])
        and bool(lower.keys() - upper.keys())
        and bool(upper.keys() - lower.keys())
        and (upper.keys() | lower.keys()) <= below.keys()
        and any(is_value(below[index]) for index in lower)
    )


def _header_score(rows: Sequence[Row], position: int) -> float:
    """Return the score of a row as a header, from its names and the rows below it."""
    cells = rows[position][1][:WIDEST]
    filled = [cell for cell in cells if cell.text.strip()]
    names = [cell.text.strip() for cell in filled if cell.kind is Kind.TEXT]
    names = [text for text in names if len(text) <= LONGEST_HEADER and not is_value(text)]
    below = [row[:WIDEST] for _, row in rows[position + 1 : position + 1 + BELOW]]
    if len(names) < max(LEAST, (1 - MOST_VALUES) * len(filled)) or not is_table(below):
        return 0
    width = max(map(_width, below))
    known = sum(map(is_known, names))
    if not known and not (len(names) == len(filled) and _is_above(cells, below)):
        return 0
    values = sum(map(_is_data, below)) / len(below)
    repeated = len(names) - len(set(map(str.casefold, names)))
    return (
        KNOWN * known
        + WIDE * min(1.0, len(names) / width)
        + VALUES * values
        + DATA * _is_data(cells)
        + REPEATED * repeated
        + LATER * position
    )


def _is_above(cells: Sequence[Cell], below: Sequence[Sequence[Cell]]) -> bool:
    """Return True if a row of distinct texts, in any script, is above rows that are similar.

    These rows fill only columns with a name, and one of the columns has only values.
    """
    texts = {place: cell.text.strip().casefold() for place, cell in enumerate(cells)}
    names = {place: text for place, text in texts.items() if text}
    filled = [{place for place, cell in enumerate(row) if cell.text.strip()} for row in below]
    alike = sum(HALF * len(names) <= len(row) and row <= names.keys() for row in filled if row)
    columns = [
        [row[place] for row in below if place < len(row) and row[place].text.strip()]
        for place in names
    ]
    return (
        len(set(names.values())) == len(names)
        and alike >= max(LEAST, ALIKE * sum(map(bool, filled)))
        and any(column and all(map(_holds_value, column)) for column in columns)
    )


def is_table(rows: Sequence[Sequence[Cell]]) -> bool:
    """Return True if most filled rows have several cells; in prose they have one."""
    widths = [width for row in rows if (width := _width(row))]
    return bool(widths) and median(widths) >= LEAST


def _width(row: Sequence[Cell]) -> int:
    return sum(bool(cell.text.strip()) for cell in row)


def is_value(text: str) -> bool:
    """Return True for a text that is no name: a number, a code, an address."""
    digits = sum(letter.isdigit() for letter in text)
    return digits > MANY_DIGITS * len(text) or "://" in text or "@" in text


def _is_data(row: Sequence[Cell]) -> bool:
    return any(_holds_value(cell) for cell in row if cell.text.strip())


def _holds_value(cell: Cell) -> bool:
    return cell.kind in {Kind.NUMBER, Kind.DATE, Kind.BOOLEAN} or is_value(cell.text)


SEARCHED = 60
"""The first rows, in which the header is searched."""
SAMPLED = 2_000
"""The rows whose cells are evidence for or against a field."""
LIKELY = 0.8
"""The least share of the best score for another sheet's header to be as likely."""
SHOWN = 5
"""The cells of a row in a message."""


class OwnSheet(NamedTuple):
    """A sheet, and its likeliest header."""

    name: str
    head: Sequence[HeadRow]
    position: int
    """The position of the header among the first rows."""
    others: Sequence[str] = ()
    """The names of sheets that have nearly as likely a header."""

    @property
    def row(self) -> HeadRow:
        return self.head[self.position]

    @property
    def group(self) -> HeadRow | None:
        """The row directly above the header, if it has several texts."""
        above = self.head[self.position - 1] if self.position else None
        if above is None or above.number != self.row.number - 1:
            return None
        return above if len(header_texts(above.cells)) >= len(("a group", "another")) else None

    @property
    def texts(self) -> Mapping[int, str]:
        """The headers by 0-based column, from one row or two rows."""
        row = TextRow(self.row.number, header_texts(self.row.cells))
        group = self.group
        return joined_rows(TextRow(0, header_texts(group.cells)), row).texts if group else row.texts

    @property
    def above(self) -> str:
        """The sheet's name, and the text above the header."""
        texts = (cell.text for row in self.head[: self.position] for cell in row.cells)
        return " \n".join((self.name, *texts))


def likeliest_sheet(source: Source, sheets: Sequence[str] = ()) -> OwnSheet | None:
    """Return the sheet with the likeliest header, of these or all; None without a header.

    A sheet named as an example comes after others with nearly as likely a header.
    """
    scored: list[tuple[float, OwnSheet]] = []
    for name in sheets or [entry.name for entry in source.sheets if not entry.hidden]:
        head = source.sheet(name).head(SEARCHED)
        rows = [(row.number, row.cells) for row in head]
        score, position = header_row(rows)
        if score:
            position += is_continued(rows, position)
            scored.append((score, OwnSheet(name, head, position)))
    most = max((score for score, _ in scored), default=0)
    likely = [pair for pair in scored if pair[0] >= LIKELY * most]
    likely.sort(key=lambda pair: ("example" in groups_in(plain(pair[1].name)), -pair[0]))
    names = [sheet.name for _, sheet in likely]
    return likely[0][1]._replace(others=names[1:]) if likely else None


def read_columns(source: Source, sheet: OwnSheet, known: Collection[str]) -> list[SheetColumn]:
    """Return the columns below the header, and below a row of keys, with their first cells."""
    texts = dict(sorted(sheet.texts.items()))
    cells: dict[int, list[Cell]] = {index: [] for index in texts}
    after = sheet.row.number
    for row in sheet.head[sheet.position + 1 :]:
        below = header_texts(row.cells).values()
        matching = sum(text in known for text in below)
        # In a template, some keys may be of a category that is not known here.
        least = 1 if STAMP in source.properties else len(below) // 2 + 1
        if row.number > after + 1 or matching < least:
            break
        after = row.number
    count = 0
    for block in source.sheet(sheet.name).blocks(after):
        for index, column in cells.items():
            keys = block.column(index) if index < block.width else [None] * len(block.rows)
            column += [BLANK if key is None else block.decode(key) for key in islice(keys, SAMPLED)]
        count += len(block.rows)
        if count >= SAMPLED:
            break
    over = _texts_over(sheet)
    return [SheetColumn(i, text, cells[i], over.get(i, "")) for i, text in texts.items()]


def _texts_over(sheet: OwnSheet) -> dict[int, str]:
    """Return column → the text above its header, or left of that, if there is a group row."""
    over: dict[int, str] = {}
    lower = header_texts(sheet.row.cells)
    upper = header_texts(sheet.group.cells) if sheet.group else {}
    for index in range(len(sheet.row.cells) if upper else 0):
        over[index] = upper.get(index) or over.get(index - 1, "")
    # Leave out texts that are part of the header already.
    return {i: text for i, text in over.items() if sheet.texts.get(i) == lower.get(i)}


def no_header(source: Source, file: str, sheets: Sequence[str] = ()) -> HeaderNotFound:
    """Return the error that no row of these sheets, or of all, looks like a header."""
    names = sheets or [entry.name for entry in source.sheets if not entry.hidden]
    rows = [row.cells for name in names for row in source.sheet(name).head(SEARCHED)]
    texts = [[text for cell in row if (text := cell.text.strip())] for row in rows]
    widest = max(texts, key=len, default=[])
    if not is_table(rows):
        return HeaderNotFound(
            tr(
                "no row looks like a header: {file} is a text and no table, since hardly one of its"
                " first {count} rows has two cells",
                file=file,
                count=len(rows),
            ),
            tr("give a spreadsheet, with a name above each column"),
        )
    shown = joined(in_quotes(brief(text)) for text in widest[:SHOWN])
    return HeaderNotFound(
        tr("no row looks like a header; the widest one has {cells}", cells=shown),
        tr("give each column a name in one row, then type: feedtool map {file}", file=quote(file)),
    )
