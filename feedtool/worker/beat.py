"""Keep a worker's `health.json` fresh while its process works."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from feedtool.ledger.parcels import Parcels
from feedtool.model.errors import FeedtoolError
from feedtool.watch.messages import Health, Turn
from feedtool.worker.passes import Passes

INTERVAL = 20.0
"""Seconds between two writings."""


@contextmanager
def keep_health_fresh(health: Health, passes: Passes, parcels: Parcels) -> Iterator[None]:
    """Write the health file now, then every `INTERVAL` seconds, in a separate thread."""
    ended = threading.Event()

    def write() -> None:
        waiting = 0
        while True:
            with suppress(FeedtoolError):  # if the ledger is away, the troubles say so
                waiting = parcels.count_waiting()
            health.turn(Turn(passes.in_work, waiting, passes.troubles))
            if ended.wait(INTERVAL):
                return

    thread = threading.Thread(target=write, name="health", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
