"""Make many calls that change nothing, several at a time, until each is answered.

Such calls can be repeated, so they need no ledger: a 429 makes all calls wait and slows the pace
(`pace`), a call without an answer is repeated with growing pauses, and a refused credential ends
the fetch. Calls run in a pool; everything else, `take` included, runs in the calling thread.
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
from feedtool.service.pace import Pace, back_off

Item = TypeVar("Item", bound="Hashable")

TRIES = 6
"""Failures in a row, of any calls, after which the fetch ends."""
TRIES_OF_ONE = 3
"""Failures of one call, while others are answered, after which the call is given up."""
LONGEST_HOLD = timedelta(hours=1)
"""A longer wait that the service asks for ends the fetch, as with a delivery's package."""
MOST_PAGES = 100_000

FORBIDDEN, NOT_FOUND = 403, 404

NO_RIGHT = (
    tr("The service does not allow that"),
    tr(
        "The token is known but lacks the right: check the seller and what the account is opened"
        " for."
    ),
)
"""The meaning of a 403, and the advice."""


class Reader(Protocol[Item]):
    """Makes the calls of a fetch, and takes their answers. Each item is asked for by one call."""

    def call(self, item: Item) -> Call: ...

    def take(self, item: Item, reply: Reply) -> Iterable[Item]:
        """Read a success, and return the items to ask for next; Unreadable repeats the call."""

    def skip(self, item: Item, reason: str, status: int | None) -> Iterable[Item]:
        """Go on without an item: refused, or without a usable answer (status None). As `take`."""


class FetchContext(Struct, frozen=True):
    """The clock, chance and limits of a fetch."""

    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    jitter: Callable[[], float] = random.random
    """From 0 to 1: makes the pauses of clients differ."""
    pool: int = 4
    """Calls under way at a time; with 1 all calls run in the calling thread, in order."""
    stopping: Callable[[], FeedtoolError | None] = lambda: None
    """Returns the reason to begin no more calls, or None."""
    go_on: str = ""  # the advice for a fetch that was stopped
    forbidden_texts: tuple[str, str] | None = None
    """The meaning of a 403 and the advice, for a route with a right of its own; else NO_RIGHT."""
    on_unreachable: Callable[[str], None] = lambda _: None
    """Called at once with a line about the unreachable service and the end of the attempts."""
    ahead: Callable[[], timedelta] = timedelta
    """The time by which `now` is ahead of real time: the embedded sandbox's clock leaps."""

    def wall(self) -> datetime:
        return self.now() - self.ahead()


def fetch(
    items: Iterable[Item], reader: Reader[Item], client: Sender, context: FetchContext
) -> None:
    """Ask for all items, and for those that follow from their answers, in order.

    NotAuthorised if the service refuses the credential; Interrupted if it cannot be reached, or
    gives no usable answer; the error of `stopping` once the calls under way are finished.
    """
    with CallPool[tuple[Item, Call]](client, context.pool, is_ahead=False) as calls:
        _Fetching(reader, context, calls, items).run()


