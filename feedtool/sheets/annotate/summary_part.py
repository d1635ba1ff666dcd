"""Write the part of the summary sheet. Its links stay in the workbook: no relationships."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FILLS, FormatIndexes, Outcome
from feedtool.sheets.annotate.notes import DataBar, Link, Styled, Summary, SummaryCell
from feedtool.sheets.cell_text import inline, quoted

_LINE, _BAND, _TITLE = 15, 21, 30
"""Heights in points: of a line of text, a row of headings, the title."""
_WRAPPED = frozenset({"prose", "band"})
_BARS: Mapping[Outcome, str] = {
    "good": "FF70AD47", "bad": "FFD9534F", "open": "FFF0AD4E", "idle": "FFA6A6A6"
}  # fmt: skip


def summary_sheet(
    summary: Summary, styles: FormatIndexes, namespace: str, status_columns: Mapping[str, int]
) -> bytes:
    """Return the part; `status_columns` are the columns (0-based) of statuses by sheet name."""
    rows = b"".join(
        b'<row r="%d" ht="%d" customHeight="1">%b</row>'
        % (number, _height(row, summary.widths), b"".join(_cells(number, row, styles)))
        for number, row in enumerate(summary.table, 1)
    )
    links = b"".join(_links(summary, status_columns))
    widths = b"".join(
        b'<col min="%d" max="%d" width="%d" customWidth="1"/>' % (number, number, width)
        for number, width in enumerate(summary.widths, 1)
    )
    return (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        b'<worksheet xmlns=%b><sheetPr><tabColor rgb="%b"/><pageSetUpPr fitToPage="1"/></sheetPr>'
        b'<sheetViews><sheetView showGridLines="0" workbookViewId="0"/></sheetViews>'
        b"%b<sheetData>%b</sheetData>%b%b"
        b'<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>'
        b'<pageSetup orientation="landscape" fitToHeight="0"/></worksheet>'
    ) % (
        quoted(namespace),
        FILLS["band"].encode(),
        b"<cols>%b</cols>" % widths if widths else b"",
        rows,
        b"".join(_bars(summary)),
        b"<hyperlinks>%b</hyperlinks>" % links if links else b"",
    )


def _cells(number: int, row: Sequence[SummaryCell], styles: FormatIndexes) -> Iterator[bytes]:
    for column, cell in enumerate(row):
        value, style = _styled(cell)
        place = b'<c r="%b%d" s="%d"' % (letters(column).encode(), number, styles.cells[style])
        if isinstance(value, int):
            yield place + b"><v>%d</v></c>" % value
        elif value:
            yield place + inline(value)
        elif style != "prose":
            yield place + b"/>"


def _styled(cell: SummaryCell) -> Styled:
    match cell:
        case Styled():
            return cell
        case Link(text=text, style=style):
            return Styled(text, style)
        case DataBar(number=number):
            return Styled(number, "number")
        case int():
            return Styled(cell, "number")
    return Styled(cell, "prose")


def _height(row: Sequence[SummaryCell], widths: Sequence[int]) -> int:
    """Return the height in points: some programs do not measure wrapped texts of a file."""
    styled = [_styled(cell) for cell in row]
    if any(style == "title" for _, style in styled):
        return _TITLE
    texts = zip(styled, widths, strict=False)
    lines = [
        sum(
            1 + (len(part) - 1) // (width - 2)  # a long word fills several lines
            for line in str(value).splitlines()
            for part in wrap(line, width - 2, break_long_words=False)
        )
        for (value, style), width in texts
        if style in _WRAPPED
    ]
    is_band = any(style == "band" for _, style in styled)
    return max(_LINE * max(1, *lines, 0) + 3, _BAND * is_band)


def _bars(summary: Summary) -> Iterator[bytes]:
    """Yield a rule for each bar, which gives it its colour."""
    bars = (
        (f"{letters(column)}{number}", cell)
        for number, row in enumerate(summary.table, 1)
        for column, cell in enumerate(row)
        if isinstance(cell, DataBar)
    )
    for priority, (place, bar) in enumerate(bars, 1):
        yield (
            b'<conditionalFormatting sqref="%b"><cfRule type="dataBar" priority="%d">'
            b'<dataBar minLength="0" maxLength="100" showValue="0"><cfvo type="num" val="0"/>'
            b'<cfvo type="num" val="%d"/><color rgb="%b"/></dataBar></cfRule>'
            b"</conditionalFormatting>"
        ) % (place.encode(), priority, bar.most, _BARS[bar.outcome].encode())


def _links(summary: Summary, status_columns: Mapping[str, int]) -> Iterator[bytes]:
    for number, row in enumerate(summary.table, 1):
        for column, cell in enumerate(row):
            if isinstance(cell, Link):
                sheet, ref = cell.sheet.replace("'", "''"), cell.ref
                if ref.isdecimal():
                    ref = f"{letters(status_columns.get(cell.sheet, 0))}{ref}"
                names = quoted(f"'{sheet}'!{ref}"), quoted(cell.text)
                place = f"{letters(column)}{number}".encode()
                yield b'<hyperlink ref="%b" location=%b display=%b/>' % (place, *names)
