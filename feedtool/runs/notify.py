"""Telling people and programs what came of a run: a hook command, and a webhook.

Whoever is told stands beside the work and never holds it up: each has a thread of its own, with a
queue, and at the end there is a wait with a bound. What cannot be told is warned of, and that is
all. Being told twice is possible, since an answer may be lost: a notice has an `id`, the same in
every try.

    Hook      a command without a shell, the notice on its stdin; exit code 0 says it is told
    Webhook   a POST of the notice; any 2xx says it is told
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from io import UnsupportedOperation
from queue import Queue
from time import monotonic
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from feedtool.model.call import Call, Failure, Reply
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.service.answers import Kind, kind_of, retry_after
from feedtool.service.fetch import TRIES
from feedtool.service.network import Timeouts
from feedtool.service.oauth import LOOPBACK
from feedtool.service.pace import back_off
from feedtool.service.user_command import words_of

SECRETS = frozenset(
    f"FEEDTOOL_{name}"
    for name in (
        *("TOKEN", "TOKEN_COMMAND", "CLIENT_SECRET", "CLIENT_SECRET_COMMAND"),
        *("HOOK", "WEBHOOK", "LEDGER"),
    )
)
"""Variables that a hook does not get: it may be somebody else's program. A ledger's address may
have a password in it."""

LONGEST_HOOK = 60.0
"""Seconds that a hook may take."""
TIMEOUTS = Timeouts(connect=10, answer=20, whole=30)
MOST_WAITING = 1_000
"""Notices that wait for one who is to be told; what is beyond is left out, and warned of."""
REDIRECTS = 3
"""Hundreds of a status."""

Warn = Callable[[str], None]
Post = Callable[[str, bytes], Reply]


class Told(NamedTuple):
    """What came of one try."""

    failure: str | None = None
    """Why it is not told; None where it is."""
    is_final: bool = False
    """Whether a further try is of no use."""
    after: float | None = None
    """Seconds to wait before the next, where the other side says so."""


class Target(Protocol):
    """Somebody who is told."""

    @property
    def name(self) -> str:
        """As messages call it; it holds no secret."""
        ...

    def tell(self, body: bytes) -> Told:
        """Tell it once."""
        ...

    def cut(self) -> None:
        """End a try that is under way, if that can be done."""
        ...


class Hook:
    """A command of the user's."""

    def __init__(self, command: str, longest: float = LONGEST_HOOK) -> None:
        """Run nothing yet. UsageProblem for what is no command."""
        try:
            self._command = words_of(command)
        except ValueError as error:
            raise UsageProblem(
                f"the hook command cannot be read: {error}", "mend its quotes"
            ) from error
        if not self._command:
            raise UsageProblem("the hook command is empty", "name a command, or leave --hook out")
        self._longest = longest
        self._running: subprocess.Popen[bytes] | None = None

    @property
    def name(self) -> str:
        """The program alone: what follows may be a secret."""
        return f"the hook {self._command[0]}"

    def tell(self, body: bytes) -> Told:
        """Run it, with the notice on its stdin; what it prints goes to our stderr."""
        try:
            with subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
                self._command,
                stdin=subprocess.PIPE,
                stdout=_stderr(),
                env=_without_secrets(os.environ),
                start_new_session=True,  # Ctrl-C is not meant for it, and it can be ended wholly
            ) as process:
                self._running = process
                return self._told(process, body)
        except OSError as error:
            return Told(error.strerror or "it cannot be run", is_final=True)
        finally:
            self._running = None

    def _told(self, process: subprocess.Popen[bytes], body: bytes) -> Told:
        try:
            process.communicate(body, self._longest)
        except subprocess.TimeoutExpired:
            _end(process)
            return Told(f"it took longer than {self._longest:g} s")
        code = process.returncode
        return Told(f"it ended with exit code {code}") if code else Told()

    def cut(self) -> None:
        """End it, and what it has begun."""
        if process := self._running:
            _end(process)


def _without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in SECRETS}


