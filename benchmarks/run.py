"""What README's figures come from: `python benchmarks/run.py [NAME…] [--repeat N] [--small]`.

Each contender is a process of its own, measured from its start to its end; contenders take turns,
so that what else the machine does meets all of them alike. What they found is compared before any
figure counts. The result is a Markdown table of medians.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "benchmarks"
FEEDTOOL = Path(sysconfig.get_path("scripts")) / "feedtool"
PYTHON = sys.executable
OFTEN = 21
"""Rounds of what takes milliseconds."""
ROWS_WRONG = 1
"""feedtool's exit code when some rows are."""
AS_INSTALLED = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""Modules are compiled before they are measured, as they are where a wheel was installed."""


class Size(NamedTuple):
    """How many rows the workbooks have."""

    rows: int = 50_000
    many: int = 1_000_000
    of_cells: int = 625_000
    """Of 16 cells each: ten million."""
    programs: int | None = None
    """How many programs' ways of writing; None is all of them."""


SMALL = Size(500, 500, 500, 1)
"""Shows that all of them work; its figures say nothing."""


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
    at_most: float | None = None
    """The limit of feedtool's time over the other's; without one, the other's over feedtool's."""


def corpus(rows: int) -> Path:
    """The workbook; a process of its own makes it, so that this one stays small."""
    return Path(printed_by(HERE / "corpus.py", str(rows)))


def printed_by(*command: str | Path) -> str:
    """What a script prints, as one line."""
    return subprocess.check_output([PYTHON, *command], cwd=ROOT, text=True).strip()


