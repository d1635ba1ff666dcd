"""Each fix of a cell: what the cell holds afterwards, and which cells it leaves alone."""

from decimal import Decimal

import pytest

from feedtool.feeds.columns import ColumnReader
from feedtool.feeds.columns.choice import Choice, Retired
from feedtool.feeds.columns.fixes import FIXES
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Money, Rate
from feedtool.feeds.columns.text import Comment, Reference, Text
from feedtool.feeds.fix import FlawedCell, NewValue
from feedtool.model.cells import Cell, CellType
from feedtool.model.settings import Context
from tests.feeds.columns.conftest import NO_VALUES, case_id, number, text

BY_NAME = {fix.name: fix for fix in FIXES}
STATES = Choice({"Used": ("Usé", "état usé"), "New": ("Neuf",), "Renewed": ("Rénové",)})
MONEY, VAT = Money(), Rate(most=Decimal(100))


def fixed(name: str, kind: CellType, cell: Cell, decimal: str | None = None) -> NewValue | None:
    reader = ColumnReader(kind, Context(), decimal)
    return BY_NAME[name].fix(FlawedCell(cell, reader, frozenset()))


MENDED: list[tuple[str, CellType, Cell, NewValue]] = [
    ("blanks", Text(), text("\u00a0A-1 "), "A-1"),
    ("blanks", STATES, text(" neuf"), "neuf"),
    ("blanks", Gtin(), text("4006381 333931"), "4006381333931"),
    ("blanks", Gtin(), text("978-3-16-148410-0"), "9783161484100"),
    ("blanks", Gtin(), text("4006381333931.0"), "4006381333931"),
    ("invisible", Text(), text("PRI\u200bMARY"), "PRIMARY"),
    ("invisible", Reference(), text("A\ufeff-1"), "A-1"),
    ("invisible", Text(), text("two\nlines"), "two lines"),
    ("invisible", Comment(), text("two\nlines\x0b"), "two\nlines"),
    ("zeros", Gtin(), number("36000291452"), "036000291452"),
    ("zeros", Gtin(), text("36000291452"), "036000291452"),
    ("accents", STATES, text("Etat use"), "état usé"),
    ("spelling", STATES, text("Renewd"), "Renewed"),
    ("decimal-point", MONEY, text("1,299"), "1299"),
    ("decimal-point", MONEY, text("1.299"), "1.299"),
    ("decimal-comma", MONEY, text("1.299"), "1299"),
    ("decimal-comma", MONEY, text("1,250 €"), "1,25"),
    ("round", MONEY, number("19.995"), Decimal("20.00")),
    ("round", MONEY, text("19,9941 €"), "19,99"),
    ("round", MONEY, text("19.9951"), "20.00"),
    ("percent", VAT, number("0.2"), Decimal(20)),
    ("percent", VAT, text("0,055"), "5,5"),
    ("bar", Reference(), text("LAMP|BLUE|2"), "LAMP-BLUE-2"),
    ("retired", Retired(), number("3"), ""),
]


@pytest.mark.parametrize(("name", "kind", "cell", "new"), MENDED, ids=case_id)
def test_fixes_of_cells(name: str, kind: CellType, cell: Cell, new: NewValue) -> None:
    assert fixed(name, kind, cell) == new


def test_every_fix_is_shown() -> None:
    assert {name for name, *_ in MENDED} | {"decimals"} == BY_NAME.keys()


@pytest.mark.parametrize(("decimal", "new"), [(",", "1,299"), (".", "1299"), (None, None)])
def test_the_numbers_of_a_sheet_settle_the_others(decimal: str | None, new: str | None) -> None:
    assert fixed("decimals", MONEY, text("1,299"), decimal) == new


LEFT: list[tuple[str, CellType, Cell]] = [
    ("zeros", Gtin(), text("36000291453")),  # the check digit is wrong
    ("zeros", Gtin(), number("36000291453")),
    ("zeros", Gtin(), text("123457")),  # too few digits to be sure
    ("invisible", Text(), text("\u200b\u200c")),
    ("invisible", Text(), number("12")),
    ("accents", STATES, text("Usees")),
    ("accents", MONEY, text("Use")),
    ("spelling", STATES, text("As new")),  # which is used, but for the letters
    ("spelling", MONEY, text("Nwe")),
    ("round", MONEY, text("about 19.995")),
    ("round", VAT, number("0.20005", percent=True)),
    ("percent", VAT, text("a fifth")),
    ("bar", Reference(), text("A\u200b1")),
    *(("round", MONEY, cell) for cell in NO_VALUES.values()),
]


@pytest.mark.parametrize(("name", "kind", "cell"), LEFT, ids=case_id)
def test_cells_that_only_people_can_fix(name: str, kind: CellType, cell: Cell) -> None:
    assert fixed(name, kind, cell) is None
