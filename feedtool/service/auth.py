"""Sources of the bearer token.

Specification, part "Authentication": a missing or invalid credential yields 401; "how a token is
obtained, its lifetime, scopes and refresh: not shown". So that is the profile's business, and
every way of having one is a Token:

    StaticToken         given once
    FileToken           the first line of a file, read for each call
    CommandToken        what a command prints; run again on a 401
    ClientCredentials   OAuth2, in `oauth`: had again before it ends, and on a 401

The first three give a client's secret to the last one too. No message here holds a token, a
secret or what a command printed, and neither does any exception that one was raised from.
"""

import os
import shlex
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from feedtool.model.call import Reply
from feedtool.model.errors import NotAuthorised, UsageProblem

LONGEST_WAIT = 60.0
"""The most seconds that a token command may take."""

HTTP_UNAUTHORISED = 401

IS_WINDOWS = os.name == "nt"


class Token(Protocol):
    """A bearer token that may have to be had again. Called from several threads."""

    def get(self) -> str:
        """The token to send; NotAuthorised when none is to be had, Interrupted when just now."""
        ...

    def renew(self, stale: str) -> str:
        """A newer token than `stale`, which the service refused, or `stale` itself.

        When another thread has renewed it already, that one's.
        """
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


TOKEN = "token"  # noqa: S105 - the word, for messages
SECRET = "client secret"  # noqa: S105 - the word, for messages


class StaticToken:
    """A token that was given once, on the command line or in the environment."""

    def __init__(self, token: str, what: str = TOKEN) -> None:
        """Take the token, or the secret that `what` calls it."""
        self._token = _checked(token, f"The {what}", what)

    def get(self) -> str:
        """The token."""
        return self._token

    def renew(self, stale: str) -> str:
        """There is no other: `stale`."""
        return stale


class FileToken:
    """A token on the first line of a file, which is read for each call."""

    def __init__(self, path: Path | str, what: str = TOKEN) -> None:
        """Read nothing yet; `what` is what messages call it."""
        self._path, self._what = Path(path), what

    def get(self) -> str:
        """The file's token as it is now."""
        try:
            content = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is no text"
        else:
            return _first_line(content, f"What the file {self._path} holds", self._what)
        # Raised here, it has no context, which may hold what was read.
        raise NotAuthorised(
            f"The {self._what} file {self._path} cannot be read: {reason}.",
            f"It holds the {self._what} alone, on its first line.",
        )

    def renew(self, stale: str) -> str:  # noqa: ARG002 - the file alone knows
        """The file's token as it is now."""
        return self.get()


class CommandToken:
    """A token that a command prints on its first line: run at first use, and again on a 401."""

    def __init__(self, command: str | Sequence[str], what: str = TOKEN) -> None:
        """Run nothing yet; `what` is what messages call it. UsageProblem for no command."""
        self._what = what
        try:
            self._command = words_of(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise UsageProblem(f"The {what} command cannot be read: {error}.") from error
        if not self._command:
            raise UsageProblem(f"The {what} command is empty.")
        self._lock = threading.Lock()
        self._token = ""

    def get(self) -> str:
        """The token that the command printed."""
        with self._lock:
            return self._token or self._run()

    def renew(self, stale: str) -> str:
        """Run the command again, unless another thread has done so."""
        with self._lock:
            return self._run() if self._token == stale else self._token

    def _run(self) -> str:
        # Its stderr goes where ours goes, so that it may ask for a passphrase there.
        try:
            done = subprocess.run(  # noqa: S603 - the user's own command, and no shell
                self._command, stdout=subprocess.PIPE, check=True, timeout=LONGEST_WAIT
            )
            printed = done.stdout.decode()
        except subprocess.CalledProcessError as error:
            why = f"it ended with exit code {error.returncode}"
        except subprocess.TimeoutExpired:
            why = f"it took longer than {LONGEST_WAIT:g} s"
        except UnicodeDecodeError:
            why = "what it prints is no text"
        except OSError as error:
            why = error.strerror or "it cannot be run"
        else:
            where = f"What the {self._what} command prints"
            self._token = _first_line(printed, where, self._what)
            return self._token
        # Raised here, it has no context, which may hold what was printed.
        raise NotAuthorised(
            f"The {self._what} command {self._command[0]} gives no {self._what}: {why}.",
            f"Run it by hand: it must print the {self._what} on its first line.",
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
        f"{where} is no {what}: it is empty, or has characters that a {what} cannot have.",
        "Only ASCII letters, digits and punctuation can be sent there." if what == TOKEN else "",
    )


def words_of(command: str, *, is_windows: bool = IS_WINDOWS) -> list[str]:
    r"""The program and its arguments, split at blanks that are not in quotes.

    On Windows a backslash is one, as in `C:\tools\told.exe`; elsewhere it takes the next
    character as it is. Raises ValueError for a quote that is never closed.
    """
    if is_windows:
        return [word.strip('"') for word in shlex.split(command, posix=False)]
    return shlex.split(command)
