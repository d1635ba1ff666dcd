"""Processes forked from one that has imported all of feedtool, since imports take long.

Each is a separate process with its folder, environment and streams; only its imports are done
already. `tests/cli/test_process.py` tests the normal start of a process.
"""

import atexit
import fcntl
import gc
import json
import math
import os
import pkgutil
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path
from subprocess import DEVNULL, PIPE, TimeoutExpired
from tempfile import TemporaryDirectory, mkdtemp
from typing import IO, Any, Self

import feedtool
from feedtool.cli import output, run
from tests.ledger import cluster

CALLER = """\
#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect({address!r})
    socket.send_fds(line, [b"."], [0, 1, 2])
    request = json.dumps([{function!r}, [sys.argv[1:]], os.getcwd(), dict(os.environ)])
    line.sendall(request.encode() + b"\\n")
    line.recv({number})
    sys.exit(int.from_bytes(line.recv({number}), "little", signed=True))
"""
"""The script `feedtool` for shells: it passes arguments, folder, environment and streams to the
process that forks."""

NUMBER = 4
"""Bytes of a process's id, and of its exit code, as the process that forks sends them."""
POLL = 1.0
"""Seconds after which the process that forks checks whether the run of the tests has ended."""
BROKEN = 99
"""The exit code of a forked process whose function raised an exception."""

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "samples" / "offers-mistakes.xlsx"
LATE = (
    "jsonschema",
    "openpyxl",
    "platformdirs",
    "procrastinate",
    "psycopg_pool",
    "rapidfuzz.process",
)
"""Modules that feedtool's functions import late, and that take time."""
OURS = ("tests.ledger.lines", "tests.resume.runner", "tests.worker.quick_worker")
"""Modules of the functions that tests run."""


@contextmanager
def forking(folder: Path, function: str = "feedtool.cli:run") -> Iterator[None]:
    """Put a script `feedtool` into the folder while the context lasts.

    `function`, as `module:name`, is what it runs.
    """
    caller = folder / "feedtool"
    text = CALLER.format(
        python=sys.executable, address=_address(), number=NUMBER, function=function
    )
    caller.write_text(text, "utf-8")
    caller.chmod(0o700)
    yield
    caller.unlink()


