"""Calls, several at a time or in the calling thread, and their answers as far as their text goes.

Which call may be made when, and what an answer leads to, is decided elsewhere: `fetch` reads, and
asks again as often as it takes; `feedtool.delivery` writes down each step before its call.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import (
    ALL_COMPLETED,
    FIRST_COMPLETED,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from datetime import datetime
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from msgspec.structs import replace

from feedtool.model.call import Call, Failure, NotSent, NotYet, OutcomeUnknown, Reply, Sender
from feedtool.model.errors import FeedtoolError
from feedtool.model.text import tr
from feedtool.service.answers import (
    AnswerKind,
    Refusal,
    Unreadable,
    kind_of,
    refusal,
    retry_after,
    service_time,
)
from feedtool.service.pace import Pace

Key = TypeVar("Key")
Result = TypeVar("Result")
LINGER = 0.008
"""Seconds between two answers that are taken in together."""
LOOK_UP = 1.0
"""Seconds of waiting, after which Python hears a signal that came just before it."""

CallResult: TypeAlias = Reply | Failure | FeedtoolError | tuple[Reply, ...]
"""The answer to a call, the answers to several that all succeeded, or why there is none."""


class Answer(NamedTuple):
    """An answer as far as its own text goes."""

    kind: AnswerKind
    detail: str = ""  # the text of the service, or of the failure
    status: int | None = None  # the HTTP status, where there was an answer at all
    value: Any = None
    """What a success carries, as the area reads it: an id, a PackageView, an AnswerPage."""
    refusal: Refusal | None = None
    wait: float | None = None  # seconds, where the service asks for them
    at: datetime | None = None  # the service's time
    error: FeedtoolError | None = None  # the reason why it was not asked at all


def read_answer(
    call: Call,
    result: CallResult,
    now: datetime,
    read: Callable[[Any], Any] | None = None,
) -> Answer:
    """The kind of an answer, and what it says; `read` gives what a success must carry."""
    reply = result[-1] if isinstance(result, tuple) else result
    if isinstance(reply, FeedtoolError):
        return Answer(AnswerKind.AUTH, reply.message, error=reply)
    if isinstance(reply, NotYet):
        return Answer(AnswerKind.WAIT, reply.args[0], wait=reply.wait)
    if isinstance(reply, Failure):
        is_unsent = isinstance(reply, NotSent)
        return Answer(AnswerKind.NOT_SENT if is_unsent else AnswerKind.UNKNOWN, reply.args[0])
    kind, at = kind_of(call, reply), service_time(reply)
    if kind is AnswerKind.DONE:
        try:
            value = read(result) if read else None
        except Unreadable as error:
            return Answer(AnswerKind.UNKNOWN, error.args[0], reply.status, at=at)
        return Answer(kind, status=reply.status, value=value, at=at)
    refused, wait = refusal(reply), retry_after(reply, now)
    return Answer(kind, refused.text, reply.status, refusal=refused, wait=wait, at=at)


class CallPool(Generic[Key]):
    """The calls under way and those that wait for a lane. Used from one thread."""

    def __init__(self, client: Sender, lanes: int, *, is_ahead: bool = True) -> None:
        """So many calls at a time, and as many more that wait for a lane if `is_ahead`."""
        self._client = client
        self.lanes = executor(lanes)
        self._backlog = lanes if is_ahead and lanes > 1 else 0
        self._unsent: list[tuple[Key, Sequence[Call]]] = []
        self._under_way: dict[Future[CallResult], Key] = {}

    @property
    def under_way(self) -> list[Key]:
        """The calls under way, and those that wait for a lane."""
        return [*self._under_way.values()]

    @property
    def unsent(self) -> list[Key]:
        """The calls that were begun and have never left."""
        return [key for key, _ in self._unsent]

    def room(self, pace: Pace) -> int:
        """The number of calls that may be begun; none waits for a lane while the quota is felt."""
        ready = 0 if pace.behind else self._backlog
        return max(0, pace.lanes + ready - len(self._under_way))

    def begin(self, key: Key, calls: Sequence[Call]) -> None:
        """Note calls that are made one after the other, once they may be sent."""
        self._unsent.append((key, calls))

    def send(self) -> None:
        """Send what was begun."""
        while self._unsent:
            # Off the list before it is sent: what is on it has never left.
            key, calls = self._unsent.pop(0)
            self._under_way[self.lanes.submit(ask_all, self._client, calls)] = key

    def cancelled(self) -> Iterator[Key]:
        """Take back what still waits for a lane: it has never left."""
        for future, key in list(self._under_way.items()):
            if future.cancel():
                del self._under_way[future]
                yield key

    def results(self) -> Iterator[tuple[Key, CallResult]]:
        """The calls that were answered, once there is one."""
        for future in answered(self._under_way):
            yield self._under_way.pop(future), future.result()

    def last_results(self) -> Iterator[tuple[Key, CallResult]]:
        """All calls that are under way, once they are answered."""
        for future in wait_for(self._under_way)[0]:
            yield self._under_way.pop(future), future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lanes.shutdown()


def answered(
    calls: Collection[Future[CallResult]], linger: float = LINGER
) -> list[Future[CallResult]]:
    """Those of the calls that have had their answer, once there is one.

    While others wait for a lane none is idle: a few milliseconds more cost nothing, and let answers
    that come meanwhile share a commit.
    """
    left = wait_for(calls, return_when=FIRST_COMPLETED)[1]
    while sum(not (call.running() or call.done()) for call in left) > 1:
        more, left = wait_for(left, linger, FIRST_COMPLETED)
        if not more:
            break
    return [call for call in calls if call.done()]


def wait_for(
    calls: Collection[Future[Result]],
    timeout: float | None = None,
    return_when: str = ALL_COMPLETED,
) -> tuple[set[Future[Result]], set[Future[Result]]]:
    """As `concurrent.futures.wait`, but a signal is never heard only when a call is answered."""
    while True:
        found = wait(calls, LOOK_UP if timeout is None else timeout, return_when)
        is_enough = found.done and return_when == FIRST_COMPLETED
        if timeout is not None or is_enough or not found.not_done:
            return found


def results_of(futures: Collection[Future[Result]]) -> list[Result]:
    """The results of what runs in lanes, once all are there."""
    if left := [future for future in futures if not future.done()]:
        wait_for(left)
    return [future.result() for future in futures]


def executor(lanes: int) -> Executor:
    """A pool of threads; for one lane the calling thread itself."""
    return _Inline() if lanes == 1 else ThreadPoolExecutor(lanes)


class _Inline(Executor):
    """Runs what is submitted at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


