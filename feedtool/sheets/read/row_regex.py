"""Whole chunks of rows read by one pattern: where the tool's speed comes from.

Nearly every program writes rows in one canonical form:

    <row r="5" spans="1:3"><c r="A5" s="1" t="s"><v>12</v></c><c r="C5"><v>19.9</v></c></row>

One pattern matches a whole such row with a group for each column, `findall` a whole chunk, and
`zip` turns the rows into columns; no Python runs per cell. `RowMatcher.read` proves that nothing
was overlooked, and leaves a chunk that is written otherwise to the parser (`sheet_parser`).

Besides the canonical form the pattern takes what programs in use write: blanks around the cells of
a row (Apache POI), a blank before `/>` (.NET and openpyxl without lxml), a type before a style.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from feedtool.model.cells import letters
from feedtool.sheets.read.cell_decoder import ATTRIBUTES, CONTENT
from feedtool.sheets.read.sheet_parser import SheetRow
from feedtool.sheets.read.source import LAST_ROW

WIDEST = 1024
"""Columns that a pattern is made for; wider rows are the parser's."""
_STEP, _WIDE_STEP = 8, 128
"""Columns by which patterns grow, since each width has to be compiled; large ones take a second."""

_BLANKS = r"[ \t\n]*+"
_ROW = rf'<row r="([1-9][0-9]{{0,6}})"((?:[^<>/]++|/(?!>))*+)(?:/>|>{_BLANKS}'
_NO_VALUE = r"(?:<v(?: ?/>|></v>)|<is><t(?: ?/>|></t>)</is>)?+"
_CELL = (
    rf'(?:<c r="{{}}\1"(?:({ATTRIBUTES}>{CONTENT})</c>'
    rf"|{ATTRIBUTES}(?: ?/>|>{_NO_VALUE}</c>)))?+"
)
_EMPTY = (
    r'(?:<c r="(?:[A-Z]{1,2}|[A-W][A-Z]{2}|X[A-E][A-Z]|XF[A-D])\1"'
    rf"{ATTRIBUTES}(?: ?/>|></c>))*+"
)
"""Formatted but empty cells, within the grid, to the right of the last column."""
_ROW_END = rf"{_BLANKS}</row>){_BLANKS}(?=<row|\Z)"
"""The next row or the end must follow: so no text between two rows is overlooked."""
_ATTRIBUTE = re.compile(r' ((?:([A-Za-z_]\w*):)?[A-Za-z_]\w*)="[^"&<>]*"', re.ASCII)
_HIDDEN = re.compile(r' hidden="(?:1|true)"')
_KNOWN_AT_MOST = 10_000


class Scan(NamedTuple):
    """A chunk of rows by column."""

    rows: list[int]
    hidden: frozenset[int]
    columns: list[tuple[str, ...]]
    """The keys of each column; "" where there is no cell, or no value in it."""


class RowMatcher:
    """Reads chunks of canonical rows; remembers the attributes of rows that are well-formed."""

    def __init__(self, prefixes: set[str]) -> None:
        self._prefixes = prefixes
        self._known: set[str] = {""}

    def read(self, text: str, width: int, after: int) -> Scan | None:
        """The rows of a chunk of normalized XML; None unless every row of it is canonical.

        `width` is the number of columns to look for, `after` the number of the row before.
        Every `<row` of the chunk begins a match, since there are as many matches as `<row`, and
        every match ends where a `<row` or the chunk's end follows: nothing is left over.
        """
        text = text.lstrip(" \t\n")
        # A sheet may be formatted down to its last row; the empty ones need no columns.
        pattern = _pattern(width if "</c>" in text else 0)
        matches = pattern.findall(text) if pattern.match(text) else []
        if not matches or len(matches) != text.count("<row"):
            return None
        numbers, attributes, *columns = zip(*matches, strict=True)
        rows = list(map(int, numbers))
        is_ascending = after < rows[0] and rows[-1] <= LAST_ROW and rows == sorted(set(rows))
        if not is_ascending or not self._are_well_formed(set(attributes)):
            return None
        return Scan(rows, _hidden(rows, attributes), columns)

    def _are_well_formed(self, attributes: set[str]) -> bool:
        """True if the attributes of the rows are well-formed and change no namespace."""
        new = attributes - self._known
        if not all(map(self._is_well_formed, new)):
            return False
        if len(self._known) < _KNOWN_AT_MOST:
            self._known |= new
        return True

    def _is_well_formed(self, attributes: str) -> bool:
        matches = list(_ATTRIBUTE.finditer(attributes))
        names = {match[1] for match in matches}
        # Two prefixes may stand for one namespace.
        local = {name.rpartition(":")[2] for name in names}
        return (
            sum(len(match[0]) for match in matches) == len(attributes.rstrip(" "))
            and len(local) == len(matches)
            and names.isdisjoint(("r", "xmlns"))
            and all(match[2] is None or match[2] in self._prefixes for match in matches)
        )


def pattern_width(rows: Iterable[SheetRow]) -> int:
    """The number of columns of a pattern for these rows, in steps.

    Rows with more cells than any pattern has columns ask for none.
    """
    cells = (row.cells for row in rows if len(row.cells) <= WIDEST)
    columns = (column for row in cells for column in row if column < WIDEST)
    count = max(columns, default=-1) + 1
    step = _STEP if count <= _WIDE_STEP else _WIDE_STEP
    return -(-count // step) * step


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
