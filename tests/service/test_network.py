import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.offers.wire.packages import read_package, upload
from feedtool.model.call import NotSent, OutcomeUnknown, Reply
from feedtool.model.errors import UsageProblem
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client, post_form
from feedtool.service.network import Network, Timeouts
from tests.loopback import serving_answers

LOOPBACK = Path(__file__).with_name("loopback.pem")
"""A certificate for 127.0.0.1 and its key, which everybody may know."""

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@contextmanager
def port(talk: Callable[[socket.socket], object], *, is_tls: bool = False) -> Iterator[str]:
    """The address of a server that takes one connection and talks to it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(LOOPBACK)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with listening.accept()[0] as plain, suppress(ssl.SSLError):
                tls = context.wrap_socket(plain, server_side=True) if is_tls else nullcontext(plain)
                with tls as connection:
                    talk(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        scheme = "https" if is_tls else "http"
        yield f"{scheme}://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


@pytest.fixture
def _trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(LOOPBACK))


def connect(base: str, **more: Any) -> Client:
    return Client(base, "S1", StaticToken("t0ken"), allows_http=True, **more)


def connect_for(base: str, looks: int) -> Client:
    """A client whose calls last this number of looks at the clock, without waits in the test."""
    return connect(base, transport=Network(base, looks, count().__next__))


def read(client: Client) -> Reply:
    return client.send(read_package("p1"))


def answering(answer: bytes, times: int = 1) -> Callable[[socket.socket], None]:
    """Answer this number of calls with the same bytes."""

    def talk(connection: socket.socket) -> None:
        for _ in range(times):
            connection.recv(65536)
            connection.sendall(answer)

    return talk


def drip(begun: bytes, drop: bytes) -> Callable[[socket.socket], None]:
    """Says how an answer begins, and then a drop of it now and then until nobody listens."""

    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        with suppress(OSError):
            connection.sendall(begun)
            if begun == OK:
                connection.recv(65536)
            while not threading.Event().wait(0.002):
                connection.sendall(drop)

    return talk


HEAD = b"HTTP/1.1 200 OK\r\n"
DRIPPING = {
    "the status": (b"HTTP/1.1 200 ", b"O"),
    "a header": (HEAD + b"X-Slow: ", b"x"),
    "headers": (HEAD, b"X-Slow: x\r\n"),
    "many early answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a body": (HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
    "chunks": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "the answer to a second call": (OK, b"H"),
}


OVER_TLS = ("a header", "the answer to a second call")


@pytest.mark.usefixtures("_trusted")
@pytest.mark.parametrize(
    ("name", "is_tls"),
    [
        *((name, False) for name in DRIPPING),
        *((name, True) for name in OVER_TLS),
        *(
            pytest.param(name, True, marks=pytest.mark.long)
            for name in DRIPPING
            if name not in OVER_TLS
        ),
    ],
)
def test_a_dripping_answer_ends_with_the_call(name: str, *, is_tls: bool) -> None:
    begun, drop = DRIPPING[name]
    # That the server comes to an end shows that the connection was let go.
    with port(drip(begun, drop), is_tls=is_tls) as base, connect_for(base, 25) as client:
        if begun == OK:
            assert read(client).body == b"{}"
        with pytest.raises(OutcomeUnknown, match=r"^the whole call took longer than"):
            read(client)


def test_a_server_that_does_not_read() -> None:
    done = threading.Event()
    with port(lambda _: done.wait(60)) as base, connect_for(base, 25) as client:
        with pytest.raises(OutcomeUnknown, match=r"^the whole call"):
            client.send(upload("p1", [b"1" * 3_000_000]))
        done.set()


@pytest.mark.parametrize(
    ("timeouts", "told"),
    [
        (Timeouts(answer=0.1, whole=60), r"^127\.0\.0\.1:\d+ did not answer in 0\.1 s$"),
        (Timeouts(answer=60, whole=0.1), r"the whole call took longer than 0\.1 s"),
    ],
)
def test_silence_ends_with_the_shorter_time(timeouts: Timeouts, told: str) -> None:
    done = threading.Event()
    with port(lambda _: done.wait(60)) as base, connect(base, timeouts=timeouts) as client:
        with pytest.raises(OutcomeUnknown, match=told):
            read(client)
        done.set()


@pytest.mark.usefixtures("_trusted")
def test_connections_are_kept_and_each_call_has_its_time() -> None:
    with port(answering(OK, 10), is_tls=True) as base, connect_for(base, 30) as client:
        assert [read(client).status for _ in range(10)] == [200] * 10


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    ],
)
def test_an_answer_that_breaks_off(answer: bytes) -> None:
    with port(answering(answer)) as base, connect(base) as client, pytest.raises(OutcomeUnknown):
        read(client)


@pytest.mark.parametrize(
    ("is_tls", "told"),
    [
        (True, r"^the certificate of 127\.0\.0\.1:\d+ is not"),
        (False, r"^127\.0\.0\.1:\d+ does not speak HTTPS as it should"),
        (None, r"^the name service\.invalid is unknown"),
    ],
)
def test_another_server_receives_no_request(told: str, *, is_tls: bool | None) -> None:
    def talk(connection: socket.socket) -> None:
        assert not is_tls, "it was believed"
        connection.sendall(OK)

    server = nullcontext("https://service.invalid") if is_tls is None else port(talk, is_tls=is_tls)
    with (
        server as base,
        connect(base.replace("http:", "https:")) as client,
        pytest.raises(NotSent, match=told),
    ):
        read(client)


def test_a_form_is_posted() -> None:
    with serving_answers(lambda _: (200, {}, b"{}"), "/token") as served:
        reply = post_form(served.url, b"client_secret=planted")
    assert (reply.status, reply.body, reply.url) == (200, b"{}", served.url)
    assert served.headers[0]["content-type"] == "application/x-www-form-urlencoded"
    assert served.bodies == [b"client_secret=planted"]


# Proxies.


@pytest.mark.parametrize(
    ("scheme", "variable", "first"),
    [
        ("http", "http_proxy", "GET http://service.invalid/v2/offer-packages/p1 "),
        ("https", "https_proxy", "CONNECT service.invalid:443 "),
        ("https", "all_proxy", "CONNECT service.invalid:443 "),
    ],
)
@pytest.mark.parametrize("form", ["http://me:pw@{}", "me:pw@{}"])
def test_the_environments_proxy_is_used(
    monkeypatch: pytest.MonkeyPatch, scheme: str, variable: str, first: str, form: str
) -> None:
    heard: list[str] = []

    def talk(connection: socket.socket) -> None:
        heard.append(connection.recv(65536).decode())
        connection.sendall(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")

    with port(talk) as proxy:
        monkeypatch.setenv(variable, form.format(proxy.removeprefix("http://")))
        with connect(f"{scheme}://service.invalid/v2") as client:
            if scheme == "https":
                with pytest.raises(NotSent, match=r"the proxy did not .*: 407 No") as caught:
                    read(client)
                assert "pw" not in str(caught.value)
            else:
                assert read(client).status == 407
    assert heard[0].startswith(first)
    assert "proxy-authorization: basic bwu6chc=" in heard[0].lower()  # me:pw
    assert ("t0ken" in heard[0]) == (variable == "http_proxy")  # never outside the tunnel


def test_this_machine_needs_no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A token that stays here would leave by it."""
    monkeypatch.setenv("http_proxy", "http://proxy.invalid:1")
    with port(answering(OK)) as base, connect(base) as client:
        assert read(client).status == 200


@pytest.mark.parametrize("proxy", ["socks5://me:planted@127.0.0.1:1", "http://a:b"])
def test_a_proxy_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    with pytest.raises(UsageProblem, match=r"proxy .* for service\.invalid") as caught:
        connect("https://service.invalid/v2")
    assert "planted" not in caught.value.message + caught.value.hint
