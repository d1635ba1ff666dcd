"""The network under httpx, with a time limit for a whole call, for which httpx has no setting.

httpx limits each single wait, so that a server which sends a byte now and then holds a call
forever. Here every read and write also ends with the time of the call. Like httpx it uses the
proxy that the environment names, but never for this machine itself.
"""

import errno
import ipaddress
import math
import os
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpcore
import httpx
from msgspec import Struct

from feedtool.model.errors import UsageProblem
from feedtool.model.text import MessageText, tr

PIECE = 16 * 1024
"""Bytes that are written between two looks at the clock."""

UNREACHABLE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN}
"""The system's error numbers for no network, or no route to the host."""


class Timeouts(Struct, frozen=True):
    """Limits in seconds. None covers the lookup of a name, which the system does."""

    connect: float = 10.0  # to connect, the handshake of TLS included
    answer: float = 60.0  # the longest silence
    whole: float = 300.0  # the longest call, from its start to the last byte of its answer


class Network(httpx.HTTPTransport):
    """Connections to one service, kept open between calls; threads may share it.

    `longest_call` and `clock` are in seconds; the address decides about the proxy. UsageProblem if
    the environment names a proxy that cannot be used.
    """

    def __init__(
        self, address: str, longest_call: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        # Replaces httpx's own pool, which takes no backend.
        self._deadline = _Deadline(longest_call, clock)
        self._pool = _pool(httpx.URL(address), _Backend(self._deadline))

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self._deadline.begin()
        return super().handle_request(request)


class _Deadline(threading.local):
    """The end of this thread's call. A thread makes one call at a time."""

    def __init__(self, longest: float, clock: Callable[[], float]) -> None:
        self._longest, self._clock = longest, clock
        self._time = math.inf

    def begin(self) -> None:
        self._time = self._clock() + self._longest

    @contextmanager
    def limit(self, peer: str, timeout: float | None, late: type[Exception]) -> Iterator[float]:
        """Yield the longest wait within `timeout` and the call's end; raise `late` at that end.

        Failures name the `host:port` and the fault in plain words: httpcore's own text is the
        system's error, or empty.
        """
        remaining = self._time - self._clock()
        if remaining <= 0:
            raise late(self._too_long())
        wait = remaining if timeout is None else min(timeout, remaining)
        try:
            yield wait
        except httpcore.TimeoutException as error:
            if timeout is None or timeout >= remaining:
                raise late(self._too_long()) from error
            raise type(error)(
                tr("{peer} did not answer in {seconds:g} s", peer=peer, seconds=wait)
            ) from error
        except httpcore.NetworkError as error:
            raise type(error)(_describe(peer, error.__cause__)) from error

    def _too_long(self) -> MessageText:
        return tr("the whole call took longer than {seconds:g} s", seconds=self._longest)


def _describe(peer: str, cause: BaseException | None) -> str:
    """Describe the system's errors in plain words."""
    match cause:
        case ssl.SSLCertVerificationError():
            reason = cause.verify_message
            return tr(
                "the certificate of {peer} is not accepted: {reason}", peer=peer, reason=reason
            )
        case ssl.SSLError():
            return tr(
                "{peer} does not speak HTTPS as it should ({reason})",
                peer=peer,
                reason=cause.reason,
            )
        case socket.gaierror():
            name = peer.rpartition(":")[0]
            return tr("the name {name} is unknown, or cannot be looked up now", name=name)
        case ConnectionRefusedError():
            return tr("{peer} refused the connection", peer=peer)
        case ConnectionError():
            return tr("{peer} closed the connection", peer=peer)
    return _describe_number(peer, cause.errno if isinstance(cause, OSError) else None)


def _describe_number(peer: str, number: int | None) -> str:
    """Describe the system's other errors by their number."""
    if number in UNREACHABLE:
        return tr("there is no way from here to {peer}", peer=peer)
    if number:
        reason = os.strerror(number)
        return tr("the connection to {peer} failed: {reason}", peer=peer, reason=reason)
    return tr("the connection to {peer} failed", peer=peer)


class _Backend(httpcore.SyncBackend):
    def __init__(self, deadline: _Deadline) -> None:
        self._deadline = deadline

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *more: Any, **options: Any
    ) -> httpcore.NetworkStream:
        peer = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        with self._deadline.limit(peer, timeout, httpcore.ConnectTimeout) as wait:
            stream = super().connect_tcp(host, port, wait, *more, **options)
        return _Stream(stream, self._deadline, peer)


class _Stream(httpcore.NetworkStream):
    def __init__(self, real: httpcore.NetworkStream, deadline: _Deadline, peer: str) -> None:
        self._real, self._deadline, self._peer = real, deadline, peer

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        with self._deadline.limit(self._peer, timeout, httpcore.ReadTimeout) as wait:
            return self._real.read(max_bytes, wait)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE):
            with self._deadline.limit(self._peer, timeout, httpcore.WriteTimeout) as wait:
                self._real.write(buffer[start : start + PIECE], wait)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        with self._deadline.limit(self._peer, timeout, httpcore.ConnectTimeout) as wait:
            real = self._real.start_tls(ssl_context, server_hostname, wait)
        return _Stream(real, self._deadline, self._peer)

    def close(self) -> None:
        self._real.close()

    def get_extra_info(self, info: str) -> Any:
        return self._real.get_extra_info(info)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == "localhost"


def host_of(url: str, problem: str, hint: str) -> tuple[str, bool]:
    """Return the host of an address, and True if others can read what is sent there.

    Raises UsageProblem(problem, hint) if it is no http or https address, or names a user.
    """
    try:
        parts = urlsplit(url)
        host, user, _ = parts.hostname, parts.username, parts.port
    except ValueError:
        host = user = None
    if not host or user is not None or parts.scheme not in {"http", "https"}:
        raise UsageProblem(problem, hint)
    return host, parts.scheme == "http" and not is_loopback(host)


def _pool(address: httpx.URL, backend: _Backend) -> httpcore.ConnectionPool:
    proxy = _proxy(address)
    # Reading the certificates takes longer than a call; without TLS they are not needed.
    is_secret = "https" in {address.scheme, proxy.url.scheme if proxy else ""}
    context = httpx.create_ssl_context() if is_secret else None
    if proxy is None:
        return httpcore.ConnectionPool(context, network_backend=backend)
    return httpcore.HTTPProxy(
        proxy_url=httpcore.URL(
            scheme=proxy.url.raw_scheme,
            host=proxy.url.raw_host,
            port=proxy.url.port,
            target=b"/",
        ),
        proxy_auth=proxy.raw_auth,
        ssl_context=context,
        network_backend=backend,
    )


def _proxy(address: httpx.URL) -> httpx.Proxy | None:
    """Return the proxy that the environment names for an address; None for this machine itself."""
    proxies = urllib.request.getproxies()
    url = proxies.get(address.scheme) or proxies.get("all")
    if not url or is_loopback(address.host) or urllib.request.proxy_bypass(address.host):
        return None
    try:
        proxy = httpx.Proxy(url if "://" in url else f"http://{url}")
    except (ValueError, httpx.InvalidURL):
        proxy = None
    if proxy is None or proxy.url.scheme not in {"http", "https"}:
        raise UsageProblem(
            tr(
                "The proxy that the environment names for {host} cannot be used.", host=address.host
            ),
            tr("HTTPS_PROXY looks like http://host:port; NO_PROXY lists hosts that need none."),
        )
    return proxy
