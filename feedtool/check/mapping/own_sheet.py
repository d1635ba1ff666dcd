"""The sheet of a merchant's own file whose header is the likeliest, and what stands in it."""

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from feedtool.check.headers import HeaderNotFound
from feedtool.check.mapping.evidence import SheetColumn
from feedtool.check.mapping.header_row import header_row, is_table
from feedtool.model.cells import BLANK, Cell, brief
from feedtool.sheets import Source
from feedtool.sheets.read.source import HeadRow

SEARCHED = 60
"""Rows among which the header is looked for."""
SAMPLED = 2_000
"""Rows whose cells speak for or against a field."""
SHOWN = 5
"""Cells of a row that are told."""


class OwnSheet(NamedTuple):
    """A sheet, and its likeliest header."""

    name: str
    head: Sequence[HeadRow]
    at: int
    """The position of the header among the first rows."""

    @property
    def row(self) -> HeadRow:
        """The header's row."""
        return self.head[self.at]

    @property
    def above(self) -> str:
        """The sheet's name, and the text above the header."""
        texts = (cell.text for row in self.head[: self.at] for cell in row.cells)
        return " \n".join((self.name, *texts))


def likeliest_sheet(source: Source, wanted: Sequence[str] = ()) -> OwnSheet | None:
    """Of these sheets, or of all, the one whose header is the likeliest; None without a header."""
    best: tuple[float, OwnSheet | None] = (0, None)
    for name in wanted or [entry.name for entry in source.sheets if not entry.hidden]:
        head = source.sheet(name).head(SEARCHED)
        score, at = header_row([(row.number, row.cells) for row in head])
        if score > best[0]:
            best = score, OwnSheet(name, head, at)
    return best[1]


def read_columns(source: Source, own: OwnSheet) -> list[SheetColumn]:
    """The columns below the header, each with its first cells."""
    texts = {at: " ".join(cell.text.split()) for at, cell in enumerate(own.row.cells)}
    texts = {at: text for at, text in texts.items() if text}
    cells: dict[int, list[Cell]] = {at: [] for at in texts}
    count = 0
    for block in source.sheet(own.name).blocks(own.row.number):
        for at, column in cells.items():
            keys = block.column(at) if at < block.width else [None] * len(block.rows)
            column += [BLANK if key is None else block.decode(key) for key in islice(keys, SAMPLED)]
        count += len(block.rows)
        if count >= SAMPLED:
            break
    over = _texts_over(own)
    return [SheetColumn(at, texts[at], column, over.get(at, "")) for at, column in cells.items()]


def _texts_over(own: OwnSheet) -> dict[int, str]:
    """Column → the text right above its header, or left of that, where several stand there."""
    above = own.head[own.at - 1] if own.at else None
    texts = [cell.text.strip() for cell in above.cells] if above else []
    is_group = above is not None and above.number == own.row.number - 1
    if not is_group or len(list(filter(None, texts))) < len(("a group", "another")):
        return {}
    texts += [""] * (len(own.row.cells) - len(texts))
    over: dict[int, str] = {}
    for at, text in enumerate(texts):
        over[at] = text or over.get(at - 1, "")
    return over


def no_header(source: Source, file: str) -> HeaderNotFound:
    """The error of a file of which no row looks like a header: what stands there instead."""
    rows = [
        row.cells
        for entry in source.sheets
        if not entry.hidden
        for row in source.sheet(entry.name).head(SEARCHED)
    ]
    texts = [[text for cell in row if (text := cell.text.strip())] for row in rows]
    widest = max(texts, key=len, default=[])
    if not is_table(rows):
        return HeaderNotFound(
            f"no row looks like a header: {file} is a text and no table, since hardly one of its"
            f" first {len(rows)} rows has two cells",
            "give a spreadsheet, with a name above each column",
        )
    shown = ", ".join(f"“{brief(text)}”" for text in widest[:SHOWN])
    return HeaderNotFound(
        f"no row looks like a header; the widest one has {shown}",
        f"give each column a name in one row, then type: feedtool map {file}",
    )
