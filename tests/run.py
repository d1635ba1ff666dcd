"""All tests and checks, in one command: `python tests/run.py`.

--fix       first fixes what a tool can fix: formatting, simple findings, generated parts of pages
--long      runs only the tests that take minutes
--coverage  counts the lines and branches that the tests go through, which takes longer
Everything else goes to pytest: `python tests/run.py tests/sheets -k canonical`.

Nothing stops at the first failure, so that one run tells all; the exit code is 1 if any failed.
"""

import os
import subprocess
import sys
import sysconfig
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sysconfig.get_path("scripts"))
"""Where the tools of this Python's own environment are."""

PAGES = ["README.md", "docs/*.md", "docs/*/*.md", "feedtool/areas/*/README.md"]
FIXES = {
    "ruff check": ["ruff", "check", "--fix", "."],
    "ruff format": ["ruff", "format", "."],
    "pages": ["cog", "-I", ".", "-r", *PAGES],
}
CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "import-linter": ["lint-imports"],
    "pages": ["cog", "-I", ".", "--check", "--diff", *PAGES],
}
WORKERS = min((os.cpu_count() or 1) + 1, 8)
"""One more than processors, for the tests of other processes often wait for them."""
PYTEST = ["pytest", "-n", str(WORKERS), "--dist", "worksteal"]
"""A worker takes neighbours, which share fixtures, and when it is done takes from the others."""
PROGRAMS = ["python", "-m", "tests.programs"]
"""Installs what tests need of the system, where it is not there."""
COVERAGE = ["--cov", "--cov-report="]
OWN = ["--fix", "--long", "--coverage"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The tests start many processes, each of which would compile the whole package anew."""
MEMORY = Path("/dev/shm")  # noqa: S108  # the folder in it is our own
ROOM = 1 << 30
"""Bytes, many times what the tests need at a time."""


def main(arguments: list[str]) -> int:
    """Runs what was asked for and sums it up."""
    asked = [one for one in arguments if one not in OWN]
    run("programs", PROGRAMS)
    if "--long" in arguments:
        return test([*PYTEST, "-m", "long", *asked])
    for name, command in FIXES.items() if "--fix" in arguments else ():
        run(name, command)
    is_counted = "--coverage" in arguments
    steps = {**CHECKS, "tests": [*PYTEST, *(COVERAGE if is_counted else []), *asked]}
    summary = []
    codes = []
    for name, command in steps.items():
        begun = time.monotonic()
        codes.append(test(command) if name == "tests" else run(name, command))
        seconds = time.monotonic() - begun
        summary.append(f"  {'FAILED' if codes[-1] else 'passed'}  {name} ({seconds:.0f} s)")
    summary += [covered()] if is_counted else []
    print("", "What ran:", *summary, sep="\n")  # noqa: T201  # what it is for
    return int(any(codes))


def test(command: list[str]) -> int:
    """Runs pytest with a folder for temporary files that is gone afterwards."""
    with TemporaryDirectory(
        prefix="feedtool-tests-", dir=memory(), ignore_cleanup_errors=True
    ) as folder:
        return run("tests", command, {"TMPDIR": folder})


def memory() -> Path | None:
    """The folder that is kept in memory, where programs run from it and it has room.

    A disk takes its time over each commit of each test's ledger.
    """
    with suppress(OSError):
        there = os.statvfs(MEMORY)
        is_large = there.f_bavail * there.f_frsize >= ROOM
        if is_large and not there.f_flag & os.ST_NOEXEC and os.access(MEMORY, os.W_OK | os.X_OK):
            return MEMORY
    return None


def run(name: str, command: list[str], more: dict[str, str] | None = None) -> int:
    """Runs a tool, with more in its environment, and gives its exit code."""
    print(f"\n== {name}: {' '.join(command)}", flush=True)  # noqa: T201  # what it is for
    called = [str(TOOLS / command[0]), *command[1:]]
    environment = {**ENVIRONMENT, **(more or {})}
    done = subprocess.run(called, cwd=ROOT, env=environment, check=False)  # noqa: S603  # our tools
    return done.returncode


def covered() -> str:
    """One line on what the tests went through; `coverage report -m` tells where they did not."""
    told = subprocess.run(  # noqa: S603  # our tools
        [TOOLS / "coverage", "report", "--format=total"],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    return f"  {told.stdout.strip() or '?'} % of lines and branches covered"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
