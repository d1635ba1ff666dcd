"""A large delivery over a slow line: `python benchmarks/load.py [--rows N] [--lanes N]`.

The sandbox on a port, every answer late by the latency; the client as `feedtool submit` has it,
with a ledger on disk. What is measured, each with its limit: the client's peak of memory, how near
its lanes come to what latency and concurrency allow, and what the ledger costs. While packages are
filled no lane should ever be without a call that the service has in hand: that is the ratio of the
lanes' time to the time that the service, as it tells itself, had calls.

Of the ledger there are two figures. "In the ledger" is how long its calls took, by the clock: what
other threads did meanwhile, and the interpreter's lock that they held, are in it. "Cost" is how
long the delivery waited for it: while a package is filled, the part of the lanes that had no call
at the service while the ledger was at work; at other times the ledger's time without any call.
"""

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from feedtool.areas import registry
from feedtool.areas.offers.delivery import PackageType
from feedtool.delivery import plan
from feedtool.delivery.engine import Delivery
from feedtool.delivery.events import Event
from feedtool.ledger import Ledger
from feedtool.model.nouns import Item
from feedtool.service.auth import StaticToken
from feedtool.service.client import Client

AREAS = registry.load()
LANES_RATIO, LEDGER, MEMORY = 1.15, 0.1, 80
"""The limits: the lanes' time over the service's, the ledger's part of it all, MiB."""


class Span(NamedTuple):
    """From when to when, in seconds of a clock that all processes share."""

    begin: float
    end: float

    def within(self, other: Self) -> float:
        """The seconds of it that lie in another."""
        return max(0.0, min(self.end, other.end) - max(self.begin, other.begin))


def serve(latency: float) -> None:
    """The sandbox; it tells its address, and in the end when it had which call."""
    from benchmarks import slow_line

    with slow_line.slowed(latency) as (server, spans):
        slow_line.listen(server.base)
    print(json.dumps(spans))


def gtin(number: int) -> str:
    """A well-formed GTIN-13 of its own for every number."""
    digits = f"3{number:011d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def items(count: int) -> Iterator[Item]:
    """Offers, one a row."""
    for number in range(2, count + 2):
        code = gtin(number)
        offer = {
            "sellerExternalReference": f"SKU-{number}",
            "product": {"gtin": code},
            "condition": "New",
            "price": {
                "price": 11.5,
                "taxes": [{"code": tax, "value": 0} for tax in ("VAT", "EcoPart", "DEA")],
            },
            "deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}],
            "preparationTime": 2,
            "quantity": 7,
        }
        body = json.dumps(offer, separators=(",", ":")).encode()
        reference = f"SKU-{number}"
        yield Item(number, PackageType.UPSERT, "PRIMARY", reference, f"{code}||New", body)


class Timed:
    """A ledger that notes when something was done in it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.spans: list[Span] = []

    def __getattr__(self, name: str) -> Any:
        """The ledger's own, timed where it is a method."""
        found = getattr(self._ledger, name)
        if not callable(found):
            return found

        def timed(*arguments: Any, **named: Any) -> Any:
            begun = time.monotonic()
            try:
                return found(*arguments, **named)
            finally:
                self.spans.append(Span(begun, time.monotonic()))

        return timed


def peak() -> float:
    """The most memory that this process has had, in MiB."""
    status = Path("/proc/self/status").read_text("ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def measure(rows: int, latency: float, lanes: int) -> None:
    """Deliver, and print the table."""
    from benchmarks import slow_line, table

    times: dict[str, list[float]] = {}

    def note(event: Event) -> None:
        times.setdefault(event.kind, []).append(time.monotonic())

    with (
        tempfile.TemporaryDirectory() as folder,
        slow_line.serving(__file__, f"--latency={latency * 1000}") as served,
        Ledger(Path(folder) / "ledger.sqlite") as ledger,
        Client(served.told, "S", StaticToken("sandbox")) as client,
    ):
        timed: Any = Timed(ledger)
        run = ledger.start_run(now=datetime.now(UTC), seller="S", service=served.told)
        ledger.add_file(run, plan.uploads(items(rows), AREAS.routes), path="a", sha256="", kind="k")
        load = table.load()
        begun, busy = time.monotonic(), time.process_time()
        Delivery(
            timed,
            run,
            client,
            AREAS.routes,
            now=lambda: datetime.now(UTC),
            sleep=time.sleep,
            pool=lanes,
            on_event=note,
        ).run()
        total, cpu = time.monotonic() - begun, time.process_time() - busy
        (file,) = ledger.files(run)
        found = {str(verdict.status) for verdict in ledger.verdicts(file.file)}
        spans = [Span(*one) for one in served.end()]
    fillings = fillings_of(times)
    filling = sum(one.end - one.begin for one in fillings)
    had = sum(span.within(one) for one in fillings for span in spans)
    each = sum(span.end - span.begin for span in spans) / len(spans)
    taken = sum(one.end - one.begin for one in timed.spans)
    cost = cost_of(timed.spans, spans, fillings, lanes)
    lanes_ratio = lanes * filling / had if had else math.inf  # a few calls may be in no filling
    print(f"{rows:,} rows; {', '.join(found)}; {filling:.1f} s of filling packages;")
    print(f"a call takes {each * 1000:.1f} ms at the service; {taken:.1f} s in the ledger.\n")
    ratios = f"lanes {lanes_ratio:.3f} (at most {LANES_RATIO}), "
    ratios += f"ledger {cost / total:.1%} (at most {LEDGER:.0%})"
    way = f"feedtool, {lanes} lanes, {latency * 1000:g} ms"
    memory = f"{peak():.0f} MiB (at most {MEMORY})"
    figures = (f"deliver {rows:,} rows", way, f"{total:.1f} s", f"{cpu:.1f} s", ratios, memory)
    print(table.told("One delivery", [table.line(*figures, load)]))


def fillings_of(times: dict[str, list[float]]) -> list[Span]:
    """From each creation to the last upload of its package."""
    created, uploads = times["created"], times["upload"]
    ends = [*created[1:], float("inf")]
    return [
        Span(begin, max(at for at in uploads if begin < at < end))
        for begin, end in zip(created, ends, strict=True)
    ]


def cost_of(ledger: list[Span], calls: list[Span], fillings: list[Span], pool: int) -> float:
    """The seconds that lanes which could have had a call had none while the ledger was at work."""
    changes = [(at, 0, sign) for span in calls for at, sign in ((span.begin, 1), (span.end, -1))]
    changes += [(at, 1, sign) for span in ledger for at, sign in ((span.begin, 1), (span.end, -1))]
    changes += [(at, 2, sign) for one in fillings for at, sign in ((one.begin, 1), (one.end, -1))]
    now = [0, 0, 0]
    before = cost = 0.0
    for at, which, sign in sorted(changes):
        held, working, filling = now
        lanes = pool if filling else 1
        if working:
            cost += (at - before) * max(0, lanes - held) / lanes
        now[which] += sign
        before = at
    return cost


def main() -> None:
    """The server, or the measuring."""
    parser = argparse.ArgumentParser(description="Measures a large delivery over a slow line.")
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--latency", type=float, default=20.0, help="milliseconds")
    parser.add_argument("--lanes", type=int, default=8, help="calls at a time")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.latency / 1000)
    else:
        measure(asked.rows, asked.latency / 1000, asked.lanes)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
