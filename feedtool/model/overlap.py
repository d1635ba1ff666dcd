"""Work of two threads at a time, of which one is in C and lets the other go on: to (de)compress."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

_HELD = 4
"""Items that wait at most."""
_END: Any = object()


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items, each made by another thread while those before it are used."""
    iterator = iter(items)
    with ThreadPoolExecutor(1) as other:
        waiting = deque(other.submit(next, iterator, _END) for _ in range(_HELD))
        while (item := waiting.popleft().result()) is not _END:
            waiting.append(other.submit(next, iterator, _END))
            yield item


def behind(items: Iterable[T], use: Callable[[T], object]) -> None:
    """Uses each item in another thread, one after the other, while the next one is made."""
    with ThreadPoolExecutor(1) as other:
        waiting: deque[Future[object]] = deque()
        for item in items:
            waiting.append(other.submit(use, item))
            if len(waiting) > _HELD:
                waiting.popleft().result()
        for used in waiting:
            used.result()