class _Fetching(Generic[Item]):
    def __init__(
        self,
        reader: Reader[Item],
        context: FetchContext,
        calls: CallPool[tuple[Item, Call]],
        items: Iterable[Item],
    ) -> None:
        self._reader, self._context, self._calls = reader, context, calls
        self._waiting: deque[Item] = deque(items)
        self._pace = Pace(context.pool)
        self._tries: Counter[Item] = Counter()
        self._failures = 0
        self._waits = 0
        self._hold: datetime | None = None
        self._stop: FeedtoolError | None = None

    def run(self) -> None:
        while self._waiting or self._calls.under_way:
            self._stop = self._stop or self._context.stopping()
            earliest = max(filter(None, (self._hold, self._pace.next_at)), default=None)
            now = self._context.now()
            is_held = earliest is not None and earliest > now
            if not (self._stop or is_held):
                for _ in range(min(self._calls.room(self._pace), len(self._waiting))):
                    item = self._waiting.popleft()
                    call = self._reader.call(item)
                    self._calls.begin((item, call), (call,))
                self._calls.send()
            if self._calls.under_way:
                for (item, call), result in self._calls.results():
                    self._read(item, call, result)
            elif self._stop:
                break
            elif earliest and is_held:
                self._context.sleep((earliest - now).total_seconds())
        if self._stop:
            raise self._stop

    def _read(self, item: Item, call: Call, result: CallResult) -> None:
        now = self._context.now()
        answer = read_answer(call, result, now, lambda reply: list(self._reader.take(item, reply)))
        if not isinstance(result, NotYet):  # else our own shared budget is used up
            self._pace = self._pace.after(answer.kind, now)
        if answer.kind is AnswerKind.DONE:
            self._failures = self._waits = 0
            self._waiting.extend(answer.value)
        elif answer.kind is AnswerKind.REFUSED:
            self._failures = 0
            self._waiting.extend(self._reader.skip(item, answer.detail, answer.status))
        elif answer.kind is AnswerKind.AUTH:
            self._waiting.appendleft(item)
            advice = (self._context.go_on, self._context.forbidden_texts)
            self._stop = self._stop or answer.error or not_authorised(answer, *advice)
        elif answer.kind is AnswerKind.WAIT:
            self._waiting.appendleft(item)
            self._wait(answer, now)
        else:
            self._fail(item, answer, now)

    def _wait(self, answer: Answer, now: datetime) -> None:
        """Let all calls wait as long as the service says; the call itself had no fault."""
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

    def _fail(self, item: Item, answer: Answer, now: datetime) -> None:
        """Note a failure; several calls that fail within one pause count as one failure."""
        is_held = self._hold is not None and self._hold > now
        is_unsent = answer.kind is AnswerKind.NOT_SENT
        self._failures += not is_held
        self._tries[item] += 1
        if is_unsent and self._failures == 1 and not is_held:
            self._context.on_unreachable(unreachable(answer.detail, now, TRIES))
        if self._failures >= TRIES:
            self._stop = self._stop or Interrupted(no_answer(answer), self._context.go_on)
        if not is_unsent and self._tries[item] >= TRIES_OF_ONE and not self._stop:
            self._waiting.extend(self._reader.skip(item, answer.detail, None))
            return
        self._waiting.appendleft(item)
        if not is_held:
            self._hold = now + back_off(self._failures, self._context.jitter())


def unreachable(detail: str, now: datetime, failures: int) -> str:
    """Return the line after a first failure, with the time when the attempts end."""
    pauses = (back_off(times, 1.0) for times in range(1, failures))
    until = now + sum(pauses, timedelta(0))
    return tr(
        "{reason}; trying again until about {time} UTC", reason=detail, time=f"{until:%H:%M:%S}"
    )


def no_answer(answer: Answer) -> str:
    """Return the error's text after too many calls without a usable answer."""
    if answer.kind is AnswerKind.NOT_SENT:
        return tr("The service cannot be reached: {reason}", reason=answer.detail)
    return tr("The service gives no usable answer: {reason}", reason=answer.detail)


def not_authorised(
    answer: Answer, go_on: str = "", forbidden_texts: tuple[str, str] | None = None
) -> NotAuthorised:
    """Return the error for a 401 or a 403, with the advice of a `FetchContext`."""
    if answer.status == FORBIDDEN:
        meaning, hint = forbidden_texts or NO_RIGHT
        return NotAuthorised(joined((meaning, answer.detail), ": "), hint)
    return NotAuthorised(
        tr("The service does not accept the token: {reason}", reason=answer.detail),
        joined(filter(None, (tr("Check the token, and that it has not run out."), go_on)), " "),
    )


# Lists, page after page.


class Next(NamedTuple):
    """The next page of a list."""

    call: Call
    is_guess: bool = False  # True if the service did not say that there is such a page
    is_again: bool = False  # True if the same page may be asked for twice


Take = Callable[[Reply, Call], Next | None]
"""Keeps the items of a page, and returns the next page or None; Unreadable if it is no page."""


def read_list(
    name: str, first: Call, take: Take, client: Sender, context: FetchContext, hint: str
) -> None:
    """Read a list to its end; `name` is its name in messages.

    Raises as `fetch` does, UsageProblem with the hint if the service refuses the request, and
    Interrupted if the list does not end.
    """
    fetch([Next(first)], _ListReader(name, take, hint), client, context)


class _ListReader:
    def __init__(self, name: str, take: Take, hint: str) -> None:
        self._name, self._take, self._hint = name, take, hint
        self._links: set[Call] = set()
        self._pages = 1

    def call(self, item: Next) -> Call:
        return item.call

    def take(self, item: Next, reply: Reply) -> Iterable[Next]:
        following = self._take(reply, item.call)
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

    def skip(self, item: Next, reason: str, status: int | None) -> Iterable[Next]:
        # A guessed page may not exist. Any other page that is missing would leave a gap.
        if status == NOT_FOUND and item.is_guess:
            return []
        text = tr("The service does not list its {kind}: {reason}", kind=self._name, reason=reason)
        if status is None:
            raise Interrupted(text, tr("Nothing was written; run it again."))
        raise UsageProblem(text, self._hint)
