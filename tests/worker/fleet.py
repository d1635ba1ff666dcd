"""Workers without a parcel: passes that tests look at, in threads and in other processes."""

import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from queue import Queue
from typing import Any

from sqlalchemy import text
from sqlalchemy.engine import make_url

from feedtool.cli.console import StopSignal
from feedtool.ledger import Ledger
from feedtool.ledger.lock import Held, Holder, hold
from feedtool.ledger.parcels import DueSeller
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import FeedtoolError
from feedtool.serving import LOOPBACK
from feedtool.worker import engine
from feedtool.worker.engine import EngineSettings, PassEngine, PassWork
from feedtool.worker.queue import PassQueue
from tests.ledger import cluster
from tests.ledger.cluster import PATIENCE
from tests.ledger.conftest import Process
from tests.worker.cable import Cable, cable

ADDRESS = "https://service.example/v2"
SOON = engine.POLL - 5
"""Seconds in which nobody would have looked for a pass by himself, on a machine that is busy."""


def key(seller: str) -> SellerKey:
    return ADDRESS, seller


class Work:
    """Passes that a test looks at."""

    def __init__(self, do: Callable[[str], bool] = lambda _: False) -> None:
        self._do = do
        self.begun = Queue[str]()
        self.troubles = Queue[FeedtoolError | None]()
        self.due_ones: list[DueSeller] = []
        self.is_left = True
        self.ours: Collection[SellerKey] | None = None

    def do(self, key: SellerKey, tries: int) -> bool:
        del tries
        self.begun.put(key[1])
        return self._do(key[1])

    def due(self) -> Sequence[DueSeller]:
        return self.due_ones

    def is_done(self) -> bool:
        return not self.is_left

    def sellers(self) -> Collection[SellerKey] | None:
        return self.ours

    def note_trouble(self, trouble: FeedtoolError | None) -> None:
        self.troubles.put(trouble)

    def next(self, patience: float = PATIENCE) -> str:
        return self.begun.get(timeout=patience)


class Fleet:
    """A ledger, its queue, and workers, each a thread."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.ledger = Ledger(url)
        self.queue = PassQueue(self.ledger.engine)

    def engine(
        self, work: PassWork, stop: StopSignal, side_by_side: int = 1, **more: Any
    ) -> PassEngine:
        me = Holder.here("worker", datetime.now(UTC))
        settings = EngineSettings(self.queue.schema, me, side_by_side, **more)
        return PassEngine(self.ledger.engine, settings, work, stop)

    @contextmanager
    def working(self, work: Work, side_by_side: int = 1, **more: Any) -> Iterator[StopSignal]:
        """A worker, which is stopped afterwards."""
        stop = StopSignal()
        thread = threading.Thread(target=self.engine(work, stop, side_by_side, **more).run)
        thread.start()
        try:
            assert work.troubles.get(timeout=PATIENCE) is None
            yield stop
        finally:
            stop.terminate(signal.SIGTERM, None)
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def execute(self, statement: str) -> list[Any]:
        with self.ledger.engine.begin() as db:
            db.execute(text(f'SET LOCAL search_path TO "{self.queue.schema}"'))
            return list(db.execute(text(statement)).all())


WORKER = """
from feedtool.cli.console import stopping
from feedtool.ledger.lock import Holder, hold
from feedtool.worker import queue as queues
from feedtool.worker.engine import EngineSettings, PassEngine
from feedtool.worker.queue import PassQueue

queues.TURN = rest[0] if rest else queues.TURN
queues.SEE_GONE = queues.SEE_GONE.replace("1s", rest[1] if rest[1:] else "1s")

class Work:
    def do(self, key, tries):
        with hold(engine, key[1], key[0], command="worker", now=now, is_awaited=True):
            say(key[1])
            listen()
        return False
    due = lambda self: []
    is_done = lambda self: False
    sellers = lambda self: None
    def note_trouble(self, trouble):
        say("ready")

engine = open_engine(place)
with PassQueue(engine) as queue, stopping("") as stop:
    settings = EngineSettings(queue.schema, Holder.here("worker", now), 1)
    PassEngine(engine, settings, Work(), stop).run()
say("parked")
"""
"""A worker of one pass at a time, which holds its seller's lock until it gets a line.

Its arguments, if any, are the time that it waits for its turn as the caretaker, and the time in
which the server sees that it is gone meanwhile.
"""


def taken_over(
    fleet: Fleet,
    url: str,
    end: Callable[[Process], None],
    options: Sequence[str] = (),
    prefix: Sequence[str] = (),
) -> float:
    """Seconds from the end of a worker in the midst of a pass until another has its seller.

    The worker has these options, is started with `prefix`, and reaches the ledger by `url`.
    """
    taken = Queue[float]()

    def wait(_: Held) -> bool:
        time.sleep(0.01)
        return True

    def do(seller: str) -> bool:
        now = datetime.now(UTC)
        with hold(fleet.ledger.engine, seller, ADDRESS, command="worker", now=now, wait=wait):
            taken.put(time.monotonic())
        return False

    work = Work(do)
    with Process(WORKER, url, *options, prefix=prefix) as other:
        assert other.heard() == "ready"
        fleet.queue.put(key("S1"))
        assert other.heard() == "S1"
        with fleet.working(work):
            begun = time.monotonic()
            end(other)
            return taken.get(timeout=PATIENCE) - begun


@contextmanager
def cut_off() -> Iterator[tuple[Fleet, str, Cable]]:
    """A ledger that is also reached from a machine that can be cut off, and by which URL there."""
    with cable() as line:
        there = [cluster.Way(line.prefix)]
        with cluster.running(there, {"listen_addresses": LOOPBACK}) as server:
            fleet = Fleet(server.url)
            url = make_url(server.url).set(host=LOOPBACK, port=int(cluster.SETTINGS["port"]))
            with fleet.ledger, fleet.queue:
                yield fleet, url.set(query={}).render_as_string(hide_password=False), line
