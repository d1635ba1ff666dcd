"""The passes over sellers' parcels that the engine asks for; safe for threads."""

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from time import monotonic
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine, text

from feedtool.ledger import Ledger
from feedtool.ledger.database import reading
from feedtool.ledger.lock import Held
from feedtool.ledger.parcels import DueSeller
from feedtool.ledger.records import SellerKey
from feedtool.model.errors import Exit, FeedtoolError
from feedtool.model.text import tr
from feedtool.watch.reporting import Bug, with_profile
from feedtool.watch.session import Environment
from feedtool.worker.answers import AnswerDelivery
from feedtool.worker.parcel_work import ParcelFolders, ParcelWork

# The time of a seller's next pass, by the end of the last one.


FILES, SECONDS = 20, 60.0
"""Most files and seconds of one pass; then other sellers have their turn."""
LONGEST_REST = 300.0
"""Most seconds before a seller whose service cannot be reached is tried again."""
LONGEST_WAIT = 10.0
"""Most seconds before a seller whose lock somebody else holds is tried again."""


class PassEnd(Struct, frozen=True):
    """The end of a pass."""

    trouble: FeedtoolError | None = None
    """The error that ended the pass early; None if it reached its end."""
    has_answered: bool = False
    """True if any file of the pass was answered."""
    is_stopped: bool = False
    """True if this process has to stop."""

    @property
    def is_held(self) -> bool:
        return isinstance(self.trouble, Held)


def rest_after(end: PassEnd, failures: int, tries: int) -> float:
    """Return the seconds until the next pass may begin.

    `failures` is the ledger's count for the seller; `tries` counts the passes without effect.
    """
    if end.is_stopped or end.has_answered:
        return 0
    if end.is_held:
        return float(min(LONGEST_WAIT, 2 ** min(tries, 9) / 2))
    return float(min(LONGEST_REST, 2 ** min(failures if end.trouble else tries, 9)))


class NextPass(Struct, frozen=True):
    """A seller's next pass, to be queued."""

    due: datetime | None
    """None means at once."""
    priority: int
    tries: int


def next_pass(
    end: PassEnd,
    waiting: tuple[datetime | None, int] | None,
    rest: float,
    now: datetime,
    tries: int,
) -> NextPass | None:
    """Return the next pass; None if nothing waits. `waiting`: see `Parcels.next_due`."""
    if waiting is None:
        return None
    not_before, priority = waiting
    times: Sequence[datetime] = [now + timedelta(seconds=rest), not_before or now]
    is_at_once = max(times) <= now
    tries_without_effect = 0 if end.has_answered or end.is_stopped else tries + 1
    return NextPass(None if is_at_once else max(times), priority, tries_without_effect)


class Queue(Protocol):
    """A queue of passes: see `queue.PassQueue`."""

    def put(
        self, key: SellerKey, due: datetime | None = None, priority: int = 0, tries: int = 0
    ) -> None: ...


class Slice(Struct, frozen=True):
    """The share of a seller's files that one pass takes."""

    files: int = FILES
    seconds: float = SECONDS


SLICE = Slice()
TOO_DIFFERENT = 5.0
"""Seconds of a machine's clock error from which on it is warned of."""
COMPARED_ANEW = 60.0
"""Seconds between two comparisons of a machine's clock with the server's."""


