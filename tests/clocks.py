"""A clock for commands that run in the test's own process."""

import threading
import time
from datetime import UTC, datetime, timedelta

from feedtool.cli.errors import Clock

LONGEST = 0.01
"""Seconds that a wait really takes: servers and other threads get their turn."""


def quick_clock() -> Clock:
    """The machine's time, which jumps on by what was not really waited."""
    ahead = 0.0
    lock = threading.Lock()

    def now() -> datetime:
        return datetime.now(UTC) + timedelta(seconds=ahead)

    def monotonic() -> float:
        return time.monotonic() + ahead

    def wait(event: threading.Event, seconds: float) -> None:
        nonlocal ahead
        until = monotonic() + seconds
        if not event.wait(min(seconds, LONGEST)):
            with lock:
                ahead += max(0.0, until - monotonic())

    return Clock(now, monotonic, wait)
