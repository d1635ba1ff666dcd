"""Judges many files in a process of its own: a crash, a hang or hunger is seen from outside.

    python -m tests.fuzz.worker KIND… --seed 1 --count 500 [--first 0] [--keep FOLDER]

A case is known by its kind, the seed and its number. For each kind a line on stdout is a JSON
object with the figures.
"""

import argparse
import faulthandler
import json
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.corpus.measured import clear_peak, peak_mib
from tests.fuzz import seeds
from tests.fuzz.mutation import spoil_bytes, spoil_markup, spoil_package, spoil_text
from tests.fuzz.trial import judge

SECONDS = 60
"""Time for one file: the slowest takes about 0.1 s, so a file that takes longer hangs."""

MOST_FAILURES = 40

NOW = "now.txt"
"""The file with the command that repeats the case under way, in the folder of failures."""

Spoil = Callable[[bytes, Random], bytes]

KINDS: dict[str, tuple[Callable[[], dict[str, bytes]], Spoil, str]] = {
    "zip-bytes": (seeds.workbooks, spoil_bytes, ".xlsx"),
    "zip-parts": (seeds.workbooks, spoil_package, ".xlsx"),
    "zip-markup": (seeds.workbooks, spoil_markup, ".xlsx"),
    "csv-bytes": (seeds.texts, spoil_bytes, ".csv"),
    "csv-text": (seeds.texts, spoil_text, ".csv"),
}
"""The files to spoil, and the way."""


@dataclass
class Figures:
    """The result of a run."""

    begun_mib: float
    """The memory of the process before the first case."""
    cases: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    """`rows`, or the code of the file error → how many."""
    failures: list[dict[str, str]] = field(default_factory=list)
    peak_mib: float = 0
    """The most memory that the process has had beyond that."""
    hungriest: str = ""
    """The case that raised it last by more than a MiB."""

    def add_failure(self, again: str, error: BaseException) -> None:
        """Note a failure, once for each place where it happens."""
        frames = traceback.extract_tb(error.__traceback__)
        place = next((f for f in reversed(frames) if "feedtool" in f.filename), frames[-1])
        where = f"{Path(place.filename).name}:{place.lineno}"
        if all(known["where"] != where for known in self.failures):
            what = f"{type(error).__name__}: {error}"[:600]
            self.failures.append({"where": where, "what": what, "again": again})


def spoilt(kind: str, seed: int, number: int) -> bytes:
    """The bytes of one case."""
    make, spoil, _ = KINDS[kind]
    valid = make()
    chance = Random(f"{kind} {seed} {number}")  # noqa: S311  # no secret
    data = valid[chance.choice(sorted(valid))]
    return spoil(data, chance)


def run(kind: str, asked: argparse.Namespace, folder: Path, figures: Figures) -> None:
    """Judge spoilt files of a kind; go on after a failure."""
    keep = asked.keep or folder
    file = folder / f"case{KINDS[kind][2]}"
    command = f"python -m tests.fuzz.worker {kind} --seed {asked.seed}"
    for number in range(asked.first, asked.first + asked.count):
        again = f"{command} --first {number} --count 1"
        file.write_bytes(spoilt(kind, asked.seed, number))
        (keep / NOW).write_text(again, "utf-8")
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            figures.outcomes[judge(file, folder)] += 1
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a finding
            name = f"{kind}-{asked.seed}-{number}{file.suffix}"
            (keep / name).write_bytes(file.read_bytes())
            figures.add_failure(again, error)
        finally:
            faulthandler.cancel_dump_traceback_later()
        figures.cases += 1
        peak = peak_mib() - figures.begun_mib
        if peak > figures.peak_mib + 1:
            figures.hungriest = again
        figures.peak_mib = max(peak, figures.peak_mib)
        if len(figures.failures) >= MOST_FAILURES:
            return


def main(arguments: list[str]) -> int:
    """Run one kind after the other, print the figures of each, and return the exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kinds", nargs="+", choices=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="where the files that fail are put")
    asked = parser.parse_args(arguments)
    clear_peak()
    begun = peak_mib()
    warnings.simplefilter("error")
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
    memory = Path("/dev/shm")  # noqa: S108  # only spares the disk; any folder will do
    for kind in asked.kinds:
        figures = Figures(begun)
        spare = TemporaryDirectory(dir=memory if memory.is_dir() else None)
        with spare as folder, suppress(KeyboardInterrupt):
            run(kind, asked, Path(folder), figures)
        print(json.dumps(vars(figures)))  # noqa: T201  # what it is for
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
