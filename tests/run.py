"""Run all checks and tests: `python tests/run.py`.

--fix       first fix what a tool can fix: formatting, simple findings, generated parts of pages
--long      run the tests that take minutes, and no others
--coverage  count the lines and branches that the tests reach, which takes longer
--newest    do it in a new environment with the newest versions that pyproject.toml allows
--lock      only write constraints.txt anew, with the newest versions
All other arguments go to pytest: `python tests/run.py tests/sheets -k canonical`.

A failure stops nothing, so that one run shows all failures; the exit code is 1 if any failed.
"""

import os
import subprocess
import sys
import sysconfig
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TOOLS = Path(sysconfig.get_path("scripts"))
"""The folder of this environment's tools."""

PAGES = ["README.md", "docs/*.md", "docs/*/*.md", "feedtool/areas/*/README.md"]
FIXES = {
    "ruff check": ["ruff", "check", "--fix", "."],
    "ruff format": ["ruff", "format", "."],
    "pages": ["cog", "-I", ".", "-r", *PAGES],
}
CHECKS = {
    "ruff check": ["ruff", "check", "."],
    "ruff format": ["ruff", "format", "--check", "."],
    "import-linter": ["lint-imports"],
    "prose": ["python", "-m", "tests.prose", "--max", "tests/prose.json"],
    "pages": ["cog", "-I", ".", "--check", "--diff", *PAGES],
    "mypy": ["mypy"],
}
"""These run in parallel to the tests, one after the other."""
LOCK = ["uv", "pip", "compile", "--upgrade", "--universal", "--all-extras", "--quiet"]
LOCK += ["--custom-compile-command", "python tests/run.py --lock", "--python-version", "3.11"]
LOCK += ["--no-annotate", "--output-file", "constraints.txt", "pyproject.toml"]
WORKERS = max(2, min(os.cpu_count() or 1, 8))
PYTEST = ["pytest", "-n", str(WORKERS), "--dist", "worksteal"]
"""A worker runs neighbouring tests, which share fixtures, and then takes tests of others."""
PROGRAMS = ["python", "-m", "tests.programs"]
"""Installs the system's programs that tests need, if they are missing."""
BYTECODE = ["python", "-m", "compileall", "-q", "-j", "0", "feedtool"]
"""Compiles the package once, which all processes would do at the same time in a new clone."""
COVERAGE = ["--cov", "--cov-report="]
OWN = ["--fix", "--long", "--coverage", "--newest", "--lock"]
ENVIRONMENT = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""The environment without the variable that makes each process compile the whole package."""
MEMORY = Path("/dev/shm")  # noqa: S108  # the folder in it is our own
ROOM = 1 << 30
"""Bytes: many times the need of the tests at any moment."""
LONGEST = 360
"""The most seconds that a run should take on two idle cores."""


def main(arguments: list[str]) -> int:
    """Run the checks and tests that the arguments select, and print a summary."""
    for_pytest = [argument for argument in arguments if argument not in OWN]
    if "--lock" in arguments:
        return run("lock", LOCK)
    if "--newest" in arguments:
        return run_with_newest([argument for argument in arguments if argument != "--newest"])
    run("programs", PROGRAMS)
    run("bytecode", BYTECODE)
    if "--long" in arguments:
        return test([*PYTEST, "-m", "long", *for_pytest])
    for name, command in FIXES.items() if "--fix" in arguments else ():
        run(name, command)
    is_counted = "--coverage" in arguments
    begun = time.monotonic()
    with ThreadPoolExecutor(1) as beside:
        checks = beside.submit(check)
        code = test([*PYTEST, *(COVERAGE if is_counted else []), *for_pytest])
        summary = [*checks.result(), line_of("tests", code, begun)]
    summary += [covered()] if is_counted else []
    seconds = time.monotonic() - begun
    if seconds > LONGEST and not is_counted:
        summary.append(f"  warning: this took {seconds:.0f} s, more than {LONGEST} s")
    print("", "What ran:", *summary, sep="\n")
    return int(any(line.startswith("  FAILED") for line in summary))


def check() -> list[str]:
    """Run all checks; print their output, and return a line of the summary for each."""
    lines = []
    for name, command in CHECKS.items():
        begun = time.monotonic()
        done = call(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines.append(line_of(name, done.returncode, begun))
        print(f"\n== {name}: {' '.join(command)}\n{done.stdout}", flush=True)
    return lines


def line_of(name: str, code: int, begun: float) -> str:
    return f"  {'FAILED' if code else 'passed'}  {name} ({time.monotonic() - begun:.0f} s)"


def run_with_newest(arguments: list[str]) -> int:
    """Do the same in a new environment, without the versions of constraints.txt."""
    with TemporaryDirectory(prefix="feedtool-newest-") as folder:
        venv.create(folder, with_pip=True)
        tools = sysconfig.get_path("scripts", vars={"base": folder})
        for command in (
            [f"{tools}/pip", "install", "-e", ".[dev]"],
            [f"{tools}/python", __file__, *arguments],
        ):
            if code := subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603  # our own
                return code
    return 0


def test(command: list[str]) -> int:
    """Run pytest with a folder for temporary files that is deleted afterwards."""
    with TemporaryDirectory(
        prefix="feedtool-tests-", dir=memory(), ignore_cleanup_errors=True
    ) as folder:
        Path(folder).chmod(0o711)  # a server of the tests may run as another user
        return run("tests", command, {"TMPDIR": folder})


def memory() -> Path | None:
    """The folder in memory, if programs can run from it and it has room; else None.

    A disk would be slow at each commit of each test's ledger.
    """
    with suppress(OSError):
        disk = os.statvfs(MEMORY)
        is_large = disk.f_bavail * disk.f_frsize >= ROOM
        if is_large and not disk.f_flag & os.ST_NOEXEC and os.access(MEMORY, os.W_OK | os.X_OK):
            return MEMORY
    return None


def run(name: str, command: list[str], more: dict[str, str] | None = None) -> int:
    """Run a tool, with more in its environment, and return its exit code."""
    print(f"\n== {name}: {' '.join(command)}", flush=True)
    return call(command, env={**ENVIRONMENT, **(more or {})}).returncode


def call(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    program = [str(TOOLS / command[0]), *command[1:]]
    return subprocess.run(program, cwd=ROOT, text=True, check=False, **{"env": ENVIRONMENT, **more})  # noqa: S603  # our tools


def covered() -> str:
    """A line of the summary on coverage; `coverage report -m` lists the missing lines."""
    done = call(["coverage", "report", "--format=total"], capture_output=True)
    return f"  {done.stdout.strip() or '?'} % of lines and branches covered"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
