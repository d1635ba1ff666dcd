"""Serve a WSGI application on a port or a unix socket until it is stopped."""

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Self

from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import create_server
from waitress.task import WSGITask

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

LOOPBACK = "127.0.0.1"
UNIX_PEER = "localhost"
"""The remote address of all clients of a unix socket; on a port it is always a number."""

THREADS = 8

CONNECTIONS = 400
"""Connections at a time, finished or not. Even with a file for the body of each they stay below the
1,024 files that a process may usually have open."""
BODY_IN_MEMORY = 1 << 16
"""Bytes of a body that are held in memory; a longer body waits in a file until it is complete."""

TakesBody = Callable[["WSGIEnvironment"], bool]

PULSE = 0.05
"""Seconds between two checks for a stop."""

FORWARDED = frozenset({"x-forwarded-proto"})
"""Headers of a trusted proxy that count: https. Host and remote address are not taken from it."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on a numeric address; port 0 picks a free one. OSError if taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def listen_on_file(path: Path, mode: int) -> socket.socket:
    """A unix socket at `path`, with the rights `mode`. OSError if it is in use.

    A socket that a killed process left behind is replaced; any other file is not.
    """
    if path.is_socket() and not _is_answered(path):
        path.unlink()
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(str(path))
        path.chmod(mode)  # nobody can connect before the socket listens
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def _is_answered(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PULSE)
        try:
            client.connect(str(path))
        except ConnectionRefusedError:
            return False
        except OSError:  # a full queue or a foreign socket: somebody listens
            return True
    return True


class Connection(HTTPChannel):
    """A connection that reads bodies only if `takes_body` allows it."""

    def __init__(self, takes_body: TakesBody, *args: Any, **keywords: Any) -> None:
        self.takes_body = takes_body
        self.parser_class = partial(Parser, self)  # type: ignore[assignment]  # it is only called
        super().__init__(*args, **keywords)


class Parser(HTTPRequestParser):
    """A parser of requests that can refuse their bodies."""

    is_cut = False
    """True if further bytes on the connection are ignored."""

    def __init__(self, connection: Connection, adjustments: Any) -> None:
        super().__init__(adjustments)
        self._connection = connection

    def parse_header(self, header_plus: bytes) -> None:
        """Judge a request by its headers, before any of its body is stored."""
        super().parse_header(header_plus)
        if self.body_rcv is None:
            return
        body, self.body_rcv = self.body_rcv, None
        request: Any = self  # as waitress gives it to a task
        if self._connection.takes_body(WSGITask(self._connection, request).get_environment()):
            self.body_rcv = body
            return
        body.getbuf().close()
        self.content_length, self.expect_continue, self.is_cut = 0, False, True
        others = {name: text for name, text in self.headers.items() if name != "CONTENT_LENGTH"}
        self.headers = {**others, "CONNECTION": "close"}

    def received(self, data: bytes) -> int:
        """Read further bytes; return the number of consumed ones."""
        consumed: int = super().received(data)
        if self.is_cut:
            consumed = len(data)
        return consumed


class WebServer:
    """An application behind a listening socket; `run` answers requests."""

    def __init__(
        self,
        listening: socket.socket,
        application: "WSGIApplication",
        *,
        largest_body: int,
        trusted_proxy: str | None = None,
        takes_body: TakesBody = lambda _: True,
    ) -> None:
        """Take the socket over, to close it in the end.

        Args:
            listening: The result of `listen` or `listen_on_file`.
            application: Answers the requests, on several threads at once.
            largest_body: In bytes; a larger body is 413, and is not read.
            trusted_proxy: The remote address whose `FORWARDED` headers count; they are removed from
                requests of others.
            takes_body: Called with the environment of a request before its body is read, with all
                its headers. If it returns False the application gets an empty body, and the
                connection is closed after the answer.
        """
        self._stopping = threading.Event()
        self._sockets: dict[int, socket.socket] = {}
        self._file = _file_of(listening)
        self._server = create_server(
            application,
            map=self._sockets,
            sockets=[listening],
            threads=THREADS,
            connection_limit=CONNECTIONS,
            max_request_body_size=largest_body + 1,  # a body of this size is refused
            inbuf_overflow=BODY_IN_MEMORY,
            trusted_proxy=trusted_proxy,
            trusted_proxy_headers=set(FORWARDED) if trusted_proxy else set(),
            clear_untrusted_proxy_headers=True,
        )
        self._server.channel_class = partial(Connection, takes_body)  # type: ignore[union-attr]

    def run(self) -> None:
        """Answer until `stop` is called, then close the socket."""
        try:
            while not self._stopping.is_set():
                self._make_room()
                # poll, since select knows no file above 1,023.
                wasyncore.loop(timeout=PULSE, use_poll=True, map=self._sockets, count=1)
        finally:
            self._stopping.set()
            self._server.task_dispatcher.shutdown()
            if self._file:
                with suppress(OSError):
                    self._file.unlink()
            for channel in [*self._sockets.values()]:
                if isinstance(channel, HTTPChannel):  # with the files that it has not sent yet
                    channel.handle_close()
            wasyncore.close_all(self._sockets)

    def _make_room(self) -> None:
        """Close the oldest idle connection if there are as many as allowed."""
        if len(self._sockets) < CONNECTIONS:
            return
        idle = [
            connection
            for connection in self._sockets.values()
            if isinstance(connection, Connection)
            and not connection.requests
            and not connection.total_outbufs_len
            and not (connection.request and connection.request.headers_finished)
        ]
        if idle:
            min(idle, key=attrgetter("creation_time")).handle_close()

    def stop(self) -> None:
        """Make `run` return; may be called from any thread and from a signal handler."""
        self._stopping.set()

    def __enter__(self) -> Self:
        """Run in a thread for as long as the context lasts."""
        self._thread = threading.Thread(target=self.run, name="server")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()


def _file_of(listening: socket.socket) -> Path | None:
    """The file of a unix socket, to be removed with it."""
    return Path(listening.getsockname()) if listening.family == socket.AF_UNIX else None


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at SIGTERM and SIGINT, for as long as the context lasts."""

    def handle(_signal: int, _frame: FrameType | None) -> None:
        stop()

    former = {number: signal.signal(number, handle) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, action in former.items():
            signal.signal(number, action)
