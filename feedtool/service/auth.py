"""Where the bearer token comes from.

Specification, part "Authentication": a missing or invalid credential yields 401; "how a token is
obtained, its lifetime, scopes and refresh: not shown". So that is the profile's business, and
every way of having one is a Token. No message here holds a token or what a command printed.
"""

from __future__ import annotations

import shlex
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from feedtool.errors import NotAuthorised, UsageProblem
from feedtool.service.wire import header_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from feedtool.service.wire import Reply

LONGEST_WAIT = 60.0
"""How long a token command may take, in seconds."""

HTTP_UNAUTHORISED = 401


class Token(Protocol):
    """A bearer token that may have to be had again. Called from several threads."""

    def get(self) -> str:
        """The token to send; NotAuthorised when none is to be had."""
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


class StaticToken:
    """A token that was given once, on the command line or in the environment."""

    def __init__(self, token: str) -> None:
        self._token = _checked(token, "The token")

    def get(self) -> str:
        """The token."""
        return self._token

    def renew(self, stale: str) -> str:
        """There is no other: `stale`."""
        return stale


class FileToken:
    """A token on the first line of a file, read again whenever the file has changed."""

    def __init__(self, path: Path | str) -> None:
        self._path = Path(path)
        self._lock = threading.Lock()
        self._seen: tuple[int, int, int] | None = None
        self._token = ""

    def get(self) -> str:
        """The file's token as it is now."""
        with self._lock:
            try:
                found = self._path.stat()
                signature = (found.st_mtime_ns, found.st_size, found.st_ino)
                if signature != self._seen:
                    self._read()
                    self._seen = signature
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or "it is no text"
                raise NotAuthorised(
                    f"The token file {self._path} cannot be read: {reason}.",
                    "It holds the token alone, on its first line.",
                ) from error
            return self._token

    def renew(self, stale: str) -> str:  # noqa: ARG002 - the file alone knows
        """The file's token, read again whether or not the file seems to have changed."""
        with self._lock:
            self._seen = None
        return self.get()

    def _read(self) -> None:
        lines = self._path.read_text(encoding="utf-8-sig").splitlines()
        self._token = _checked(lines[0] if lines else "", f"What the file {self._path} holds")


class CommandToken:
    """A token that a command prints on its first line: run at first use, and again on a 401."""

    def __init__(self, command: str | Sequence[str]) -> None:
        try:
            self._command = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise UsageProblem(f"The token command cannot be read: {error}.") from error
        if not self._command:
            raise UsageProblem("The token command is empty.")
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
            lines = done.stdout.decode().splitlines()
        except subprocess.CalledProcessError as error:
            raise self._failed(f"it ended with exit code {error.returncode}") from None
        except subprocess.TimeoutExpired:
            raise self._failed(f"it took longer than {LONGEST_WAIT:g} s") from None
        except UnicodeDecodeError:
            raise self._failed("what it prints is no text") from None
        except OSError as error:
            raise self._failed(error.strerror or "it cannot be run") from error
        self._token = _checked(lines[0] if lines else "", "What the token command prints")
        return self._token

    def _failed(self, why: str) -> NotAuthorised:
        return NotAuthorised(
            f"The token command {self._command[0]} gives no token: {why}.",
            "Run it by hand: it must print the token on its first line.",
        )


def _checked(token: str, what: str) -> str:
    """A token that can travel in a header; NotAuthorised, without showing it, for any other."""
    try:
        return header_value(what, token.strip())
    except UsageProblem as problem:
        raise NotAuthorised(
            f"{what} is no token: it is empty, or has characters that a token cannot have.",
            problem.hint,
        ) from None
