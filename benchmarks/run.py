"""What README's figures come from: `python benchmarks/run.py [NAME…] [--repeat N]`.

Each contender is a process of its own, measured from its start to its end; contenders take turns,
so that what else the machine does meets all of them alike. What they found is compared before any
figure counts. The result is a Markdown table of medians.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
FEEDTOOL = Path(sysconfig.get_path("scripts")) / "feedtool"
ROWS = 50_000
MILLION = 1_000_000
ROWS_WRONG = 1
"""feedtool's exit code when some rows are."""
AS_INSTALLED = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""Modules are compiled before they are measured, as they are where a wheel was installed."""


class Figures(NamedTuple):
    """One process: wall clock, processor time, and memory at its peak."""

    seconds: float
    cpu: float
    mebibytes: float


@dataclass(frozen=True)
class Contender:
    """A way to do a job."""

    name: str
    command: Sequence[str | Path]


@dataclass(frozen=True)
class Job:
    """The same job done by one or more contenders, feedtool's way last."""

    title: str
    contenders: Sequence[Contender]
    same: str = ""
    """What `compare.py` finds to be the same in what they printed, or wrote."""
    written: Sequence[Path] = ()
    """The files that they write; else what they print is compared."""
    at_least: int = 1
    """Repetitions; what takes milliseconds needs more of them."""


def corpus(rows: int) -> Path:
    """The workbook; a process of its own makes it, so that this one stays small."""
    made = subprocess.run(
        [sys.executable, HERE / "corpus.py", str(rows)], check=True, capture_output=True, text=True
    )
    return Path(made.stdout.strip())


def once(command: Sequence[str | Path], printed: Path) -> Figures:
    """Runs a contender and measures it; its peak of memory is at least what this process has."""
    begun = time.perf_counter()
    with printed.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, cwd=ROOT, env=AS_INSTALLED)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, ROWS_WRONG):
        raise SystemExit(f"{command} ended with {process.returncode}")
    return Figures(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(job: Job, repeat: int) -> list[list[Figures]]:
    """All figures of each contender; the first round only warms up, and is compared."""
    with tempfile.TemporaryDirectory() as folder:
        printed = [Path(folder) / str(number) for number in range(len(job.contenders))]
        for contender, out in zip(job.contenders, printed, strict=True):
            once(contender.command, out)
        if job.same:
            subprocess.run(
                [sys.executable, HERE / "compare.py", job.same, *(job.written or printed)],
                check=True,
            )
        figures: list[list[Figures]] = [[] for _ in job.contenders]
        for number in range(max(repeat, job.at_least)):
            tell(f"{job.title}: round {number + 1}")
            for own, contender, out in zip(figures, job.contenders, printed, strict=True):
                own.append(once(contender.command, out))
    return figures


def validate() -> Job:
    """Read, check, encode: 50,000 rows."""
    path = corpus(ROWS)
    return Job(
        "validate 50,000 rows, 16 columns",
        [
            Contender(
                "openpyxl read-only + jsonschema + json",
                [sys.executable, HERE / "baseline_validate.py", path],
            ),
            Contender("feedtool", [FEEDTOOL, "validate", "--format", "json", path]),
        ],
        same="problems",
    )


def recipe() -> Job:
    """The same rows, made by a recipe with a join, four expressions and two maps of values."""
    path = corpus(ROWS)
    make = [sys.executable, "-m", "benchmarks.recipe", str(path)]
    folder = Path(subprocess.check_output(make, text=True, cwd=ROOT).strip())
    plain: list[str | Path] = [FEEDTOOL, "validate", "--format", "json", path]
    return Job(
        "validate 50,000 rows, join 50,000",
        [
            Contender("feedtool with a recipe", [*plain, "--recipe", folder / "bench.toml"]),
            Contender("feedtool", plain),
        ],
    )


def annotate() -> Job:
    """Write an answer beside 50,000 rows."""
    path = corpus(ROWS)
    ways = {"openpyxl": "openpyxl load + save, unchecked", "feedtool": "feedtool"}
    copies = {way: path.with_name(f"annotated-{way}.xlsx") for way in ways}
    return Job(
        "annotate 50,000 rows, check the copy",
        [
            Contender(
                name, [sys.executable, HERE / "annotate.py", way, path, copies[way], str(ROWS)]
            )
            for way, name in ways.items()
        ],
        same="cells",
        written=list(copies.values()),
    )


def million() -> Job:
    """Read, check, encode: a million rows."""
    ours = Contender("feedtool", [FEEDTOOL, "validate", "--format", "json", corpus(MILLION)])
    return Job("validate 1,000,000 rows, 16 columns", [ours])


def start() -> Job:
    """How long a newcomer waits for the list of commands."""
    return Job(
        "`--help`",
        [
            Contender('`python -c "import click"`', [sys.executable, "-c", "import click"]),
            Contender("feedtool", [FEEDTOOL, "--help"]),
        ],
        at_least=21,
    )


JOBS = {
    "validate": validate,
    "recipe": recipe,
    "annotate": annotate,
    "million": million,
    "start": start,
}


def lines(job: Job, figures: Sequence[Sequence[Figures]]) -> list[str]:
    """The table's lines of one job; each other way is compared with feedtool's."""
    middles = [Figures(*(median(column) for column in zip(*own, strict=True))) for own in figures]
    ours = middles[-1]
    told = []
    for contender, own in zip(job.contenders, middles, strict=True):
        ratios = f"{own.seconds / ours.seconds:.2f} ({own.cpu / ours.cpu:.2f})"
        told.append(
            f"| {job.title} | {contender.name} | {own.seconds:.2f} s | {own.cpu:.2f} s "
            f"| {'' if own is ours else ratios} | {own.mebibytes:.0f} MiB |"
        )
    return told


def tell(text: str) -> None:
    """How far it is, for whoever looks at it."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Runs the jobs that were asked for and prints their table."""
    parser = argparse.ArgumentParser(description="Measures what README tells.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(JOBS)}")
    parser.add_argument("--repeat", type=int, default=5, help="rounds (default 5)")
    asked = parser.parse_args()
    unknown = set(asked.names) - JOBS.keys()
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose of {', '.join(JOBS)}")
    load = os.getloadavg()[0]
    table = []
    for name in asked.names or JOBS:
        job = JOBS[name]()
        table += lines(job, measure(job, asked.repeat))
    when = f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, Python {sys.version.split()[0]}"
    print(f"Medians of {asked.repeat} rounds, {when}, load {load:.1f} at the beginning.\n")
    print("| Job | Way | Time | Processor | Ratio (of processor) | Peak memory |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    print("\n".join(table))


if __name__ == "__main__":
    main()
