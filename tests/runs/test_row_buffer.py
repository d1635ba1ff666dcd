"""Rows that wait on disk."""

from decimal import Decimal

import pytest

from feedtool.model.errors import Stopped
from feedtool.runs.row_buffer import RowBuffer


def test_rows_come_back_in_their_order_without_blanks() -> None:
    with RowBuffer() as rows:
        rows.put("1", {"a": "x", "b": None, "c": ""})
        rows.put("2", {"c": Decimal("1.50"), "a": 3})
        assert len(rows) == 2
        assert list(rows) == [{"a": "x"}, {"c": Decimal("1.50"), "a": 3}]
        assert list(rows.columns) == ["a", "c"]


def test_a_later_one_of_a_key_takes_the_place_of_the_first() -> None:
    with RowBuffer() as rows:
        for key, value in (("1", "old"), ("2", "x"), ("1", "new")):
            rows.put(key, {"a": value})
        assert list(rows) == [{"a": "new"}, {"a": "x"}]


def test_it_may_be_read_twice_at_a_time() -> None:
    with RowBuffer() as rows:
        for number in range(10):
            rows.put(str(number), {"a": number})
        assert [one["a"] for one, _ in zip(rows, rows, strict=True)] == list(range(10))


def test_whoever_wants_to_stop_need_not_wait_for_all_rows() -> None:
    asked = iter([None, Stopped("stopped", "")])
    with RowBuffer(lambda: next(asked)) as rows:
        for number in range(3000):
            rows.put(str(number), {"a": number})
        came = iter(rows)
        assert [next(came)["a"] for _ in range(1000)] == list(range(1000))
        with pytest.raises(Stopped):
            next(came)