def _end(process: subprocess.Popen[bytes]) -> None:
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _stderr() -> int:
    """Never our stdout, which is for data."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, UnsupportedOperation):
        return subprocess.DEVNULL


class Webhook:
    """An address that takes a POST."""

    def __init__(self, url: str, post: Post) -> None:
        """Send nothing yet.

        Raises:
            UsageProblem: It is no address, or what came of a run would travel in the open.
        """
        try:
            parts = urlsplit(url)
            host, user, _ = parts.hostname, parts.username, parts.port
        except ValueError:
            host, user = None, None
        if not host or user is not None or parts.scheme not in {"http", "https"}:
            raise UsageProblem(
                "the webhook is no address",
                "it looks like https://host/path, without a user name or a password",
            )
        if parts.scheme == "http" and host not in LOOPBACK:
            raise UsageProblem(
                f"what came of a run would travel to {host} for everybody to read",
                "give a webhook that begins with https://",
            )
        self._url, self._host, self._post = url, host, post

    @property
    def name(self) -> str:
        """The host alone: the path is a secret of many services'."""
        return f"the webhook at {self._host}"

    def tell(self, body: bytes) -> Told:
        """Post it once."""
        try:
            reply = self._post(self._url, body)
        except Failure as error:
            return Told(str(error).replace(self._url, self.name))
        kind = kind_of(_CALL, reply)
        if kind is Kind.DONE:
            return Told()
        is_redirect = reply.status // 100 == REDIRECTS
        return Told(
            f"it answers HTTP {reply.status}" + (", which is not followed" * is_redirect),
            is_final=is_redirect or kind in {Kind.REFUSED, Kind.AUTH},
            after=retry_after(reply, datetime.now(UTC)),
        )

    def cut(self) -> None:
        """A call ends by itself, and nobody waits for it."""


_CALL = Call("POST", "", frozenset(range(200, 300)))


@dataclass(frozen=True, slots=True)
class Around:
    """Time and chance."""

    luck: Callable[[], float]
    wait: Callable[[threading.Event, float], object] = threading.Event.wait
    """Waits for an event, or so many seconds."""
    clock: Callable[[], float] = monotonic


class Notifier:
    """Tells everybody, each in a thread of its own."""

    def __init__(self, around: Around, warn: Warn) -> None:
        """Begin nothing; `warn` is told what could not be told, in whatever thread."""
        self._around, self._warn = around, warn
        self._lanes: dict[str, _Lane] = {}

    def tell(self, targets: Mapping[str, Target], notice: bytes) -> None:
        """Have some told, each known by a key of its own; returns at once."""
        for key, target in targets.items():
            if key not in self._lanes:
                self._lanes[key] = _Lane(target, self._around, self._warn)
            self._lanes[key].put(notice)

    def close(self, within: float) -> None:
        """Wait until all is told, but no longer than so many seconds."""
        end = self._around.clock() + within
        for lane in self._lanes.values():
            lane.close()
        try:
            for lane in self._lanes.values():
                lane.join(max(0.0, end - self._around.clock()))
        except (KeyboardInterrupt, FeedtoolError):
            within = 0.0  # whoever waits no longer has the exit code of the run all the same
        for lane in self._lanes.values():
            lane.cut(within)
        self._lanes = {}


class _Lane:
    """One who is told, and what waits for it."""

    def __init__(self, target: Target, around: Around, warn: Warn) -> None:
        self._target, self._around, self._warn = target, around, warn
        self._queue: Queue[bytes | None] = Queue()
        self._left = 0
        self._is_cut = threading.Event()
        # A daemon: the process ends when its own work does.
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def put(self, notice: bytes) -> None:
        if self._left >= MOST_WAITING:
            self._warn(f"{self._target.name} was not told of a run: {self._left:,} others wait")
            return
        self._left += 1
        self._queue.put(notice)

    def close(self) -> None:
        self._queue.put(None)

    def join(self, seconds: float) -> None:
        self._thread.join(seconds)

    def cut(self, waited: float) -> None:
        """Give up what is not told yet."""
        self._is_cut.set()
        if self._thread.is_alive() and self._left:
            runs = "a run" if self._left == 1 else f"{self._left:,} runs"
            self._warn(f"{self._target.name} was not told of {runs} within {waited:g} s")
            self._target.cut()

    def _work(self) -> None:
        while (notice := self._queue.get()) is not None:
            if failure := self._tell(notice):
                self._warn(f"{self._target.name} was not told of a run: {failure}")
            self._left -= 1

    def _tell(self, notice: bytes) -> str | None:
        """Why it could not be told, after some tries."""
        for times in range(1, TRIES + 1):
            told = self._target.tell(notice)
            if self._is_cut.is_set() or told.failure is None:
                return None  # who has cut it has warned of it
            if told.is_final:
                return told.failure
            if times < TRIES:
                pause = told.after
                if pause is None:
                    pause = back_off(times, self._around.luck()).total_seconds()
                self._around.wait(self._is_cut, pause)
        return f"{told.failure} (tried {TRIES} times)"


def as_body(fields: Mapping[str, Any]) -> bytes:
    """A notice with its `id`, which is the same in every try."""
    told = json.dumps(fields, sort_keys=True).encode()
    return json.dumps({"id": sha256(told).hexdigest()[:32], **fields}).encode() + b"\n"


def targets_of(hook: str | None, webhook: str | None, post: Post) -> dict[str, Target]:
    """Whom the settings name, each by a key of its own. UsageProblem for what cannot be."""
    found: dict[str, Target] = {}
    if hook:
        found[f"hook {hook}"] = Hook(hook)
    if webhook:
        found[f"webhook {webhook}"] = Webhook(webhook, post)
    return found
