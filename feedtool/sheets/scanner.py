"""Whole blocks of rows read by one pattern: where the tool's speed comes from.

Nearly every program writes rows in one canonical form:

    <row r="5" spans="1:3"><c r="A5" s="1" t="s"><v>12</v></c><c r="C5"><v>19.9</v></c></row>

One pattern matches a whole such row with a group for each column, `findall` a whole block, and
`zip` turns the rows into columns; no Python runs per cell. `read` proves that nothing was
overlooked, and hands back None for a block that must be read otherwise: cell by cell where only
its rows are ragged or wide (`read_cells`), else by the parser (`events`).
"""

import re
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from feedtool.model.cells import index_of, letters
from feedtool.sheets.decode import CONTENT
from feedtool.sheets.events import LAST_COLUMN, LAST_ROW, Row
from feedtool.sheets.tidy import ATTRIBUTES

WIDEST = 400
"""Columns that a pattern of a whole row is made for; rows beyond are read cell by cell."""
_STEP = 8

_NUMBER = r' r="([1-9][0-9]{0,6})"'
_ROW_ATTRIBUTES = r"((?:[^<>/]++|/(?!>))*+)"
_ROW = rf"<row(?:{_NUMBER})?+{_ROW_ATTRIBUTES}(?:/>|>"
_EMPTY = (
    rf"(?:<c{ATTRIBUTES}/>){{0,64}}+"
    rf'(?:<c r="(?:[A-Z]{{1,2}}|[A-W][A-Z]{{2}}|X[A-E][A-Z]|XF[A-D])\1"{ATTRIBUTES}/>)*+'
)
"""Formatted but empty cells, within the grid, to the right of the last column."""
_ROW_END = r"</row>)[ \t\n]*+(?=<row|\Z)"
"""What follows a row is the next one or the end: so no text between two rows is overlooked."""
_NO_VALUE = r"(?:<v(?: ?/>|></v>)|<is><t(?:/>|></t>)</is>)?+"
_REST = rf"(?:({ATTRIBUTES}>{CONTENT})</c>|{ATTRIBUTES}(?:/>|>{_NO_VALUE}</c>))"
"""A cell from after its reference on."""
_CELL = rf'(?:<c(?: r="{{}}\1"|(?! r=)){_REST})?+'
"""A cell without a reference stands in the column after the cell before it: in the first one that
is free, since whatever has one can match no earlier column."""
_OPENED = re.compile(rf"[ \t\n]*+<row(?:{_NUMBER})?+{_ROW_ATTRIBUTES}>", re.ASCII)
_EMPTY_ROW = re.compile(r"(<row(?: [^<>]*)?)/>")
_ANY_CELL = re.compile(
    rf'<c(?: r="([A-Z]{{1,3}})([1-9][0-9]{{0,6}})"|(?! r=)){_REST}(?=<c[ >/]|\Z)', re.ASCII
)
_ATTRIBUTE = re.compile(r' ((?:([A-Za-z_]\w*):)?[A-Za-z_]\w*)="[^"&<>]*"', re.ASCII)
_HIDDEN = re.compile(r' hidden="(?:1|true)"')
_KNOWN_AT_MOST = 10_000
_BLANKS = " \t\n"


class Scan:
    """A block of rows as the pattern found it."""

    __slots__ = ("columns", "hidden", "rows")

    def __init__(
        self, rows: list[int], hidden: frozenset[int], columns: list[tuple[str, ...]]
    ) -> None:
        self.rows = rows
        self.hidden = hidden
        self.columns = columns
        """The keys of each column; "" where there is no cell, or no value in it."""

    @property
    def last_row(self) -> int:
        """The number of the last row, blank or not."""
        return self.rows[-1]


class CellScan(NamedTuple):
    """A block of rows of which each cell was found by itself."""

    last_row: int
    """The number of the last row, blank or not."""
    rows: list[Row]
    """Those that have values."""


