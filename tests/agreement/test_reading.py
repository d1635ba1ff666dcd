"""What is read is what openpyxl reads, value by value, but for the differences that have a name."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agreement.books import BOOKS
from tests.agreement.reading import DIFFERENCES, Pair, agree, both_read, explanation, pairs

UNREADABLE_TO_OPENPYXL = {
    "strict": "it knows the transitional namespace only",
    "other_names": "it minds the case of part names",
    "backslashes": "it minds the slashes of part names",
}


def differing(path: Path) -> list[Pair]:
    return [pair for pair in pairs(path) if not agree(pair.ours, pair.theirs)]


@pytest.mark.parametrize("name", sorted(BOOKS.keys() - UNREADABLE_TO_OPENPYXL))
def test_books(book: Callable[[str], Path], name: str) -> None:
    path = book(name)
    assert both_read(path)
    assert [pair for pair in differing(path) if explanation(pair) is None] == []


@pytest.mark.parametrize("name", UNREADABLE_TO_OPENPYXL)
def test_openpyxl_does_not_read(book: Callable[[str], Path], name: str) -> None:
    assert not both_read(book(name))


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_difference_still_occurs(book: Callable[[str], Path], name: str) -> None:
    found = {explanation(pair) for pair in differing(book(DIFFERENCES[name].book))}
    assert name in found


@pytest.mark.long
def test_every_workbook_that_the_tests_make(harvest: list[Path]) -> None:
    workbooks = [
        path for path in harvest if path.read_bytes().startswith(b"PK") and both_read(path)
    ]
    assert len(workbooks) > 100
    strange = {
        str(path): left
        for path in workbooks
        if (left := [pair for pair in differing(path) if explanation(pair) is None])
    }
    assert strange == {}
