"""Many orders over a slow line: `python benchmarks/orders.py [--orders N] [--latency MS]`.

The sandbox on a port, every answer late by the latency. What is measured: `feedtool export orders`
in a process of its own, its time and its peak of memory; and the delivery of one shipment for each
order, against what latency and lanes allow if a shipment took one call.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from feedtool.areas.registry import load
from feedtool.delivery import plan
from feedtool.delivery.engine import POOL, Delivery
from feedtool.ledger import Ledger
from feedtool.model.nouns import Item
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client

SELLER = "S"


def serve(orders: int, latency: float) -> None:
    """The sandbox with so many orders in preparation; it tells its address and their names."""
    from benchmarks import slow_line
    from feedtool.areas.orders.sandbox.shop import place
    from feedtool.areas.orders.sandbox.states import OrderBehaviour
    from feedtool.sandbox import SandboxSettings

    behaviour = OrderBehaviour(customers_every=timedelta())
    with slow_line.slowed(latency, SandboxSettings(parts=(behaviour,))) as (server, _):
        now = datetime.now(UTC)
        names = []
        with server.sandbox.state.transaction() as db:
            for number in range(orders):
                at = now - timedelta(days=1) + timedelta(seconds=number)
                order = place(db, SELLER, at, status="InPreparation", lines=1, behaviour=behaviour)
                names.append(order.document["orderId"])
        slow_line.listen([server.base, names])


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
    from benchmarks import slow_line

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
    options = (f"--orders={asked.orders}", f"--latency={asked.latency}")
    with slow_line.serving(__file__, *options) as served, tempfile.TemporaryDirectory() as name:
        folder, (base, names) = Path(name), served.told
        exported = slow_line.export("orders", base, SELLER, folder / "orders.xlsx")
        print(f"export of {len(names):,} orders: {exported}")
        measure_shipments(base, names[: asked.shipments], latency, folder)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
