"""Numbers of rows as ranges, a short text for many rows: `2-5,9,40-`."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from sys import maxsize

from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

_RANGE = re.compile("([1-9][0-9]{0,8})(-([1-9][0-9]{0,8})?)?")


class RowRanges:
    """A set of rows; `40-` has all from the 40th on."""

    def __init__(self, text: str) -> None:
        """Parse a text; an empty one has no rows. UsageProblem for another text."""
        pairs = sorted(map(_pair, filter(None, re.split("[, ]+", text))))
        self._pairs = _joined(pairs)
        self._firsts = [first for first, _ in self._pairs]

    def __contains__(self, row: int) -> bool:
        position = bisect_right(self._firsts, row) - 1
        return position >= 0 and row <= self._pairs[position][1]

    def __str__(self) -> str:
        return ",".join(_text(first, last) for first, last in self._pairs)

    def __bool__(self) -> bool:
        return bool(self._pairs)

    def without(self, rows: Sequence[int]) -> str:
        """The text of the ranges that contain none of `rows`, which are ascending."""
        ends = ((bisect_left(rows, first), bisect_right(rows, last)) for first, last in self._pairs)
        pairs = zip(self._pairs, ends, strict=True)
        return ",".join(_text(*pair) for pair, (start, end) in pairs if start == end)


def ranges_of(rows: Iterable[int]) -> str:
    return ",".join(_text(*pair) for pair in _joined((row, row) for row in rows))


def _pair(text: str) -> tuple[int, int]:
    match = _RANGE.fullmatch(text)
    if match:
        first = int(match[1])
        last = int(match[3]) if match[3] else maxsize if match[2] else first
        if first <= last:
            return first, last
    raise UsageProblem(tr("“{text}” names no rows", text=text), tr("write rows like 2-5,9 or 40-"))


def _joined(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join adjacent ranges, which are ascending."""
    joined: list[tuple[int, int]] = []
    for first, last in pairs:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(joined[-1][1], last)
        else:
            joined.append((first, last))
    return joined


def _text(first: int, last: int) -> str:
    if last == maxsize:
        return f"{first}-"
    return str(first) if first == last else f"{first}-{last}"
