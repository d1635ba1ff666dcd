"""A token from an OAuth2 token endpoint, by client credentials (RFC 6749, 4.4).

The service's specification says nothing of it; a form that is POSTed to an address and answered
by `{access_token, expires_in}` is how services of this family do it. What the endpoint answers
is never shown: an error that RFC 6749 names is put in words of our own.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode, urlsplit

from feedtool.model.call import Failure, Reply
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.service.answers import json_object
from feedtool.service.auth import Token

Post = Callable[[str, bytes], Reply]
"""Sends a form to an address; raises Failure. `client.post_form` is one."""

MARGIN = timedelta(seconds=90)
"""So long before its end a token is had anew, but never before half of its life."""

LONGEST_LIFE = timedelta(days=365)
LONGEST_TOKEN = 16_000
"""In characters; a header of more is refused by most servers."""

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
PASSING = {408, 425, 429}
"""Refusals that pass by themselves, as every 5xx does."""
GRANTED = 200

HINT = "Look at the token address, the client id and the client secret."
LATER = "Try again later."

ERRORS = {
    "invalid_client": "it does not know the client id, or this is not its secret",
    "unauthorized_client": "the client has no right to this kind of token",
    "unsupported_grant_type": "it gives no tokens for client credentials",
    "invalid_scope": "the scope is not one that the client may have",
    "invalid_request": "it finds the request incomplete; it may want a scope or an audience",
    "invalid_grant": "it does not accept the credentials",
    "access_denied": "the client has no right to it, perhaps not to this audience",
}
"""The errors of RFC 6749, 5.2 (and one that many endpoints add), in words."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A request for a token, and the address that grants it."""

    url: str
    client_id: str
    secret: Token
    """The source of the client's secret, which is read anew each time."""
    scope: str | None = None
    audience: str | None = None

    def __post_init__(self) -> None:
        """UsageProblem for what is no address, or would have the secret travel in the open."""
        try:
            parts = urlsplit(self.url)
            host, user, _ = parts.hostname, parts.username, parts.port
        except ValueError:
            host, user = None, None
        if not host or user is not None or parts.scheme not in {"http", "https"}:
            raise UsageProblem(
                "The token address is no address of a token endpoint.",
                "It looks like https://host/path, without a user name or a password.",
            )
        if parts.scheme == "http" and host not in LOOPBACK:
            raise UsageProblem(
                f"The client secret would travel to {host} for everybody to read.",
                "Give a token address that begins with https://.",
            )


class ClientCredentials:
    """A token that is asked for at first use, before it ends, and on a 401.

    Threads that find it stale together ask once; what that comes to, they all get.
    """

    def __init__(self, grant: Grant, post: Post, now: Callable[[], datetime]) -> None:
        """Ask nothing yet."""
        self._grant, self._post, self._now = grant, post, now
        self._host = urlsplit(grant.url).hostname
        self._lock = threading.Lock()
        self._token = ""
        self._ends: datetime | None = None
        self._renew_at: datetime | None = None
        self._asked = 0
        """The number of times that it was asked, and gave a token or failed."""
        self._failure: NotAuthorised | Interrupted | None = None

    def get(self) -> str:
        """The token, a new one when it is about to end.

        NotAuthorised where the endpoint refuses; Interrupted where it cannot be reached, or
        answers what is no token.
        """
        before = self._asked
        with self._lock:
            now = self._now()
            if self._token and (self._renew_at is None or now < self._renew_at):
                return self._token
            try:
                return self._ask(before)
            except Interrupted:
                if not self._ends or not self._token or now >= self._ends:
                    raise
                # It is good for a while yet: use it, and ask again half-way to its end.
                self._renew_at = now + (self._ends - now) / 2
                return self._token

    def renew(self, stale: str) -> str:
        """A new token, unless another thread has had one; raises what `get` does."""
        before = self._asked
        with self._lock:
            return self._ask(before) if self._token == stale else self._token

    def _ask(self, before: int) -> str:
        """Ask, unless another thread has done so in vain after `before` others were through."""
        if self._failure and self._asked != before:
            raise type(self._failure)(self._failure.message, self._failure.hint)
        self._failure = None
        try:
            return self._have()
        finally:
            self._asked += 1

    def _have(self) -> str:
        asked_at = self._now()
        try:
            reply = self._post(self._grant.url, self._form())
        except Failure as error:
            self._failure = self._cannot(f"cannot be reached: {error}")
        else:
            granted = self._read(reply)
            if isinstance(granted, tuple):
                self._token, life = granted
                self._ends = asked_at + life if life else None
                self._renew_at = self._ends - min(MARGIN, life / 2) if self._ends and life else None
                return self._token
            self._failure = granted
        raise self._failure

    def _form(self) -> bytes:
        grant = self._grant
        fields = {
            "grant_type": "client_credentials",
            "client_id": grant.client_id,
            "client_secret": grant.secret.get(),
            "scope": grant.scope,
            "audience": grant.audience,
        }
        return urlencode({name: value for name, value in fields.items() if value}).encode()

    def _read(self, reply: Reply) -> tuple[str, timedelta | None] | NotAuthorised | Interrupted:
        """The token and its life; or, never with a word of the answer's, why there is none."""
        if reply.status in PASSING or reply.status // 100 in {1, 5}:
            return self._cannot(f"gives no token just now (HTTP {reply.status})")
        document = json_object(reply.body)
        if reply.status != GRANTED:
            why = ERRORS.get(str(document.get("error")), "it does not say why")
            return self._refuses(f"{why} (HTTP {reply.status})")
        if str(document.get("token_type", "bearer")).casefold() != "bearer":
            return self._refuses("what it gives is no bearer token")
        token = document.get("access_token")
        if not isinstance(token, str) or not _is_token(token):
            return self._cannot("answers what holds no token")
        return token, _life(document.get("expires_in"))

    def _cannot(self, why: str) -> Interrupted:
        return Interrupted(f"The token endpoint at {self._host} {why}.", LATER)

    def _refuses(self, why: str) -> NotAuthorised:
        return NotAuthorised(f"The token endpoint at {self._host} gives no token: {why}.", HINT)


def _is_token(token: str) -> bool:
    """RFC 6750, 2.1, loosely: whatever can travel in one header."""
    is_short = 0 < len(token) <= LONGEST_TOKEN
    return is_short and token.isascii() and token.isprintable() and " " not in token


def _life(value: object) -> timedelta | None:
    """`expires_in`, in seconds; some endpoints write it as text. None when it says nothing."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = float(value[:12])
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        return None
    return timedelta(seconds=min(value, LONGEST_LIFE.total_seconds()))
