"""Fewer rows than a product of lists has: each pair of two lists' values stands in one of them."""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import Any


def pairs(*lists: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
    """Rows with a value of each list, the same rows each time.

    The next row is always the first one of those with the most pairs that no row has yet.
    """
    values = [tuple(each) for each in lists]
    rows = list(product(*(range(len(each)) for each in values)))
    missing = {pair for row in rows for pair in combinations(enumerate(row), 2)}
    while missing:
        row = max(rows, key=lambda row: len(missing.intersection(combinations(enumerate(row), 2))))
        missing.difference_update(combinations(enumerate(row), 2))
        yield tuple(each[index] for each, index in zip(values, row, strict=True))
