"""The service over HTTP: sends a Call, returns the Reply. Only it and `network` know httpx.

There is no decision in it: what an answer means is for `answers` and `delivery.machine`.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol, Self, cast

import httpx

from feedtool import __version__
from feedtool.model.call import (
    Call,
    Failure,
    NotSent,
    OutcomeUnknown,
    Reply,
    header_value,
    language_tag,
)
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.model.text import MessageText, tr
from feedtool.service.answers import DEFAULT_PORTS, origin
from feedtool.service.auth import Token, send_with
from feedtool.service.network import Network, Timeouts, is_loopback

LARGEST_REPLY = 32 * 1024 * 1024
"""No answer is read further, in bytes, decoded; all results of the largest package take half."""
LARGEST_GRANT = 1024 * 1024
"""No answer of a token endpoint is read further."""
PIECE = 64 * 1024
"""Bytes of an answer that are unpacked at a time."""
INFLATED = frozenset({"gzip", "x-gzip", "deflate"})
"""The codings that are unpacked, of which `gzip` alone is asked for."""
GZIP_OR_ZLIB = 47
"""Has zlib recognise both forms by their first bytes."""
LEAST_SECRET = 12
"""A shorter token, in characters, is a word that a text of the service's may hold anyway."""

NEVER_LEFT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Exceptions of httpx before anything of the request has left."""

WORDS: tuple[tuple[type[Exception], Callable[[str], str]], ...] = (
    (
        httpx.ProxyError,
        lambda text: (
            tr("the proxy did not let the call through: {reason}", reason=text)
            if text
            else tr("the proxy did not let the call through")
        ),
    ),
    (httpx.PoolTimeout, lambda _: tr("no connection was free in time")),
    (
        httpx.RemoteProtocolError,
        lambda _: tr("the connection ended before the answer was complete"),
    ),
    (
        httpx.ProtocolError,
        lambda text: (
            tr("the call cannot be made: {reason}", reason=text)
            if text
            else tr("the call cannot be made")
        ),
    ),
    (
        httpx.DecodingError,
        lambda _: tr("the answer is packed in a way that cannot be unpacked"),
    ),
)
"""The failures that are not the network's own, in plain words."""


class Allowance(Protocol):
    """What several clients may ask of the service together. Called from several threads."""

    def take(self) -> None:
        """Returns once a call may leave; NotYet where that takes long, NotSent where it ends."""
        ...

    def heard(self, reply: Reply) -> None:
        """An answer, which may ask all of them to wait."""
        ...


class Client:
    """A seller's connection to the service; threads may share it."""

    def __init__(
        self,
        base_url: str,
        seller: str | None,
        token: Token,
        *,
        language: str = "en",
        timeouts: Timeouts | None = None,
        transport: httpx.BaseTransport | None = None,
        largest_reply: int = LARGEST_REPLY,
        allows_http: bool = False,
        allowance: Allowance | None = None,
    ) -> None:
        """Connect at the first call. `base_url` ends with the version segment.

        Without a seller only brands and categories can be read (part "Authentication", 1).
        `transport` stands in for the network; each call takes of the `allowance`, a renewed one
        too. UsageProblem for what cannot be sent, and for an address to which the token would leave
        the machine unencrypted, unless `allows_http`.
        """
        self._base = base_url.rstrip("/")
        self._origin = _checked_origin(self._base)
        if transport is None and not allows_http:
            _check_encrypted(*self._origin)
        self._token = token
        self._largest_reply = largest_reply
        self._allowance = allowance
        headers = {
            "Accept-Language": language_tag(language),
            "Accept": "application/json, application/problem+json",
        }
        if seller is not None:
            headers["SellerId"] = header_value(tr("The seller"), seller)
        self._http = _http(self._base, headers, timeouts, transport)

    def send(self, call: Call) -> Reply:
        """The service's answer; the token is renewed once on a 401.

        Raises Failure, NotSent also for want of a token just now; NotAuthorised for want of one.
        """
        try:
            return send_with(self._token, lambda token: self._send(call, token))
        except Interrupted as error:
            # Either nothing has left, or a 401 said that it took no effect.
            raise NotSent(error.message) from error

    def _send(self, call: Call, token: str) -> Reply:
        url = _url(call.target if "://" in call.target else self._base + call.target)
        if url is None:
            raise UsageProblem(tr("A link of the service's is no address: nothing goes there."))
        if origin(str(url)) != self._origin or url.userinfo:
            raise UsageProblem(tr("{host} is not the service: no token goes there.", host=url.host))
        request = self._http.build_request(
            call.method,
            url,
            params=call.query or None,
            headers={**dict(call.headers), "Authorization": f"Bearer {token}"},
            content=call.body,
        )
        largest = call.largest or self._largest_reply
        target = (call.into, call.success) if call.into else None
        if self._allowance:
            self._allowance.take()
        if call.leaving:
            call.leaving()
        reply, mask = _exchange(self._http, request, largest, target), _mask_of(token)
        if self._allowance:
            self._allowance.heard(reply)
        # A gateway may repeat the token, and answers are shown and kept. Bytes as characters of the
        # same number: whatever the body holds, it stays.
        body = mask(reply.body.decode("latin-1")).encode("latin-1")
        headers = {name: mask(value) for name, value in reply.headers.items()}
        return Reply(reply.status, headers, body, reply.url)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _post(media_type: str, url: str, body: bytes, timeouts: Timeouts | None = None) -> Reply:
    """The answer of another server, to which no token goes; raises NotSent or OutcomeUnknown."""
    headers = {"Accept": "application/json", "Content-Type": media_type}
    with _http(url, headers, timeouts, None) as http:
        return _exchange(http, http.build_request("POST", url, content=body), LARGEST_GRANT)


