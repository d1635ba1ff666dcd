"""The sandbox in-process: an httpx transport, and a clock that `sleep` moves on."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import httpx

from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.exchange import NOWHERE, HttpRequest, Part, SandboxSettings, relative
from feedtool.sandbox.state import reached_moment, set_clock_offset, wall


class SandboxTransport(httpx.BaseTransport):
    """Answers httpx requests from a sandbox, without a port and without waiting.

    `httpx.Client(base_url=transport.base, transport=transport)`. A client that waits must do so
    by `transport.sleep` and read the time from `transport.now`; processes on one state agree on
    it. Closing the client closes the sandbox.
    """

    base = NOWHERE

    def __init__(
        self,
        parts: Sequence[Part],
        state: Path | None = None,
        *,
        settings: SandboxSettings | None = None,
        real: Callable[[], datetime] = wall,
    ) -> None:
        """Open the state in a file, or a new one in memory; sandbox time begins from `real`."""
        self.sandbox = Sandbox(parts, state, settings)
        self._real = real

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url, headers = request.url, dict(request.headers)
        query = url.query.decode("ascii")
        converted = HttpRequest(
            request.method, relative(url.path), query, headers, request.read(), self.base
        )
        answer = self.sandbox.handle(converted, self.now())
        return httpx.Response(answer.status, headers=dict(answer.headers), content=answer.body)

    def now(self) -> datetime:
        with self.sandbox.state.transaction() as db:
            return reached_moment(db, self._real())

    def ahead(self) -> timedelta:
        """The lead of sandbox time over real time."""
        with self.sandbox.state.transaction() as db:
            real = self._real()
            return reached_moment(db, real) - real

    def sleep(self, seconds: float) -> None:
        """Move sandbox time forward at once."""
        with self.sandbox.state.transaction() as db:
            real = self._real()
            later = reached_moment(db, real) + timedelta(seconds=seconds)
            set_clock_offset(db, later - real)

    def close(self) -> None:
        self.sandbox.close()