def once(command: Sequence[str | Path], printed: Path) -> Figures:
    """Runs a contender and measures it; its peak of memory is at least what this process has."""
    errors = printed.with_suffix(".err")
    begun = time.perf_counter()
    with printed.open("wb") as out, errors.open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT, env=AS_INSTALLED)
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, ROWS_WRONG):
        raise SystemExit(f"{command} ended with {process.returncode}: {errors.read_text('utf-8')}")
    return Figures(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def measure(job: Job, repeat: int) -> list[list[Figures]]:
    """All figures of each contender; the first round only warms up, unless it is the only one."""
    with tempfile.TemporaryDirectory() as folder:
        printed = [Path(folder) / str(number) for number in range(len(job.contenders))]
        figures: list[list[Figures]] = [[] for _ in job.contenders]
        for number in range(repeat + 1):
            tell(f"{job.title}: round {number} of {repeat}")
            for own, contender, out in zip(figures, job.contenders, printed, strict=True):
                own.append(once(contender.command, out))
            if job.same and not number:
                files = job.written or printed
                subprocess.run([PYTHON, HERE / "compare.py", job.same, *files], check=True)
    return [own[1:] or own for own in figures]


def validate(size: Size) -> Iterator[Job]:
    """Read, check, encode."""
    path = corpus(size.rows)
    yield Job(
        f"validate {size.rows:,} rows, 16 columns",
        [
            Contender(
                "openpyxl read-only + jsonschema + json",
                [PYTHON, HERE / "baseline_validate.py", path],
            ),
            Contender("feedtool", [FEEDTOOL, "validate", "--format", "json", path]),
        ],
        same="problems",
    )


def recipe(size: Size) -> Iterator[Job]:
    """The same rows, made by a recipe with a join, four expressions and two maps of values."""
    path = corpus(size.rows)
    folder = Path(printed_by("-m", "benchmarks.recipe", path, str(size.rows)))
    plain: list[str | Path] = [FEEDTOOL, "validate", "--format", "json", path]
    yield Job(
        f"validate {size.rows:,} rows, join {size.rows:,}",
        [
            Contender("feedtool with a recipe", [*plain, "--recipe", folder / "bench.toml"]),
            Contender("feedtool", plain),
        ],
    )


def annotate(size: Size) -> Iterator[Job]:
    """Write an answer beside every row."""
    path = corpus(size.rows)
    ways = {"openpyxl": "openpyxl load + save, unchecked", "feedtool": "feedtool"}
    copies = {way: path.with_name(f"annotated-{way}.xlsx") for way in ways}
    yield Job(
        f"annotate {size.rows:,} rows, check the copy",
        [
            Contender(name, [PYTHON, HERE / "annotate.py", way, path, copies[way], str(size.rows)])
            for way, name in ways.items()
        ],
        same="cells",
        written=list(copies.values()),
    )


def million(size: Size) -> Iterator[Job]:
    """Read, check, encode: a million rows, by one process and by two."""
    command: list[str | Path] = [FEEDTOOL, "validate", "--format", "json", corpus(size.many)]
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "feedtool.toml"
        config.write_text("[profile.one.reading]\nprocesses = 1\n", "utf-8")
        yield Job(
            f"validate {size.many:,} rows, 16 columns",
            [
                Contender("feedtool, one process", [*command, "--config", config, "--profile=one"]),
                Contender("feedtool", command),
            ],
            same="problems",
        )


def start(_: Size) -> Iterator[Job]:
    """How long a newcomer waits for the list of commands."""
    yield short("`--help`", "click", [FEEDTOOL, "--help"])


def ten(_: Size) -> Iterator[Job]:
    """How long one waits for the check of a few rows."""
    with ten_rows() as path:
        yield short("validate 10 rows", "click", [FEEDTOOL, "validate", path], at_most=2.2)


def ten_sent(_: Size) -> Iterator[Job]:
    """How long one waits for the answers to a few rows, which the sandbox gives at once."""
    with ten_rows() as path:
        ours: list[str | Path] = [FEEDTOOL, "submit", "--sandbox", "--home", path.parent, path]
        yield short("submit 10 rows to the sandbox", "sqlalchemy, httpx", ours, at_most=3.0)


@contextmanager
def ten_rows() -> Iterator[Path]:
    """A workbook of ten rows, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(shutil.copy(corpus(10), folder))


def short(
    title: str, modules: str, ours: Sequence[str | Path], at_most: float | None = None
) -> Job:
    """A command of milliseconds, compared with the import of what it could hardly do without."""
    bare = Contender(f'`python -c "import {modules}"`', [PYTHON, "-c", f"import {modules}"])
    return Job(title, [bare, Contender("feedtool", ours)], at_least=OFTEN, at_most=at_most)


def cells(size: Size) -> Iterator[Job]:
    """Read cells in every way that a program writes them."""
    from benchmarks.cells import PROGRAMS
    from benchmarks.corpus import COLUMNS

    module = ("-m", "benchmarks.cells")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cells.xlsx"
        for program in islice(PROGRAMS, size.programs):
            printed_by(*module, "make", program, str(size.of_cells), path)
            yield Job(
                f"read {size.of_cells * len(COLUMNS):,} cells of {program}",
                [
                    Contender(name, [PYTHON, *module, way, path])
                    for way, name in (("lxml", "lxml, bare parse"), ("feedtool", "feedtool"))
                ],
                same="text",
                at_most=1.5,
            )


JOBS: dict[str, Callable[[Size], Iterable[Job]]] = {
    "validate": validate,
    "recipe": recipe,
    "annotate": annotate,
    "million": million,
    "start": start,
    "ten": ten,
    "ten-sent": ten_sent,
    "cells": cells,
}


def lines(job: Job, repeat: int) -> Iterator[str]:
    """Measures a job; its lines of the table. A ratio is that of the line's way over another."""
    from benchmarks import table

    load = table.load()
    figures = measure(job, max(repeat, job.at_least) if repeat else 0)
    middles = [Figures(*(median(column) for column in zip(*own, strict=True))) for own in figures]
    usual, ours = middles[0], middles[-1]
    for contender, own in zip(job.contenders, middles, strict=True):
        ratio = ""
        if own is ours and job.at_most:
            ratio = f"{over(own, usual)}, at most {job.at_most}"
        elif own is not ours and not job.at_most:
            ratio = over(own, ours)
        times = f"{own.seconds:.2f} s", f"{own.cpu:.2f} s"
        memory = f"{own.mebibytes:.0f} MiB"
        yield table.line(job.title, contender.name, *times, ratio, memory, load)


def over(one: Figures, other: Figures) -> str:
    """How many times as long one takes as the other; in brackets, of the processor's time."""
    return f"{one.seconds / other.seconds:.2f} ({one.cpu / other.cpu:.2f})"


def tell(text: str) -> None:
    """How far it is, for whoever looks at it."""
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    """Runs the jobs that were asked for and prints their table."""
    from benchmarks import table

    parser = argparse.ArgumentParser(description="Measures what README tells.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(JOBS)}")
    parser.add_argument("--repeat", type=int, default=5, help="rounds (default 5)")
    parser.add_argument("--small", action="store_true", help="500 rows, one round: does it work?")
    asked = parser.parse_args()
    unknown = set(asked.names) - JOBS.keys()
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}; choose of {', '.join(JOBS)}")
    size, repeat = (SMALL, 0) if asked.small else (Size(), asked.repeat)
    jobs = (job for name in asked.names or JOBS for job in JOBS[name](size))
    told = [line for job in jobs for line in lines(job, repeat)]
    title = (
        "One small round"
        if asked.small
        else f"Medians of {asked.repeat} rounds, of {OFTEN} where a command takes milliseconds"
    )
    print(table.told(title, told))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
