"""Runs commands in a process of its own, and measures what each of them takes.

The process reads a list of arguments a line, as JSON, and answers each with its figures. It is
made anew after a command that took much memory, since Python does not give all of it back.
"""

import json
import subprocess
import sys
import time
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

ROOT = Path(__file__).resolve().parents[2]
HUNGRY = 100
"""MiB from which on the next command gets a new process."""

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


@dataclass(frozen=True, slots=True)
class Figures:
    """What a command came to, and what it took."""

    code: int
    mib: float
    """The most memory that the process had meanwhile; 0 where the system does not tell."""
    seconds: float
    """Of a processor, so that other work on the machine counts little."""


class Measured:
    """A process that runs feedtool's commands; a context manager."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def run(self, arguments: list[str], out: Path) -> Figures:
        """Run a command, its stdout going to a file."""
        process = self._process or self._begin()
        told = _pipe(process.stdin)
        told.write(f"{json.dumps([str(out), *arguments])}\n")
        told.flush()
        answer = _pipe(process.stdout).readline()
        assert answer, "the process ended without an answer"
        figures = Figures(**json.loads(answer))
        if figures.mib > HUNGRY:
            self._end()
        return figures

    def _begin(self) -> "subprocess.Popen[str]":
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.corpus.measured"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        return self._process

    def _end(self) -> None:
        if self._process is not None:
            _pipe(self._process.stdin).close()
            self._process.wait()
            _pipe(self._process.stdout).close()
            self._process = None


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


def peak_mib() -> float:
    """The most memory of this process since it was last cleared; 0 where the system does not tell.

    Of `VmHWM`, since the peak that getrusage tells begins with that of the process that forked.
    """
    lines = _STATUS.read_text("ascii").splitlines() if _STATUS.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0)


def _measure(arguments: list[str]) -> Figures:
    from feedtool.cli import run

    if _CLEAR.exists():
        _CLEAR.write_text("5", "ascii")
    begun = time.process_time()
    code = run(arguments)
    return Figures(code, peak_mib(), time.process_time() - begun)


def main() -> None:
    """Run what is asked for until there is no more."""
    for line in sys.stdin:
        out, *arguments = json.loads(line)
        with Path(out).open("w", encoding="utf-8") as file, redirect_stdout(file):
            figures: Any = asdict(_measure(arguments))
        print(json.dumps(figures), flush=True)  # noqa: T201  # what it is for


if __name__ == "__main__":
    main()
