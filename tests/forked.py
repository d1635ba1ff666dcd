"""The command `feedtool` for a shell, in processes forked from one that has imported all of it.

A page of examples spends most of its time in starting Python and importing the same again and
again. Here each command is still a process of its own, with the shell's folder, environment and
streams; only what it imports is there already. That a start of its own works too is for
`tests/cli/test_process.py` to show.
"""

import gc
import json
import math
import os
import pkgutil
import shutil
import socket
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import feedtool
from feedtool.cli import output, run

CALLER = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    socket.send_fds(line, [b"."], [0, 1, 2])
    asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)])
    line.sendall(asked.encode() + b"\\n")
    sys.exit(int(line.makefile().readline()))
"""
"""What the shell calls: it hands all that it was given to the process that forks."""

BROKEN = 99
"""The exit code of a command of which nothing should be left to end so."""

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "offers-mistakes.xlsx"
LATE = ("jsonschema", "openpyxl", "platformdirs", "rapidfuzz.process")
"""What feedtool's functions import when they need it, and takes time."""


@contextmanager
def forking(folder: Path, environment: Mapping[str, str]) -> Iterator[None]:
    """For as long as the context lasts, `feedtool` in the folder is the command."""
    address = str(folder / "line")
    caller = folder / "feedtool"
    caller.write_text(CALLER.format(python=sys.executable, address=address), "utf-8")
    caller.chmod(0o700)
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(  # noqa: S603  # ourselves
        [sys.executable, "-m", "tests.forked", address],
        cwd=root,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"listening\n"
            yield
        finally:
            process.kill()


def import_all() -> None:
    """Imports and reads what any command does, so that none that is forked from here has to."""
    for module in pkgutil.walk_packages(feedtool.__path__, "feedtool."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in LATE:
        import_module(name)
    with TemporaryDirectory() as folder:
        path = shutil.copy(SAMPLE, folder)
        words = ["validate", path, "--annotate", "--home", folder]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            assert run(words) == 1
    gc.freeze()  # no child looks through, and so copies, what is never garbage


def main(address: str) -> None:
    """Runs one command after the other, for whoever calls."""
    import_all()
    # How far a run is, is told where it takes long: on a slow machine, and on no page.
    output.EVERY = math.inf
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        print("listening", flush=True)  # noqa: T201  # whoever started it waits for that
        while True:
            line, _ = listening.accept()
            with line:
                child = os.fork()
                if not child:
                    listening.close()
                    os._exit(command(line))
                _, status = os.waitpid(child, 0)
                line.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


def command(line: socket.socket) -> int:
    """Runs a command in the process that is to be its own, and gives its exit code."""
    _, streams, *_ = socket.recv_fds(line, 1, 3)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    arguments, folder, environment = json.loads(line.makefile().readline())
    line.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        code = run(arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001  # whatever it is, it is to be seen
        traceback.print_exc()
        return BROKEN
    return code


if __name__ == "__main__":
    main(sys.argv[1])