BAD_REQUEST = 400
MOST_PAGES = 1000
"""No list of more pages is read as a whole."""


def ask_all(client: Sender, calls: Sequence[Call]) -> CallResult:
    """The answers to calls, one after the other up to one that is no success; or that of one.

    Of a list that is read as a whole each page is an answer. What the service refuses for a
    parameter that the specification does not show is asked without it.
    """
    replies: list[Reply] = []
    left = deque(calls)
    while left:
        call = left.popleft()
        try:
            reply = client.send(call)
            sure = tuple(pair for pair in call.query if pair[0] not in call.unsure)
            if reply.status == BAD_REQUEST and sure != call.query:
                left.appendleft(replace(call, query=sure))
                continue
            if reply.status in call.success and call.following:
                link = call.following(reply)
                if isinstance(link, str):
                    link = replace(call, target=link, query=())
                left.extendleft([link] if link else ())
        except (Failure, FeedtoolError) as error:
            return error
        except Unreadable as error:
            return OutcomeUnknown(error.args[0])
        if reply.status not in call.success:
            return reply
        replies.append(reply)
        if len(replies) > MOST_PAGES:
            return OutcomeUnknown(tr("the list has more than {most:,} pages", most=MOST_PAGES))
    return tuple(replies) if len(replies) > 1 else replies[0]
