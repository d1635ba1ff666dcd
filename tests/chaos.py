"""A sheet through a bad network and a dozen SIGKILLs: `python -m tests.chaos [SEED]`.

The real command sends 1,500 rows to the sandbox on a port. A proxy between them loses, delays and
spoils some of the requests and answers, and the process is killed at random writes; `resume` goes
on each time. At the end each row of the annotated workbook is compared with what the sandbox
applied: no row may be lost, doubled or reported wrong. It takes about a minute; if a row is wrong,
it prints the differences and ends with exit code 1.
"""

import random
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.resume.proxy import MANY, Plan
from tests.resume.world import Ran, World, serving

ROWS = 1500
KILLS = 12
WRITES = 50
"""A process is killed within this number of writes; see `tests.resume.runner`."""


@dataclass
class Chaos(World):
    """A seller with a long sheet, in uploads and packages of more than a few rows."""

    kills: int = KILLS
    """The number of kills left."""

    def __post_init__(self) -> None:
        super().__post_init__()
        path = self.folder / "feedtool.toml"
        shop = path.read_text("utf-8")
        shop = shop.replace("upload = 2\n", "upload = 5\n").replace("package = 8", "package = 60")
        path.write_text(shop, "utf-8")

    def run(self, *arguments: str, **more: Any) -> Ran:
        ran = super().run(*arguments, **more)
        self.kills -= ran.code == -signal.SIGKILL
        return ran

    def endure(self, seed: int) -> str:
        """Run with all kills, compare the rows, and return a summary.

        Raises:
            AssertionError: A row is wrong, or the run did not finish.
        """
        self.meet(str(seed), Plan(faults=MANY))
        done = self.go_on(kills=self._points(random.Random(seed)))  # noqa: S311  # to be repeated
        assert self.kills == 0, f"{self.kills} kills did not happen"
        assert done[-1].code in {1, 9}, done[-1]
        self.check()
        faults = self.served.proxy.plan.done
        rows = Counter(status for statuses in self.answers().values() for status in statuses)
        return (
            f"all {self.rows:,} rows are right: {_counts(rows)}\n"
            f"{len(done)} commands, {faults.total():,} requests: {_counts(faults)}"
        )

    def _points(self, chance: random.Random) -> Iterator[int]:
        """The number of the write at which the next command is killed, if it gets there."""
        while self.kills:
            yield chance.randrange(WRITES)


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counter.most_common())


def main(arguments: list[str]) -> int:
    """Run with the seed of the arguments, or with a random one."""
    seed = int(arguments[0]) if arguments else random.SystemRandom().randrange(1 << 30)
    print(f"seed {seed}; again by: python -m tests.chaos {seed}", flush=True)  # noqa: T201
    with TemporaryDirectory() as name, serving(Path(name)) as served:
        place = Path(name) / "world"
        try:
            world = Chaos(place, served, seller="chaos", rows=ROWS)
            print(world.endure(seed))  # noqa: T201
        except AssertionError as error:
            print(f"seed {seed}: {error}", file=sys.stderr)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
