"""A server on a port and on a unix socket: access, trusted headers, limits, and clean-up."""

import http.client
import json
import signal
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from feedtool import serving
from feedtool.serving import LOOPBACK, WebServer, listen, listen_on_file, stopped_by_signals

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PATIENCE = 20
"""A timeout in seconds for steps that take far less."""
TOLD = ("REMOTE_ADDR", "HTTP_HOST", "wsgi.url_scheme", "HTTP_X_FORWARDED_PROTO")
FORGED = {"Host": "own.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-For": "8.8.8.8"}


def report_facts(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps([environ.get(name) for name in TOLD]).encode()]


def answer_of(
    listening: socket.socket, body: bytes = b"", proxy: str | None = None, **headers: str
) -> tuple[int, bytes]:
    """The status and the body of one answer."""
    address, family = listening.getsockname(), listening.family
    with (
        WebServer(listening, report_facts, largest_body=1000, trusted_proxy=proxy),
        socket.socket(family) as connected,
    ):
        connected.connect(address)
        connection = http.client.HTTPConnection("unused")
        connection.sock = connected
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("PUT", "/", body, FORGED | fields)
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize(
    ("proxy", "told", "scheme"),
    [
        (None, "https", "http"),
        ("127.0.0.2", "https", "http"),
        (LOOPBACK, "https", "https"),
        (LOOPBACK, "http", "http"),
        (LOOPBACK, "gopher", None),
        (LOOPBACK, "https, http", None),
    ],
)
def test_only_https_is_taken_from_only_the_trusted_proxy(
    proxy: str | None, told: str, scheme: str | None
) -> None:
    status, body = answer_of(listen(LOOPBACK, 0), proxy=proxy, X_Forwarded_Proto=told)
    if scheme is None:
        assert status == 400
    else:
        header = told if proxy == LOOPBACK else None
        assert (status, json.loads(body)) == (200, [LOOPBACK, "own.example", scheme, header])


@pytest.mark.parametrize(("length", "status"), [(1000, 200), (1001, 413)])
def test_a_body_has_its_limit(length: int, status: int) -> None:
    assert answer_of(listen(LOOPBACK, 0), b"x" * length)[0] == status


@contextmanager
def connected(**options: Any) -> Iterator[Callable[[bytes], socket.socket]]:
    """A function that connects to a server and sends the first bytes."""
    listening, options = listen(LOOPBACK, 0), {"largest_body": 10**9, **options}
    with WebServer(listening, report_length, **options), ExitStack() as stack:

        def connect(begun: bytes) -> socket.socket:
            made = socket.create_connection(listening.getsockname(), PATIENCE)
            stack.enter_context(made).sendall(begun)
            return made

        yield connect


def report_length(environ: "WSGIEnvironment", start: "StartResponse") -> Iterable[bytes]:
    start("200 OK", [])
    return [f"{environ['PATH_INFO']}: {len(environ['wsgi.input'].read())}".encode()]


def read_all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(4096), b""))


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (b"Content-Length: 900000000", b""),
        (b"Content-Length: 900000000", b"GET /more HTTP/1.1\r\nHost: a\r\n\r\n"),
        (b"Content-Length: 900000000\r\nExpect: 100-continue", b""),
        (b"Transfer-Encoding: chunked", b"ffffff\r\nabc"),
        (b"Content-Length: 900000000\r\nConnection: keep-alive", b"x" * 1000),
    ],
)
def test_a_body_is_judged_before_it_comes(headers: bytes, body: bytes) -> None:
    """The answer comes without the body, and no part of the body is read as a request."""
    request = b"PUT /a HTTP/1.1\r\nHost: a\r\n" + headers + b"\r\n\r\n" + body
    with connected(takes_body=lambda environ: environ["PATH_INFO"] == "/b") as connect:
        answer = read_all(connect(request))
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert answer.endswith(b"/a: 0")
        assert answer.count(b"HTTP/1.1") == 1


def test_a_body_that_is_taken_in_comes_whole() -> None:
    head = b"PUT /b HTTP/1.1\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"
    with connected(takes_body=lambda environ: environ["PATH_INFO"] == "/b") as connect:
        assert read_all(connect(head + b"x" * 100_000)).endswith(b"/b: 100000")


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: a\r\n"])
def test_half_open_connections_do_not_block_others(
    monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    """A connection whose body is on its way stays open."""
    monkeypatch.setattr(serving, "CONNECTIONS", 8)
    head = b" HTTP/1.1\r\nConnection: close\r\nContent-Length: 2\r\n\r\n"
    with connected() as connect:
        slow = connect(b"PUT /slow" + head + b"x")
        time.sleep(serving.PULSE)
        for _ in range(12):
            connect(begun)
        assert read_all(connect(b"PUT /quick" + head + b"xx")).endswith(b"/quick: 2")
        slow.sendall(b"x")
        assert read_all(slow).endswith(b"/slow: 2")


def test_a_port_is_taken_once_and_free_afterwards() -> None:
    listening = listen(LOOPBACK, 0)
    port = listening.getsockname()[1]
    with (
        WebServer(listening, report_facts, largest_body=1),
        pytest.raises(OSError, match="in use"),
    ):
        listen(LOOPBACK, port)
    listen(LOOPBACK, port).close()


def test_an_address_of_the_newer_protocol() -> None:
    with listen("::1", 0) as listening:
        assert listening.getsockname()[0] == "::1"


@pytest.mark.parametrize("mode", [0o600, 0o660])
def test_a_unix_socket_is_for_those_of_its_mode_and_goes_with_its_server(
    socket_path: Path, mode: int
) -> None:
    path = socket_path
    listening = listen_on_file(path, mode)
    assert stat.S_IMODE(path.stat().st_mode) == mode
    status, body = answer_of(listening, proxy="localhost", X_Forwarded_Proto="https")
    assert (status, json.loads(body)) == (200, ["localhost", "own.example", "https", "https"])
    assert not path.exists()


def test_a_socket_left_behind_is_replaced(socket_path: Path) -> None:
    path = socket_path
    listen_on_file(path, 0o600).close()  # as a killed process does: the file stays
    assert path.is_socket()
    assert answer_of(listen_on_file(path, 0o600))[0] == 200


def test_a_socket_in_use_and_a_file_are_left_alone(socket_path: Path, tmp_path: Path) -> None:
    path, text = socket_path, tmp_path / "text"
    text.write_text("kept")
    with listen_on_file(path, 0o600):
        for taken in (path, text):
            with pytest.raises(OSError, match="in use"):
                listen_on_file(taken, 0o600)
    assert (path.is_socket(), text.read_text()) == (True, "kept")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_and_its_former_action_comes_back(number: signal.Signals) -> None:
    stopped, former = threading.Event(), signal.getsignal(number)
    with stopped_by_signals(stopped.set):
        signal.raise_signal(number)
    assert stopped.is_set()
    assert signal.getsignal(number) == former
