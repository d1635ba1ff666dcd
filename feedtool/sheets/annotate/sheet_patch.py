"""Write the rows of a sheet with our cells, after the sheet was scanned (`sheet_scan`).

Chunks in which patterns are proven to find every row are patched by patterns; the parser
(`row_parser`) handles all others, with the same results.
"""

import re
from collections.abc import Iterator, Sequence

from feedtool.model.cells import letters
from feedtool.sheets.annotate.notes import AnswerCells, NoteCells
from feedtool.sheets.annotate.sheet_scan import (
    CellSpan,
    RawRow,
    RowParser,
    SheetScan,
    Tags,
    cell_beyond,
    column_index,
    rewrite,
    tags_of,
    with_height,
    with_spans,
)
from feedtool.sheets.annotate.xml_offsets import Edit, splice
from feedtool.sheets.cell_text import inline, shown
from feedtool.sheets.read.xml_parser import chunks

_NOTHING: frozenset[int] = frozenset()
_STYLE = re.compile(rb"""<(?:[^>"']|"[^"]*"|'[^']*')*?\ss\s*=\s*["']([0-9]{1,9})["']""")
_FORMULA = re.compile(rb"<(?:[^\s<>:/]+:)?f[\s/>]")


def patch_rows(
    stream: Iterator[bytes], scan: SheetScan, notes: NoteCells, stale: frozenset[int]
) -> Iterator[bytes]:
    """Yield all bytes between head and tail: the rows with our cells, without `stale` columns."""
    parser = RowParser(scan.part, scan.limits)
    for chunk, last_row in zip(chunks(stream), scan.plain, strict=True):
        if last_row is not None and chunk.prefix is not None:
            yield parser.flush()
            parser.last_row = last_row
            patcher = _PatternPatcher(tags_of(chunk.prefix.encode()), scan, notes, stale)
            yield patcher.block(chunk.data)
            continue
        for row in parser.rows(chunk.data):
            if isinstance(row, bytes):
                yield row
            else:
                _match_heading(row, notes, stale)
                answer = notes.answer(row.number, row.prefix)
                noted = _with_values(row, answer, notes)
                old = stale if row.number >= notes.header_row else _NOTHING
                yield rewrite(row, noted, old, _height(row, answer, notes, old))
    yield parser.rest()[0]


def _height(row: RawRow, answer: AnswerCells, notes: NoteCells, stale: frozenset[int]) -> bytes:
    """Return the height of a row, for which cells in our columns do not count."""
    columns = stale.union(notes.columns) if answer.height else _NOTHING
    edits = [Edit(cell.start, cell.end, b"") for cell in row.cells if cell.column in columns]
    return notes.height(answer, splice(row.data, edits, 0))


def _match_heading(row: RawRow, notes: NoteCells, stale: frozenset[int]) -> None:
    """In the row of headings: give ours the format of the last formatted heading before them."""
    if row.number != notes.header_row or not notes.is_styled:
        return
    for cell in row.cells:
        if cell.is_used and cell.column not in stale and cell.column < min(notes.columns):
            style = _STYLE.match(row.data[cell.start : cell.end])
            if style and int(style[1]):
                notes.heading_style = int(style[1])


def _with_values(row: RawRow, answer: AnswerCells, notes: NoteCells) -> Sequence[tuple[int, bytes]]:
    """Return our cells of a row, and the user's cells that get another value, in their format.

    A cell keeps its formula, which would restore the old value.
    """
    cells = answer.row(row.number)
    if not notes.values:
        return cells
    present = {cell.column: row.data[cell.start : cell.end] for cell in row.cells}
    for column, value in notes.values:
        cell = present.get(column, b"")
        if _FORMULA.search(cell):
            continue
        style = _STYLE.match(cell)
        start = b'<%bc r="%b%d"%b' % (
            row.prefix,
            letters(column).encode(),
            row.number,
            b' s="%b"' % style[1] if style else b"",
        )
        if isinstance(value, str):
            text = shown(value)
            content = inline(value, row.prefix) if value else b"/>"
        else:
            text = f"{value:f}"
            prefix = row.prefix
            content = b"><%bv>%b</%bv></%bc>" % (prefix, text.encode(), prefix, prefix)
        cells.append((column, start + content))
        notes.changed.setdefault(row.number, {})[column] = text
    return sorted(cells)


