"""`Direct` delivery: one call for each request, and look-ups of its state."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Any, Generic, NamedTuple, TypeVar

from feedtool.feeds.package_ref import PackageRef, Size
from feedtool.model.call import Call, Reply
from feedtool.model.nouns import Code, Message, Status
from feedtool.model.settings import PackageLimits

State = TypeVar("State")


class Repeat(StrEnum):
    """The ways to repeat a call whose outcome is unknown."""

    SAFE = "safe"
    """A second call does no harm."""
    TRACED = "traced"
    """A second call would double the effect; a look-up shows for certain if the first had one."""
    NEVER = "never"
    """A second call would double the effect, and moves money: only the user may repeat it."""


class Goal(StrEnum):
    """The states of a request at the service."""

    REACHED = "reached"
    """The state is as requested: nothing needs to be sent."""
    OPEN = "open"
    WAITING = "waiting"
    OTHERWISE = "otherwise"
    """The service did something else than requested."""
    IMPOSSIBLE = "impossible"
    """The request is no longer possible, or not yet."""


class Judgement(NamedTuple):
    goal: Goal
    status: Status
    """The row's status if this judgement is final. UNKNOWN with OPEN means that the request may
    have taken effect: it is not sent again."""
    messages: tuple[Message, ...] = ()
    word: str = ""


class RequestAttempt(NamedTuple):
    """The facts of a request that its calls need."""

    package: PackageRef
    row: int
    reference: str
    body: bytes
    baseline: str | None = None
    """The state before it was sent (see `Direct.baseline`); None if it was not sent."""
    number: int = 0
    """The index among the requests of its first row, `row`."""
    further_rows: tuple[int, ...] = ()
    """See `Item.further_rows`: a message about one of these rows names it."""

    @property
    def content(self) -> dict[str, Any]:
        """The request; empty if it was personal and final: it is not stored then."""
        is_kept = self.body.startswith(b"{")
        return json.loads(self.body) if is_kept else {}


class Overview(NamedTuple):
    """A list that shows the states of many requests, instead of a look-up of each."""

    page: Callable[[int], Call]
    """Returns the call for the n-th page, from 1; the last changes come first."""
    read: Callable[[Reply], Mapping[str, Reply]]
    """Returns the answers that look-ups would have got, by reference; raises Unreadable."""
    size: int
    """The number of entries on a page that is not the last."""


class Direct(NamedTuple, Generic[State]):
    """One call for each request; look-ups before and after it show the request's state."""

    call: Callable[[RequestAttempt], Call]
    looks: Callable[[RequestAttempt], Sequence[Call]]
    """Returns the calls of a look-up: before the call, after an unknown outcome, and until it is
    final."""
    state: Callable[[RequestAttempt, Sequence[Reply]], State]
    """Returns the state in the answers of a look-up; raises Unreadable."""
    judge: Callable[[RequestAttempt, State], Judgement]
    """Compares the state with the request, and with the baseline once there is one."""
    created: Callable[[Reply], str | None] = lambda _: None
    """Returns the id in the answer to the call, or None."""
    answered: Callable[[RequestAttempt, Reply], Judgement] | None = None
    """Returns the judgement from the answer to the call; None if only look-ups show it."""
    baseline: Callable[[RequestAttempt, State], str] = lambda _act, _state: ""
    """Returns the part of the state that is stored with the intent to send."""
    repeat: Repeat = Repeat.TRACED
    again: Code | None = None
    """The guard that holds a request that was sent before; None if a second one does no harm."""
    doubt: Code | None = None
    """The guard that holds a request while the result of the last request of its reference is
    Unknown; None if a second one does no harm."""
    patience: timedelta = timedelta(minutes=10)
    """The longest time until an effect is visible."""
    last_words: frozenset[str] | None = None
    """The service's words for final states: in any other state `results` looks up reached requests
    again. None if that is not needed."""
    overview: Overview | None = None
    """None if each request needs its own look-up, or several."""
    size: Callable[[PackageLimits], Size] = lambda _: Size(1, 1)
    """By default each request is a package, since it has its own state."""
