"""The sandbox in-process: an httpx transport, and a clock that sleeping moves on."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import httpx

from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.exchange import NOWHERE, HttpRequest, Part, SandboxSettings, relative
from feedtool.sandbox.state import LeapingClock, wall


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
        clock = LeapingClock(sandbox.state, real)
        self.now, self.ahead, self.sleep = clock.now, clock.ahead, clock.sleep

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request."""
        url, headers = request.url, dict(request.headers)
        query = url.query.decode("ascii")
        asked = HttpRequest(
            request.method, relative(url.path), query, headers, request.read(), self.base
        )
        answer = self.sandbox.handle(asked, self.now())
        return httpx.Response(answer.status, headers=dict(answer.headers), content=answer.body)

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
