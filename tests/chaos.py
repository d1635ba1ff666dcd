"""A sheet through a bad network and a dozen SIGKILLs: `python -m tests.chaos [SEED]`.

The real command sends 1,500 rows to the sandbox on a port. A proxy between them loses, delays and
spoils some of the requests and answers, and the process is killed at one write after the other;
`resume` goes on each time. At the end each row of the annotated workbook is compared with what
the sandbox applied: none is lost, doubled or told otherwise than it is. It takes about a minute,
and ends with exit code 1 and what differs if a row is wrong.
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
"""A process is killed within so many writes; see `tests.resume.runner`."""


@dataclass
class Chaos(World):
    """A seller with a long sheet, in uploads and packages of more than a few rows."""

    kills: int = KILLS
    """So many are still to come."""

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
        """Be killed so often, go on, compare; gives one line on what happened.

        Raises:
            AssertionError: A row is wrong, or there was no end.
        """
        self.meet(str(seed), Plan(faults=MANY))
        done = self.go_on(kills=self._points(random.Random(seed)))  # noqa: S311  # to be repeated
        assert self.kills == 0, f"{self.kills} kills did not happen"
        assert done[-1].code in {1, 9}, done[-1]
        self.check()
        faults = self.served.proxy.plan.done
        rows = Counter(status for told in self.answers().values() for status in told)
        return (
            f"all {self.rows:,} rows are right: {_counts(rows)}\n"
            f"{len(done)} commands, {faults.total():,} requests: {_counts(faults)}"
        )

    def _points(self, luck: random.Random) -> Iterator[int]:
        """Where the next command is killed, if it gets there."""
        while self.kills:
            yield luck.randrange(WRITES)


def _counts(of: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in of.most_common())


def main(arguments: list[str]) -> int:
    """Run it with the seed given, or with one of its own."""
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
