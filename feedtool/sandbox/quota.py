"""The quota on some endpoints: 429 exists, its figures are "not shown" (part "Limits")."""

import math
import sqlite3
from datetime import datetime, timedelta

from feedtool.sandbox.problem import RequestRefused
from feedtool.sandbox.settings import Quota
from feedtool.sandbox.state import moment_of, stamp

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
