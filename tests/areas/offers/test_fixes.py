"""The corrections of offers, each by its name alone."""

from decimal import Decimal

import pytest

from feedtool.areas.offers.columns import GTIN
from feedtool.areas.offers.rules import FIXES
from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.number import Whole
from feedtool.feeds.fix import FlawedCell, NewValue
from feedtool.model.cells import BLANK, Cell
from feedtool.model.settings import Context
from tests.feeds.columns.conftest import case_id, number, text

BY_NAME = {fix.name: fix for fix in FIXES}
WITH_GTIN, WITHOUT = frozenset({GTIN}), frozenset[str]()

MENDED: list[tuple[str, Cell, frozenset[str], NewValue | None]] = [
    ("stock", number("2.5"), WITHOUT, Decimal(2)),
    ("stock", number("-3"), WITHOUT, Decimal(0)),
    ("stock", text("-0,5"), WITHOUT, "0"),
    ("stock", number("99999999999"), WITHOUT, None),
    ("stock", text("many"), WITHOUT, None),
    ("days", number("1.5"), WITHOUT, Decimal(2)),
    ("days", text("1,5 days"), WITHOUT, None),
    ("list-price", number("19.99"), WITHOUT, ""),
    ("free-delivery", BLANK, WITHOUT, Decimal(0)),
    ("no-tax", BLANK, WITHOUT, Decimal(0)),
    ("product-reference", text("REF_1"), WITH_GTIN, ""),
    ("product-reference", text("REF_1"), WITHOUT, None),
]


@pytest.mark.parametrize(("name", "cell", "filled", "new"), MENDED, ids=case_id)
def test_fixes_of_cells(
    name: str, cell: Cell, filled: frozenset[str], new: NewValue | None
) -> None:
    reader = ColumnReader(Whole(), Context())
    assert BY_NAME[name].fix(FlawedCell(cell, reader, filled)) == new


def test_no_fix_is_safe_and_each_has_a_case() -> None:
    assert not any(fix.is_safe for fix in FIXES)
    assert {name for name, *_ in MENDED} == BY_NAME.keys()
