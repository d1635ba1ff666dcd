"""The calls of a delivery: those under way, and those that wait for a lane, their intents written.

Each is made in a lane of its own, or in the calling thread (`service.calling`).
"""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future
from concurrent.futures import wait as wait_for
from typing import TYPE_CHECKING, NamedTuple, Self

from feedtool.service.calling import ask, executor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from feedtool.delivery.decide import Step
    from feedtool.ledger import Attempt
    from feedtool.model.call import Call, Sender
    from feedtool.service import calling
    from feedtool.service.pace import Pace

    Heard = calling.Heard

LINGER = 0.008
"""Seconds between two answers that are taken in together."""


class Flight(NamedTuple):
    """A step that is a call: intended, and then under way."""

    step: Step
    attempt: Attempt
    call: Call


class Lanes:
    """The calls under way and those that wait for a lane. Used from one thread."""

    def __init__(self, client: Sender, pool: int) -> None:
        """So many lanes; one is the calling thread itself."""
        self._client = client
        self._executor = executor(pool)
        self._backlog = pool if pool > 1 else 0
        """How many calls may wait for a lane, their intents written, so that none waits for us."""
        self._begun: list[Flight] = []
        """Intended, and not yet sent."""
        self._flights: dict[Future[Heard], Flight] = {}

    @property
    def steps(self) -> list[Step]:
        """What is under way, or waits for a lane."""
        return [flight.step for flight in self._flights.values()]

    def room(self, pace: Pace) -> int:
        """How many calls may be begun; none is kept ready while the quota is felt."""
        ready = 0 if pace.behind else self._backlog
        return max(0, pace.lanes + ready - len(self._flights))

    def begin(self, flight: Flight) -> None:
        """Note a call whose intent is about to be written."""
        self._begun.append(flight)

    def send(self) -> None:
        """Send what was begun: the intents are in the ledger."""
        while self._begun:
            # Off the list before it is sent: what is on it has never left.
            flight = self._begun.pop(0)
            self._flights[self._executor.submit(ask, self._client, flight.call)] = flight

    @property
    def unsent(self) -> list[Flight]:
        """What was begun and has never left."""
        return self._begun

    def recalled(self) -> Iterator[Flight]:
        """Take back what still waits for a lane: it has never left."""
        for future, flight in list(self._flights.items()):
            if future.cancel():
                del self._flights[future]
                yield flight

    def answers(self) -> Iterator[tuple[Flight, Heard]]:
        """What was heard, once there is something; nothing when no call is under way."""
        for future in answered(self._flights):
            yield self._flights.pop(future), future.result()

    def last_answers(self) -> Iterator[tuple[Flight, Heard]]:
        """What is heard of all calls that are under way."""
        for future in wait_for(self._flights).done:
            yield self._flights.pop(future), future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()


def answered(calls: Collection[Future[Heard]], linger: float = LINGER) -> list[Future[Heard]]:
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


def _waiting(calls: Collection[Future[Heard]]) -> int:
    """How many calls wait for a lane."""
    return sum(not (call.running() or call.done()) for call in calls)
