"""Hooks and webhooks that report a run.

They never hold up the work: each has its own thread, with a queue, and the wait at the end is
limited. A failure is only a warning. A notice may come twice, since an answer may be lost: it has
an `id`, and equal notices have the same.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from io import UnsupportedOperation
from queue import Queue
from time import monotonic
from typing import Any, NamedTuple

from feedtool.model.call import Call, Failure, Reply
from feedtool.model.command import words_of
from feedtool.model.errors import FeedtoolError, UsageProblem, reason_of
from feedtool.model.text import plural, tr
from feedtool.service.answers import AnswerKind, kind_of, retry_after
from feedtool.service.fetch import TRIES
from feedtool.service.network import Timeouts, host_of
from feedtool.service.pace import back_off

_NAMES = ("TOKEN", "TOKEN_COMMAND", "CLIENT_SECRET", "CLIENT_SECRET_COMMAND", "HOOK", "WEBHOOK")
SECRETS = frozenset(f"FEEDTOOL_{name}" for name in (*_NAMES, "LEDGER"))
"""Variables that a hook does not get: it may be a program of somebody else. A ledger's address may
contain a password."""

LONGEST_HOOK = 60.0
"""The most seconds that a hook may take."""
TIMEOUTS = Timeouts(connect=10, answer=20, whole=30)
MOST_WAITING = 1_000
"""The most notices that wait for one target; more are left out, with a warning."""
REDIRECTS = 3
"""The first digit of these statuses."""
_CALL = Call("POST", "", frozenset(range(200, 300)))

Warn = Callable[[str], None]
Post = Callable[[str, bytes], Reply]


class NoticeAttempt(NamedTuple):
    """The failure of a notice, if any, and whether and when to try again."""

    failure: str | None = None
    is_final: bool = False
    after: float | None = None
    """Seconds to wait before the next try, if the other side says so."""


class Hook:
    """A command of the user."""

    def __init__(self, command: str, longest: float = LONGEST_HOOK) -> None:
        """Parse the command; UsageProblem for an unreadable or empty one."""
        try:
            self._command = words_of(command)
        except ValueError as error:
            raise UsageProblem(
                tr("the hook command cannot be read: {error}", error=error), tr("fix its quotes")
            ) from error
        if not self._command:
            raise UsageProblem(
                tr("the hook command is empty"), tr("name a command, or leave --hook out")
            )
        self.name = tr(
            "the hook {command}", command=self._command[0]
        )  # its arguments may be secrets
        self._longest = longest
        self._running: subprocess.Popen[bytes] | None = None

    def send(self, body: bytes) -> NoticeAttempt:
        """Run it, with the notice on its stdin; its output goes to stderr."""
        environment = {name: text for name, text in os.environ.items() if name not in SECRETS}
        try:
            with subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
                self._command,
                stdin=subprocess.PIPE,
                stdout=_stderr(),
                env=environment,
                start_new_session=True,  # Ctrl-C does not reach it, and `kill` ends the group
            ) as process:
                self._running = process
                try:
                    process.communicate(body, self._longest)
                except subprocess.TimeoutExpired:
                    self.kill()
                    return NoticeAttempt(
                        tr("it took longer than {longest:g} s", longest=self._longest)
                    )
        except OSError as error:
            return NoticeAttempt(reason_of(error), is_final=True)
        finally:
            self._running = None
        code = process.returncode
        return NoticeAttempt(tr("it ended with exit code {code}", code=code) if code else None)

    def kill(self) -> None:
        """Kill the command, and all that it started."""
        if process := self._running:
            with suppress(OSError):
                if hasattr(os, "killpg"):
                    os.killpg(process.pid, signal.SIGKILL)
                else:
                    process.kill()


def _stderr() -> int:
    """Return the target of a hook's output; never stdout, which is for data."""
    try:
        return sys.stderr.fileno()
    except (AttributeError, OSError, UnsupportedOperation):
        return subprocess.DEVNULL


