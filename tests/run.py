"""All tests and checks, in one command: `python tests/run.py`.

--fix       first mends what can be mended: formatting, simple findings, README's generated parts
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sysconfig.get_path("scripts"))
"""Where the tools of this Python's own environment are."""

FIXES = {
    "ruff check": ["ruff", "check", "--fix", "."],
    "ruff format": ["ruff", "format", "."],
    "README": ["cog", "-I", ".", "-r", "README.md"],
}
CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "mypy": ["mypy"],
    "import-linter": ["lint-imports"],
    "README": ["cog", "-I", ".", "--check", "--diff", "README.md"],
}
PYTEST = ["pytest", "-n", "2", "--dist", "worksteal"]
"""A worker takes neighbours, which share fixtures, and when it is done takes from the other."""
COVERAGE = ["--cov", "--cov-report="]
OWN = ["--fix", "--long", "--coverage"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The tests start many processes, each of which would compile the whole package anew."""
WORLDS = ["tests/agreement", "tests/corpus", "tests/fuzz", "tests/resume", "tests/simulation"]
"""Whole worlds, run by the thousand: counting lines would only make them slower."""


def main(arguments: list[str]) -> int:
    """Runs what was asked for and sums it up."""
    asked = [one for one in arguments if one not in OWN]
    if "--long" in arguments:
        return run("long tests", [*PYTEST, "-m", "long", *asked])
    for name, command in FIXES.items() if "--fix" in arguments else ():
        run(name, command)
    is_counted = "--coverage" in arguments
    steps = {**CHECKS, **tests(asked, COVERAGE if is_counted else [])}
    summary = []
    codes = []
    for name, command in steps.items():
        begun = time.monotonic()
        codes.append(run(name, command))
        seconds = time.monotonic() - begun
        summary.append(f"  {'FAILED' if codes[-1] else 'passed'}  {name} ({seconds:.0f} s)")
    summary += [covered()] if is_counted else []
    print("", "What ran:", *summary, sep="\n")  # noqa: T201  # what it is for
    return int(any(codes))


def tests(asked: list[str], counting: list[str]) -> dict[str, list[str]]:
    """What was asked for, or all: the worlds apart from the others."""
    if asked:
        return {"tests": [*PYTEST, *counting, *asked]}
    others = [f"--ignore={world}" for world in WORLDS]
    return {"tests": [*PYTEST, *counting, *others], "whole worlds": [*PYTEST, *WORLDS]}


def run(name: str, command: list[str]) -> int:
    """Runs a tool, and gives its exit code."""
    print(f"\n== {name}: {' '.join(command)}", flush=True)  # noqa: T201  # what it is for
    called = [str(TOOLS / command[0]), *command[1:]]
    done = subprocess.run(called, cwd=ROOT, env=ENVIRONMENT, check=False)  # noqa: S603  # our tools
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
