"""A column's memory: each distinct cell is judged once; and what holds for every type of cell."""

from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.offers.columns import CONDITION_TYPE
from feedtool.feeds.columns import REMEMBERED, ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import Retired
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Days, Money, Rate, Whole
from feedtool.feeds.columns.text import Comment, ProductReference, Reference
from feedtool.feeds.columns.text import Text as TextType
from feedtool.model.cells import BLANK, Cell, CellType
from feedtool.model.settings import Context
from tests.feeds.columns.conftest import NO_VALUES, read, text


def test_a_cell_is_decoded_once_however_often_it_occurs() -> None:
    decoded: list[Hashable] = []

    def decode(key: Hashable) -> Cell:
        decoded.append(key)
        return text(str(key))

    reader = ColumnReader(Reference(), Context())
    assert reader.read(["A", "B", "A"], decode) == ["A", "B", "A"]
    assert reader.read(["B", "C"], decode) == ["B", "C"]
    assert decoded == ["A", "B", "C"]


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=9), max_size=6))
def test_values_come_in_the_order_of_cells(blocks: list[list[str]]) -> None:
    reader = ColumnReader(TextType(), Context())
    for block in blocks:
        assert reader.read(block, lambda key: text(str(key))) == block


def test_the_memory_is_bounded() -> None:
    reader = ColumnReader(TextType(), Context())
    for start in range(0, 10 * REMEMBERED, 500):
        keys = [str(number) for number in range(start, start + 500)]
        assert reader.read(keys, lambda key: text(str(key))) == keys
    assert len(reader) <= REMEMBERED + 500


@pytest.mark.parametrize(
    ("shown", "refused"), [("A", None), ("A ", False), ("A|B", True)], ids=["A", "blank", "bar"]
)
def test_is_flawed_is_true_after_a_flaw(shown: str, refused: object) -> None:
    reader = ColumnReader(Reference(), Context())
    (value,) = reader.read([shown], lambda key: text(str(key)))
    assert reader.is_flawed is (refused is not None)
    assert (value.is_refused if isinstance(value, InvalidValue) else None) is refused


TYPES: tuple[CellType, ...] = (
    *(TextType(), Reference(), ProductReference(), Comment(), Gtin(), CONDITION_TYPE),
    *(Money(), Rate(), Whole(), Days()),
)


@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: type(kind).__name__)
def test_cells_without_number_or_text_have_no_value(kind: CellType) -> None:
    for code, cell in NO_VALUES.items():
        reading = read(kind, cell)
        assert (reading.value, reading.codes) == (None, (code,))


@pytest.mark.parametrize("kind", [*TYPES, Retired()], ids=lambda kind: type(kind).__name__)
def test_a_blank_is_no_value(kind: CellType) -> None:
    for cell in (BLANK, *map(text, ("", " ", "\u00a0\u200b\ufeff", "\t\r\n"))):
        assert read(kind, cell) == (None, (), ""), cell
