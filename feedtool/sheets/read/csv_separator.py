"""The character that separates the fields of a CSV, known by its first lines."""

import csv
import re
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

CANDIDATES = (",", ";", "\t", "|")
"""In case of doubt the first."""
_RECORDS = 60
_ANNOTATED = re.compile(
    r"feedtool status[\"']?(.)[\"']?feedtool message[\"']?\1[\"']?feedtool code"
)
"""Our headings in a line: an annotated copy says by them what separates its fields."""
_ANNOUNCED = re.compile(r'"?sep=([^"\r\n])"?[ \t]*(?:\r\n|\n|\r)?', re.IGNORECASE)


def announced_separator(line: str) -> str | None:
    """The separator that a first line `sep=;` announces to Excel, else None."""
    match = _ANNOUNCED.fullmatch(line)
    return match[1] if match else None


class _Table(NamedTuple):
    """The look of the sample with a separator; the greatest is the most likely."""

    earliness: int
    """Minus the index of the record where the table begins: titles may stand above it."""
    width: int
    first_width: int
    """Fields of the very first record."""
    preference: int


def find_separator(lines: Sequence[str], quote: str = '"') -> str:
    """The separator of these lines, a header among them, with this quotation mark.

    A table begins with the first record that has several fields, as at least half of the records
    below it have. The separator whose table begins first wins, for the header line stands above
    decimal commas and the commas of descriptions; then the one that makes more columns. A copy
    that we annotated has wider records below other ones, and longer ones: its headings tell.
    """
    ours = (match[1] for line in lines if (match := _ANNOTATED.search(line)))
    told = next((separator for separator in ours if separator in CANDIDATES), None)
    if told:
        return told
    tables = {
        separator: _table(lines, separator, quote, -index)
        for index, separator in enumerate(CANDIDATES)
    }
    return max(CANDIDATES, key=lambda separator: tables[separator])


def _table(lines: Sequence[str], separator: str, quote: str, preference: int) -> _Table:
    records = islice(csv.reader(lines, delimiter=separator, quotechar=quote), _RECORDS)
    widths = [len(record) for record in records if any(record)]
    first = widths[0] if widths else 0
    for index, width in enumerate(widths):
        below = widths[index + 1 :]
        if width > 1 and 2 * below.count(width) >= len(below):
            return _Table(-index, width, first, preference)
    return _Table(-len(widths), 0, first, preference)
