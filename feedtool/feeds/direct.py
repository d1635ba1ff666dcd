"""`Direct` delivery: one call for each request, and looks that tell where it stands.

A record of pure functions and limits of the area. What is done when, and what is repeated, is in
`feedtool.delivery.direct`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Code, Message, Status
from feedtool.model.settings import PackageLimits

T = TypeVar("T")


class Repeat(StrEnum):
    """The ways of repeating a call whose outcome is unknown."""

    SAFE = "safe"
    """The same call twice is as good as once."""
    TRACED = "traced"
    """It would double; a look tells surely whether it took effect."""
    NEVER = "never"
    """It would double, and moves money: only the user says "again"."""


class Goal(StrEnum):
    """The states of a request at the service."""

    REACHED = "reached"
    """It is as asked: nothing is to be sent."""
    OPEN = "open"
    WAITING = "waiting"
    OTHERWISE = "otherwise"
    """It was done in another way than asked."""
    IMPOSSIBLE = "impossible"
    """It cannot be done any more, or not yet."""


class Judgement(NamedTuple):
    """The judgement of a request by the service's state."""

    goal: Goal
    status: Status
    """The row's status where this is the last word. UNKNOWN with OPEN says that it may be done: it
    is not sent again."""
    messages: tuple[Message, ...] = ()
    word: str = ""


class Act(NamedTuple):
    """A request as its calls need it."""

    package: PackageRef
    row: int
    reference: str
    body: bytes
    baseline: str | None = None
    """The state before it was sent: see `Direct.baseline`."""
    number: int = 0
    """Among the requests of its first row, `row`."""
    further_rows: tuple[int, ...] = ()
    """As `Item.further_rows`: a message about one of its rows names it."""

    @property
    def content(self) -> dict[str, Any]:
        """The request; empty where it was personal, and its end was told: it is not kept then."""
        is_kept = self.body.startswith(b"{")
        return json.loads(self.body) if is_kept else {}


class Overview(NamedTuple):
    """A list that shows where many requests stand, in the place of a look at each."""

    page: Callable[[int], Call]
    """The n-th page, from 1; what changed last comes first."""
    read: Callable[[Reply], Mapping[str, Reply]]
    """By reference, what a look at each would have been answered; raises Unreadable."""
    size: int
    """The number of things on a page that is not the last."""


class Direct(NamedTuple, Generic[T]):
    """One call for each request; a look before it, and after a doubt, tells where it stands."""

    call: Callable[[Act], Call]
    looks: Callable[[Act], Sequence[Call]]
    """The calls that look at it: before it, after a doubt, and until its effect is final."""
    state: Callable[[Act, Sequence[Reply]], T]
    """The state that the looks show; Unreadable where an answer cannot be read."""
    judge: Callable[[Act, T], Judgement]
    """Compares the state with what was asked for, and with the baseline once there is one."""
    created: Callable[[Reply], str | None] = lambda _: None
    """The id that the answer to the call carries, where it has one."""
    answered: Callable[[Act, Reply], Judgement] | None = None
    """The judgement that the answer to the call gives itself; None where looks have to."""
    baseline: Callable[[Act, T], str] = lambda _act, _state: ""
    """The part of the state before that is written down with the intent to send."""
    repeat: Repeat = Repeat.TRACED
    again: Code | None = None
    """The guard that holds a request that was sent before; None where a second one does no harm."""
    doubt: Code | None = None
    """The guard that holds a request while it is Unknown what became of the last one of its
    reference; None where a second one does no harm."""
    patience: timedelta = timedelta(minutes=10)
    """The longest time that an effect takes to show."""
    last_words: frozenset[str] | None = None
    """The service's words after which nothing changes any more: at any other `results` looks again
    at what was done. None where nobody has to."""
    overview: Overview | None = None
    """None where each has to be looked at, or takes several looks."""
    size: Callable[[PackageLimits], Size] = lambda _: Size(1, 1)
    """Each request is a package of its own: it has a state of its own."""
