"""How far a delivery is, on stderr: a line that is drawn anew on a terminal, else one each 10 s."""

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

from feedtool.delivery.events import Event
from feedtool.report.plain import clean

EVERY = 10.0
"""Seconds between two lines where there is no terminal."""

COUNTED = ("upload", "results")
"""Kinds of events of which there are many, one after the other."""

KEPT = ("deadline", "unreachable")
"""Kinds of events that are never left out nor drawn over: warnings."""

OnEvent = Callable[[Event], None]

BAR = 20
"""Columns of the bar."""


class ProgressRate:
    """How fast uploads or results come, and how long the rest of them takes."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._begun = (0.0, 0)

    def told(self, event: Event, now: float) -> str:
        """`312/500, 41/s, 5 s left`; nothing where there is nothing to count."""
        if event.kind not in COUNTED or not event.total:
            return ""
        of = (event.path, event.package, event.kind, event.total)
        if of != self._of:
            self._of, self._begun = of, (now, event.done)
        seconds, done = now - self._begun[0], event.done - self._begun[1]
        counted = f"{event.done:,}/{event.total:,}"
        if seconds <= 0 or done <= 0:
            return counted
        rate = done / seconds
        left = (event.total - event.done) / rate
        return f"{counted}, {rate:,.1f}/s, {_duration(left)} left"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _bar(event: Event) -> str:
    filled = BAR * min(event.done, event.total) // event.total
    return f"[{'#' * filled}{'-' * (BAR - filled)}]"


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
        self._rate = ProgressRate()

    def tell(self, event: Event) -> None:
        """Draws the event on a terminal; elsewhere now and then one."""
        if event.kind in KEPT:
            self.close()
            self._out.write(f"warning: {clean(event.text)}\n")
            self._out.flush()
            return
        now = self._monotonic()
        text, rate = clean(event.text), self._rate.told(event, now)
        if self._is_terminal:
            if rate:
                text = f"{_bar(event)} {rate}  {text}"
            text = text[: self._width() - 1]  # a longer line could not be drawn anew
            self._out.write("\r" + text.ljust(self._drawn))
            self._drawn = len(text)
            self._out.flush()
        elif now - self._told_at >= EVERY:
            self._told_at = now
            self._out.write(f"{text} ({rate})\n" if rate else f"{text}\n")

    def close(self) -> None:
        """Leaves the terminal's line free for what comes next."""
        if self._drawn:
            self._out.write("\r" + " " * self._drawn + "\r")
            self._out.flush()
            self._drawn = 0


def on_stderr(monotonic: Callable[[], float]) -> ProgressLines:
    """Progress for whoever looks at stderr."""
    return ProgressLines(
        sys.stderr,
        monotonic,
        is_terminal=sys.stderr.isatty(),
        width=lambda: shutil.get_terminal_size().columns,
    )


@contextmanager
def progress_of(form: str, also: OnEvent = lambda _: None) -> Iterator[OnEvent]:
    """A listener that shows events as JSON lines on stdout, or for people on stderr.

    Args:
        form: `jsonl`, or another one.
        also: Called with each event afterwards.
    """
    from feedtool.report import progress_events

    lines, write = on_stderr(time.monotonic), progress_events(sys.stdout)

    def show(event: Event) -> None:
        if form == "jsonl":
            write(event.text, event.done, event.total, event.path)
        else:
            lines.tell(event)
        also(event)

    try:
        yield show
    finally:
        lines.close()
