"""The sandbox on a port of this machine, for clients that are not in this process."""

import logging
import math
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import flask

from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.exchange import VERSION, HttpRequest, Part, SandboxSettings, relative
from feedtool.sandbox.state import State, reached_moment, wall
from feedtool.serving import LOOPBACK, PULSE, WebServer, listen, stopped_by_signals

_log = logging.getLogger(__name__)

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

SPEED = 100.0
"""The default speed: a package settles in 10 and is integrated in 20 milliseconds of real time."""

LARGEST_BODY = 1 << 25
"""Bytes; a larger body is 413. The largest known package of products fits."""


class FastClock:
    """A clock of sandbox time, which runs `speed` times faster than real time."""

    def __init__(
        self,
        state: State,
        speed: float,
        real: Callable[[], datetime] = wall,
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start at real time, or at the state's latest time if that is later."""
        self._speed = speed
        self._elapsed = elapsed
        with state.transaction() as db:
            self._started_at = reached_moment(db, real())
        self._started = elapsed()

    def now(self) -> datetime:
        return self._started_at + timedelta(seconds=(self._elapsed() - self._started) * self._speed)


def application(sandbox: Sandbox, clock: FastClock, base: str, speed: float) -> flask.Flask:
    """A Flask application that passes every request to the sandbox."""
    app = flask.Flask(__name__, static_folder=None)
    app.url_map.merge_slashes = False

    def answer(path: str) -> flask.Response:
        received = flask.request
        query, headers = received.query_string.decode("latin-1"), dict(received.headers)
        request = HttpRequest(
            received.method, relative(f"/{path}"), query, headers, received.get_data(), base
        )
        response = sandbox.answer(request, clock.now())
        answer = flask.Response(response.body, response.status)
        answer.headers.clear()  # Flask gives even an empty body a type
        answer.headers.update(response.headers)
        if wait := response.headers.get("Retry-After"):  # the client waits in real time
            answer.headers["Retry-After"] = str(math.ceil(int(wait) / speed))
        return answer

    app.add_url_rule("/", "root", answer, defaults={"path": ""}, methods=METHODS)
    app.add_url_rule("/<path:path>", "any", answer, methods=METHODS)
    return app


class Server(WebServer):
    """A sandbox on a port: listening from the start, answering while it runs."""

    def __init__(
        self,
        parts: Sequence[Part],
        port: int = 0,
        state: Path | None = None,
        speed: float = SPEED,
        settings: SandboxSettings | None = None,
    ) -> None:
        """Listen on `port` of the loopback interface; 0 picks a free one."""
        listening = listen(LOOPBACK, port)
        self.base = f"http://{LOOPBACK}:{listening.getsockname()[1]}{VERSION}"
        try:
            self.sandbox = Sandbox(parts, state, settings)
        except BaseException:
            listening.close()
            raise
        self.clock = FastClock(self.sandbox.state, speed)
        app = application(self.sandbox, self.clock, self.base, speed)
        super().__init__(listening, app, largest_body=LARGEST_BODY)

    def run(self) -> None:
        """Answer until `stop` is called, then close the port and the state."""
        pulse = threading.Thread(target=self._work_by_itself, name="sandbox")
        pulse.start()
        try:
            super().run()
        finally:
            pulse.join()
            self.sandbox.close()

    def _work_by_itself(self) -> None:
        """Integrate packages when they are due, so that no request has to do it."""
        while not self._stopping.wait(PULSE):
            try:
                # The wait between two steps lets requests in; without it they would never get the
                # lock.
                while self.sandbox.step(self.clock.now()) and not self._stopping.wait(0.001):
                    pass
            except sqlite3.OperationalError:  # a full disk or a lock may be temporary
                _log.exception("integrating failed, it is tried again")


def serve(
    parts: Sequence[Part],
    port: int = 0,
    state: Path | None = None,
    speed: float = SPEED,
    settings: SandboxSettings | None = None,
    *,
    announce: Callable[[str], None],
) -> None:
    """Serve until SIGTERM or SIGINT; `announce` gets the base address when requests can come."""
    server = Server(parts, port, state, speed, settings)
    with stopped_by_signals(server.stop):
        announce(server.base)
        server.run()
