"""Sandbox time: on a port real time, some times faster; in-process real time plus all sleeps.

Both clocks begin where the state has already been, so that time never runs backwards for whoever
shares or reopens it.
"""

import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from feedtool.sandbox.state import State, moment_of

MICROSECOND = timedelta(microseconds=1)


def wall() -> datetime:
    """Real time."""
    return datetime.now(UTC)


class FastClock:
    """Sandbox time that runs `speed` times faster than real time."""

    def __init__(
        self,
        state: State,
        speed: float,
        real: Callable[[], datetime] = wall,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start at real time, or where the state has been when that is later."""
        self._speed = speed
        self._elapsed = elapsed
        with state.transaction() as db:
            self._started_at = _reached(db, real())
        self._started = elapsed()

    def now(self) -> datetime:
        """Sandbox time."""
        return self._started_at + timedelta(seconds=(self._elapsed() - self._started) * self._speed)


class LeapingClock:
    """Sandbox time that sleeping moves on without waiting; processes on one state agree on it."""

    def __init__(self, state: State, real: Callable[[], datetime] = wall) -> None:
        """Keep how far ahead of `real` it is in the state."""
        self._state = state
        self._real = real

    def now(self) -> datetime:
        """Sandbox time."""
        with self._state.transaction() as db:
            return _reached(db, self._real())

    def ahead(self) -> timedelta:
        """The time that sandbox time is ahead of real time."""
        with self._state.transaction() as db:
            real = self._real()
            return _reached(db, real) - real

    def sleep(self, seconds: float) -> None:
        """Let so much sandbox time pass, at once."""
        with self._state.transaction() as db:
            real = self._real()
            _set_offset(db, _reached(db, real) + timedelta(seconds=seconds) - real)


def _reached(db: sqlite3.Connection, real: datetime) -> datetime:
    """Sandbox time as the state has it, moved up to where any request has been."""
    latest, offset = db.execute("SELECT latest, offset_us FROM clock").fetchone()
    now: datetime = real + offset * MICROSECOND
    if latest and moment_of(latest) > now:
        _set_offset(db, moment_of(latest) - real)
        return moment_of(latest)
    return now


def _set_offset(db: sqlite3.Connection, offset: timedelta) -> None:
    db.execute("UPDATE clock SET offset_us = ?", (offset // MICROSECOND,))
