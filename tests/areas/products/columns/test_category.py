"""A category's code: known, active, of level 3, and with properties that were brought."""

import pytest

from feedtool.areas.products.columns.common import CategoryCode
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings
from tests.catalogues import judging
from tests.feeds.columns.conftest import NO_VALUES, number, read, text

READ: dict[str, tuple[Cell, str | None, tuple[str, ...]]] = {
    "a code": (text("010101"), "010101", ()),
    "small letters": (text("1e0203"), "1E0203", ()),
    "with blanks": (text(" 010101 "), "010101", ("trimmed",)),
    "a legacy code": (text("01010155"), "010101", ("category-code-cut",)),
    "a legacy code of nothing": (text("99999955"), None, ("category-code-cut", "category-unknown")),
    "zeros lost": (number("10101"), "010101", ("category-padded",)),
    "zeros lost of a legacy code": (
        number("1010155"),
        "010101",
        ("category-padded", "category-code-cut"),
    ),
    "zeros kept by the format": (number("10101", zeros=6), "010101", ()),
    "no such number": (number("99999"), None, ("category-unknown",)),
    "read as a number for good": (number("1E+203"), None, ("precision-lost",)),
    "unknown": (text("010109"), None, ("category-unknown",)),
    "level 1": (text("01"), None, ("category-level",)),
    "level 2": (text("0101"), None, ("category-level",)),
    "not active": (text("010105"), None, ("category-inactive",)),
    "not brought": (text("010106"), None, ("category-not-synced",)),
    "blank": (text("\u00a0"), None, ()),
}


@pytest.mark.parametrize(("cell", "value", "codes"), READ.values(), ids=READ)
def test_read(cell: Cell, value: str | None, codes: tuple[str, ...]) -> None:
    assert read(CategoryCode(), cell, judging())[:2] == (value, codes)


def test_the_nearest_is_suggested() -> None:
    found = read(CategoryCode(), text("O10101"), judging())
    assert "010101 (Kettles)" in found.hint


@pytest.mark.parametrize(("code", "cell"), NO_VALUES.items(), ids=NO_VALUES)
def test_no_code(code: str, cell: Cell) -> None:
    assert read(CategoryCode(), cell, judging()).codes == (code,)


def test_without_a_catalogue_nothing_is_said_of_the_cell() -> None:
    assert read(CategoryCode(), text("0101zz"), AccountSettings()) == ("0101ZZ", (), "")
