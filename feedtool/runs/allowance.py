"""The allowance of a budget that accounts share: each call takes one before it is sent.

A call that has none waits where it is, by the session's own sleep, and in the order in which the
threads of this process came. Where that would take long it is answered as the service answers a
call that comes too soon, so that deliveries and exports tell of it and wait as they do then.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from feedtool.model.budget import Budget
from feedtool.model.call import NotSent, NotYet, Reply
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import tr
from feedtool.service.answers import BY_STATUS, AnswerKind, retry_after

if TYPE_CHECKING:
    from feedtool.ledger.budgets import Budgets

LONGEST_WAIT = 10.0
"""Seconds that a call waits where it is."""
USUAL_HOLD = 1.0
"""Seconds for which all wait after a 429 that does not say how long."""
LONGEST_HOLD = 600.0
"""Seconds for which one seller's 429 holds the others; he himself waits as long as it says."""


class Turnstile:
    """Lets one thread through at a time, in the order in which they came."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._line: deque[threading.Event] = deque()

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Wait for one's turn, and have it for as long as this lasts."""
        own = threading.Event()
        with self._guard:
            self._line.append(own)
            self._line[0].set()
        try:
            own.wait()
            yield
        finally:
            with self._guard:
                self._line.remove(own)
                if self._line:
                    self._line[0].set()


class SharedAllowance(Struct, frozen=True):
    """What a session may take of a budget."""

    budgets: "Budgets"
    budget: Budget
    turn: Turnstile
    """Of all sessions of this process that share the budget."""
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    stopping: Callable[[], FeedtoolError | None]

    def take(self) -> None:
        """Returns once a call may leave; NotYet where that takes long, NotSent where it ends."""
        with self.turn.passed():
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
        """All wait where the service asks one to."""
        if BY_STATUS.get(reply.status) is AnswerKind.WAIT:
            asked = retry_after(reply, self.now())
            seconds = USUAL_HOLD if asked is None else min(asked, LONGEST_HOLD)
            self.budgets.hold(self.budget, seconds, self.now())


# Of one process: its sessions share connections, and come one after the other.


class _Opened(Struct):
    """The budgets of a ledger, for as long as a session uses them."""

    budgets: "Budgets"
    users: int = 0
    turns: dict[str, Turnstile] = field(default_factory=dict)


_OPENED: dict[str, _Opened] = {}
_GUARD = threading.Lock()


@contextmanager
def shared_allowance(
    place: Path | str,
    budget: Budget,
    sleep: Callable[[float], None],
    stopping: Callable[[], FeedtoolError | None],
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[SharedAllowance]:
    """The allowance of a budget that is kept in a ledger's file or database."""
    from feedtool.ledger.budgets import Budgets

    key = str(place)
    with _GUARD:
        opened = _OPENED.get(key) or _Opened(Budgets(place))
        _OPENED[key] = opened
        opened.users += 1
        turn = opened.turns.setdefault(budget.name, Turnstile())
    try:
        yield SharedAllowance(opened.budgets, budget, turn, now, sleep, stopping)
    finally:
        with _GUARD:
            opened.users -= 1
            if not opened.users:
                del _OPENED[key]
                opened.budgets.close()
