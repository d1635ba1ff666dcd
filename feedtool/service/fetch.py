"""Reading much: many calls that change nothing, several at a time, each until it is answered.

What may be repeated as it is needs no ledger: a 429 makes all calls wait and slows the pace
(`pace`), what is not answered is asked again with growing pauses, and a refused credential ends
it. Calls run in a pool; everything else, `take` included, happens in the calling thread.
"""

import random
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable
from datetime import datetime, timedelta
from typing import Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct

from feedtool.model.call import Call, NotYet, Reply, Sender
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, UsageProblem
from feedtool.model.text import joined, tr
from feedtool.service.answers import AnswerKind
from feedtool.service.calls import (
    Answer,
    CallPool,
    CallResult,
    read_answer,
)
from feedtool.service.pace import Pace, back_off, longest_back_off

Asked = TypeVar("Asked", bound="Hashable")

TRIES = 6
"""So many times in a row without any usable answer, and the service is given up."""
TRIES_OF_ONE = 3
"""So many times without one, while others are answered, and a call is given up."""
LONGEST_HOLD = timedelta(hours=1)
"""Where the service asks to wait longer it ends, as a delivery waits no longer for a package."""
MOST_PAGES = 100_000

FORBIDDEN, GONE = 403, 404

NO_RIGHT = (
    tr("The service does not allow that"),
    tr(
        "The token is known but lacks the right: check the seller and what the account is opened"
        " for."
    ),
)
"""The meaning of a 403, and the advice."""


class Reader(Protocol[Asked]):
    """The calls of a fetch, and the taker of their answers."""

    def call(self, asked: Asked) -> Call:
        """The call that asks for it."""
        ...

    def take(self, asked: Asked, reply: Reply) -> Iterable[Asked]:
        """Read a success, and name what is to be asked for next; Unreadable has it asked again."""
        ...

    def lack(self, asked: Asked, reason: str, status: int | None) -> Iterable[Asked]:
        """Do without what was refused with `status`, or (None) never usable; as `take`."""
        ...


class FetchContext(Struct, frozen=True):
    """Time, chance, and how far to go."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    jitter: Callable[[], float] = random.random
    """From 0 to 1, for pauses that differ between clients."""
    pool: int = 4
    """Calls under way at a time; 1 has all happen in the calling thread, in the same order."""
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    """The reason why no call is begun any more, once there is one."""
    go_on: str = ""  # the advice when it was stopped
    closed: tuple[str, str] | None = None
    """In the place of `NO_RIGHT`, where a route needs a right of its own."""
    on_unreachable: Callable[[str], None] = lambda _: None
    """Gets, at once, the line that says until when an unreachable service is tried."""
    ahead: Callable[[], timedelta] = timedelta
    """The time that `now` is ahead of real time: the embedded sandbox's time leaps."""

    def wall(self) -> datetime:
        """Real time, for people."""
        return self.now() - self.ahead()


def fetch(
    asked: Iterable[Asked], reader: Reader[Asked], client: Sender, context: FetchContext
) -> None:
    """Ask for all of it, and for what that leads to, in the order in which it was named.

    NotAuthorised where the service refuses the credential; Interrupted where it cannot be reached,
    or gives no usable answer; what `stopping` said once the calls under way are finished.
    """
    with CallPool[tuple[Asked, Call]](client, context.pool, is_ahead=False) as calls:
        _Fetching(reader, context, calls, asked).run()


