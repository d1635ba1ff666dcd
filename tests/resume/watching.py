"""A watched folder with its watchers, each a process of its own, on one machine or on two."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from feedtool.areas.registry import sandbox_parts
from feedtool.ledger import Ledger
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import applied_requests
from tests.resume.world import COMMAND, DEADLINE, ROOT, SHOP, Served
from tests.resume.writers import SETTLE


def chance(node: str) -> random.Random:
    """What a test leaves to chance; when it fails it says how to do so again."""
    seed = int(os.environ.get("WATCH_SEED") or random.SystemRandom().randrange(1 << 30))
    print(f"run it again with: WATCH_SEED={seed} pytest '{node}' -m 'long or not long'")  # noqa: T201
    return random.Random(seed)  # noqa: S311  # no secret


@dataclass(frozen=True)
class Machine:
    """Where a watcher runs: its own folder, home and name for the watched folder, which is `w`."""

    folder: Path
    options: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)

    def start(self, *more: str) -> subprocess.Popen[str]:
        command = (*COMMAND, "watch", "w", "--home", "h", *self.options)
        usual = {"PYTHONPATH": str(ROOT), "PATH": os.defpath, "HOME": "/nonexistent"}
        # What they say is shown when the test fails.
        return subprocess.Popen(  # noqa: S603  # our own command
            [*command, *(more or ("--settle", str(SETTLE), "--poll", "0.1"))],
            cwd=self.folder,
            env={**usual, **self.environment},
            text=True,
        )


@dataclass
class Watched:
    """A folder, the machines that know it, and the watchers that run there."""

    root: Path
    ledger: Path | str
    machines: list[Machine]
    applied: Callable[[], list[str]]
    """The references of the offers that the service has taken, each as often as it has."""
    stack: ExitStack
    watchers: list[subprocess.Popen[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.inbox = self.root / "inbox"
        self._next = cycle(self.machines)

    def start(self, *more: str) -> subprocess.Popen[str]:
        """One more watcher, on the next machine."""
        process = next(self._next).start(*more)
        self.stack.callback(process.wait, DEADLINE)
        self.stack.callback(process.kill)
        self.watchers.append(process)
        return process

    def kill(self, victim: subprocess.Popen[str]) -> None:
        """As the system does when it is out of memory."""
        self.watchers.remove(victim)
        victim.send_signal(signal.SIGKILL)
        victim.wait(DEADLINE)

    def end(self) -> None:
        """SIGTERM for those that still watch."""
        for one in self.watchers:
            one.terminate()
            assert one.wait(DEADLINE) == 0

    def names(self, part: str, pattern: str = "*") -> list[str]:
        paths = (self.root / part).rglob(pattern)
        return sorted(path.name for path in paths if path.is_file() and path.name[0] != ".")

    def summaries(self) -> list[str]:
        """The files that were answered, each as often as it was."""
        paths = (self.root / "results").glob("*.summary.json")
        return sorted(json.loads(path.read_text("utf-8"))["file"] for path in paths)

    def is_quiet(self) -> bool:
        return not self.names("inbox") and not self.names("processing")

    def claimed(self) -> list[str]:
        """The sources of the claims that are not ended."""
        folder = (self.root / ".feedtool-folder").read_text()
        with Ledger(self.ledger) as ledger:
            return [claim.source for claim in ledger.claims.under_way(folder)]

    def wait_for(self, condition: Callable[[], bool], seconds: float = DEADLINE) -> None:
        """Until it is so, while all watchers run."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.names(".")
            assert all(one.poll() is None for one in self.watchers)
            time.sleep(0.02)


@contextmanager
def one_machine(folder: Path) -> Iterator[Watched]:
    """Its ledger is SQLite in a file, and the sandbox in its home."""
    (folder / "w" / "inbox").mkdir(parents=True)
    home = folder / "h"

    def applied() -> list[str]:
        with Sandbox(sandbox_parts(), home / "sandbox.sqlite") as sandbox:
            return [str(one.reference) for one in applied_requests(sandbox)]

    with ExitStack() as stack:
        machine = Machine(folder, ("--sandbox",))
        yield Watched(folder / "w", home / "ledger.sqlite", [machine], applied, stack)


@contextmanager
def two_machines(folder: Path, served: Served, ledger: str) -> Iterator[Watched]:
    """They share the ledger on a server, and the folder, which each knows by a path of its own."""
    (folder / "share" / "inbox").mkdir(parents=True)
    seller = str(folder)
    shop = SHOP.format(base=served.proxy.base, seller=seller, timeout=60)
    machines = []
    for name in ("one", "other"):
        own = folder / name
        own.mkdir()
        (own / "w").symlink_to(folder / "share")
        (own / "feedtool.toml").write_text(shop, "utf-8")
        machines.append(Machine(own, ("--profile", "shop"), {"FEEDTOOL_LEDGER": ledger}))

    def applied() -> list[str]:
        return [str(one.reference) for one in served.applied(seller)]

    with ExitStack() as stack:
        yield Watched(folder / "share", ledger, machines, applied, stack)
