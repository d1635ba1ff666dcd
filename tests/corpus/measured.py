"""Runs commands, each in a process of its own, and measures what each of them takes.

A process that has imported what they need reads a list of arguments a line, as JSON, and forks one
that answers with its figures: what ran before takes no part in them.
"""

import gc
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Self

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "offers-mistakes.xlsx"
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


@dataclass(frozen=True, slots=True)
class Figures:
    """The exit code of a command, and its memory and time."""

    code: int
    mib: float
    """The most memory that the process had meanwhile; 0 where the system does not tell."""
    seconds: float
    """Seconds of a processor, so that other work on the machine counts little."""


class Measured:
    """Runs feedtool's commands; a context manager."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.corpus.measured"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        _pipe(self._process.stdin).close()
        self._process.wait()
        _pipe(self._process.stdout).close()

    def run(self, arguments: list[str], out: Path) -> Figures:
        """Run a command, its stdout going to a file."""
        stdin = _pipe(self._process.stdin)
        stdin.write(f"{json.dumps([str(out), *arguments])}\n")
        stdin.flush()
        answer = _pipe(self._process.stdout).readline()
        assert answer != "\n", "the command's process ended without an answer"
        return Figures(**json.loads(answer))


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def peak_mib() -> float:
    """The most memory of this process since it was last cleared; 0 where the system does not tell.

    Of `VmHWM`, since the peak that getrusage tells begins with that of the process that forked.
    """
    lines = _STATUS.read_text("ascii").splitlines() if _STATUS.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0)


def clear_peak() -> None:
    """Have the peak begin with the memory that this process has now."""
    if _CLEAR.exists():
        _CLEAR.write_text("5", "ascii")


def _measure(arguments: list[str]) -> Figures:
    from feedtool.cli import run

    clear_peak()
    begun = time.process_time()
    code = run(arguments)
    return Figures(code, peak_mib(), time.process_time() - begun)


def main() -> None:
    """Run what is asked for until there is no more."""
    with TemporaryDirectory() as folder:  # imports what a command needs
        path = shutil.copy(SAMPLE, folder)
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            _measure(["validate", path, "--annotate", "--home", folder])
    gc.freeze()
    for line in sys.stdin:
        out, *arguments = json.loads(line)
        child = os.fork()
        if not child:
            with Path(out).open("w", encoding="utf-8") as file, redirect_stdout(file):
                figures = _measure(arguments)
            print(json.dumps(asdict(figures)), flush=True)  # noqa: T201  # what it is for
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status:
            print(flush=True)  # noqa: T201  # no answer


if __name__ == "__main__":
    main()