class _Fetching(Generic[Asked]):
    def __init__(
        self,
        reader: Reader[Asked],
        context: FetchContext,
        calls: CallPool[tuple[Asked, Call]],
        asked: Iterable[Asked],
    ) -> None:
        self._reader, self._context, self._calls = reader, context, calls
        self._waiting: deque[Asked] = deque(asked)
        self._pace = Pace(context.pool)
        self._tries: Counter[Asked] = Counter()
        self._failures = 0
        self._waits = 0
        self._hold: datetime | None = None
        self._stop: FeedtoolError | None = None

    def run(self) -> None:
        while self._waiting or self._calls.under_way:
            self._stop = self._stop or self._context.stopping()
            held = max(filter(None, (self._hold, self._pace.next_at)), default=None)
            now = self._context.now()
            is_held = held is not None and held > now
            if not (self._stop or is_held):
                self._begin()
            if self._calls.under_way:
                for (asked, call), result in self._calls.results():
                    self._read(asked, call, result)
            elif self._stop:
                break
            elif held and is_held:
                self._context.sleep((held - now).total_seconds())
        if self._stop:
            raise self._stop

    def _begin(self) -> None:
        for _ in range(min(self._calls.room(self._pace), len(self._waiting))):
            asked = self._waiting.popleft()
            call = self._reader.call(asked)
            self._calls.begin((asked, call), (call,))
        self._calls.send()

    def _read(self, asked: Asked, call: Call, result: CallResult) -> None:
        now = self._context.now()
        answer = read_answer(call, result, now, lambda reply: list(self._reader.take(asked, reply)))
        if not isinstance(result, NotYet):  # that says nothing of the seller's own quota
            self._pace = self._pace.after(answer.kind, now)
        if answer.kind is AnswerKind.DONE:
            self._failures = self._waits = 0
            self._waiting.extend(answer.value)
        elif answer.kind is AnswerKind.REFUSED:
            self._failures = 0
            self._waiting.extend(self._reader.lack(asked, answer.detail, answer.status))
        elif answer.kind is AnswerKind.AUTH:
            self._waiting.appendleft(asked)
            advice = (self._context.go_on, self._context.closed)
            self._stop = self._stop or answer.error or not_authorised(answer, *advice)
        elif answer.kind is AnswerKind.WAIT:
            self._waiting.appendleft(asked)
            self._wait(answer, now)
        else:
            self._fail(asked, answer, now)

    def _wait(self, answer: Answer, now: datetime) -> None:
        """Nothing was wrong with the call; all wait as long as the service says."""
        self._waits += 1
        if answer.wait is None:
            pause = back_off(self._waits, self._context.jitter())
        else:
            pause = timedelta(seconds=answer.wait)
        if pause > LONGEST_HOLD:
            until = f"{now + pause:%Y-%m-%d %H:%M} UTC"
            text = tr(
                "The service asks to wait until {until}: {reason}",
                until=until,
                reason=answer.detail,
            )
            self._stop = self._stop or Interrupted(text, self._context.go_on)
        self._hold = max(self._hold or now, now + pause)

    def _fail(self, asked: Asked, answer: Answer, now: datetime) -> None:
        """No usable answer. Calls that fail together, before the pause is over, count as one."""
        is_held = self._hold is not None and self._hold > now
        is_unsent = answer.kind is AnswerKind.NOT_SENT
        self._failures += not is_held
        self._tries[asked] += 1
        if is_unsent and self._failures == 1 and not is_held:
            self._context.on_unreachable(unreachable(answer.detail, now, TRIES))
        if self._failures >= TRIES:
            self._stop = self._stop or Interrupted(no_answer(answer), self._context.go_on)
        if not is_unsent and self._tries[asked] >= TRIES_OF_ONE and not self._stop:
            self._waiting.extend(self._reader.lack(asked, answer.detail, None))
            return
        self._waiting.appendleft(asked)
        if not is_held:
            self._hold = now + back_off(self._failures, self._context.jitter())


def unreachable(detail: str, now: datetime, failures: int) -> str:
    """The line that says, after a first failure, until when a service is tried."""
    until = now + longest_back_off(1, failures)
    return tr(
        "{reason}; trying again until about {time} UTC", reason=detail, time=f"{until:%H:%M:%S}"
    )


def no_answer(answer: Answer) -> str:
    """The error after so many calls without a usable answer."""
    is_unsent = answer.kind is AnswerKind.NOT_SENT
    if is_unsent:
        return tr("The service cannot be reached: {reason}", reason=answer.detail)
    return tr("The service gives no usable answer: {reason}", reason=answer.detail)


def not_authorised(
    answer: Answer, go_on: str = "", closed: tuple[str, str] | None = None
) -> NotAuthorised:
    """The error for a 401 or a 403, with the advice of a `FetchContext`."""
    if answer.status == FORBIDDEN:
        meaning, hint = closed or NO_RIGHT
        return NotAuthorised(joined((meaning, answer.detail), ": "), hint)
    return NotAuthorised(
        tr("The service does not accept the token: {reason}", reason=answer.detail),
        joined(filter(None, (tr("Check the token, and that it has not run out."), go_on)), " "),
    )


# Lists, page after page.


class Next(NamedTuple):
    """The page after one that was read."""

    call: Call
    is_guess: bool = False  # True if nobody has said that there is one
    is_again: bool = False  # True if a page may be asked for twice


Take = Callable[[Reply, Call], Next | None]
"""Keeps what a page holds, and gives the next one; raises Unreadable for what is no page."""


def read_list(
    name: str, first: Call, take: Take, client: Sender, context: FetchContext, hint: str
) -> None:
    """Ask for a list, of this name in messages, to its end; raises as `fetch` does.

    Also UsageProblem, with the hint, where the service refuses what it was asked for, and
    Interrupted where the list does not end.
    """
    fetch([Next(first)], _ListReader(name, take, hint), client, context)


class _ListReader:
    def __init__(self, name: str, take: Take, hint: str) -> None:
        self._name, self._take, self._hint = name, take, hint
        self._links: set[Call] = set()
        self._pages = 1

    def call(self, asked: Next) -> Call:
        return asked.call

    def take(self, asked: Next, reply: Reply) -> Iterable[Next]:
        following = self._take(reply, asked.call)
        if following is None:
            return []
        self._pages += 1
        leads_back = following.call in self._links and not following.is_again
        if self._pages > MOST_PAGES or leads_back:
            raise Interrupted(
                tr(
                    "The service's list of {name} does not end: page {page} leads back.",
                    name=self._name,
                    page=self._pages,
                ),
                tr("Tell the service's operator; nothing was written."),
            )
        if not following.is_guess:
            self._links.add(following.call)
        return [following]

    def lack(self, asked: Next, reason: str, status: int | None) -> Iterable[Next]:
        # How many pages there are was not said, so this one was a try. A gap makes no list.
        if status == GONE and asked.is_guess:
            return []
        text = tr("The service does not list its {kind}: {reason}", kind=self._name, reason=reason)
        if status is None:
            raise Interrupted(text, tr("Nothing was written; run it again."))
        raise UsageProblem(text, self._hint)
