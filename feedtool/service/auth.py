"""Sources of the bearer token.

Specification, part "Authentication": a missing or invalid credential yields 401; "how a token is
obtained, its lifetime, scopes and refresh: not shown". So the profile says how to obtain one, and
every source of tokens is a Token:

    StaticToken         a fixed text
    FileToken           the first line of a file, read for each call
    CommandToken        the first line that a command prints; run again on a 401
    ClientCredentials   OAuth2: renewed before the token expires, and on a 401

The first three also provide the client's secret to the last one; `what` is its name in messages.
No message holds a token, a secret, the output of a command or the answer of an endpoint, and
neither does the exception that an error was raised from.
"""

import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Protocol, TypeAlias
from urllib.parse import urlencode, urlsplit

from msgspec import Struct

from feedtool.model.call import Failure, NotYet, Reply
from feedtool.model.command import printed_by, words_of
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.model.text import tr
from feedtool.service.answers import json_object
from feedtool.service.network import host_of

# The reasons why a token endpoint gives no token.


ERRORS = {
    "invalid_client": tr("it does not know the client id, or this is not its secret"),
    "unauthorized_client": tr("the client has no right to this kind of token"),
    "unsupported_grant_type": tr("it gives no tokens for client credentials"),
    "invalid_scope": tr("the scope is not one that the client may have"),
    "invalid_request": tr("it finds the request incomplete; it may want a scope or an audience"),
    "invalid_grant": tr("it does not accept the credentials"),
    "access_denied": tr("the client has no right to it, perhaps not to this audience"),
}
"""The errors of RFC 6749, 5.2 (and one that many endpoints add), in words."""


HTTP_UNAUTHORISED = 401


class Token(Protocol):
    """A bearer token that may have to be renewed. Called from several threads."""

    def get(self) -> str:
        """Return the token to send; NotAuthorised if there is no token, Interrupted if not now."""

    def renew(self, stale: str) -> str:
        """Return a newer token than the refused `stale`, or `stale` if no other can be had."""


def send_with(token: Token, send: Callable[[str], Reply]) -> Reply:
    """Send with the token, and again with a renewed one if the service answers 401.

    This is safe for any call: a call that is answered with 401 took no effect.
    """
    current = token.get()
    reply = send(current)
    if reply.status != HTTP_UNAUTHORISED:
        return reply
    renewed = token.renew(current)
    return reply if renewed == current else send(renewed)


TOKEN = tr("token")
SECRET = tr("client secret")


class StaticToken:
    """A token from the command line or the environment."""

    def __init__(self, token: str, what: str = TOKEN) -> None:
        self._token = _checked(token, tr("The {what}", what=what), what)

    def get(self) -> str:
        return self._token

    def renew(self, stale: str) -> str:
        return stale  # this source has no other


class FileToken:
    """A token on the first line of a file, which is read for each call."""

    def __init__(self, path: Path | str, what: str = TOKEN) -> None:
        self._path, self._what = Path(path), what

    def get(self) -> str:
        try:
            content = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or tr("it is not text")
        else:
            return _first_line(
                content, tr("What the file {path} holds", path=self._path), self._what
            )
        # Raised outside the handler: an exception's context may hold the content.
        raise NotAuthorised(
            tr(
                "The {what} file {path} cannot be read: {reason}.",
                what=self._what,
                path=self._path,
                reason=reason,
            ),
            tr("It holds the {what} alone, on its first line.", what=self._what),
        )

    def renew(self, stale: str) -> str:  # noqa: ARG002 - the file alone knows
        return self.get()


NoToken: TypeAlias = NotAuthorised | Interrupted
"""The reason for a missing token; raised outside handlers: a context may hold secrets."""


