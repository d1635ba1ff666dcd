"""A proxy on loopback before the sandbox's port, which loses, delays and spoils requests.

The fault of the n-th request follows only from the seed; the client's threads decide which request
is the n-th.
"""

import http.client
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, islice, repeat
from typing import NamedTuple
from urllib.parse import urlsplit

LATE = 1.5
"""Seconds that a late answer takes; clients are to have given up by then."""
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length"}


class Answer(NamedTuple):
    """A response of the service."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Passed(NamedTuple):
    """A request that came in, and is at its end."""

    seller: str
    token: str
    """The token that the client has sent."""
    begun: float
    """The time of its arrival, by `time.monotonic`."""
    ended: float
    """The time of its answer."""


class Faults(NamedTuple):
    """The number of each fault in a thousand requests."""

    lost: int = 0  # the request never arrives
    unanswered: int = 0  # it arrives, and its answer is lost
    reset: int = 0  # it arrives, and the connection is reset
    late: int = 0  # it is answered when the client no longer waits
    cut: int = 0  # half of the answer's body comes
    failing: int = 0  # 503 without the service having seen it
    failed: int = 0  # 500 although the service has done it
    slowed: int = 0  # 429 with a pause
    garbage: int = 0  # something that is no HTTP

    def at(self, seed: str, number: int) -> str:
        """The fault of a request, or "passed"."""
        drawn = random.Random(f"{seed} {number}").randrange(1000)  # noqa: S311  # to be repeated
        names = chain.from_iterable(map(repeat, self._fields, self))
        return next(islice(names, drawn, None), "passed")


NONE = Faults()
SOME = Faults(8, 8, 6, 2, 4, 6, 6, 6, 4)
"""Five in a hundred."""
MANY = Faults(20, 20, 15, 4, 10, 15, 15, 15, 10)


@dataclass
class Plan:
    """The behaviour of the proxy, from now on."""

    seed: str = ""
    faults: Faults = NONE
    wait: Callable[[str, str], object] = lambda _method, _path: None
    """Called before a request is handed on; it may hold it back."""
    instead: Answer | None = None  # what everybody gets, and the service sees nothing
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The tokens that clients send, each with the one that the service gets instead."""
    rewrite: Callable[[bytes], bytes] = bytes  # what becomes of the body of an answer
    asked: list[str] = field(default_factory=list)  # method and path of all that came in
    passed: list[Passed] = field(default_factory=list)
    """All requests at their end, faults included."""
    done: Counter[str] = field(default_factory=Counter)  # how often what was done to a request


class Proxy:
    """A proxy that listens; `plan` may be another at any time."""

    def __init__(self, upstream: str) -> None:
        self.plan = Plan()
        self._lock = threading.Lock()
        self._upstream = urlsplit(upstream)
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                if self.raw_requestline and self.parse_request():
                    proxy.pass_on(self)
                else:
                    self.close_connection = True

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_: object) -> None:
                """Ignore clients that have gone."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_address[1]}{self._upstream.path}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def pass_on(self, handler: BaseHTTPRequestHandler) -> None:
        """Hand a request on, its answer back, or neither."""
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        begun, plan = time.monotonic(), self.plan
        try:
            self._pass_on(handler, body, plan)
        finally:
            seller, token = (
                handler.headers.get(name, "") for name in ("SellerId", "Authorization")
            )
            token = token.partition(" ")[2]
            plan.passed.append(Passed(seller, token, begun, time.monotonic()))

    def _pass_on(self, handler: BaseHTTPRequestHandler, body: bytes, plan: Plan) -> None:
        with self._lock:
            fault = plan.faults.at(plan.seed, len(plan.asked))
            plan.asked.append(f"{handler.command} {handler.path}")
            plan.done[fault] += 1
        plan.wait(handler.command, handler.path)
        if plan.instead:
            _answer(handler, plan.instead)
        elif before := BEFORE.get(fault):
            before(handler)
        else:
            AFTER.get(fault, _answer)(handler, self._ask(handler, body))

    def _ask(self, handler: BaseHTTPRequestHandler, body: bytes) -> Answer:
        """Ask the service; addresses in its headers lead through the proxy."""
        there = self._upstream
        connection = http.client.HTTPConnection(str(there.hostname), there.port, timeout=60)
        came = handler.headers.items()
        sent = {name: value for name, value in came if name.lower() not in {*HOP_BY_HOP, "host"}}
        scheme, _, token = sent.get("Authorization", "").partition(" ")
        if instead := self.plan.tokens.get(token):
            sent["Authorization"] = f"{scheme} {instead}"
        try:
            connection.request(handler.command, handler.path, body or None, sent)
            reply = connection.getresponse()
            content = reply.read()
        finally:
            connection.close()
        headers = [
            (name, value.replace(there.geturl(), self.base))
            for name, value in reply.getheaders()
            if name.lower() not in HOP_BY_HOP
        ]
        return Answer(reply.status, headers, self.plan.rewrite(content))


def _answer(handler: BaseHTTPRequestHandler, answer: Answer, promised: int | None = None) -> None:
    head = [f"HTTP/1.1 {answer.status} {http.client.responses.get(answer.status, 'Odd')}"]
    head += [f"{name}: {value}" for name, value in answer.headers]
    if answer.status != http.HTTPStatus.NO_CONTENT:
        head.append(f"Content-Length: {len(answer.body) if promised is None else promised}")
    handler.wfile.write("\r\n".join([*head, "", ""]).encode("latin-1") + answer.body)
    handler.wfile.flush()


def _close(handler: BaseHTTPRequestHandler, _answered: Answer | None = None) -> None:
    handler.close_connection = True


def _reset(handler: BaseHTTPRequestHandler, _answered: Answer) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


def _late(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    threading.Event().wait(LATE)
    _answer(handler, answer)


def _cut(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
    half = answer.body[: len(answer.body) // 2]
    _answer(handler, answer._replace(body=half), promised=len(answer.body) + 1)
    handler.close_connection = True


def _garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\xff no HTTP at all\r\n\r\n" * 3)
    handler.wfile.flush()
    handler.close_connection = True


TEXT = [("Content-Type", "text/plain")]
FAILED = Answer(500, TEXT, b"It is broken.")
BEFORE: Mapping[str, Callable[[BaseHTTPRequestHandler], None]] = {
    "lost": _close,
    "failing": lambda handler: _answer(handler, Answer(503, TEXT, b"It is down.")),
    "slowed": lambda handler: _answer(handler, Answer(429, [("Retry-After", "1")], b"")),
    "garbage": _garbage,
}
AFTER: Mapping[str, Callable[[BaseHTTPRequestHandler, Answer], None]] = {
    "unanswered": _close,
    "reset": _reset,
    "late": _late,
    "cut": _cut,
    "failed": lambda handler, _: _answer(handler, FAILED),
}
