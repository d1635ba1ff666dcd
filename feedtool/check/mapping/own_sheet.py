"""Find the sheet of a merchant's own file with the likeliest header, and read its columns."""

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
        row = Texts(self.row.number, header_texts(self.row.cells))
        group = self.group
        return joined_rows(Texts(0, header_texts(group.cells)), row).texts if group else row.texts

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
