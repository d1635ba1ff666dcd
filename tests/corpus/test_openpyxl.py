"""What is read is what openpyxl reads, value by value, but for differences that have a name."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.corpus import test_operator, test_workbooks
from tests.corpus.books import BOOKS, parameters
from tests.corpus.reading import DIFFERENCES, both_read, differing, explanation, ours

CASES: Mapping[str, Callable[[], bytes]] = {
    **BOOKS,
    **{
        name: case.make
        for cases in (test_workbooks.CASES, test_operator.OTHERS)
        for name, case in cases.items()
    },
    **{name: case.make for name, (_, _, case) in test_operator.OFFERS.items()},
    **{f"{name}, stock": case.make for name, case in test_operator.STOCK_AND_PRICE.items()},
}
NO_STYLE = "it wants the style of every cell to be there"
UNREADABLE_TO_OPENPYXL = {
    "strict": "it knows the transitional namespace only",
    "other_names": "it minds the case of part names",
    "part names with backslashes": "it minds the slashes of part names",
    "an absolute part name": "it minds the slash in front of a part's name",
    "a workbook in another folder": "it looks for xl/workbook.xml alone",
    "a sheet's name like a formula": "it wants a sheet's name without a colon and slashes",
    "a chart between the sheets": "it wants what is inside a chart",
    "formatted rows down to the grid's end": NO_STYLE,
}


@pytest.fixture
def path(tmp_path: Path, name: str) -> Path:
    """The file of a case."""
    target = tmp_path / "book.xlsx"
    target.write_bytes(CASES[name]())
    return target


@pytest.mark.parametrize("name", parameters(sorted(CASES.keys() - UNREADABLE_TO_OPENPYXL)))
def test_both_read_the_same(path: Path) -> None:
    assert both_read(path)
    assert [pair for pair in differing(path) if explanation(pair) is None] == []


@pytest.mark.parametrize("name", UNREADABLE_TO_OPENPYXL)
def test_only_we_read(path: Path) -> None:
    assert ours(path)
    assert not both_read(path)


@pytest.mark.parametrize(("difference", "name"), DIFFERENCES.items())
def test_the_difference_still_occurs(path: Path, difference: str) -> None:
    assert difference in {explanation(pair) for pair in differing(path)}
