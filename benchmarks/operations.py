"""Many operations over a slow line: `python benchmarks/operations.py [--operations N]`.

The sandbox on a port, every answer late by the latency. What is measured: `feedtool export
operations` of a month in a process of its own, its time and its peak of memory; and the journal of
the same month, twice.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import PIPE, Popen, run
from typing import Any

from feedtool.areas.registry import sandbox_parts

SELLER = "S"
MONTH = "2026-10"
FIRST = datetime(2026, 9, 19, tzinfo=UTC)
"""Of the operations, which are all paid in the month."""
DAYS = 29
EVERY_REFUND = 10


def serve(operations: int, latency: float) -> None:
    """The sandbox with so many operations, each answer late, until standard input ends."""
    from feedtool.areas.finance.sandbox import events, store
    from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
    from feedtool.areas.finance.sandbox.events import Sold
    from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
    from feedtool.sandbox import SandboxSettings
    from feedtool.sandbox.server import Server

    behaviour = FinanceBehaviour(history=0)
    parts = (OrderBehaviour(customers_every=timedelta()), behaviour)
    with Server(sandbox_parts(), settings=SandboxSettings(parts=parts)) as server:
        with server.sandbox.state.transaction() as db:
            for number in range(1, operations + 1):
                at = FIRST + timedelta(days=DAYS) * (number / operations)
                sold = Sold(f"{number:015d}", "PRIMARY", 999 + number % 9000, 245, at)
                make = events.sale if number % EVERY_REFUND else events.refund
                store.put(db, SELLER, number, make(sold, at, behaviour))
        answer: Any = server.sandbox.answer

        def late(*arguments: Any) -> Any:
            time.sleep(latency)
            return answer(*arguments)

        server.sandbox.answer = late  # type: ignore[method-assign,assignment]  # a slow line, not a slow service
        print(server.base, flush=True)
        sys.stdin.read()


@contextmanager
def serving(operations: int, latency: float) -> Iterator[str]:
    """The base address of a sandbox in a process of its own."""
    command = [sys.executable, __file__, "--serve", "--operations", str(operations)]
    command += ["--latency", str(latency * 1000)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def measure(kind: str, base: str, target: Path) -> None:
    """Export a kind, and print the time and the memory."""
    script = "import sys; from feedtool.cli import run; code = run(sys.argv[1:]); "
    script += "print([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
    script += "; sys.exit(code)"
    command = [sys.executable, "-c", script, "export", kind, "--month", MONTH, "--yes"]
    command += ["--base-url", base, "--seller", SELLER, "--insecure-http"]
    command += ["--home", str(target.parent), "--out", str(target)]
    begun = time.monotonic()
    environment = {**os.environ, "FEEDTOOL_TOKEN": "sandbox"}
    told = run(command, env=environment, capture_output=True, text=True, check=False)
    total = time.monotonic() - begun
    if told.returncode:
        raise SystemExit(told.stderr + told.stdout)
    peak = int(told.stdout.rpartition("VmHWM:")[2].split()[0]) / 1024
    size = target.stat().st_size / (1 << 20)
    print(f"{kind}: {total:.1f} s, {peak:.0f} MiB, a file of {size:.1f} MiB", flush=True)


def main() -> None:
    """The server, or the measuring."""
    parser = argparse.ArgumentParser(description="Measures many operations over a slow line.")
    parser.add_argument("--operations", type=int, default=200_000)
    parser.add_argument("--latency", type=float, default=20.0, help="milliseconds")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    latency = asked.latency / 1000
    if asked.serve:
        serve(asked.operations, latency)
        return
    with serving(asked.operations, latency) as base, tempfile.TemporaryDirectory() as folder:
        measure("operations", base, Path(folder) / "operations.xlsx")
        first, again = Path(folder) / "first.txt", Path(folder) / "again.txt"
        for target in (first, again):
            measure("journal", base, target)
        print("the same" if first.read_bytes() == again.read_bytes() else "NOT the same")


if __name__ == "__main__":
    main()
