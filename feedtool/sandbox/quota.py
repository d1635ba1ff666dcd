"""The quota on some endpoints: 429 exists, its figures are "not shown" (part "Limits")."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import TYPE_CHECKING

from feedtool.sandbox.problem import RequestRefused
from feedtool.sandbox.state import moment_of, stamp

if TYPE_CHECKING:
    import sqlite3
    from datetime import datetime

    from feedtool.sandbox.settings import Quota

TABLES = """
CREATE TABLE IF NOT EXISTS quota(
  seller TEXT PRIMARY KEY,
  opened_at TEXT NOT NULL,
  used INTEGER NOT NULL
) WITHOUT ROWID;
"""


def count_request(db: sqlite3.Connection, quota: Quota, seller: str, now: datetime) -> None:
    """Count one request, or refuse it with 429 and Retry-After in seconds."""
    window = timedelta(seconds=quota.seconds)
    row = db.execute("SELECT opened_at, used FROM quota WHERE seller = ?", (seller,)).fetchone()
    if row is None or moment_of(row["opened_at"]) + window <= now:
        db.execute("INSERT OR REPLACE INTO quota VALUES (?, ?, 1)", (seller, stamp(now)))
        return
    if row["used"] >= quota.requests:
        wait = moment_of(row["opened_at"]) + window - now
        raise RequestRefused(
            429,
            f"The quota of {quota.requests} requests in {quota.seconds:g} s is used up.",
            headers={"Retry-After": str(max(1, math.ceil(wait.total_seconds())))},
        )
    db.execute("UPDATE quota SET used = used + 1 WHERE seller = ?", (seller,))
