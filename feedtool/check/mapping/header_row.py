"""Find the header row of any sheet."""

from collections import ChainMap
from collections.abc import Sequence
from statistics import median

from feedtool.check.mapping.names import is_known
from feedtool.model.cells import Cell, Kind

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
