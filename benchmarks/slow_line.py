"""The sandbox at the end of a slow line, in a process of its own, and an export over that line.

A benchmark starts itself again as the server, with `--serve`. The server says one line of JSON when
it listens, and may say another when it ends.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen, run
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the benchmark's own process is to be as small as a client's
    from feedtool.sandbox import SandboxSettings
    from feedtool.sandbox.server import Server

Spans = list[tuple[float, float]]
"""From when to when the service had each call, in seconds of a clock that all processes share."""


# The server's process.


@contextmanager
def slowed(
    latency: float, settings: "SandboxSettings | None" = None
) -> "Iterator[tuple[Server, Spans]]":
    """A sandbox on a port whose answers are all `latency` seconds late."""
    from feedtool.areas.registry import sandbox_parts
    from feedtool.sandbox.server import Server

    spans: Spans = []
    with Server(sandbox_parts(), settings=settings) as server:
        answer: Callable[..., Any] = server.sandbox.answer

        def late(*arguments: Any) -> Any:
            begun = time.monotonic()
            time.sleep(latency)
            found = answer(*arguments)
            spans.append((begun, time.monotonic()))
            return found

        server.sandbox.answer = late  # type: ignore[method-assign,assignment]  # a slow line, not a slow service
        yield server, spans


def listen(told: object) -> None:
    """Tells the benchmark that calls can come, and waits until it wants no more."""
    print(json.dumps(told), flush=True)
    sys.stdin.read()


# The benchmark's own.


class Served:
    """A server in a process of its own."""

    def __init__(self, process: Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        self.told: Any = json.loads(process.stdout.readline())

    def end(self) -> Any:
        """End it: what it says last."""
        said, _ = self._process.communicate()
        return json.loads(said)


@contextmanager
def serving(script: str, *options: str) -> Iterator[Served]:
    """A benchmark's server, with these options, for as long as the context lasts."""
    command = [sys.executable, script, "--serve", *options]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


class Exported(NamedTuple):
    """The cost of an export."""

    seconds: float
    mib: float
    """The most memory that its process has had."""
    file_mib: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s, {self.mib:.0f} MiB, a file of {self.file_mib:.1f} MiB"


PEAK = """
import sys
from feedtool.cli import run
code = run(sys.argv[1:])
print([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0])
sys.exit(code)
"""


def export(kind: str, base: str, seller: str, target: Path, *options: str) -> Exported:
    """`feedtool export KIND` in a process of its own; SystemExit where it fails."""
    command = [sys.executable, "-c", PEAK, "export", kind, "--base-url", base, "--seller", seller]
    command += ["--yes", "--insecure-http", "--home", str(target.parent), "--out", str(target)]
    environment = {**os.environ, "FEEDTOOL_TOKEN": "sandbox"}
    begun = time.monotonic()
    told = run([*command, *options], env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begun
    if told.returncode:
        raise SystemExit(told.stderr + told.stdout)
    peak = int(told.stdout.rpartition("VmHWM:")[2].split()[0]) / 1024
    return Exported(seconds, peak, target.stat().st_size / (1 << 20))