class Webhook:
    """An address that takes a POST."""

    def __init__(self, url: str, post: Post) -> None:
        """Check the address; UsageProblem if it is wrong, or would send the summary unencrypted."""
        host, is_open = host_of(
            url,
            tr("the webhook is not an address"),
            tr("it looks like https://host/path, without a user name or a password"),
        )
        if is_open:
            raise UsageProblem(
                tr("the results of a run would travel to {host} without encryption", host=host),
                tr("give a webhook that begins with https://"),
            )
        self._url, self._post = url, post
        self.name = tr("the webhook at {host}", host=host)  # for many services the path is a secret

    def send(self, body: bytes) -> NoticeAttempt:
        try:
            reply = self._post(self._url, body)
        except Failure as error:
            return NoticeAttempt(str(error).replace(self._url, self.name))
        kind = kind_of(_CALL, reply)
        if kind is AnswerKind.DONE:
            return NoticeAttempt()
        is_redirect = reply.status // 100 == REDIRECTS
        return NoticeAttempt(
            tr("it answers HTTP {status}, which is not followed", status=reply.status)
            if is_redirect
            else tr("it answers HTTP {status}", status=reply.status),
            is_final=is_redirect or kind in {AnswerKind.REFUSED, AnswerKind.AUTH},
            after=retry_after(reply, datetime.now(UTC)),
        )

    def kill(self) -> None:
        """Do nothing: a call ends by itself, and nobody waits for it."""


Target = Hook | Webhook


def _post(url: str, body: bytes) -> Reply:
    from feedtool.service.client import post_json

    return post_json(url, body, TIMEOUTS)


def targets_of(hook: str | None, webhook: str | None, post: Post = _post) -> dict[str, Target]:
    """Return the targets that are named, each by its own key; UsageProblem for a wrong one."""
    targets: dict[str, Target] = {}
    if hook:
        targets[f"hook {hook}"] = Hook(hook)
    if webhook:
        targets[f"webhook {webhook}"] = Webhook(webhook, post)
    return targets


class Notifier:
    """Send notices to all targets, each in its own thread."""

    def __init__(
        self,
        warn: Warn,
        jitter: Callable[[], float] = random.random,
        wait: Callable[[threading.Event, float], object] = threading.Event.wait,
    ) -> None:
        """Start no thread yet; `warn` gets each failure, in any thread."""
        self._warn, self._jitter, self._wait = warn, jitter, wait
        self._is_closed = threading.Event()
        self._queues: dict[str, tuple[Target, Queue[bytes], threading.Thread]] = {}

    def send(self, targets: Mapping[str, Target], notice: bytes) -> None:
        """Queue a notice for targets, each by its own key; return at once."""
        for key, target in targets.items():
            if key not in self._queues:
                queue = Queue[bytes]()
                # A daemon thread does not keep the process alive.
                thread = threading.Thread(target=self._work, args=(target, queue), daemon=True)
                self._queues[key] = target, queue, thread
                thread.start()
            _, queue, _ = self._queues[key]
            if (waiting := queue.unfinished_tasks) >= MOST_WAITING:
                self._warn(
                    tr(
                        "{name} was not told of a run: {waiting:,} others wait",
                        name=target.name,
                        waiting=waiting,
                    )
                )
            else:
                queue.put(notice)

    def close(self, within: float) -> None:
        """Wait until all is sent, at most `within` seconds, then give up the rest."""
        end = monotonic() + within
        for _, queue, _ in self._queues.values():
            queue.put(b"")  # the end of the queue
        try:
            for _, _, thread in self._queues.values():
                thread.join(max(0.0, end - monotonic()))
        except (KeyboardInterrupt, FeedtoolError):
            within = 0.0  # the exit code is that of the run anyway
        self._is_closed.set()
        for target, queue, thread in self._queues.values():
            if thread.is_alive() and (left := queue.unfinished_tasks - 1):
                runs = plural("a run", "{count:,} runs", left)
                self._warn(
                    tr(
                        "{name} was not told of {runs} within {within:g} s",
                        name=target.name,
                        runs=runs,
                        within=within,
                    )
                )
                target.kill()

    def _work(self, target: Target, queue: "Queue[bytes]") -> None:
        while notice := queue.get():
            if failure := self._failure(target, notice):
                self._warn(
                    tr("{name} was not told of a run: {failure}", name=target.name, failure=failure)
                )
            queue.task_done()

    def _failure(self, target: Target, notice: bytes) -> str | None:
        """Return the reason why a notice could not be sent, after some tries."""
        for times in range(1, TRIES + 1):
            attempt = target.send(notice)
            if self._is_closed.is_set() or attempt.failure is None:
                return None  # `close` has warned already
            if attempt.is_final:
                return attempt.failure
            if times < TRIES:
                pause = attempt.after
                if pause is None:
                    pause = back_off(times, self._jitter()).total_seconds()
                self._wait(self._is_closed, pause)
        return tr("{failure} (tried {tries} times)", failure=attempt.failure, tries=TRIES)


def as_body(fields: Mapping[str, Any]) -> bytes:
    """Return a notice with its `id`: equal notices have the same, in every try and process."""
    digest = sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()
    return json.dumps({"id": digest[:32], **fields}).encode() + b"\n"
