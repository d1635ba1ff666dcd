"""Runs commands of feedtool, each in a process of its own that may be killed at a write.

A process that has imported all that a command needs, and forks one for each line of JSON that it
reads on standard input:

    arguments    the command line
    folder       where it runs
    epoch        since when time runs `speed` times faster, for the command as for the sandbox
    speed
    kill         if any, the point at which it is to die of SIGKILL, by its number or its name
    limit        if any, the most bytes that a file may grow to
    environment  what is added to the command's environment
    bug          if any, the text of an exception in the midst of the delivery

It prints the command's exit code, negative where a signal ended it. The command's output is in
`stdout` and `stderr` of its folder; each point that it reached is a line of `points`.
"""

import itertools
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest import mock

from sqlalchemy import Connection, Engine

from feedtool.cli import run
from feedtool.cli.errors import Clock
from feedtool.delivery import engine
from feedtool.ledger import cursors, snapshots, store
from feedtool.ledger.database import writing
from feedtool.runs import annotated_copy
from tests.forked import import_all


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

        for room in (store, cursors):
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
        os._exit(run(list(arguments)))
    os.waitpid(child, 0)
    return Path("points").read_text().splitlines()


def fast_clock(epoch: float, speed: float) -> Clock:
    """The command's time, which runs as fast as the sandbox's."""

    def now() -> datetime:
        real = datetime.now(UTC).timestamp()
        return datetime.fromtimestamp(epoch + (real - epoch) * speed, UTC)

    def wait(event: threading.Event, seconds: float) -> None:
        event.wait(seconds / speed)

    return Clock(now, time.monotonic, wait)


def command(asked: dict[str, Any]) -> int:
    """Runs one command in the process that is to be its own."""
    os.chdir(asked["folder"])
    for number, name in ((0, os.devnull), (1, "stdout"), (2, "stderr")):
        flags = os.O_RDONLY if number == 0 else os.O_CREAT | os.O_TRUNC | os.O_WRONLY
        os.dup2(os.open(name, flags, 0o600), number)
    Path("points").unlink(missing_ok=True)
    Points(asked.get("kill"), Path("points")).watch()
    os.environ.update(asked.get("environment", {}))
    tempfile.tempdir = None  # TMPDIR may be another one by now
    if limit := asked.get("limit"):
        sys.dont_write_bytecode = True  # a module cut short there would be everybody's
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    if bug := asked.get("bug"):
        mock.patch.object(engine, "read_answer", side_effect=ValueError(bug)).start()
    return run(asked["arguments"], fast_clock(asked["epoch"], asked["speed"]))


def main() -> None:
    import_all()
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            code = 99
            try:
                code = command(asked)
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  # its answer


if __name__ == "__main__":
    main()
