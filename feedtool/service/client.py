"""The service over HTTP: sends a Call, returns the Reply. Only `client` and `network` use httpx.

This module decides nothing: `answers` and `delivery.machine` know the meaning of an answer.
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
"""Decoded bytes of an answer at most; all results of the largest package take half."""
LARGEST_GRANT = 1024 * 1024
"""Bytes of a token endpoint's answer at most."""
PIECE = 64 * 1024
"""Bytes of an answer that are unpacked at a time."""
INFLATED = frozenset({"gzip", "x-gzip", "deflate"})
"""The codings that are unpacked; only `gzip` is requested."""
GZIP_OR_ZLIB = 47
"""Makes zlib recognise both forms by their first bytes."""
LEAST_SECRET = 12
"""Characters of a token that is masked at least; a shorter one may be a word of the service."""

NEVER_LEFT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Exceptions of httpx that prove that nothing of the request has left."""

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
"""Plain words for failures that `network` does not describe."""


class Allowance(Protocol):
    """The calls that several clients may make together. Called from several threads."""

    def take(self) -> None:
        """Return once a call may leave; NotYet if that takes long, NotSent if the run ends."""

    def note_reply(self, reply: Reply) -> None:
        """Note an answer, which may ask all clients to wait."""


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
        `transport` replaces the network; each call takes from the `allowance`, also a repeated
        one. UsageProblem if a value cannot be sent, and if the token would leave the machine
        unencrypted, unless `allows_http`.
        """
        self._base = base_url.rstrip("/")
        self._origin = scheme, host, _ = _checked_origin(self._base)
        is_in_clear = scheme == "http" and not is_loopback(host)
        if is_in_clear and transport is None and not allows_http:
            raise UsageProblem(
                tr(
                    "The token would travel to {host} unencrypted: the base address begins with "
                    "http://.",
                    host=host,
                ),
                tr(
                    "Give one that begins with https://. On a network that you trust "
                    "--insecure-http allows it, or insecure_http = true in the account's profile."
                ),
            )
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
        """Return the service's answer; the token is renewed once on a 401.

        Raises Failure; NotSent also if no token can be had now, NotAuthorised if there is no token.
        """
        try:
            return send_with(self._token, lambda token: self._send(call, token))
        except Interrupted as error:
            # Either nothing has left, or the answer was 401: the call took no effect.
            raise NotSent(error.message) from error

    def _send(self, call: Call, token: str) -> Reply:
        url = _url(call.target if "://" in call.target else self._base + call.target)
        if url is None:
            raise UsageProblem(
                tr("A link of the service is not an address: nothing is sent there.")
            )
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
            self._allowance.note_reply(reply)
        # A gateway may repeat the token, and answers are shown and kept. Latin-1 maps every byte to
        # a character and back, so that the rest of any body stays.
        body = mask(reply.body.decode("latin-1")).encode("latin-1")
        headers = {name: mask(value) for name, value in reply.headers.items()}
        return Reply(reply.status, headers, body, reply.url)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _post(media_type: str, url: str, body: bytes, timeouts: Timeouts | None = None) -> Reply:
    """Return the answer of another server, which gets no token; NotSent or OutcomeUnknown."""
    headers = {"Accept": "application/json", "Content-Type": media_type}
    with _http(url, headers, timeouts, None) as http:
        return _exchange(http, http.build_request("POST", url, content=body), LARGEST_GRANT)


post_form = partial(_post, "application/x-www-form-urlencoded")
"""Post a form to a token endpoint."""
post_json = partial(_post, "application/json")
"""Post JSON to a webhook's server."""


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
    """Send a request, and read its answer; OutcomeUnknown for more than `largest` bytes.

    `target` is a file, and the statuses whose body is written there.
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
    raise failure  # outside the handlers: httpx's exception may repeat what was sent


def unpacked(response: httpx.Response) -> Iterator[bytes]:
    """Yield the unpacked body in pieces of bounded size.

    httpx unpacks each chunk as a whole, and in all codings that an answer names, so that a few
    thousand bytes can fill the memory. Here one coding is unpacked, piece by piece.
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
        rest, is_packed = chunk, is_packed or bool(chunk)
        while rest and not inflate.eof:
            try:
                yield inflate.decompress(rest, PIECE)
            except zlib.error as error:
                raise httpx.DecodingError("") from error
            rest = inflate.unconsumed_tail
    if is_packed:
        yield inflate.flush()
        if not inflate.eof:
            raise httpx.DecodingError("")


@lru_cache(maxsize=8)
def _mask_of(token: str) -> Callable[[str], str]:
    """Return a function that masks the token, also as JSON or an address writes it."""
    if len(token) < LEAST_SECRET:
        return str
    characters = (
        f"(?:{re.escape(x)}|{re.escape(chr(92) + x)}|(?i:\\\\u00{ord(x):02x}|%{ord(x):02x}))"
        for x in token
    )
    return partial(re.compile("".join(characters)).sub, "********")


def _describe(error: Exception) -> str:
    """Describe an exception of httpx in plain words; `network` has described its own."""
    # httpx quotes an answer that is no HTTP at the end, and it may repeat what was sent.
    text, _, _ = str(error).partition(": bytearray(")
    for kind, words in WORDS:
        if isinstance(error, kind):
            return words(text)
    # The cause too: httpx's own exception keeps only the plain text of a message of `network`.
    texts = (cause.args[0] for cause in (error, error.__cause__) if cause and cause.args)
    message = next((item for item in texts if isinstance(item, MessageText)), None)
    return message or text or tr("there was no answer")


def _url(address: str) -> httpx.URL | None:
    """Return the URL of an address that has an origin, or None."""
    try:
        origin(address)  # stricter than httpx, which reads a broken address literal as a name
        url = httpx.URL(address)
        origin(str(url))
    except (ValueError, httpx.InvalidURL):
        return None
    return url


def _checked_origin(base_url: str) -> tuple[str, str, int | None]:
    url = _url(base_url)
    if url is None or url.scheme not in DEFAULT_PORTS or not url.host or url.query or url.fragment:
        # The part before an @, the query and the fragment may hold a secret.
        shown = base_url.partition("?")[0].partition("#")[0].rpartition("@")[2]
        raise UsageProblem(
            tr("“{address}” is not a base address of a service.", address=shown),
            tr("It looks like https://host/v2, its version segment included."),
        )
    if url.userinfo:
        raise UsageProblem(
            tr("The base address holds a user name or a password, and the service takes neither."),
            tr("Leave out what stands before the @; it is a token that the service asks for."),
        )
    return origin(str(url))
