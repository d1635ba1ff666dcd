"""The corpus is read as openpyxl reads it, value by value, wherever openpyxl reads it."""

from pathlib import Path

import pytest

from tests.agreement.reading import agree, both_read, explanation, ours, pairs
from tests.corpus import test_operator, test_values, test_workbooks
from tests.corpus.made import Case

CASES: dict[str, Case] = {
    **test_workbooks.CASES,
    **test_values.CASES,
    **test_operator.OTHERS,
    **{name: case for name, (_, _, case) in test_operator.OFFERS.items()},
    **{f"{name}, stock": case for name, case in test_operator.STOCK_AND_PRICE.items()},
}
NO_STYLE = "it wants the style of every cell to be there"
UNREADABLE_TO_OPENPYXL = {
    "part names with backslashes": "it minds the slashes of part names",
    "an absolute part name": "it minds the slash in front of a part's name",
    "a workbook in another folder": "it looks for xl/workbook.xml alone",
    "a sheet's name like a formula": "it wants a sheet's name without a colon and slashes",
    "a chart between the sheets": "it wants what is inside a chart",
    "formatted rows down to the grid's end": NO_STYLE,
}


@pytest.mark.parametrize("name", sorted(CASES.keys() - UNREADABLE_TO_OPENPYXL))
def test_it_agrees(tmp_path: Path, name: str) -> None:
    path = CASES[name].write(tmp_path)
    assert both_read(path)
    differing = [pair for pair in pairs(path) if not agree(pair.ours, pair.theirs)]
    assert [pair for pair in differing if explanation(pair) is None] == []


@pytest.mark.parametrize("name", UNREADABLE_TO_OPENPYXL)
def test_only_we_read(tmp_path: Path, name: str) -> None:
    path = CASES[name].write(tmp_path)
    assert ours(path)
    assert not both_read(path)