class _PatternPatcher:
    """Rewrites rows of canonical XML."""

    def __init__(
        self, tags: Tags, scan: SheetScan, notes: NoteCells, stale: frozenset[int]
    ) -> None:
        self._tags = tags
        self._opening = tags.row_start + b' r="'
        self._cell_ends = (b"</%bc>" % tags.prefix, b"/>")
        self._scan = scan
        self._notes = notes
        self._stale = stale
        self._left, self._right = min(notes.columns), max(notes.columns)
        first = min((self._left, *stale))
        self._beyond = cell_beyond(tags.prefix, first - 1)
        """Finds a cell in our columns or to the right of them."""
        self._appends = scan.widest < first
        """True if no row has such a cell."""

    def block(self, block: bytes) -> bytes:
        """Return the rows with our cells.

        In nearly all sheets our cells follow the last cell of a row. Such rows are not searched,
        and their bytes are copied once, into the block. With cached answers (`NoteCells.answer`)
        this halved the time of the whole step.
        """
        done: list[bytes] = []
        tags, notes, row_end = self._tags, self._notes, self._tags.row_end
        *parts, rest = block.split(row_end)
        for row in parts:
            part, tag = row, tags.row.match(row)
            if tag is None or tag[2].endswith(b"/"):
                # Rows written `<row/>`, or blanks, are before the row that ends here.
                start = row.rfind(tags.row_start)
                done += self._empty_rows(row[:start])
                part = row[start:]
                tag = tags.row.match(part)
            if tag is None:
                continue  # the scan has proven that this cannot happen
            digits, attributes = tag.groups()
            number, inner = int(digits), tag.end()
            if number == notes.header_row:
                headings = self._raw_row(number, part, inner, cell_beyond(tags.prefix, -1))
                _match_heading(headings, notes, self._stale)
            answer = notes.answer(number, tags.prefix)
            if not self._appends or notes.values or not self._ends_with_cell(part, inner):
                done.append(self._rewrite(number, part, inner, answer))
            elif answer.cells:
                opened = with_spans(attributes, self._left, self._right)
                opened = with_height(opened, notes.height(answer, part))
                cells = digits.join(answer.pieces)
                done += (self._opening, digits, b'"', opened, b">", part[inner:], cells, row_end)
            else:
                done += (part, row_end)
        done += self._empty_rows(rest)
        return b"".join(done)

    def _rewrite(self, number: int, part: bytes, inner: int, answer: AnswerCells) -> bytes:
        """Return a row, given without its end tag, with our cells at their places."""
        notes = self._notes
        stale = self._stale if number >= notes.header_row else _NOTHING
        beyond = cell_beyond(self._tags.prefix, -1) if notes.values else self._beyond
        row = self._raw_row(number, part, inner, beyond)
        cells = _with_values(row, answer, notes)
        return rewrite(row, cells, stale, _height(row, answer, notes, stale))

    def _raw_row(self, number: int, part: bytes, inner: int, beyond: re.Pattern[bytes]) -> RawRow:
        """Return the row with its cells from the first that `beyond` finds."""
        data = part + self._tags.row_end
        first = beyond.search(part, inner)
        end = first.start() if first else len(part)
        is_in_order, last, cells = first is not None or self._ends_with_cell(part, inner), -1, []
        for cell in self._tags.whole_cell.finditer(part, end):
            column = column_index(cell[1])
            is_in_order = is_in_order and cell.start() == end and column > last
            end, last = cell.end(), column
            cells.append(CellSpan(column, cell.start(), cell.start(3), cell[2] is not None))
        if not is_in_order or end != len(part):
            parser = RowParser(self._scan.part, self._scan.limits)  # the head has the namespaces
            rows = parser.rows(self._scan.head + data)
            return next(row for row in rows if isinstance(row, RawRow))
        return RawRow(number, data, self._tags.prefix, inner, len(part), cells)

    def _empty_rows(self, data: bytes) -> Iterator[bytes]:
        """Yield the rows written `<row/>` with our cells, and the blanks between rows."""
        end = 0
        for tag in self._tags.row.finditer(data):
            yield data[end : tag.start()]
            end = tag.end()
            number = int(tag[1])
            prefix = self._tags.prefix
            row = RawRow(number, tag[0], prefix, len(tag[0]), len(tag[0]), ())
            answer = self._notes.answer(number, prefix)
            cells = _with_values(row, answer, self._notes)
            yield rewrite(row, cells, _NOTHING, answer.height)
        yield data[end:]

    def _ends_with_cell(self, part: bytes, inner: int) -> bool:
        """True if a row (without its end tag) ends with a cell or is empty: no extensions."""
        return (
            part.endswith(self._cell_ends)
            or not part[inner:].strip()
            or part.rstrip().endswith(self._cell_ends)
        )
