"""How far a delivery is, on stderr: a line that is drawn anew on a terminal, else one each 10 s."""

import shutil
import sys
from collections.abc import Callable
from typing import TextIO

from feedtool.delivery.events import Event
from feedtool.report.plain import clean

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""


class ProgressLines:
    """Tells events as they come.

    Args:
        out: Where to tell them.
        is_terminal: Whether a line can be drawn anew.
        width: The columns of the terminal.
        monotonic: The seconds that have passed.
    """

    def __init__(
        self,
        out: TextIO,
        monotonic: Callable[[], float],
        *,
        is_terminal: bool,
        width: Callable[[], int] = lambda: 80,
    ) -> None:
        self._out = out
        self._width = width
        self._is_terminal = is_terminal
        self._monotonic = monotonic
        self._told_at = monotonic()
        self._drawn = 0

    def tell(self, event: Event) -> None:
        """Draws the event on a terminal; elsewhere now and then one."""
        text = clean(event.text)
        if self._is_terminal:
            text = text[: self._width() - 1]  # a longer line could not be drawn anew
            self._out.write("\r" + text.ljust(self._drawn))
            self._drawn = len(text)
            self._out.flush()
        elif self._monotonic() - self._told_at >= EVERY:
            self._told_at = self._monotonic()
            self._out.write(f"{text}\n")

    def close(self) -> None:
        """Leaves the terminal's line free for what comes next."""
        if self._drawn:
            self._out.write("\r" + " " * self._drawn + "\r")
            self._out.flush()


def on_stderr(monotonic: Callable[[], float]) -> ProgressLines:
    """Progress for whoever looks at stderr."""
    return ProgressLines(
        sys.stderr,
        monotonic,
        is_terminal=sys.stderr.isatty(),
        width=lambda: shutil.get_terminal_size().columns,
    )
