"""A clock for commands that run in the test's process."""

import threading
import time
from datetime import UTC, datetime, timedelta

from feedtool.cli.console import Clock

LONGEST = 0.01
"""The most seconds that a wait really takes, so that servers and other threads can run."""


def quick_clock() -> Clock:
    """A clock of the machine's time, put forward by all seconds that were not really waited."""
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
