"""Machines, each with its own home, and the processes of feedtool that run there until killed."""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from subprocess import PIPE

from tests.forked import Child
from tests.resume.world import DEADLINE, ROOT, SPEED


def chance(node: str) -> random.Random:
    """A random generator for a test; a failing test prints the command to repeat it."""
    seed = int(os.environ.get("CHANCE_SEED") or random.SystemRandom().randrange(1 << 30))
    print(f"run it again with: CHANCE_SEED={seed} pytest '{node}' -m 'long or not long'")  # noqa: T201
    return random.Random(seed)  # noqa: S311  # no secret


@dataclass(frozen=True)
class Machine:
    """A folder and an environment in which processes run, with the home `h`."""

    folder: Path
    words: tuple[str, ...]
    """The machine's usual command, with its options."""
    environment: Mapping[str, str] = field(default_factory=dict)
    runs: str = "tests.resume.runner:with_short_waits"
    """The function, as `module:name`, that runs a command in its process."""

    def start(self, *words: str) -> Child:
        """Start the usual command, with further options."""
        return self._run(*self.words, *words)

    def run(self, *words: str) -> tuple[int, str]:
        """Run another command; return its exit code and its stdout."""
        with self._run(*words, stdout=PIPE) as process:
            printed, _ = process.communicate(DEADLINE)
        return process.wait(), printed

    def _run(self, *words: str, stdout: int | None = None) -> Child:
        usual = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "HOME": "/nonexistent"}
        # pytest shows the stderr if the test fails.
        return Child(
            self.runs,
            [*words, "--home", "h"],
            SPEED,
            folder=self.folder,
            environment={**usual, **self.environment},
            stdout=stdout,
        )


@dataclass(kw_only=True)
class Crew:
    """Processes that share the work of some machines."""

    machines: list[Machine]
    stack: ExitStack
    """Kills all processes at its end."""
    processes: list[Child] = field(default_factory=list)
    """The processes that a test has not killed."""

    def __post_init__(self) -> None:
        self._next: Iterator[Machine] = cycle(self.machines)

    def start(self, *more: str) -> Child:
        """Start a process on the next machine."""
        process = next(self._next).start(*more)
        self.stack.callback(process.wait, DEADLINE)
        self.stack.callback(process.kill)
        self.processes.append(process)
        return process

    def kill(self, victim: Child) -> None:
        """Kill a process by SIGKILL."""
        self.processes.remove(victim)
        victim.send_signal(signal.SIGKILL)
        victim.wait(DEADLINE)

    def end(self) -> None:
        """End the processes that are left by SIGTERM."""
        for process in self.processes:
            process.terminate()
            assert process.wait(DEADLINE) == 0

    def wait_for(self, condition: Callable[[], bool], seconds: float = DEADLINE) -> None:
        """Wait until the condition is true; no process may fail meanwhile."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.state()
            assert {process.poll() for process in self.processes} <= {None, 0}
            time.sleep(0.01)

    def state(self) -> object:
        """A description for the message if a condition does not come true."""
        return None
