"""The allowance of a budget that accounts share: each call takes one before it is sent.

A call without allowance waits in place, by the session's own sleep, and in the order in which the
threads of this process came. If the wait would be long, it is answered as the service answers a
call that comes too soon, so that deliveries and exports report it and wait as they do then.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from feedtool.model.call import Budget, NotSent, NotYet, Reply
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import tr
from feedtool.service.answers import BY_STATUS, AnswerKind, retry_after

if TYPE_CHECKING:
    from feedtool.ledger.budgets import Budgets

LONGEST_WAIT = 10.0
"""The most seconds that a call waits in place."""
USUAL_HOLD = 1.0
"""Seconds for which all wait after a 429 that does not say how long."""
LONGEST_HOLD = 600.0
"""The most seconds for which one seller's 429 holds the others; the seller waits in full."""


class FairLock:
    """Let one thread through at a time, in the order in which they came."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: deque[threading.Event] = deque()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for the turn of this thread, and hold the lock during the context."""
        event = threading.Event()
        with self._guard:
            self._line.append(event)
            self._line[0].set()
        try:
            event.wait()
            yield
        finally:
            with self._guard:
                self._line.remove(event)
                if self._line:
                    self._line[0].set()


class SharedAllowance(Struct, frozen=True):
    """The allowance that a session takes from a budget."""

    budgets: "Budgets"
    budget: Budget
    lock: FairLock
    """Shared by all sessions of this process that use the budget."""
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    stopping: Callable[[], FeedtoolError | None]

    def take(self) -> None:
        """Wait until a call may leave; NotYet if that takes long, NotSent after a stop."""
        with self.lock.hold():
            while wait := self.budgets.take(self.budget, self.now()):
                if wait > LONGEST_WAIT:
                    until = f"{self.now() + timedelta(seconds=wait):%H:%M:%S}"
                    text = tr(
                        "the budget “{name}” is used up until {time} UTC",
                        name=self.budget.name,
                        time=until,
                    )
                    raise NotYet(text, wait)
                if stopped := self.stopping():
                    raise NotSent(stopped.message)
                self.sleep(wait)

    def note_reply(self, reply: Reply) -> None:
        """Make all sessions wait if the service asks one to wait."""
        if BY_STATUS.get(reply.status) is AnswerKind.WAIT:
            requested = retry_after(reply, self.now())
            seconds = USUAL_HOLD if requested is None else min(requested, LONGEST_HOLD)
            self.budgets.hold(self.budget, seconds, self.now())


# The sessions of a process share connections, and take allowances one after the other.


class _OpenBudgets(Struct):
    """The budgets of a ledger, while sessions use them."""

    budgets: "Budgets"
    users: int = 0
    locks: dict[str, FairLock] = field(default_factory=dict)


_OPENED: dict[str, _OpenBudgets] = {}
_GUARD = threading.Lock()


@contextmanager
def shared_allowance(
    place: Path | str,
    budget: Budget,
    sleep: Callable[[float], None],
    stopping: Callable[[], FeedtoolError | None],
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[SharedAllowance]:
    """Open the allowance of a budget that is kept in a ledger's file or database."""
    from feedtool.ledger.budgets import Budgets

    key = str(place)
    with _GUARD:
        opened = _OPENED.get(key) or _OpenBudgets(Budgets(place))
        _OPENED[key] = opened
        opened.users += 1
        lock = opened.locks.setdefault(budget.name, FairLock())
    try:
        yield SharedAllowance(opened.budgets, budget, lock, now, sleep, stopping)
    finally:
        with _GUARD:
            opened.users -= 1
            if not opened.users:
                del _OPENED[key]
                opened.budgets.close()
