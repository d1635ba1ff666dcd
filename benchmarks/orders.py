"""Many orders over a slow line: `python benchmarks/orders.py [--orders N] [--latency MS]`.

The sandbox on a port, every answer late by the latency. What is measured: `feedtool export orders`
in a process of its own, its time and its peak of memory; and the delivery of one shipment for each
order, against what latency and lanes allow if a shipment took one call.
"""

import argparse
import json
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

from feedtool.areas.registry import load, sandbox_parts
from feedtool.delivery import plan
from feedtool.delivery.engine import POOL, Delivery
from feedtool.ledger import Ledger
from feedtool.model.nouns import Item
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client

SELLER = "S"


def serve(orders: int, latency: float) -> None:
    """The sandbox with so many orders in preparation, each answer late, until standard input ends.

    It tells the orders' identifiers first.
    """
    from feedtool.areas.orders.sandbox.behaviour import OrderBehaviour
    from feedtool.areas.orders.sandbox.shop import place
    from feedtool.sandbox import SandboxSettings
    from feedtool.sandbox.server import Server

    behaviour = OrderBehaviour(customers_every=timedelta())
    settings = SandboxSettings(parts=(behaviour,))
    with Server(sandbox_parts(), settings=settings) as server:
        now = datetime.now(UTC)
        names = []
        with server.sandbox.state.transaction() as db:
            for number in range(orders):
                at = now - timedelta(days=1) + timedelta(seconds=number)
                order = place(db, SELLER, at, status="InPreparation", lines=1, behaviour=behaviour)
                names.append(order.document["orderId"])
        answer: Any = server.sandbox.answer

        def late(*arguments: Any) -> Any:
            time.sleep(latency)
            return answer(*arguments)

        server.sandbox.answer = late  # type: ignore[method-assign,assignment]  # a slow line, not a slow service
        print(json.dumps([server.base, names]), flush=True)
        sys.stdin.read()


@contextmanager
def serving(orders: int, latency: float) -> Iterator[tuple[str, list[str]]]:
    """The base address of a sandbox in a process of its own, and its orders."""
    command = [sys.executable, __file__, "--serve", "--orders", str(orders)]
    command += ["--latency", str(latency * 1000)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base, names = json.loads(process.stdout.readline())
            yield base, names
        finally:
            process.kill()


def measure_export(base: str, orders: int, folder: Path) -> None:
    """Export them, and print the time and the memory."""
    script = "import sys; from feedtool.cli import run; code = run(sys.argv[1:]); "
    script += "print([line for line in open('/proc/self/status') if line.startswith('VmHWM')][0])"
    script += "; sys.exit(code)"
    target = folder / "orders.xlsx"
    command = [sys.executable, "-c", script, "export", "orders", "--base-url", base, "--yes"]
    command += ["--seller", SELLER, "--insecure-http", "--home", str(folder), "--out", str(target)]
    begun = time.monotonic()
    told = run(
        command,
        env={**os.environ, "FEEDTOOL_TOKEN": "sandbox"},
        capture_output=True,
        text=True,
        check=True,
    )
    total = time.monotonic() - begun
    peak = int(told.stdout.rpartition("VmHWM:")[2].split()[0]) / 1024
    size = target.stat().st_size / (1 << 20)
    print(f"export of {orders:,} orders: {total:.1f} s, {peak:.0f} MiB, a file of {size:.1f} MiB")


def items(names: list[str]) -> Iterator[Item]:
    """A shipment of each order."""
    for row, name in enumerate(names, 2):
        parcel = {"parcelNumber": f"8R{row:09d}", "carrierName": "Colissimo"}
        body = json.dumps([{**parcel, "orderLineIds": [f"{name}-1"]}]).encode()
        yield Item(row, "Ship", "", name, "", body)


def measure_shipments(base: str, names: list[str], latency: float, folder: Path) -> None:
    """Ship them, and print the time and what it is against the least."""
    with (
        Ledger(folder / "ledger.sqlite") as ledger,
        Client(base, SELLER, StaticToken("sandbox")) as client,
    ):
        now = datetime.now(UTC)
        begun = ledger.start_run(now=now, seller=SELLER, service=base)
        uploads = plan.uploads(items(names), load().routes)
        ledger.add_file(begun, uploads, path="a", sha256="", kind="k")
        started = time.monotonic()
        clock: Any = {"now": lambda: datetime.now(UTC), "sleep": time.sleep}
        Delivery(ledger, begun, client, load().routes, **clock).run()
        total = time.monotonic() - started
        (file,) = ledger.files(begun)
        found = {str(result.status) for result in ledger.verdicts(file.file)}
    least = len(names) * latency / POOL
    print(
        f"{len(names):,} shipments, {POOL} at a time: {total:.1f} s, {', '.join(found)};"
        f" the least is {least:.1f} s: {total / least:.2f} times"
    )


def main() -> None:
    """The server, or the measuring."""
    parser = argparse.ArgumentParser(description="Measures many orders over a slow line.")
    parser.add_argument("--orders", type=int, default=10_000)
    parser.add_argument("--shipments", type=int, default=5_000)
    parser.add_argument("--latency", type=float, default=20.0, help="milliseconds")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    latency = asked.latency / 1000
    if asked.serve:
        serve(asked.orders, latency)
        return
    with serving(asked.orders, latency) as (base, names), tempfile.TemporaryDirectory() as folder:
        measure_export(base, len(names), Path(folder))
        measure_shipments(base, names[: asked.shipments], latency, Path(folder))


if __name__ == "__main__":
    main()
