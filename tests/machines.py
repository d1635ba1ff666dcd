"""Machines, each with a home of its own, and processes of feedtool that run there until killed."""

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
    """What a test leaves to chance; when it fails it says how to do so again."""
    seed = int(os.environ.get("CHANCE_SEED") or random.SystemRandom().randrange(1 << 30))
    print(f"run it again with: CHANCE_SEED={seed} pytest '{node}' -m 'long or not long'")  # noqa: T201
    return random.Random(seed)  # noqa: S311  # no secret


@dataclass(frozen=True)
class Machine:
    """Where processes run: their folder, with the home `h`, and what they find around them."""

    folder: Path
    words: tuple[str, ...]
    """The command that it is there for, and its options."""
    environment: Mapping[str, str] = field(default_factory=dict)
    runs: str = "tests.resume.runner:with_short_waits"
    """The function, as `module:name`, that runs a command in its process."""

    def start(self, *words: str) -> Child:
        """A process of its command, with further options."""
        return self._run(*self.words, *words)

    def run(self, *words: str) -> tuple[int, str]:
        """Another command there: its exit code, and what it printed."""
        with self._run(*words, stdout=PIPE) as process:
            said, _ = process.communicate(DEADLINE)
        return process.wait(), said

    def _run(self, *words: str, stdout: int | None = None) -> Child:
        usual = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "HOME": "/nonexistent"}
        # What they say is shown when the test fails.
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
    """Ends with them."""
    processes: list[Child] = field(default_factory=list)
    """Those that are to live."""

    def __post_init__(self) -> None:
        self._next: Iterator[Machine] = cycle(self.machines)

    def start(self, *more: str) -> Child:
        """One more process, on the next machine."""
        process = next(self._next).start(*more)
        self.stack.callback(process.wait, DEADLINE)
        self.stack.callback(process.kill)
        self.processes.append(process)
        return process

    def kill(self, victim: Child) -> None:
        """As the system does when it is out of memory."""
        self.processes.remove(victim)
        victim.send_signal(signal.SIGKILL)
        victim.wait(DEADLINE)

    def end(self) -> None:
        """SIGTERM for those that are left."""
        for one in self.processes:
            one.terminate()
            assert one.wait(DEADLINE) == 0

    def wait_for(self, condition: Callable[[], bool], seconds: float = DEADLINE) -> None:
        """Until it is so, while none of them has failed."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.state()
            assert {one.poll() for one in self.processes} <= {None, 0}
            time.sleep(0.01)

    def state(self) -> object:
        """What there is, for whoever waits in vain."""
        return None
