"""Writes an answer beside every row of the corpus: `annotate.py WAY SOURCE TARGET ROWS`."""

import sys
from collections.abc import Iterator
from pathlib import Path

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
PRICE = 4
"""The column that is to blame for a refusal, 0-based."""
EVERY = 50
"""Every so many rows one is refused."""


def answers(count: int) -> Iterator[tuple[int, str, str, str]]:
    """Row, status, message and code, from the first row below the header on."""
    for row in range(2, count + 2):
        if row % EVERY:
            yield row, "Integrated", "The offer has been created.", "8000"
        else:
            message = f"E price.price: the price of row {row} is not above the taxes inside it"
            yield row, "Rejected", message, "price-below-taxes"


def with_feedtool(source: str, target: str, count: int) -> None:
    """The way of `feedtool submit`: prices to blame are coloured, the copy is read again."""
    from feedtool.sheets.annotate import Note, SheetNotes, annotate

    notes = (
        Note(row, status, message, code, () if row % EVERY else ((PRICE, "error"),))
        for row, status, message, code in answers(count)
    )
    annotate(Path(source), Path(target), [SheetNotes("Offers", 1, HEADINGS, notes)])


def with_openpyxl(source: str, target: str, count: int) -> None:
    """Load, write three columns, save; no colours, no check, and other parts may get lost."""
    from openpyxl import load_workbook

    book = load_workbook(source)
    sheet = book.worksheets[0]
    first = sheet.max_column + 1
    for offset, heading in enumerate(HEADINGS):
        sheet.cell(1, first + offset, heading)
    for row, *texts in answers(count):
        for offset, text in enumerate(texts):
            sheet.cell(row, first + offset, text)
    book.save(target)


WAYS = {"feedtool": with_feedtool, "openpyxl": with_openpyxl}

if __name__ == "__main__":
    WAYS[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]))
