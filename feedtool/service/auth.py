"""Sources of the bearer token.

Specification, part "Authentication": a missing or invalid credential yields 401; "how a token is
obtained, its lifetime, scopes and refresh: not shown". So that is the profile's business, and
every way of having one is a Token:

    StaticToken         given once
    FileToken           the first line of a file, read for each call
    CommandToken        what a command prints; run again on a 401
    ClientCredentials   OAuth2: had again before it ends, and on a 401

The first three give a client's secret to the last one too; `what` is the name for messages. None of
these holds a token, a secret, what a command printed or an endpoint answered, and neither does an
exception that one was raised from.
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
from feedtool.service.grant_errors import ERRORS
from feedtool.service.network import host_of

HTTP_UNAUTHORISED = 401


class Token(Protocol):
    """A bearer token that may have to be had again. Called from several threads."""

    def get(self) -> str:
        """The token to send; NotAuthorised when none is to be had, Interrupted when just now."""
        ...

    def renew(self, stale: str) -> str:
        """A newer token than `stale`, which was refused, perhaps another thread's; or `stale`."""
        ...


def send_with(token: Token, send: Callable[[str], Reply]) -> Reply:
    """Send with the token, and once more with a renewed one when the service answers 401.

    That is safe for any call: a 401 says that it took no effect.
    """
    used = token.get()
    reply = send(used)
    if reply.status != HTTP_UNAUTHORISED:
        return reply
    renewed = token.renew(used)
    return reply if renewed == used else send(renewed)


TOKEN = tr("token")
SECRET = tr("client secret")


class StaticToken:
    """A token that was given once, on the command line or in the environment."""

    def __init__(self, token: str, what: str = TOKEN) -> None:
        self._token = _checked(token, tr("The {what}", what=what), what)

    def get(self) -> str:
        """The token."""
        return self._token

    def renew(self, stale: str) -> str:
        """There is no other: `stale`."""
        return stale


class FileToken:
    """A token on the first line of a file, which is read for each call."""

    def __init__(self, path: Path | str, what: str = TOKEN) -> None:
        self._path, self._what = Path(path), what

    def get(self) -> str:
        """The file's token as it is now."""
        try:
            content = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or tr("it is no text")
        else:
            return _first_line(
                content, tr("What the file {path} holds", path=self._path), self._what
            )
        # Raised here, it has no context, which may hold what was read.
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
        """The file's token as it is now."""
        return self.get()


NoToken: TypeAlias = NotAuthorised | Interrupted
"""Why there is no token; raised where nothing is its context, which may hold what was read."""


class _Renewable(ABC):
    """Of threads that find it stale together one has it anew; all get what that comes to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._token = ""
        self._asked = 0
        """The number of times that it was asked for, and was given or not."""
        self._failure: NoToken | None = None

    def get(self) -> str:
        before = self._asked
        with self._lock:
            return self._token or self._ask(before)

    def renew(self, stale: str) -> str:
        before = self._asked
        with self._lock:
            return self._ask(before) if self._token == stale else self._token

    def _ask(self, before: int) -> str:
        """Have it anew, unless a thread has failed to after `before` others were through."""
        if self._failure is None or self._asked == before:
            self._failure = None
            given = self._have()
            self._asked += 1
            if isinstance(given, str):
                self._token = given
                return given
            self._failure = given
        raise type(self._failure)(self._failure.message, self._failure.hint)

    @abstractmethod
    def _have(self) -> str | NoToken:
        """A new token, or why there is none."""


class CommandToken(_Renewable):
    """A token that a command prints on its first line: run at first use, and again on a 401."""

    def __init__(self, command: str | Sequence[str], what: str = TOKEN) -> None:
        """Run nothing yet. UsageProblem for no command."""
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

    def _have(self) -> str | NoToken:
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
    """A token that can travel in a header; NotAuthorised, without showing it, for any other."""
    value = value.strip()
    # A secret travels in a form, which carries any character.
    if value.isprintable() and (value.isascii() or what == SECRET) and value:
        return value
    raise NotAuthorised(
        tr(
            "{where} is no {what}: it is empty, or has characters that a {what} cannot have.",
            where=where,
            what=what,
        ),
        tr("Only ASCII letters, digits and punctuation can be sent there.")
        if what == TOKEN
        else "",
    )


# Client credentials (RFC 6749, 4.4). The service's specification says nothing of them; a form that
# is POSTed to an address and answered by `{access_token, expires_in}` is how services of this
# family do it. An error that RFC 6749 names is put in words of our own.

MARGIN = timedelta(seconds=90)
"""So long before its end a token is had anew, but never before half of its life."""
LONGEST_LIFE = timedelta(days=365)
IS_TOKEN = re.compile("[!-~]{1,16000}")
"""RFC 6750, 2.1, loosely: whatever can travel in one header; most servers refuse more."""

PASSING = {408, 425, 429}
"""Refusals that pass by themselves, as every 5xx does."""
GRANTED = 200


class Grant(Struct, frozen=True):
    """A request for a token, and the address that grants it."""

    url: str
    client_id: str
    secret: Token  # the source of the client's secret, which is read anew each time
    scope: str | None = None
    audience: str | None = None

    def __post_init__(self) -> None:
        """UsageProblem for what is no address, or would have the secret travel in the open."""
        host, is_open = host_of(
            self.url,
            tr("The token address is no address of a token endpoint."),
            tr("It looks like https://host/path, without a user name or a password."),
        )
        if is_open:
            raise UsageProblem(
                tr("The client secret would travel to {host} for everybody to read.", host=host),
                tr("Give a token address that begins with https://."),
            )


class ClientCredentials(_Renewable):
    """A token that is asked for at first use, before it ends, and on a 401, by `post_form`."""

    def __init__(
        self, grant: Grant, post: Callable[[str, bytes], Reply], now: Callable[[], datetime]
    ) -> None:
        super().__init__()
        self._grant, self._post, self._now = grant, post, now
        self._host = urlsplit(grant.url).hostname
        self._ends: datetime | None = None
        self._renew_at: datetime | None = None

    def get(self) -> str:
        """The token, a new one when it is about to end; Interrupted where none is to be had now."""
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

    def _have(self) -> str | NoToken:
        grant, asked_at = self._grant, self._now()
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
            raise  # nobody has asked the endpoint
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
            return self._refuses(tr("{text} (HTTP {status})", text=why, status=reply.status))
        if str(document.get("token_type", "bearer")).casefold() != "bearer":
            return self._refuses(tr("what it gives is no bearer token"))
        token = document.get("access_token")
        if not (isinstance(token, str) and IS_TOKEN.fullmatch(token)):
            text = tr("The token endpoint at {host} answers what holds no token.", host=self._host)
            return Interrupted(text, tr("Try again later."))
        life = _life(document.get("expires_in"))
        self._ends = asked_at + life if life else None
        self._renew_at = self._ends - min(MARGIN, life / 2) if self._ends and life else None
        return token

    def _refuses(self, why: str) -> NotAuthorised:
        return NotAuthorised(
            tr("The token endpoint at {host} gives no token: {why}.", host=self._host, why=why),
            tr("Look at the token address, the client id and the client secret."),
        )


def _life(value: object) -> timedelta | None:
    """`expires_in`, in seconds; some endpoints write it as text. None when it says nothing."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = float(value[:12])
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        return None
    return timedelta(seconds=min(value, LONGEST_LIFE.total_seconds()))
