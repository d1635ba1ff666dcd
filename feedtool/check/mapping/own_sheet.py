"""The sheet of a merchant's own file whose header is the likeliest, and what stands in it."""

from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from shlex import quote
from typing import NamedTuple

from feedtool.check.headers import HeaderNotFound, Texts, header_texts, joined_rows
from feedtool.check.mapping.evidence import SheetColumn
from feedtool.check.mapping.header_row import header_row, is_continued, is_table
from feedtool.check.mapping.words import groups_in, plain
from feedtool.model.cells import BLANK, Cell, brief
from feedtool.model.markers import STAMP
from feedtool.model.text import in_quotes, joined, tr
from feedtool.sheets import Source
from feedtool.sheets.read.source import HeadRow

SEARCHED = 60
"""Rows among which the header is looked for."""
SAMPLED = 2_000
"""Rows whose cells speak for or against a field."""
LIKELY = 0.8
"""The share of the best score from which another sheet's header is as likely."""
SHOWN = 5
"""Cells of a row that are told."""


class OwnSheet(NamedTuple):
    """A sheet, and its likeliest header."""

    name: str
    head: Sequence[HeadRow]
    at: int
    """The position of the header among the first rows."""
    others: Sequence[str] = ()
    """The names of sheets that have nearly as likely a header."""

    @property
    def row(self) -> HeadRow:
        """The header's row."""
        return self.head[self.at]

    @property
    def group(self) -> HeadRow | None:
        """The row right above the header, where several texts stand in it."""
        above = self.head[self.at - 1] if self.at else None
        if above is None or above.number != self.row.number - 1:
            return None
        return above if len(header_texts(above.cells)) >= len(("a group", "another")) else None

    @property
    def texts(self) -> Mapping[int, str]:
        """The headers by 0-based column, of one row or of two."""
        row = Texts(self.row.number, header_texts(self.row.cells))
        group = self.group
        return joined_rows(Texts(0, header_texts(group.cells)), row).texts if group else row.texts

    @property
    def above(self) -> str:
        """The sheet's name, and the text above the header."""
        texts = (cell.text for row in self.head[: self.at] for cell in row.cells)
        return " \n".join((self.name, *texts))


def likeliest_sheet(source: Source, wanted: Sequence[str] = ()) -> OwnSheet | None:
    """Of these sheets, or of all, the one whose header is the likeliest; None without a header.

    A sheet that is called an example comes behind others with nearly as likely a header.
    """
    scored: list[tuple[float, OwnSheet]] = []
    for name in wanted or [entry.name for entry in source.sheets if not entry.hidden]:
        head = source.sheet(name).head(SEARCHED)
        rows = [(row.number, row.cells) for row in head]
        score, at = header_row(rows)
        if score:
            scored.append((score, OwnSheet(name, head, at + is_continued(rows, at))))
    most = max((score for score, _ in scored), default=0)
    likely = [pair for pair in scored if pair[0] >= LIKELY * most]
    likely.sort(key=lambda pair: ("example" in groups_in(plain(pair[1].name)), -pair[0]))
    names = [sheet.name for _, sheet in likely]
    return likely[0][1]._replace(others=names[1:]) if likely else None


def read_columns(source: Source, own: OwnSheet, known: Collection[str]) -> list[SheetColumn]:
    """The columns below the header, and below a row of our keys, each with its first cells."""
    texts = dict(sorted(own.texts.items()))
    cells: dict[int, list[Cell]] = {at: [] for at in texts}
    after = own.row.number
    for row in own.head[own.at + 1 :]:
        below = header_texts(row.cells).values()
        matching = sum(text in known for text in below)
        # Of a template's own some may be those of a category that is not known here.
        least = 1 if STAMP in source.properties else len(below) // 2 + 1
        if row.number > after + 1 or matching < least:
            break
        after = row.number
    count = 0
    for block in source.sheet(own.name).blocks(after):
        for at, column in cells.items():
            keys = block.column(at) if at < block.width else [None] * len(block.rows)
            column += [BLANK if key is None else block.decode(key) for key in islice(keys, SAMPLED)]
        count += len(block.rows)
        if count >= SAMPLED:
            break
    over = _texts_over(own)
    return [SheetColumn(at, texts[at], cells[at], over.get(at, "")) for at in texts]


def _texts_over(own: OwnSheet) -> dict[int, str]:
    """Column → the text right above its header, or left of that, where several stand there."""
    over: dict[int, str] = {}
    lower = header_texts(own.row.cells)
    upper = header_texts(own.group.cells) if own.group else {}
    for at in range(len(own.row.cells) if upper else 0):
        over[at] = upper.get(at) or over.get(at - 1, "")
    # What is in the header already need not be said twice.
    return {at: text for at, text in over.items() if own.texts.get(at) == lower.get(at)}


def no_header(source: Source, file: str, wanted: Sequence[str] = ()) -> HeaderNotFound:
    """The error where no row of these sheets, or of all, looks like a header: what stands there."""
    names = wanted or [entry.name for entry in source.sheets if not entry.hidden]
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
