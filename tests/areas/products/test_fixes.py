"""The corrections of products."""

import pytest

from feedtool.areas.products.columns.common import CategoryCode
from feedtool.areas.products.columns.prose import Prose, Title
from feedtool.areas.products.rules import FIXES
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.fix import FlawedCell, NewValue
from feedtool.model.cells import Cell, CellType
from tests.catalogues import judging
from tests.feeds.columns.conftest import case_id, number, text

BY_NAME = {fix.name: fix for fix in FIXES}
CATEGORY, PROSE, TITLE = CategoryCode(), Prose(), Title()

MENDED: list[tuple[str, CellType, Cell, NewValue | None]] = [
    ("category", CATEGORY, number("10101"), "010101"),
    ("category", CATEGORY, text("01010155"), "010101"),
    ("category", CATEGORY, text("99999955"), None),
    ("plain-text", PROSE, text("<p>A <b>red</b> lamp &amp; more</p>2 W"), "A red lamp & more\n2 W"),
    ("plain-text", TITLE, text("A red<br/>lamp<!-- new -->"), "A red lamp"),
    ("plain-text", PROSE, text("<p></p>"), None),
]


@pytest.mark.parametrize(("name", "kind", "cell", "new"), MENDED, ids=case_id)
def test_fixes_of_cells(name: str, kind: CellType, cell: Cell, new: NewValue | None) -> None:
    reader = ColumnReader(kind, judging())
    assert BY_NAME[name].fix(FlawedCell(cell, reader, frozenset())) == new


def test_each_is_shown() -> None:
    assert {name for name, *_ in MENDED} == BY_NAME.keys()