@cache
def _address() -> str:
    """The address of the process that forks, one for all processes of a run of the tests."""
    if cluster.SHARED in os.environ:
        folder = Path(os.environ[cluster.SHARED])
    else:
        folder = Path(mkdtemp(prefix="feedtool-forked-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = folder / "forked"
    with (folder / "forked.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not address.exists():
            _start(address)
    return str(address)


def _start(address: Path) -> None:
    """Start the process that forks, which lives until the run of the tests ends."""
    # It sends a file itself, which must not go into the ledger of a test.
    environment = {
        name: text for name, text in os.environ.items() if not name.startswith("FEEDTOOL_")
    }
    owner = os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
    process = subprocess.Popen(  # noqa: S603  # ourselves
        [sys.executable, "-m", "tests.forked", str(address), str(owner)],
        cwd=ROOT,
        env={**environment, "PYTHONUNBUFFERED": "1"},
        stdin=DEVNULL,
        stdout=PIPE,
        start_new_session=True,
    )
    STARTED.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"listening\n"


STARTED: list[subprocess.Popen[bytes]] = []
"""Keeps the started process: an object that is collected would warn that it still runs."""


class Child:
    """A forked process that runs a function; its methods are those of `subprocess.Popen`."""

    def __init__(
        self,
        function: str,
        *arguments: Any,
        folder: Path,
        environment: Mapping[str, str] = os.environ,
        stdin: int | None = DEVNULL,
        stdout: int | None = None,
        stderr: int | None = None,
    ) -> None:
        """`function` is `module:name`; the arguments go through JSON, and it returns a code."""
        self.returncode: int | None = None
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(_address())
        with ExitStack() as stack:
            (child_in, self.stdin), (child_out, self.stdout), (child_err, self.stderr) = (
                _stream(stack, stream, number)
                for number, stream in enumerate((stdin, stdout, stderr))
            )
            socket.send_fds(self._line, [b"."], [child_in, child_out, child_err])
        request = [function, arguments, str(folder), dict(environment)]
        self._line.sendall(json.dumps(request).encode() + b"\n")
        self.pid = self._number()

    def _number(self) -> int:
        received = self._line.recv(NUMBER, socket.MSG_WAITALL)
        assert received, "the process that forks has ended"
        return int.from_bytes(received, "little", signed=True)

    def poll(self) -> int | None:
        """The exit code, negative if a signal ended the process; None while it runs."""
        with suppress(TimeoutExpired):
            return self.wait(0)
        return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end, and return the exit code.

        Raises:
            TimeoutExpired: The process still runs after `timeout` seconds.
        """
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._line, selectors.EVENT_READ)
                if not selector.select(timeout):
                    raise TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = self._number()
            self._line.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it has ended, and its exit code is on the way
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Wait for the end, and return the rest of both streams; kill it after the timeout."""
        timer = threading.Timer(timeout, self.kill)
        timer.start()
        try:
            self._close(self.stdin)
            out, err = (stream.read() if stream else "" for stream in (self.stdout, self.stderr))
            self._close(self.stdout, self.stderr)
            self.wait()
        finally:
            timer.cancel()
        return out, err

    def _close(self, *streams: IO[str] | None) -> None:
        for stream in streams:
            if stream:
                with suppress(BrokenPipeError):
                    stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close(self.stdin, self.stdout, self.stderr)
        self.wait()


def _stream(stack: ExitStack, stream: int | None, number: int) -> tuple[int, IO[str] | None]:
    """The child's descriptor, which is closed with `stack`, and this process's end of a pipe."""
    if stream is None:
        return number, None
    if stream == DEVNULL:
        child_end = os.open(os.devnull, os.O_RDWR)
        stack.callback(os.close, child_end)
        return child_end, None
    assert stream == PIPE
    parent_end, child_end = os.pipe()
    if number == 0:
        parent_end, child_end = child_end, parent_end
    stack.callback(os.close, child_end)
    mode = "r" if number else "w"
    return child_end, open(parent_end, mode, encoding="utf-8")  # noqa: PTH123  # a descriptor


def import_all() -> None:
    """Import and prepare all that commands need, so that forked processes need not."""
    for module in pkgutil.walk_packages(feedtool.__path__, "feedtool."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in (*LATE, *OURS):
        import_module(name)
    with TemporaryDirectory() as folder:
        # The first workbook that is read and copied compiles much.
        words = ["submit", shutil.copy(SAMPLE, folder), "--sandbox", "--home", folder]
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            assert run(words) == 1
    assert threading.active_count() == 1  # a child would not have the other threads
    gc.freeze()  # children need not scan, and so copy, objects that are never garbage


def main(address: str, owner: int) -> None:
    """Fork a process for each caller, while the process `owner` lives."""
    import_all()
    # Progress is shown only if a command takes long, so it would differ between machines.
    output.LINE_INTERVAL = math.inf
    lines: dict[int, socket.socket] = {}

    def reap(*_: object) -> None:
        """Send the exit codes of ended processes to their callers."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                with lines.pop(ended[0]) as line, suppress(OSError):
                    line.sendall(_as_bytes(os.waitstatus_to_exitcode(ended[1])))

    signal.signal(signal.SIGCHLD, reap)
    with socket.socket(socket.AF_UNIX) as listening, suppress(ProcessLookupError):
        listening.bind(address)
        listening.listen()
        listening.settimeout(POLL)
        print("listening", flush=True)  # noqa: T201  # `_start` waits for this line
        while True:
            os.kill(owner, 0)
            try:
                line, _ = listening.accept()
            except TimeoutError:
                continue
            line.setblocking(True)
            # A caller must get the process's id before its exit code.
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
            child = os.fork()
            if not child:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
                for other in (listening, *lines.values()):
                    other.close()
                os._exit(_run(line))
            lines[child] = line
            with suppress(OSError):
                line.sendall(_as_bytes(child))
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    for child in [*lines]:
        os.kill(child, signal.SIGKILL)


def _as_bytes(number: int) -> bytes:
    return number.to_bytes(NUMBER, "little", signed=True)


def _run(line: socket.socket) -> int:
    """Run the caller's function in this forked process, and return its exit code."""
    try:
        _, streams, *_ = socket.recv_fds(line, 1, 3)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        function, arguments, folder, environment = json.loads(line.makefile().readline())
        line.close()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        tempfile.tempdir = None  # TMPDIR may have changed
        code: int = pkgutil.resolve_name(function)(*arguments)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001  # any failure must be shown
        traceback.print_exc()
        return BROKEN
    return code


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
