"""A pause that ends early. No clock is read: without a hint it would outlast the test."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import pytest

from feedtool.watch.waking import hints

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONG = 3600.0
DEADLINE = 30.0


def paused(pause: Callable[[float], None], meanwhile: Callable[[], None]) -> bool:
    """Whether a long pause ends while this is done again and again."""
    thread = threading.Thread(target=pause, args=(LONG,), daemon=True)
    thread.start()
    for _ in range(int(DEADLINE / 0.05)):
        meanwhile()
        thread.join(0.05)
        if not thread.is_alive():
            return True
    return False


def never(seconds: float) -> None:
    raise AssertionError(seconds)


@pytest.mark.parametrize("place", ["a.csv", "shop/offers-delete/a.csv"])
def test_what_happens_in_the_inbox_ends_the_pause(tmp_path: Path, place: str) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)

    def write() -> None:
        with path.open("ab") as file:
            file.write(b"a")

    with hints(tmp_path, never, lambda: False) as pause:
        assert paused(pause, write)
        assert paused(pause, write)


def test_the_wish_to_stop_ends_the_pause(tmp_path: Path) -> None:
    wish = threading.Event()
    with hints(tmp_path, lambda _: None, wish.is_set) as pause:
        assert paused(pause, wish.set)


@pytest.mark.parametrize("missing", ["library", "inbox"])
def test_without_hints_it_is_the_pause_that_it_would_have_been(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    if missing == "library":
        monkeypatch.setitem(sys.modules, "watchfiles", None)
    slept: list[float] = []
    with hints(
        tmp_path / ("" if missing == "library" else "gone"), slept.append, lambda: False
    ) as pause:
        for _ in range(1000):
            pause(0.01)
            if slept:
                break
    assert slept == [0.01]
