"""The calls that several sellers may make together: one row and one statement for all of them.

The row says until when the allowed calls use up the budget. Each call puts that time off by an
interval, and is allowed if the time is ahead by no more than the burst (GCRA). On PostgreSQL the
time is the server's own, since the clocks of machines differ; on SQLite, which one machine has, it
is an argument. Losing the last calls in a crash of the server harms nobody, so no call waits for a
disk.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, event, text

from feedtool.ledger.database import open_engine, writing
from feedtool.ledger.trouble import explained
from feedtool.model.call import Budget

UNSYNCED = {
    "sqlite": "PRAGMA synchronous = NORMAL",
    "postgresql": "SET synchronous_commit = off",
}
LEAST = 0.001
"""Seconds of the shortest pause. A call that is early by half of it is in time, as clocks are
rounded."""


# NOW is the time in seconds, LATER the later of two times, as each database has them.
TAKE = """
    INSERT INTO budgets AS b (name, until) VALUES (:name, NOW + :interval)
    ON CONFLICT (name) DO UPDATE SET until = LATER(b.until, NOW) + :interval
    WHERE b.until - NOW <= :tolerance RETURNING until
"""
WAIT = "SELECT until - NOW - :tolerance FROM budgets WHERE name = :name"
HOLD = """
    INSERT INTO budgets AS b (name, until) VALUES (:name, NOW + :seconds)
    ON CONFLICT (name) DO UPDATE SET until = LATER(b.until, NOW + :seconds)
"""
NAMES = {
    "sqlite": ("CAST(:now AS REAL)", "max"),
    "postgresql": ("date_part('epoch', clock_timestamp())", "greatest"),
}


class Budgets:
    """All budgets of a ledger, by connections of their own; may be called from several threads."""

    def __init__(self, place: Path | str) -> None:
        """Open the budgets in a ledger's file or URL; UsageProblem as `open_engine`."""
        self._engine = open_engine(place)
        name = self._engine.dialect.name
        self._is_server, unsynced = name == "postgresql", UNSYNCED[name]
        now, later = NAMES[name]
        self._take, self._wait, self._hold = (
            text(words.replace("NOW", now).replace("LATER", later)) for words in (TAKE, WAIT, HOLD)
        )

        @event.listens_for(self._engine, "connect")
        def _connected(connection: Any, _record: object) -> None:
            connection.execute(unsynced).close()
            if self._is_server:
                connection.commit()

        self._engine.dispose()  # connections that were opened before are synced

    def take(self, budget: Budget, now: datetime) -> float:
        """Allow a call now and return 0.0, or return the seconds until one may leave."""
        values = {
            **self._clock(now),
            "name": budget.name,
            "tolerance": budget.tolerance + LEAST / 2,
        }
        with self._transaction() as db:
            if db.execute(self._take, {**values, "interval": budget.interval}).first():
                return 0.0
            # A call may be allowed by now, or the row be gone: then the caller asks again at once.
            return max(LEAST, db.scalar(self._wait, values) or 0.0)

    def hold(self, budget: Budget, seconds: float, now: datetime) -> None:
        """Allow no call for some seconds, and then one after the other."""
        values = {**self._clock(now), "name": budget.name, "seconds": seconds + budget.tolerance}
        with self._transaction() as db:
            db.execute(self._hold, values)

    def close(self) -> None:
        self._engine.dispose()

    def _clock(self, now: datetime) -> dict[str, float]:
        return {} if self._is_server else {"now": now.timestamp()}

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """On a server each statement is a transaction: the row is locked for no round trip."""
        if not self._is_server:
            with writing(self._engine) as db:
                yield db
            return
        options = {"isolation_level": "AUTOCOMMIT"}
        with explained(self._engine, "written"), self._engine.connect() as db:
            yield db.execution_options(**options)
