"""How a package comes on: forward, later, not at all, or to its end. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from feedtool.ledger import Phase
from feedtool.model.errors import Interrupted
from feedtool.service.answers import Kind
from feedtool.service.pace import back_off

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from feedtool.delivery.answer import Answer
    from feedtool.delivery.decide import Settings
    from feedtool.ledger import Fate, Package, Result
    from feedtool.model.errors import FeedtoolError
    from feedtool.model.nouns import Message


@dataclass(frozen=True, slots=True)
class Now:
    """The circumstances in which an answer is learnt."""

    time: datetime
    luck: float
    """From 0 to 1, for pauses that differ between clients."""
    settings: Settings
    skew: timedelta = timedelta(0)
    """What the service's clock is ahead of ours."""

    @property
    def service_time(self) -> datetime:
        """The time by the service's clock."""
        return self.time + self.skew


class Learnt(NamedTuple):
    """What an answer comes to."""

    package: Package
    results: Sequence[Result] = ()
    refused: tuple[int, Message] | None = None
    """An upload that was refused, and why."""
    hold: datetime | None = None
    """No call at all before this."""
    stop: FeedtoolError | None = None
    """The run cannot go on."""
    fates: Sequence[Fate] = ()
    """What became of rows that were looked up, or are to be sent again."""
    rest: datetime | None = None
    """No batch of products before this: a quota is used up."""


GO_ON = "Go on with `feedtool resume`: what has been sent is not sent again."


def poll_pause(tries: int) -> timedelta:
    """Between two looks: from 1 s, growing, to 30 s."""
    return timedelta(seconds=min(30.0, 1.5 ** min(tries, 30)))


def forward(package: Package, now: Now, **changes: Any) -> Package:
    """Progress: all counting begins anew."""
    return replace(package, tries=0, failures=0, since=now.time, due=None, **changes)


def later(package: Package, now: Now, pause: timedelta, **changes: Any) -> Package:
    """An answer, but no progress."""
    due = now.time + pause
    return replace(package, tries=package.tries + 1, failures=0, due=due, **changes)


def failed(package: Package, answer: Answer, now: Now) -> Learnt:
    """No answer. Calls that fail together, before the pause is over, count as one."""
    if package.due is not None and package.due > now.time:
        return Learnt(package)
    failures = package.failures + 1
    due = now.time + back_off(failures, now.luck)
    after = replace(package, failures=failures, due=due)
    stop = None
    if failures >= now.settings.failures:
        what = "cannot be reached" if answer.kind is Kind.NOT_SENT else "gives no usable answer"
        stop = Interrupted(f"The service {what}: {answer.detail}", GO_ON)
    return Learnt(after, hold=due, stop=stop)


def closed(
    package: Package, now: Now, message: Message | None, at: datetime | None = None
) -> Package:
    """Nothing more is to be done; `message` says why, where that is not plain."""
    finished = package.finished_at or at or now.service_time
    return forward(package, now, phase=Phase.CLOSED, message=message, finished_at=finished)


def committed(package: Package, now: Now) -> Package:
    """Whoever did it: there is no way back."""
    return replace(package, committed_at=package.committed_at or now.time)
