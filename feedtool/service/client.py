"""The service over HTTP: sends a Call, returns the Reply. The only module that knows httpx.

There is no decision in it: what an answer means is for `answers` and `delivery.decide`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import httpx

from feedtool import __version__
from feedtool.errors import UsageProblem
from feedtool.service.auth import send_with
from feedtool.service.packages import DEFAULT_PORTS, origin
from feedtool.service.wire import (
    NotSent,
    OutcomeUnknown,
    Reply,
    header_value,
    language_tag,
)

if TYPE_CHECKING:
    from types import TracebackType

    from feedtool.service.auth import Token
    from feedtool.service.wire import Call

LARGEST_REPLY = 64 * 1024 * 1024
"""No answer is read further, in bytes, decoded."""

NEVER_LEFT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""What httpx raises before anything of the request has left."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """In seconds. `answer` is the longest silence, not the longest call."""

    connect: float = 10.0
    answer: float = 60.0


class Client:
    """A seller's connection to the service; threads may share it."""

    def __init__(
        self,
        base_url: str,
        seller: str,
        token: Token,
        *,
        language: str = "en",
        timeouts: Timeouts | None = None,
        transport: httpx.BaseTransport | None = None,
        largest_reply: int = LARGEST_REPLY,
    ) -> None:
        """Connect at the first call. `base_url` ends with the version segment.

        `transport` stands in for the network, such as the sandbox's. UsageProblem for an
        address, a seller or a language that cannot be sent.
        """
        timeouts = timeouts or Timeouts()
        self._base = base_url.rstrip("/")
        self._origin = _checked_origin(self._base)
        self._token = token
        self._largest_reply = largest_reply
        self._http = httpx.Client(
            headers={
                "SellerId": header_value("The seller", seller),
                "Accept-Language": language_tag(language),
                "Accept": "application/json, application/problem+json",
                "User-Agent": f"feedtool/{__version__}",
            },
            timeout=httpx.Timeout(timeouts.answer, connect=timeouts.connect),
            follow_redirects=False,
            transport=transport,
        )

    def send(self, call: Call) -> Reply:
        """The service's answer, with the token renewed once on a 401.

        Raises NotSent or OutcomeUnknown, and NotAuthorised when there is no token.
        """
        return send_with(self._token, lambda token: self._send(call, token))

    def _send(self, call: Call, token: str) -> Reply:
        request = self._http.build_request(
            call.method,
            call.target if "://" in call.target else self._base + call.target,
            params=dict(call.query) or None,
            headers={**dict(call.headers), "Authorization": f"Bearer {token}"},
            content=call.body,
        )
        if origin(str(request.url)) != self._origin:
            raise UsageProblem(f"{request.url.host} is not the service: no token goes there.")
        try:
            response = self._http.send(request, stream=True)
            try:
                body = self._read(response)
            finally:
                response.close()
        except NEVER_LEFT as error:
            raise NotSent(_told(error)) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            raise OutcomeUnknown(_told(error)) from error
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, headers, body, str(request.url))

    def _read(self, response: httpx.Response) -> bytes:
        body = bytearray()
        for chunk in response.iter_bytes():
            body += chunk
            if len(body) > self._largest_reply:
                raise OutcomeUnknown(f"the answer is longer than {self._largest_reply} bytes")
        return bytes(body)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _told(error: Exception) -> str:
    """An exception of httpx's for the user; many have no text of their own."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _checked_origin(base_url: str) -> tuple[str, str, int | None]:
    try:
        origin(base_url)  # stricter than httpx, which takes a broken address literal for a name
        found = origin(str(httpx.URL(base_url)))
    except (ValueError, httpx.InvalidURL):
        found = ("", "", None)
    if found[0] not in DEFAULT_PORTS or not found[1]:
        raise UsageProblem(
            f"“{base_url}” is no base address of a service.",
            "It looks like https://host/v2, its version segment included.",
        )
    return found
