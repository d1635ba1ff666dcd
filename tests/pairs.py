"""Fewer rows of a table than there could be."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any

import pytest


def sample(rows: Iterable[Any], count: int) -> list[Any]:
    """All rows of a table, of which the normal run tests the first `count`, `--long` the others.

    For rows that run a whole command and differ little. A row of several arguments is a tuple.
    """
    every = [*rows]
    # A named tuple is one argument.
    others = (row if type(row) is tuple else (row,) for row in every[count:])
    return every[:count] + [pytest.param(*row, marks=pytest.mark.long) for row in others]


def pairs(*lists: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Rows with a value of each list, always the same: each pair of values is in at least one.

    The next row is always the first of those with the most pairs that are still missing.
    """
    values = [tuple(each) for each in lists]
    rows = list(product(*(range(len(each)) for each in values)))
    missing = {pair for row in rows for pair in combinations(enumerate(row), 2)}
    while missing:
        row = max(rows, key=lambda row: len(missing.intersection(combinations(enumerate(row), 2))))
        missing.difference_update(combinations(enumerate(row), 2))
        yield tuple(each[index] for each, index in zip(values, row, strict=True))
