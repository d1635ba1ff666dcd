"""The calls of a delivery: those under way, and those that wait for a lane, their intents written.

Each is made in a lane of its own, or in the calling thread (`service.calling`).
"""

from collections.abc import Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from typing import NamedTuple, Self

from feedtool.delivery.steps import StepIntent
from feedtool.ledger import Attempt
from feedtool.model.call import Call, Sender
from feedtool.service.calling import CallResult, ask_all, executor
from feedtool.service.pace import Pace

LINGER = 0.008
"""Seconds between two answers that are taken in together."""


class PendingCall(NamedTuple):
    """A step that is a call, or several reading ones: intended, and then under way."""

    intent: StepIntent
    attempt: Attempt
    calls: tuple[Call, ...]


class CallPool:
    """The calls under way and those that wait for a lane. Used from one thread."""

    def __init__(self, client: Sender, pool: int) -> None:
        """So many lanes; one is the calling thread itself."""
        self._client = client
        self._executor = executor(pool)
        self._backlog = pool if pool > 1 else 0
        """How many calls may wait for a lane, their intents written, so that none waits for us."""
        self._begun: list[PendingCall] = []
        """Intended, and not yet sent."""
        self._under_way: dict[Future[CallResult], PendingCall] = {}

    @property
    def intents(self) -> list[StepIntent]:
        """What is under way, or waits for a lane."""
        return [pending.intent for pending in self._under_way.values()]

    def room(self, pace: Pace) -> int:
        """How many calls may be begun; none is kept ready while the quota is felt."""
        ready = 0 if pace.behind else self._backlog
        return max(0, pace.lanes + ready - len(self._under_way))

    def begin(self, pending: PendingCall) -> None:
        """Note a call whose intent is about to be written."""
        self._begun.append(pending)

    def send(self) -> None:
        """Send what was begun: the intents are in the ledger."""
        while self._begun:
            # Off the list before it is sent: what is on it has never left.
            pending = self._begun.pop(0)
            future = self._executor.submit(ask_all, self._client, pending.calls)
            self._under_way[future] = pending

    @property
    def unsent(self) -> list[PendingCall]:
        """What was begun and has never left."""
        return self._begun

    def cancelled(self) -> Iterator[PendingCall]:
        """Take back what still waits for a lane: it has never left."""
        for future, pending in list(self._under_way.items()):
            if future.cancel():
                del self._under_way[future]
                yield pending

    def results(self) -> Iterator[tuple[PendingCall, CallResult]]:
        """What was answered, once there is something; nothing when no call is under way."""
        for future in answered(self._under_way):
            yield self._under_way.pop(future), future.result()

    def last_results(self) -> Iterator[tuple[PendingCall, CallResult]]:
        """What is answered to all calls that are under way."""
        for future in wait_for(self._under_way).done:
            yield self._under_way.pop(future), future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()


def answered(
    calls: Collection[Future[CallResult]], linger: float = LINGER
) -> list[Future[CallResult]]:
    """Those of the calls that have had their answer, once there is one.

    While others still wait for a lane no lane is idle: a few milliseconds more cost nothing, and
    let the answers that come meanwhile, and the calls that follow on them, share a commit.
    """
    left = wait_for(calls, return_when=FIRST_COMPLETED).not_done
    while _waiting(left) > 1:
        more, left = wait_for(left, linger, FIRST_COMPLETED)
        if not more:
            break
    return [call for call in calls if call.done()]


def _waiting(calls: Collection[Future[CallResult]]) -> int:
    """How many calls wait for a lane."""
    return sum(not (call.running() or call.done()) for call in calls)