class _Renewable(ABC):
    """A token that one thread renews for all; the others get the same token or failure."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._token = ""
        self._attempts = 0
        """The number of requests for a token that have ended, in success or failure."""
        self._failure: NoToken | None = None

    def get(self) -> str:
        before = self._attempts
        with self._lock:
            return self._token or self._renewed(before)

    def renew(self, stale: str) -> str:
        before = self._attempts
        with self._lock:
            return self._renewed(before) if self._token == stale else self._token

    def _renewed(self, before: int) -> str:
        """Request a token, unless another thread has failed since attempt number `before`."""
        if self._failure is None or self._attempts == before:
            self._failure = None
            result = self._request()
            self._attempts += 1
            if isinstance(result, str):
                self._token = result
                return result
            self._failure = result
        raise type(self._failure)(self._failure.message, self._failure.hint)

    @abstractmethod
    def _request(self) -> str | NoToken:
        """Return a new token, or the reason why it cannot be had."""


class CommandToken(_Renewable):
    """A token that a command prints on its first line: run at first use, and again on a 401."""

    def __init__(self, command: str | Sequence[str], what: str = TOKEN) -> None:
        """Run nothing yet. UsageProblem if there is no command."""
        super().__init__()
        self._what = what
        try:
            self._command = words_of(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise UsageProblem(
                tr("The {what} command cannot be read: {reason}.", what=what, reason=str(error))
            ) from error
        if not self._command:
            raise UsageProblem(tr("The {what} command is empty.", what=what))

    def _request(self) -> str | NoToken:
        printed, why = printed_by(self._command)
        if not why:
            return _first_line(
                printed, tr("What the {what} command prints", what=self._what), self._what
            )
        return NotAuthorised(
            tr(
                "The {what} command {command} gives no {what}: {why}.",
                what=self._what,
                command=self._command[0],
                why=why,
            ),
            tr("Run it by hand: it must print the {what} on its first line.", what=self._what),
        )


def _first_line(text: str, where: str, what: str) -> str:
    return _checked((text.splitlines() or [""])[0], where, what)


def _checked(value: str, where: str, what: str) -> str:
    """Return a token that a header can hold; NotAuthorised, without showing it, for any other."""
    value = value.strip()
    # A secret is sent in a form, which carries any character.
    if value.isprintable() and (value.isascii() or what == SECRET) and value:
        return value
    raise NotAuthorised(
        tr(
            "{where} is not a {what}: it is empty, or has characters that a {what} cannot have.",
            where=where,
            what=what,
        ),
        tr("Only ASCII letters, digits and punctuation can be sent there.")
        if what == TOKEN
        else "",
    )


# Client credentials (RFC 6749, 4.4). The service's specification does not mention them; services
# of this family take a form POSTed to an address, and answer `{access_token, expires_in}`. Errors
# that RFC 6749 names are put in feedtool's words.

MARGIN = timedelta(seconds=90)
"""The time before its end when a token is renewed, but never before half of its lifetime."""
LONGEST_LIFETIME = timedelta(days=365)
IS_TOKEN = re.compile("[!-~]{1,16000}")
"""RFC 6750, 2.1, loosely: any text that fits in one header; most servers refuse longer ones."""

PASSING = {408, 425, 429}
"""Refusals that are temporary, as every 5xx is."""
GRANTED = 200


class Grant(Struct, frozen=True):
    """A request for a token, and the address that grants it."""

    url: str
    client_id: str
    secret: Token  # the source of the client's secret, which is read anew each time
    scope: str | None = None
    audience: str | None = None

    def __post_init__(self) -> None:
        """Raise UsageProblem if the URL is no address, or the secret would go unencrypted."""
        host, is_open = host_of(
            self.url,
            tr("The token address is not the address of a token endpoint."),
            tr("It looks like https://host/path, without a user name or a password."),
        )
        if is_open:
            raise UsageProblem(
                tr("The client secret would travel to {host} for everybody to read.", host=host),
                tr("Give a token address that begins with https://."),
            )


class ClientCredentials(_Renewable):
    """A token of an OAuth2 endpoint: requested at first use, before it expires, and on a 401."""

    def __init__(
        self, grant: Grant, post: Callable[[str, bytes], Reply], now: Callable[[], datetime]
    ) -> None:
        super().__init__()
        self._grant, self._post, self._now = grant, post, now
        self._host = urlsplit(grant.url).hostname
        self._ends: datetime | None = None
        self._renew_at: datetime | None = None

    def get(self) -> str:
        """Return the token, renewed if it is about to expire; Interrupted if none can be had."""
        before = self._attempts
        with self._lock:
            now = self._now()
            if self._token and (self._renew_at is None or now < self._renew_at):
                return self._token
            try:
                return self._renewed(before)
            except Interrupted:
                if not self._ends or not self._token or now >= self._ends:
                    raise
                # The token is still valid: use it, and ask again half-way to its end.
                self._renew_at = now + (self._ends - now) / 2
                return self._token

    def _request(self) -> str | NoToken:
        grant, requested_at = self._grant, self._now()
        fields = {
            "grant_type": "client_credentials",
            "client_id": grant.client_id,
            "client_secret": grant.secret.get(),
            "scope": grant.scope,
            "audience": grant.audience,
        }
        form = urlencode({name: value for name, value in fields.items() if value}).encode()
        try:
            reply = self._post(grant.url, form)
        except NotYet:
            raise  # nothing was sent to the endpoint
        except Failure as error:
            text = tr(
                "The token endpoint at {host} cannot be reached: {reason}.",
                host=self._host,
                reason=error.args[0],
            )
            return Interrupted(text, tr("Try again later."))
        if reply.status in PASSING or reply.status // 100 in {1, 5}:
            text = tr(
                "The token endpoint at {host} gives no token just now (HTTP {status}).",
                host=self._host,
                status=reply.status,
            )
            return Interrupted(text, tr("Try again later."))
        document = json_object(reply.body)
        if reply.status != GRANTED:
            why = ERRORS.get(str(document.get("error")), tr("it does not say why"))
            return self._refusal(tr("{text} (HTTP {status})", text=why, status=reply.status))
        if str(document.get("token_type", "bearer")).casefold() != "bearer":
            return self._refusal(tr("its answer is not a bearer token"))
        token = document.get("access_token")
        if not (isinstance(token, str) and IS_TOKEN.fullmatch(token)):
            text = tr("The token endpoint at {host} answers what holds no token.", host=self._host)
            return Interrupted(text, tr("Try again later."))
        lifetime = _lifetime(document.get("expires_in"))
        self._ends = requested_at + lifetime if lifetime else None
        self._renew_at = self._ends - min(MARGIN, lifetime / 2) if self._ends and lifetime else None
        return token

    def _refusal(self, why: str) -> NotAuthorised:
        return NotAuthorised(
            tr("The token endpoint at {host} gives no token: {why}.", host=self._host, why=why),
            tr("Look at the token address, the client id and the client secret."),
        )


def _lifetime(value: object) -> timedelta | None:
    """Return `expires_in`, seconds as a number or as text, or None if it is neither."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = float(value[:12])
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        return None
    return timedelta(seconds=min(value, LONGEST_LIFETIME.total_seconds()))
