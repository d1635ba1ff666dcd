"""A worker's `health.json`, written again and again while its process works."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from feedtool.ledger.parcels import Parcels
from feedtool.model.errors import FeedtoolError
from feedtool.watch.messages import Health, Turn
from feedtool.worker.passes import Passes

BEAT = 20.0
"""Seconds from one writing to the next."""


@contextmanager
def beating(health: Health, passes: Passes, parcels: Parcels) -> Iterator[None]:
    """Write it now, then every `BEAT` seconds, in a thread of its own."""
    ended = threading.Event()

    def beat() -> None:
        waiting = 0
        while True:
            with suppress(FeedtoolError):  # where the ledger is away, the troubles say so
                waiting = parcels.count_waiting()
            health.turn(Turn(passes.in_work, waiting, passes.troubles))
            if ended.wait(BEAT):
                return

    thread = threading.Thread(target=beat, name="health", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
