"""Commands of feedtool that run by a fast clock, and may be killed at a write.

`tests.forked` runs these functions, each in a process of its own.
"""

import itertools
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from sqlalchemy import Connection, Engine

from feedtool.cli import run
from feedtool.cli.console import SYSTEM, Clock
from feedtool.delivery import engine, transition
from feedtool.ledger import cursors, journal, snapshots, store
from feedtool.ledger.database import writing
from feedtool.runs import annotated_copy
from tests.clocks import quick_clock


class Points:
    """Everything that is written, before and after: where a process may die."""

    def __init__(self, kill: int | str | None, trace: Path) -> None:
        self._kill = kill
        self._numbers = itertools.count()
        self._trace = os.open(trace, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)

    def reach(self, what: str) -> None:
        number = next(self._numbers)
        with suppress(OSError):  # as full as the rest
            os.write(self._trace, f"{number} {what}\n".encode())
        if self._kill in (number, what):
            os.kill(os.getpid(), signal.SIGKILL)

    def watch(self) -> None:
        """Stop at the ledger's commits, snapshots and annotated copies."""

        @contextmanager
        def watched(engine: Engine) -> Iterator[Connection]:
            name = sys._getframe(2).f_code.co_name  # noqa: SLF001  # the only way to know who asks
            with writing(engine) as db:
                yield db
                self.reach(f"before {name}")
            self.reach(f"after {name}")

        for room in (store, cursors, journal):
            mock.patch.object(room, "writing", watched).start()
        for owner, name in ((snapshots.Snapshots, "keep"), (annotated_copy, "annotate")):
            around = self._around(getattr(owner, name), name)
            mock.patch.object(owner, name, around).start()

    def _around(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def around(*args: Any, **kwargs: Any) -> Any:
            self.reach(f"before {name}")
            found = function(*args, **kwargs)
            self.reach(f"after {name}")
            return found

        return around


def killed(at: int, *arguments: str) -> list[str]:
    """Runs a command in a process that dies of SIGKILL at a write; all that it was to write."""
    Path("points").unlink(missing_ok=True)
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        Points(at, Path("points")).watch()
        os._exit(run(list(arguments), quick_clock()))
    os.waitpid(child, 0)
    return Path("points").read_text().splitlines()


SHORTEST = 0.005
"""Seconds that a wait takes at least, so that what it is for can come about."""
PAUSE = 0.05
"""Pause between two looks of commands that watch a folder or a ledger."""
SOONER = 10
"""Times sooner that such commands read the state of a package again."""


def fast_clock(epoch: float, speed: float, shortest: float = SHORTEST) -> Clock:
    """The command's time, which runs as fast as the sandbox's."""

    def now() -> datetime:
        real = datetime.now(UTC).timestamp()
        return datetime.fromtimestamp(epoch + (real - epoch) * speed, UTC)

    def wait(event: threading.Event, seconds: float) -> None:
        event.wait(max(seconds / speed, min(seconds, shortest)))

    return Clock(now, time.monotonic, wait)


def in_quick_time(arguments: Sequence[str]) -> int:
    """Run a command whose clock skips its waits."""
    return run(arguments, quick_clock())


def in_fast_time(arguments: Sequence[str], epoch: float, speed: float) -> int:
    """Run a command whose clock runs `speed` times faster from `epoch` on."""
    return run(arguments, fast_clock(epoch, speed))


def with_short_waits(arguments: Sequence[str], speed: float) -> int:
    """Run a command by the machine's clock, with waits `speed` times shorter.

    That clock decides when the state of a package is read again, so that this pause is shorter too.
    """
    pause = transition.poll_pause

    def shorter(tries: int) -> timedelta:
        return pause(tries) / SOONER

    with mock.patch.object(transition, "poll_pause", shorter):
        return run(arguments, fast_clock(0, speed, PAUSE)._replace(now=SYSTEM.now))


def command(
    arguments: Sequence[str],
    epoch: float,
    speed: float,
    kill: int | str | None = None,
    limit: int | None = None,
    bug: str | None = None,
) -> int:
    """Runs a command whose output is in `stdout` and `stderr` of its folder.

    Each point that it reaches is a line of `points`; at `kill`, the number or the name of one, it
    dies of SIGKILL. `limit` is the most bytes that a file may grow to, `bug` the text of an
    exception in the midst of the delivery.
    """
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), number)
    Path("points").unlink(missing_ok=True)
    Points(kill, Path("points")).watch()
    if limit:
        sys.dont_write_bytecode = True  # a module cut short there would be everybody's
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if bug:
        mock.patch.object(engine, "read_answer", side_effect=ValueError(bug)).start()
    return in_fast_time(arguments, epoch, speed)
