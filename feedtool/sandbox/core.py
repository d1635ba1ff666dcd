"""The sandbox as a function: `handle(request, now) -> response` over plain state.

Time is an argument and nothing depends on chance: equal requests at equal times over an equal state
get equal answers, byte for byte.
"""

import logging
import math
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from typing import Self

from feedtool.sandbox import effects
from feedtool.sandbox.arguments import language_of, required_header
from feedtool.sandbox.exchange import (
    Exchange,
    HttpRequest,
    HttpResponse,
    Part,
    Quota,
    RequestRefused,
    SandboxSettings,
    find_route,
    problem_answer,
)
from feedtool.sandbox.state import State, latest_moment, moment_of, stamp

_log = logging.getLogger(__name__)

QUOTA_TABLE = """
CREATE TABLE IF NOT EXISTS quota(
  seller TEXT PRIMARY KEY,
  opened_at TEXT NOT NULL,
  used INTEGER NOT NULL
) WITHOUT ROWID;
"""


class Sandbox:
    """The marketplace service over one state. Threads and processes may share it."""

    def __init__(
        self,
        parts: Sequence[Part],
        state: Path | None = None,
        settings: SandboxSettings | None = None,
    ) -> None:
        """Open the state in the file, or a new one in memory without one.

        If two parts are due at the same time, the first in `parts` takes its step first.
        """
        self.settings = settings or SandboxSettings()
        self.state = State(state, (QUOTA_TABLE, effects.TABLE, *(part.TABLES for part in parts)))
        self._parts = parts
        self._routes = tuple(route for part in parts for route in part.ROUTES)

    def handle(self, request: HttpRequest, now: datetime) -> HttpResponse:
        """Answer one request at the time `now`, after all steps that were due by then."""
        self.advance(now)
        return self.answer(request, now)

    def advance(self, now: datetime) -> None:
        """Take all of the service's own steps until `now`, in order of time."""
        while self.step(now):
            pass

    def step(self, now: datetime) -> bool:
        """Take the step that was due first, by `now`; False if none was.

        A step is a small transaction, so that requests get their turn between two.
        """
        with self.state.transaction() as db:
            dues = ((part.next_due(db), part) for part in self._parts)
            waiting = [(due, part) for due, part in dues if due is not None]
            due, part = min(waiting, key=lambda pair: pair[0], default=("", None))
            if part is None or due > stamp(latest_moment(db, now)):
                return False
            part.step(db, self.settings)
            return True

    def answer(self, request: HttpRequest, now: datetime) -> HttpResponse:
        """Answer one request; due steps are left to others."""
        identity = (stamp(now), request.method, request.path, request.query)
        # For reports of clients; equal for equal requests at equal times.
        trace_id = sha256("\0".join(identity).encode(errors="surrogatepass")).hexdigest()[:32]
        try:
            with self.state.transaction() as db:
                now = latest_moment(db, now)
                try:
                    response = self._admitted(db, request, now)
                except RequestRefused as refused:
                    # Raised before anything is written: there is nothing to undo, and the quota
                    # keeps its count.
                    response = problem_answer(refused, trace_id)
        except Exception:  # noqa: BLE001 - whatever it is, the service answers 500, and it is logged
            _log.exception("%s %s failed", request.method, request.path)
            response = problem_answer(
                RequestRefused(500, "An unexpected error occurred."), trace_id
            )
        return response.adding(
            {
                "Date": format_datetime(now.astimezone(UTC), usegmt=True),
                "Content-Language": language_of(request),
            }
        )

    def _admitted(
        self, db: sqlite3.Connection, request: HttpRequest, now: datetime
    ) -> HttpResponse:
        route, ids = find_route(self._routes, request.method, request.path)
        check_token(request, self.settings)
        seller = required_header(request, "SellerId") if route.seller else ""
        if route.counted and self.settings.quota:
            count_request(db, self.settings.quota, seller, now)
        parameters = request.parameters
        return route.answer(Exchange(request, now, db, self.settings, seller, ids, parameters))

    def effects(self) -> list[effects.Effect]:
        with self.state.transaction() as db:
            return effects.read(db)

    def close(self) -> None:
        self.state.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def check_token(request: HttpRequest, settings: SandboxSettings) -> None:
    """Let the bearer of the token in: 401 for nobody, 403 for one without rights."""
    scheme, _, token = request.headers.get("authorization", "").strip().partition(" ")
    known = {settings.token, settings.forbidden_token}
    if scheme.lower() != "bearer" or token.strip() not in known:
        raise RequestRefused(
            401,
            "The credential is missing or invalid.",
            headers={"WWW-Authenticate": 'Bearer realm="sandbox"'},
        )
    if token.strip() == settings.forbidden_token:
        raise RequestRefused(403, "The credential does not give access to this resource.")


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
