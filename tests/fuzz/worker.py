"""Judges many files in a process of its own: a crash, a hang or hunger is seen from outside.

    python -m tests.fuzz.worker KIND --seed 1 --count 500 [--first 0] [--keep FOLDER]

A case is known by its kind, the seed and its number; of those that Hypothesis makes up all of its
round up to the failing one are run again. The last line on stdout is a JSON object with the
figures.
"""

import argparse
import faulthandler
import itertools
import json
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

from tests.corpus.measured import peak_mib
from tests.fuzz import seeds, shapes
from tests.fuzz.mutation import spoil_bytes, spoil_markup, spoil_package, spoil_text
from tests.fuzz.trial import judge

SECONDS = 60
"""For one file. The slowest takes about a tenth of a second: what takes this long hangs."""

MOST_FAILURES = 40

ROUND = 250
"""Cases that Hypothesis makes up at a time: it remembers each, some 80 KiB, until it is done."""

NOW = "now.txt"
"""In the folder for what fails: how to run the case again that is under way."""

Spoil = Callable[[bytes, Random], bytes]

MUTATED: dict[str, tuple[Callable[[], dict[str, bytes]], Spoil, str]] = {
    "zip-bytes": (seeds.workbooks, spoil_bytes, ".xlsx"),
    "zip-parts": (seeds.workbooks, spoil_package, ".xlsx"),
    "zip-markup": (seeds.workbooks, spoil_markup, ".xlsx"),
    "csv-bytes": (seeds.texts, spoil_bytes, ".csv"),
    "csv-text": (seeds.texts, spoil_text, ".csv"),
}
"""What is spoilt, and how."""

MADE_UP: dict[str, tuple[SearchStrategy[bytes], str]] = {
    "made-workbooks": (shapes.workbooks(), ".xlsx"),
    "made-csv": (shapes.csv_files(), ".csv"),
}
"""What Hypothesis makes up."""

KINDS = (*MUTATED, *MADE_UP)


@dataclass(slots=True)
class Figures:
    """What a run came to."""

    kind: str
    seed: int
    cases: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    """`rows`, or the code of the file error → how many."""
    failures: list[dict[str, str]] = field(default_factory=list)
    peak_mib: float = 0
    """The most memory that the process has had."""
    hungriest: str = ""
    """The case that raised it last by more than a MiB."""
    slowest_seconds: float = 0
    slowest: str = ""


class Run:
    """Judges one file after the other."""

    def __init__(self, kind: str, seed: int, suffix: str, folder: Path, keep: Path | None) -> None:
        self.figures = Figures(kind, seed)
        self._file = folder / f"case{suffix}"
        self._folder = folder
        self._keep = keep
        self._again = f"python -m tests.fuzz.worker {kind} --seed {seed}"

    def case(self, number: int, data: bytes) -> None:
        """Judge one. Raises whatever is wrong with it."""
        again = f"{self._again} --first {number} --count 1"
        if self.figures.kind in MADE_UP:
            first = number // ROUND * ROUND
            again = f"{self._again} --first {first} --count {number - first + 1}"
        self._file.write_bytes(data)
        (self._keep or self._folder).joinpath(NOW).write_text(again, "utf-8")
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        begun = time.perf_counter()
        try:
            outcome = judge(self._file, self._folder)
            self.figures.outcomes[outcome] = self.figures.outcomes.get(outcome, 0) + 1
        except Exception:
            if self._keep:
                name = f"{self.figures.kind}-{self.figures.seed}-{number}{self._file.suffix}"
                (self._keep / name).write_bytes(data)
            raise
        finally:
            faulthandler.cancel_dump_traceback_later()
            self._measure(again, time.perf_counter() - begun)

    def failed(self, again: str, error: BaseException) -> None:
        """Note a failure, once for each place where it happens."""
        frames = traceback.extract_tb(error.__traceback__)
        place = next((f for f in reversed(frames) if "feedtool" in f.filename), frames[-1])
        where = f"{Path(place.filename).name}:{place.lineno}"
        if all(known["where"] != where for known in self.figures.failures):
            what = f"{type(error).__name__}: {error}"[:600]
            self.figures.failures.append({"where": where, "what": what, "again": again})

    def _measure(self, again: str, seconds: float) -> None:
        figures = self.figures
        figures.cases += 1
        if seconds > figures.slowest_seconds:
            figures.slowest_seconds, figures.slowest = seconds, again
        peak = peak_mib()
        if peak > figures.peak_mib + 1:
            figures.hungriest = again
        figures.peak_mib = max(peak, figures.peak_mib)


def spoilt(kind: str, seed: int, number: int) -> bytes:
    """The bytes of one case."""
    make, spoil, _ = MUTATED[kind]
    valid = make()
    chance = Random(f"{kind} {seed} {number}")  # noqa: S311  # no secret
    data = valid[chance.choice(sorted(valid))]
    return spoil(data, chance)


def run_spoilt(run: Run, first: int, count: int) -> None:
    """Judge mutated files; go on after a failure."""
    kind, seed = run.figures.kind, run.figures.seed
    for number in range(first, first + count):
        data = spoilt(kind, seed, number)
        try:
            run.case(number, data)
        except Exception as error:  # noqa: BLE001  # whatever it is, it is a finding
            run.failed(
                f"python -m tests.fuzz.worker {kind} --seed {seed} --first {number} --count 1",
                error,
            )
            if len(run.figures.failures) >= MOST_FAILURES:
                return


def run_made_up(run: Run, first: int, count: int) -> None:
    """Judge what Hypothesis makes up, round by round; it stops at a failure and makes it small."""
    last = first + count
    for number in range(first, last, ROUND):
        _run_round(run, number, min(ROUND, last - number))
        if run.figures.failures:
            return


def _run_round(run: Run, first: int, count: int) -> None:
    kind, seed = run.figures.kind, run.figures.seed
    strategy = MADE_UP[kind][0]
    numbers = itertools.count(first)

    @hypothesis.seed(f"{seed} {first}")
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def one(data: bytes) -> None:
        run.case(next(numbers), data)

    try:
        one()
    except Exception as error:  # noqa: BLE001  # whatever it is, it is a finding
        errors = error.exceptions if isinstance(error, ExceptionGroup) else (error,)
        again = f"python -m tests.fuzz.worker {kind} --seed {seed} --first {first} --count {count}"
        for found in errors:
            run.failed(again, found)


def main() -> None:
    """Run one kind, and print its figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--keep", type=Path, help="where the files that fail are put")
    asked = parser.parse_args()
    warnings.simplefilter("error")
    if asked.keep:
        asked.keep.mkdir(parents=True, exist_ok=True)
    suffix = MUTATED[asked.kind][2] if asked.kind in MUTATED else MADE_UP[asked.kind][1]
    memory = Path("/dev/shm")  # noqa: S108  # only spares the disk; any folder will do
    with TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        run = Run(asked.kind, asked.seed, suffix, Path(folder), asked.keep)
        with suppress(KeyboardInterrupt):
            if asked.kind in MUTATED:
                run_spoilt(run, asked.first, asked.count)
            else:
                run_made_up(run, asked.first, asked.count)
    print(json.dumps(asdict(run.figures)))  # noqa: T201  # what it is for


if __name__ == "__main__":
    main()