post_form = partial(_post, "application/x-www-form-urlencoded")
"""The answer of a token endpoint to a form."""
post_json = partial(_post, "application/json")
"""The answer of anybody's server to JSON."""


def _http(
    address: str,
    headers: dict[str, str],
    timeouts: Timeouts | None,
    transport: httpx.BaseTransport | None,
) -> httpx.Client:
    timeouts = timeouts or Timeouts()
    return httpx.Client(
        headers={
            **headers,
            "Accept-Encoding": "gzip",
            "User-Agent": f"feedtool/{__version__}",
        },
        timeout=httpx.Timeout(timeouts.answer, connect=timeouts.connect),
        follow_redirects=False,
        transport=transport or Network(address, timeouts.whole),
    )


def _exchange(
    http: httpx.Client,
    request: httpx.Request,
    largest: int,
    target: tuple[Path, frozenset[int]] | None = None,
) -> Reply:
    """Send a request, and read the answer to its end but no further than `largest` bytes.

    `target` is a file, and the statuses whose body goes there.
    """
    body, length = bytearray(), 0
    try:
        with ExitStack() as stack:
            response = stack.enter_context(closing(http.send(request, stream=True)))
            take: Callable[[bytes], object] = body.extend
            if target and response.status_code in target[1]:
                take = stack.enter_context(target[0].open("wb")).write
            for chunk in unpacked(response):
                length += len(chunk)
                if length > largest:
                    raise OutcomeUnknown(
                        tr("the answer is longer than {largest} bytes", largest=largest)
                    )
                take(chunk)
        headers = {name.lower(): value for name, value in response.headers.items()}
        return Reply(response.status_code, headers, bytes(body), str(request.url))
    except NEVER_LEFT as error:
        failure: Failure = NotSent(_describe(error))
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
        failure = OutcomeUnknown(_describe(error))
    raise failure  # not from httpx's own, which may repeat what was sent


def unpacked(response: httpx.Response) -> Iterator[bytes]:
    """The body in pieces of bounded size, unpacked.

    httpx unpacks each chunk as a whole, and in all codings that an answer names: so a few thousand
    bytes can fill the memory. Here it is one coding, piece by piece.
    """
    header = response.headers.get("Content-Encoding", "").casefold()
    codings = [coding for coding in re.findall(r"[^\s,]+", header) if coding != "identity"]
    inflate = zlib.decompressobj(GZIP_OR_ZLIB)
    if len(codings) > 1 or not INFLATED.issuperset(codings):
        raise httpx.DecodingError("")
    is_packed = False
    for chunk in cast("httpx.SyncByteStream", response.stream):
        if not codings:
            yield chunk
            continue
        left, is_packed = chunk, is_packed or bool(chunk)
        while left and not inflate.eof:
            try:
                yield inflate.decompress(left, PIECE)
            except zlib.error as error:
                raise httpx.DecodingError("") from error
            left = inflate.unconsumed_tail
    if is_packed:
        yield inflate.flush()
        if not inflate.eof:
            raise httpx.DecodingError("")


@lru_cache(maxsize=8)
def _mask_of(token: str) -> Callable[[str], str]:
    """Replaces the token by the mask, as it is or as JSON or an address writes it."""
    if len(token) < LEAST_SECRET:
        return str
    characters = (
        f"(?:{re.escape(c)}|{re.escape(chr(92) + c)}|(?i:\\\\u00{ord(c):02x}|%{ord(c):02x}))"
        for c in token
    )
    return partial(re.compile("".join(characters)).sub, "********")


def _describe(error: Exception) -> str:
    """An exception of httpx's in plain words; those of `network` name the host."""
    # What is no HTTP is quoted at the end, and may repeat what was sent.
    text, _, _ = str(error).partition(": bytearray(")
    for kind, words in WORDS:
        if isinstance(error, kind):
            return words(text)
    ours = (cause.args[0] for cause in (error, error.__cause__) if cause and cause.args)
    message = next((item for item in ours if isinstance(item, MessageText)), None)
    return message or text or tr("there was no answer")  # httpx keeps but the text of ours


def _url(address: str) -> httpx.URL | None:
    """An address that has an origin, or None for what is none."""
    try:
        origin(address)  # stricter than httpx, which takes a broken address literal for a name
        url = httpx.URL(address)
        origin(str(url))
    except (ValueError, httpx.InvalidURL):
        return None
    return url


def _checked_origin(base_url: str) -> tuple[str, str, int | None]:
    url = _url(base_url)
    if url is None or url.scheme not in DEFAULT_PORTS or not url.host or url.query or url.fragment:
        # What stands before an @, or in a query or fragment, may be a secret.
        shown = base_url.partition("?")[0].partition("#")[0].rpartition("@")[2]
        raise UsageProblem(
            tr("“{address}” is no base address of a service.", address=shown),
            tr("It looks like https://host/v2, its version segment included."),
        )
    if url.userinfo:
        raise UsageProblem(
            tr("The base address holds a user name or a password, and the service takes neither."),
            tr("Leave out what stands before the @; it is a token that the service asks for."),
        )
    return origin(str(url))


def _check_encrypted(scheme: str, host: str, _port: int | None) -> None:
    if scheme == "http" and not is_loopback(host):
        raise UsageProblem(
            tr(
                "The token would travel to {host} unencrypted: the base address begins with http://.",
                host=host,
            ),
            tr(
                "Give one that begins with https://. On a network that you trust --insecure-http"
                " allows it, or insecure_http = true in the account's profile."
            ),
        )