class Passes:
    """The passes of one process."""

    def __init__(
        self,
        ledger: Ledger,
        queue: Queue,
        environment: Environment,
        delivery: AnswerDelivery,
        sellers: Callable[[], Collection[SellerKey] | None] = lambda: None,
        size: Slice = SLICE,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`sellers` returns those to serve, None for all; `clock` never goes back."""
        self._ledger, self._queue, self._delivery = ledger, queue, delivery
        self._environment, self._size, self._clock = environment, size, clock
        self.sellers = sellers
        self._running: set[SellerKey] = set()
        self._troubles: dict[SellerKey | None, tuple[str | None, FeedtoolError]] = {}
        self._guard = threading.Lock()
        self.codes: set[Exit] = set()
        """The exit code of each parcel that was answered."""

    # Asked for by the engine.

    def do(self, key: SellerKey, tries: int) -> bool:
        """Do a seller's pass and queue the next one; True if that is due at once."""
        with self._guard:
            self._running.add(key)
        try:
            is_next_due = self._passed(key, tries)
        except FeedtoolError as error:  # the ledger or the queue is away: try both again
            self.note_trouble(error)
        except Exception as error:  # noqa: BLE001  # one seller never stops the next
            self._note(key, None, Bug(error, self._environment.report_bug))
        else:
            self.note_trouble(None)
            return is_next_due
        finally:
            with self._guard:
                self._running.discard(key)
        return False

    def due(self) -> Sequence[DueSeller]:
        """The sellers with parcels that are due, or whose answers are to be delivered."""
        return self._ledger.parcels.sellers_due(self._environment.now())

    def is_done(self) -> bool:
        """True if no parcel of the served sellers is due, in work, or to be delivered."""
        served = self.sellers()
        return not [
            due for due in self.due() if served is None or (due.service, due.seller) in served
        ]

    def note_trouble(self, trouble: FeedtoolError | None) -> None:
        self._note(None, None, trouble)

    # Asked for by monitors.

    @property
    def in_work(self) -> int:
        return len(self._running)

    @property
    def troubles(self) -> list[tuple[str | None, FeedtoolError]]:
        """The errors of profiles (None: of this process) that keep them from working."""
        with self._guard:
            troubles = [*self._troubles.items()]
        with suppress(FeedtoolError):  # while the ledger is away they stay
            for key, (_, error) in troubles:
                if (
                    key
                    and not isinstance(error, Bug)
                    and not self._ledger.sellers.pass_pause(key)[0]
                ):
                    self._note(key, None, None)  # another worker has succeeded
        with self._guard:
            return [*self._troubles.values()]

    # A pass.

    def _passed(self, key: SellerKey, tries: int) -> bool:
        failures, resting = self._ledger.sellers.pass_pause(key)
        now = self._environment.now()
        if resting and resting > now:
            latest = now + timedelta(seconds=LONGEST_REST)
            if resting > latest:  # by the clock of another machine, which is ahead
                self._ledger.sellers.set_next_pass(key, resting := latest)
            return self._queue_next(key, PassEnd(), (resting - now).total_seconds(), tries)
        work = self._work(key, now)
        if work is None:
            return self._queue_next(key, PassEnd(), 0, 0)
        work.do()
        self._delivery.deliver(key)
        with self._guard:
            self.codes.update(work.codes)
        is_stopped = self._environment.stopping() is not None
        end = PassEnd(work.trouble, bool(work.codes), is_stopped)
        rest = rest_after(end, failures, tries)
        if not is_stopped:
            self._note(key, work.profile, work.trouble)
            if not end.is_held:
                now = self._environment.now()
                until = now + timedelta(seconds=rest) if rest else None
                self._ledger.sellers.passed(key, work.profile, None, work.trouble, until, now)
        return self._queue_next(key, end, rest, tries)

    def _work(self, key: SellerKey, now: datetime) -> ParcelWork | None:
        """The work on a seller's parcels; None if none is begun or due."""
        self._delivery.deliver(key)
        begun = self._ledger.parcels.begun(key)
        due = self._ledger.parcels.due(key, now, self._size.files)
        if not begun and not due:
            return None
        folders = ParcelFolders(self._environment.folder, [*begun, *due])
        until = self._clock() + self._size.seconds
        return ParcelWork(
            replace(self._environment, route_of=folders.route_of),
            folders,
            due,
            lambda: self._clock() >= until,
            lambda: self._delivery.deliver(key),
        )

    def _queue_next(self, key: SellerKey, end: PassEnd, rest: float, tries: int) -> bool:
        now = self._environment.now()
        following = next_pass(end, self._ledger.parcels.next_due(key, now), rest, now, tries)
        if following is None:
            return False
        self._queue.put(key, following.due, following.priority, following.tries)
        return following.due is None

    def _note(
        self, key: SellerKey | None, profile: str | None, trouble: FeedtoolError | None
    ) -> None:
        """Note the trouble of a seller, or of all; log it once as long as it lasts."""
        with self._guard:
            self._troubles.pop(key, None)
            if trouble and not isinstance(trouble, Held):
                self._troubles[key] = profile, trouble
        name, log = f"seller {key}", self._environment.log
        if trouble is None:
            log.is_over(name)
        else:
            label = "waiting" if isinstance(trouble, Held) else "error"
            log.once(name, label, with_profile(profile, trouble))


class ServerClock:
    """The clock of the ledger's server, which all machines share."""

    def __init__(
        self, engine: Engine, now: Callable[[], datetime], clock: Callable[[], float]
    ) -> None:
        """`now` is this machine's time; `clock` counts seconds and never goes back."""
        self._engine, self._now, self._clock = engine, now, clock
        self.ahead = timedelta()
        """This machine's time minus the server's."""
        self._compare()

    def __call__(self) -> datetime:
        """Return the server's time, by a comparison that is a minute old at most."""
        if self._clock() - self._compared_at >= COMPARED_ANEW:
            with suppress(FeedtoolError):  # if the server is away, others report it
                self._compare()
        return self._now() - self.ahead

    @property
    def warning(self) -> str | None:
        """A warning if this machine's clock is wrong by much; else None."""
        difference = self.ahead.total_seconds()
        seconds = f"{abs(difference):,.0f}"
        if abs(difference) < TOO_DIFFERENT:
            return None
        if difference > 0:
            line = tr("the clock of this machine is {seconds} s fast", seconds=seconds)
        else:
            line = tr("the clock of this machine is {seconds} s slow", seconds=seconds)
        return tr("{text}, by the database's: set both by a time server (NTP)", text=line)

    def _compare(self) -> None:
        self._compared_at = self._clock()
        with reading(self._engine) as db:
            before = self._now()
            server: datetime = db.execute(text("SELECT clock_timestamp()")).scalar_one()
            self.ahead = before + (self._now() - before) / 2 - server
