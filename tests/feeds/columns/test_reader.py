"""A column's memory: each distinct cell is judged once, and all of them come out in order."""

from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from feedtool.feeds.columns import REMEMBERED, ColumnReader, InvalidValue
from feedtool.feeds.columns.text import Reference
from feedtool.feeds.columns.text import Text as TextType
from feedtool.model.cells import Cell
from feedtool.model.settings import Context
from tests.feeds.columns.conftest import text


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


def test_it_tells_whether_anything_was_flawed() -> None:
    clean, flawed = (ColumnReader(Reference(), Context()) for _ in range(2))
    clean.read(["A"], lambda key: text(str(key)))
    assert not clean.is_flawed
    (value,) = flawed.read(["A|B"], lambda key: text(str(key)))
    assert flawed.is_flawed
    assert isinstance(value, InvalidValue)
    assert value.is_refused


def test_a_warning_refuses_nothing() -> None:
    (value,) = ColumnReader(Reference(), Context()).read(["A "], lambda key: text(str(key)))
    assert isinstance(value, InvalidValue)
    assert not value.is_refused
