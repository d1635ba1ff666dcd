"""The summary as a worksheet of its own."""

from collections.abc import Iterator, Sequence

from feedtool.model.cells import letters
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.inline_strings import inline, quoted
from feedtool.sheets.annotate.notes import Link, Summary

_NARROWEST, _WIDEST = 8, 60
"""Of a column, in characters; longer texts are wrapped."""
_AUTOMATIC_ROW = b'<row r="%d">%b</row>'


def summary_sheet(summary: Summary, styles: FormatIndexes, namespace: str) -> bytes:
    """The part. Links lead to cells of this workbook (`location`), so it needs no relationships."""
    rows = b"".join(
        _AUTOMATIC_ROW % (number, b"".join(_cells(number, row, summary, styles)))
        for number, row in enumerate(summary.table, 1)
    )
    links = b"".join(_links(summary.table))
    return (
        b'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        b"<worksheet xmlns=%b>%b<sheetData>%b</sheetData>%b</worksheet>"
    ) % (
        quoted(namespace),
        b"".join(_columns(summary)),
        rows,
        b"<hyperlinks>%b</hyperlinks>" % links if links else b"",
    )


def _cells(
    number: int, row: Sequence[str | int | Link], summary: Summary, styles: FormatIndexes
) -> Iterator[bytes]:
    is_bold = number - 1 in summary.bold
    for column, value in enumerate(row):
        place = b'<c r="%b%d" s="%%d"' % (letters(column).encode(), number)
        if isinstance(value, Link):
            yield place % styles.link + inline(value.text)
        elif isinstance(value, int):
            yield place % styles.number + b"><v>%d</v></c>" % value
        elif value:
            yield place % (styles.heading if is_bold else styles.prose) + inline(value)


def _columns(summary: Summary) -> Iterator[bytes]:
    """Widths that fit what is in the columns; a title over all of them does not count."""
    width = max(map(len, summary.table), default=0)
    if not width:
        return
    yield b"<cols>"
    for column in range(width):
        texts = [_text(row[column]) for row in summary.table if 1 < len(row) > column]
        longest = max(map(len, texts), default=0)
        shown = min(max(longest + 2, _NARROWEST), _WIDEST)
        yield b'<col min="%d" max="%d" width="%d" customWidth="1"/>' % (
            column + 1,
            column + 1,
            shown,
        )
    yield b"</cols>"


def _text(value: str | int | Link) -> str:
    return value.text if isinstance(value, Link) else str(value)


def _links(table: Sequence[Sequence[str | int | Link]]) -> Iterator[bytes]:
    for number, row in enumerate(table, 1):
        for column, value in enumerate(row):
            if isinstance(value, Link):
                sheet = value.sheet.replace("'", "''")
                yield b'<hyperlink ref="%b%d" location=%b display=%b/>' % (
                    letters(column).encode(),
                    number,
                    quoted(f"'{sheet}'!{value.ref}"),
                    quoted(value.text),
                )
