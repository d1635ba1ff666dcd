"""A large export: `python benchmarks/export.py [--rows N]`.

The sandbox on a port, its shelf filled at once; `feedtool export offers` in a process of its own,
as users have it, with what the primary channel has to say of each offer. What is measured: its
time, and its peak of memory, which must not grow with the number of offers.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from feedtool.areas.registry import sandbox_parts

TAXES = '[{"code":"VAT","value":20},{"code":"EcoPart","value":0.12},{"code":"DEA","value":0}]'
MODES = '[{"code":"TrackedHomeDelivery","cost":4.9,"additionalCost":1.5}]'
AT = "2026-11-20T08:00:00.000000Z"
FIELDS = "offerState,salesChannelFeedback.isOnline,salesChannelFeedback.bestOfferDetails"

OFFER = """
INSERT INTO offer(seller, channel, reference, product, gtin, product_reference, condition, price,
  taxes, modes, preparation, created_at, updated_at)
VALUES ('S', 'PRIMARY', ?, ?, ?, '', 'New', ?, ?, ?, 2, ?, ?)
"""
STOCK = "INSERT INTO stock(seller, product, condition, quantity) VALUES ('S', ?, 'New', ?)"


def gtin(number: int) -> str:
    """A well-formed GTIN-13 of its own for every number."""
    digits = f"3{number:011d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


def serve(rows: int) -> None:
    """The sandbox with so many offers, until standard input ends."""
    from feedtool.sandbox.server import Server

    with Server(sandbox_parts()) as server:
        with server.sandbox.state.transaction() as db:
            for number in range(rows):
                code = gtin(number)
                price = 10 + number % 9000 / 100
                offer = (f"SKU-{number:07d}", f"0{code}", code, price, TAXES, MODES, AT, AT)
                db.execute(OFFER, offer)
                db.execute(STOCK, (f"0{code}", number % 50))
        print(server.base, flush=True)
        sys.stdin.read()


@contextmanager
def served(rows: int) -> Iterator[str]:
    """The base address of a sandbox in a process of its own."""
    command = [sys.executable, __file__, "--serve", "--rows", str(rows)]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def measure(rows: int, name: str) -> str:
    """A line of the table."""
    with tempfile.TemporaryDirectory() as folder, served(rows) as base:
        target = Path(folder) / name
        account = ["--base-url", base, "--seller", "S", "--token", "sandbox"]
        options = [*account, "--fields", FIELDS, "--home", folder, "--out", str(target)]
        command = [sys.executable, "-m", "feedtool", "export", "offers", *options]
        begun = time.monotonic()
        process = Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        assert status == 0, "the export failed"
        cpu = usage.ru_utime + usage.ru_stime
        size = target.stat().st_size / (1 << 20)
        memory = usage.ru_maxrss / 1024
        return (
            f"| {rows:,} | {target.suffix} | {seconds:.1f} s | {cpu:.1f} s | {memory:.0f} MiB"
            f" | {size:.1f} MiB |"
        )


def main() -> None:
    """The server, or the measuring."""
    parser = argparse.ArgumentParser(description="Measures a large export.")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(asked.rows)
        return
    print("| Offers | File | Total | Processor | Memory | Size |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    for rows in (asked.rows // 10, asked.rows):
        for name in ("offers.xlsx", "offers.csv"):
            print(measure(rows, name), flush=True)


if __name__ == "__main__":
    main()