class Scanner:
    """Reads blocks of canonical rows; learns the shapes of rows' attributes as it goes."""

    def __init__(self, prefixes: set[str]) -> None:
        self._prefixes = prefixes
        self._known: set[str] = {""}

    def read(self, text: str, width: int, after: int) -> Scan | None:
        """The rows of a block of plain XML; None unless every row of it is canonical.

        `width` is the number of columns to look for, `after` the number of the row before.
        Every `<row` of the block begins a match, since there are as many matches as `<row`, and
        every match ends where a `<row` or the block's end follows: nothing is left over.
        """
        # A sheet may be formatted down to its last row; the empty ones need no columns.
        found = _pattern(width if "</c>" in text else 0).findall(text)
        if not found or len(found) != text.count("<row") or not text.startswith("<row"):
            return None
        columns = list(zip(*found, strict=True))
        rows = _numbers(columns[0], after)
        if not _ascend(rows, after):
            return None
        if not self._knows(set(columns[1])):
            return None
        return Scan(rows, _hidden(rows, columns[1]), columns[2:])

    def read_cells(self, text: str, after: int) -> CellScan | None:
        """The same cell by cell, for rows that are too wide for a pattern of their own.

        Every `<c` of a row begins a match, since there are as many matches as `<c`, and every
        match ends where a `<c` or the row's end follows: nothing is left over.
        """
        *parts, rest = _EMPTY_ROW.sub(r"\1></row>", text).split("</row>")
        opened = [_OPENED.match(part) for part in parts]
        if rest.strip(_BLANKS) or not parts or not all(opened):
            return None
        tags = [tag for tag in opened if tag]
        numbers = _numbers([tag[1] or "" for tag in tags], after)
        if not _ascend(numbers, after) or not self._knows({tag[2] for tag in tags}):
            return None
        rows = []
        for number, tag in zip(numbers, tags, strict=True):
            cells = _cells(tag.string, tag.end(), str(number))
            if cells is None:
                return None
            if cells:
                rows.append(Row(number, bool(_HIDDEN.search(tag[2])), cells))
        return CellScan(numbers[-1], rows)

    def _knows(self, attributes: set[str]) -> bool:
        """Whether the attributes of the rows are well-formed and change no namespace."""
        new = attributes - self._known
        if not all(map(self._is_well_formed, new)):
            return False
        if len(self._known) < _KNOWN_AT_MOST:
            self._known |= new
        return True

    def _is_well_formed(self, attributes: str) -> bool:
        found = list(_ATTRIBUTE.finditer(attributes))
        names = {match[1] for match in found}
        # Two prefixes may stand for one namespace.
        local = {name.rpartition(":")[2] for name in names}
        return (
            sum(len(match[0]) for match in found) == len(attributes)
            and len(local) == len(found)
            and names.isdisjoint(("r", "xmlns"))
            and all(match[2] is None or match[2] in self._prefixes for match in found)
        )


def _numbers(texts: Sequence[str], after: int) -> list[int]:
    """The numbers of rows; one that has none comes right after the row before it."""
    if "" not in texts:
        return list(map(int, texts))
    return list(accumulate(texts, lambda last, text: int(text or last + 1), initial=after))[1:]


def _ascend(rows: list[int], after: int) -> bool:
    """Whether the numbers of rows rise, from behind a row to the grid's end at most."""
    return rows[0] > after and rows[-1] <= LAST_ROW and rows == sorted(set(rows))


def _cells(part: str, start: int, number: str) -> dict[int, Hashable] | None:
    """The keys of a row's cells by column; None unless all of what is there is canonical."""
    found = _ANY_CELL.findall(part, start)
    if len(found) != part.count("<c", start) or not part.startswith("<c" if found else "", start):
        return None
    if not found:
        return {} if start == len(part) else None
    names, rows, keys = zip(*found, strict=True)
    columns = _columns(names)
    if set(rows) - {""} - {number} or len(set(columns)) != len(columns):
        return None
    if max(columns) > LAST_COLUMN:
        return None
    return {column: key for column, key in zip(columns, keys, strict=True) if key}


def _columns(names: tuple[str, ...]) -> list[int]:
    """The columns of cells; one without a reference comes right after the cell before it."""
    if "" not in names:
        return list(map(_column, names))
    places = accumulate(names, lambda last, name: _column(name) if name else last + 1, initial=-1)
    return list(places)[1:]


_column = lru_cache(maxsize=LAST_COLUMN + 1)(index_of)


def pattern_width(rows: Iterable[Row]) -> int:
    """How wide a pattern these rows ask for, in steps, since each width has to be compiled.

    Rows with more cells than any pattern has columns ask for none.
    """
    cells = (row.cells for row in rows if len(row.cells) <= WIDEST)
    columns = (column for row in cells for column in row if column < WIDEST)
    return -(-(max(columns, default=-1) + 1) // _STEP) * _STEP


def _hidden(rows: list[int], attributes: tuple[str, ...]) -> frozenset[int]:
    if not any("hidden" in text for text in set(attributes)):
        return frozenset()
    return frozenset(
        row for row, text in zip(rows, attributes, strict=True) if _HIDDEN.search(text)
    )


@lru_cache(maxsize=64)
def _pattern(width: int) -> re.Pattern[str]:
    """The pattern of a row of so many columns; its groups are number, attributes, and columns."""
    cells = "".join(_CELL.format(letters(index)) for index in range(width))
    return re.compile(_ROW + cells + _EMPTY + _ROW_END, re.ASCII)
