"""Many operations over a slow line: `python benchmarks/operations.py [--operations N]`.

The sandbox on a port, every answer late by the latency. What is measured: `feedtool export
operations` of a month in a process of its own, its time and its peak of memory; and the journal of
the same month, twice.
"""

import argparse
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

SELLER = "S"
MONTH = "2026-10"
FIRST = datetime(2026, 9, 19, tzinfo=UTC)
"""Of the operations, which are all paid in the month."""
DAYS = 29
EVERY_REFUND = 10


def serve(operations: int, latency: float) -> None:
    """The sandbox with so many operations."""
    from benchmarks import slow_line
    from feedtool.areas.finance.sandbox import events, store
    from feedtool.areas.finance.sandbox.behaviour import FinanceBehaviour
    from feedtool.areas.finance.sandbox.events import Sold
    from feedtool.areas.orders.sandbox.states import OrderBehaviour
    from feedtool.sandbox import SandboxSettings

    behaviour = FinanceBehaviour(history=0)
    parts = (OrderBehaviour(customers_every=timedelta()), behaviour)
    with slow_line.slowed(latency, SandboxSettings(parts=parts)) as (server, _):
        with server.sandbox.state.transaction() as db:
            for number in range(1, operations + 1):
                at = FIRST + timedelta(days=DAYS) * (number / operations)
                sold = Sold(f"{number:015d}", "PRIMARY", 999 + number % 9000, 245, at)
                make = events.sale if number % EVERY_REFUND else events.refund
                store.put(db, SELLER, number, make(sold, at, behaviour))
        slow_line.listen(server.base)


def main() -> None:
    """The server, or the measuring."""
    from benchmarks import slow_line

    parser = argparse.ArgumentParser(description="Measures many operations over a slow line.")
    parser.add_argument("--operations", type=int, default=200_000)
    parser.add_argument("--latency", type=float, default=20.0, help="milliseconds")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.operations, asked.latency / 1000)
        return
    options = (f"--operations={asked.operations}", f"--latency={asked.latency}")
    with slow_line.serving(__file__, *options) as served, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        first, again = folder / "first.txt", folder / "again.txt"
        kinds = {folder / "operations.xlsx": "operations", first: "journal", again: "journal"}
        for target, kind in kinds.items():
            told = slow_line.export(kind, served.told, SELLER, target, "--month", MONTH)
            print(f"{kind}: {told}", flush=True)
        print("the same" if first.read_bytes() == again.read_bytes() else "NOT the same")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
