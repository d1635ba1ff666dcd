"""Two threads at a time: nothing is lost, changed or hidden by it."""

import threading
from collections.abc import Iterator

import pytest

from feedtool.model.overlap import ahead, behind


def failing(count: int) -> Iterator[int]:
    yield from range(count)
    raise ValueError(count)


@pytest.mark.parametrize("count", [0, 1, 3, 4, 5, 100])
def test_the_same_items_come_in_order(count: int) -> None:
    assert list(ahead(range(count))) == [*range(count)]
    used: list[int] = []
    behind(range(count), used.append)
    assert used == [*range(count)]


@pytest.mark.parametrize("count", [0, 3, 9])
def test_what_fails_fails_in_its_turn(count: int) -> None:
    seen: list[int] = []
    with pytest.raises(ValueError, match=str(count)):
        seen.extend(ahead(failing(count)))
    assert seen == [*range(count)]
    with pytest.raises(ValueError, match=str(count)):
        behind(failing(count), seen.append)


def test_a_failed_use_is_told() -> None:
    with pytest.raises(ZeroDivisionError):
        behind(range(9), lambda number: 1 // (number - 8))


def test_whoever_stops_early_leaves_no_thread() -> None:
    before = threading.active_count()
    items = ahead(failing(9))
    assert next(items) == 0
    assert threading.active_count() == before + 1
    items.close()  # type: ignore[attr-defined]  # it is a generator
    assert threading.active_count() == before
