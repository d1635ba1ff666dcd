"""The sandbox on a port of this machine, for clients that are not in this process."""

import logging
import math
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Self

import flask
from waitress import wasyncore
from waitress.server import create_server

from feedtool.sandbox.core import Sandbox
from feedtool.sandbox.exchange import VERSION, HttpRequest, Part, SandboxSettings, relative
from feedtool.sandbox.state import State, reached_moment, wall

_log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

SPEED = 100.0
"""By default a package settles in 0.4 and is integrated in 1 second of real time."""

THREADS = 8

CONNECTIONS = 400
"""So many at a time, finished or not; with a file for the body of each they still stay below the
1,024 files that a process may usually have open."""
LARGEST_BODY = 1 << 25
"""Bytes; a larger body is 413. The largest package of products that the field sends fits in."""
BODY_IN_MEMORY = 1 << 16
"""Bytes; what a body has above these waits in a file until all of it has come."""

PULSE = 0.05
"""Seconds between two looks at what is due, and at whether to stop."""


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
            self._started_at = reached_moment(db, real())
        self._started = elapsed()

    def now(self) -> datetime:
        """Sandbox time."""
        return self._started_at + timedelta(seconds=(self._elapsed() - self._started) * self._speed)


def application(sandbox: Sandbox, clock: FastClock, base: str, speed: float) -> flask.Flask:
    """A Flask application that hands every request to the sandbox."""
    app = flask.Flask(__name__, static_folder=None)
    app.url_map.merge_slashes = False

    def answer(path: str) -> flask.Response:
        asked = flask.request
        query, headers = asked.query_string.decode("latin-1"), dict(asked.headers)
        request = HttpRequest(
            asked.method, relative(f"/{path}"), query, headers, asked.get_data(), base
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


class Server:
    """A sandbox behind a port: listening from the start, answering while it runs."""

    def __init__(
        self,
        parts: Sequence[Part],
        port: int = 0,
        state: Path | None = None,
        speed: float = SPEED,
        settings: SandboxSettings | None = None,
    ) -> None:
        """Listen on `port` of the loopback interface; 0 picks a free one."""
        listening = socket.create_server((LOOPBACK, port))
        self.base = f"http://{LOOPBACK}:{listening.getsockname()[1]}{VERSION}"
        try:
            self.sandbox = Sandbox(parts, state, settings)
        except BaseException:
            listening.close()
            raise
        self.clock = FastClock(self.sandbox.state, speed)
        self._stopping = threading.Event()
        self._sockets: dict[int, socket.socket] = {}
        self._server = create_server(
            application(self.sandbox, self.clock, self.base, speed),
            map=self._sockets,
            sockets=[listening],
            threads=THREADS,
            connection_limit=CONNECTIONS,
            max_request_body_size=LARGEST_BODY,
            inbuf_overflow=BODY_IN_MEMORY,
            clear_untrusted_proxy_headers=True,
        )

    def run(self) -> None:
        """Answer until `stop` is called, then let go of the port and the state."""
        pulse = threading.Thread(target=self._work_by_itself, name="sandbox")
        pulse.start()
        try:
            while not self._stopping.is_set():
                # poll, since select knows no file above 1,023.
                wasyncore.loop(timeout=PULSE, use_poll=True, map=self._sockets, count=1)
        finally:
            self._stopping.set()
            pulse.join()
            self._server.task_dispatcher.shutdown()
            wasyncore.close_all(self._sockets)
            self.sandbox.close()

    def stop(self) -> None:
        """Make `run` return; may be called from any thread and from a signal handler."""
        self._stopping.set()

    def __enter__(self) -> Self:
        """Run in a thread of its own for as long as the context lasts."""
        self._thread = threading.Thread(target=self.run, name="sandbox-server")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()

    def _work_by_itself(self) -> None:
        """Integrate packages when they are due, so that no request has to do it."""
        while not self._stopping.wait(PULSE):
            try:
                # The wait between two steps lets requests in; a lock that is free for no time
                # at all is never theirs.
                while self.sandbox.step(self.clock.now()) and not self._stopping.wait(0.001):
                    pass
            except sqlite3.OperationalError:  # a full disk, a lock: it may pass
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
    """Serve until SIGTERM or SIGINT; `announce` gets the base address once it accepts requests."""
    server = Server(parts, port, state, speed, settings)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        server.stop()

    former = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        announce(server.base)
        server.run()
    finally:
        for number, action in former.items():
            signal.signal(number, action)
