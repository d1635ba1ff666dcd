"""The nouns of a header row: a column, and a header that was understood.

Headers are compared as people do: without case, blanks, accents and punctuation.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

from msgspec import Struct, field

from feedtool.model.cells import Cell

STAMP_LANGUAGE = "feedtool.language"
"""The property of a workbook with the language of its template."""


class CellType(Protocol):
    """The type of a column's values."""

    def read(self, cell: Cell, column: Any) -> object | None:
        """The cell's value, None for a blank, `InvalidValue` for a problem."""
        ...


class Column(Struct, frozen=True):
    """One column that a feed understands."""

    key: str
    """A stable name, as in the template's grey row: `price.price`."""
    type: CellType
    labels: tuple[str, str, str]
    """Labels for people, in the order of `LANGUAGES`."""
    help: tuple[str, str, str]
    """The help, in the order of `LANGUAGES`."""
    example: str = ""
    aliases: tuple[str, ...] = ()
    """Other headers of this column, besides the key and the labels."""
    is_shared: bool = False
    """True if all sales channels share the value, and none has a column of its own."""
    is_in_example: bool = True
    """False for an optional value that would be sent by mistake if a template's example kept it."""
    group: tuple[str, ...] = ()
    """Its group in a template, in the order of `LANGUAGES`; empty if it stands alone."""


class Header(Struct, frozen=True):
    """A header row with its known and unknown columns."""

    row: int
    after: int
    """The data begin after this row; a second header row may be in between."""
    columns: Mapping[int, Column]
    """0-based index → its column."""
    texts: Mapping[int, str]
    """0-based index → the header as the user wrote it, known or not."""
    unknown: tuple[tuple[int, str | None], ...]
    """The index of each unknown header, and the nearest known header."""
    own: frozenset[int]
    """The indexes of the columns that an earlier annotation added."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """0-based index → the reason why its header was understood so."""
    headings: int = 0
    """The row that people read as the header, where our headers belong: not the header's own row if
    keys stand in a row of their own, which may be hidden. 0 is the header's own row."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """0-based index → its text in that row."""
    stamp: Mapping[str, str] = field(default_factory=dict)
    """The workbook's properties about the whole sheet."""
    origins: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Index of a column that a recipe adds → the columns that its values come from. The added
    column has an index after all columns that a sheet can have."""

    @property
    def headings_row(self) -> int:
        """The number of the row where our headings belong."""
        return self.headings or self.row

    def places(self) -> dict[str, tuple[int, ...]]:
        """Key → the columns of the sheet with its values, or from which they come."""
        return {
            column.key: self.origins.get(index, (index,)) for index, column in self.columns.items()
        }

    def names(self) -> dict[str, str]:
        """Key → the name that people read in the sheet, without the mark of a required column."""
        texts = {**self.texts, **self.labels}
        return {
            column.key: _MARK.sub("", texts[index])
            for index, column in reversed(list(self.columns.items()))
            if index in texts
        }

    def index_of(self, key: str) -> int | None:
        """The 0-based index of a key's column, None if absent."""
        return next((index for index, column in self.columns.items() if column.key == key), None)


_MARK = re.compile(r"\s*(?:\(\*\)|\*|\+)\s*$")

LONGEST = 1000
"""Characters of a header; a longer field is no header."""


def folded(header: str) -> str:
    """A header without case, blanks, accents and punctuation; empty if it is too long for one."""
    return _folded(header) if len(header) <= LONGEST else ""


@lru_cache(8192)
def _folded(header: str) -> str:
    plain = header.casefold()
    if not plain.isascii():
        # Twice: a mathematical A or a Roman numeral becomes a capital only when it is decomposed.
        plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", plain).casefold())
    return "".join(filter(str.isalnum, plain))
