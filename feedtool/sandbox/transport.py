"""The sandbox in-process: an httpx transport, and a clock that sleeping moves on."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import httpx

from feedtool.sandbox.clock import LeapingClock, wall
from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.message import NOWHERE, HttpRequest, relative
from feedtool.sandbox.route import Part
from feedtool.sandbox.settings import SandboxSettings


class SandboxTransport(httpx.BaseTransport):
    """Answers httpx requests from a sandbox, with no port and no waiting.

    `httpx.Client(base_url=transport.base, transport=transport)`. A client that waits must do so
    by `transport.sleep` and read the time from `transport.now`. Closing the client closes the
    sandbox.
    """

    base = NOWHERE

    def __init__(self, sandbox: Sandbox, real: Callable[[], datetime] = wall) -> None:
        """Mount a sandbox; `real` is the time that its own begins from."""
        self.sandbox = sandbox
        self._clock = LeapingClock(sandbox.state, real)

    def now(self) -> datetime:
        """Sandbox time."""
        return self._clock.now()

    def ahead(self) -> timedelta:
        """What sandbox time is ahead of real time, having been slept through."""
        return self._clock.ahead()

    def sleep(self, seconds: float) -> None:
        """Let sandbox time pass, without waiting."""
        self._clock.sleep(seconds)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        response = self.sandbox.handle(
            HttpRequest(
                request.method,
                relative(request.url.path),
                request.url.query.decode("ascii"),
                dict(request.headers),
                request.read(),
                self.base,
            ),
            self.now(),
        )
        return httpx.Response(
            response.status, headers=dict(response.headers), content=response.body
        )

    def close(self) -> None:
        """Let go of the state."""
        self.sandbox.close()


def mount(
    parts: Sequence[Part],
    state: Path | None = None,
    *,
    settings: SandboxSettings | None = None,
    real: Callable[[], datetime] = wall,
) -> SandboxTransport:
    """A transport over the state in a file, or over a new one in memory."""
    return SandboxTransport(Sandbox(parts, state, settings), real)
