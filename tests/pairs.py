"""Fewer rows than a product of lists: each pair of two lists' values is in at least one row."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any


def pairs(*lists: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Rows with a value of each list, always the same rows.

    The next row is always the first of those with the most pairs that are still missing.
    """
    values = [tuple(each) for each in lists]
    rows = list(product(*(range(len(each)) for each in values)))
    missing = {pair for row in rows for pair in combinations(enumerate(row), 2)}
    while missing:
        row = max(rows, key=lambda row: len(missing.intersection(combinations(enumerate(row), 2))))
        missing.difference_update(combinations(enumerate(row), 2))
        yield tuple(each[index] for each, index in zip(values, row, strict=True))
