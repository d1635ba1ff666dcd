"""Make calls, several at a time or in the calling thread, and read their answers.

Other modules decide which call may be made when, and what follows from an answer: `fetch` reads,
and repeats calls until they are answered; `feedtool.delivery` records each step before its call.
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
"""Seconds between two answers that are taken together."""
LOOK_UP = 1.0
"""Seconds after which a wait is interrupted, so that Python handles signals."""

CallResult: TypeAlias = Reply | Failure | FeedtoolError | tuple[Reply, ...]
"""The answer to a call, the answers to several calls that all succeeded, or the failure."""


class Answer(NamedTuple):
    """An answer, read without knowledge of what was sent before."""

    kind: AnswerKind
    detail: str = ""  # the text of the service, or of the failure
    status: int | None = None  # the HTTP status; None without an answer
    value: Any = None
    """The content of a success, read by the area: an id, a PackageView, an AnswerPage."""
    refusal: Refusal | None = None
    wait: float | None = None  # seconds that the service asks for, if any
    service_time: datetime | None = None  # the service's clock at the answer
    error: FeedtoolError | None = None  # the reason why the call was not made


def read_answer(
    call: Call,
    result: CallResult,
    now: datetime,
    read: Callable[[Any], Any] | None = None,
) -> Answer:
    """Return the answer of a call; `read` returns a success's content, or raises Unreadable."""
    reply = result[-1] if isinstance(result, tuple) else result
    if isinstance(reply, FeedtoolError):
        return Answer(AnswerKind.AUTH, reply.message, error=reply)
    if isinstance(reply, NotYet):
        return Answer(AnswerKind.WAIT, reply.args[0], wait=reply.wait)
    if isinstance(reply, Failure):
        is_unsent = isinstance(reply, NotSent)
        return Answer(AnswerKind.NOT_SENT if is_unsent else AnswerKind.UNKNOWN, reply.args[0])
    kind, moment = kind_of(call, reply), service_time(reply)
    if kind is AnswerKind.DONE:
        try:
            value = read(result) if read else None
        except Unreadable as error:
            return Answer(AnswerKind.UNKNOWN, error.args[0], reply.status, service_time=moment)
        return Answer(kind, status=reply.status, value=value, service_time=moment)
    refused, wait = refusal(reply), retry_after(reply, now)
    return Answer(kind, refused.text, reply.status, refusal=refused, wait=wait, service_time=moment)


class CallPool(Generic[Key]):
    """The calls under way and those that wait for a lane. Used from one thread."""

    def __init__(self, client: Sender, lanes: int, *, is_ahead: bool = True) -> None:
        """Make `lanes` calls at a time; if `is_ahead`, as many more wait for a lane."""
        self._client = client
        self.lanes = executor(lanes)
        self._backlog = lanes if is_ahead and lanes > 1 else 0
        self._unsent: list[tuple[Key, Sequence[Call]]] = []
        self._under_way: dict[Future[CallResult], Key] = {}

    @property
    def under_way(self) -> list[Key]:
        return [*self._under_way.values()]

    @property
    def unsent(self) -> list[Key]:
        """The keys of calls that were begun and not sent."""
        return [key for key, _ in self._unsent]

    def room(self, pace: Pace) -> int:
        """Return how many calls may be begun; none waits for a lane while the pace is reduced."""
        ready = 0 if pace.behind else self._backlog
        return max(0, pace.lanes + ready - len(self._under_way))

    def begin(self, key: Key, calls: Sequence[Call]) -> None:
        self._unsent.append((key, calls))

    def send(self) -> None:
        while self._unsent:
            # Off the list before sending: a call on the list has surely never left.
            key, calls = self._unsent.pop(0)
            self._under_way[self.lanes.submit(ask_all, self._client, calls)] = key

    def cancelled(self) -> Iterator[Key]:
        """Take back the calls that still wait for a lane: they have never left."""
        for future, key in list(self._under_way.items()):
            if future.cancel():
                del self._under_way[future]
                yield key

    def results(self) -> Iterator[tuple[Key, CallResult]]:
        for future in answered(self._under_way):
            yield self._under_way.pop(future), future.result()

    def last_results(self) -> Iterator[tuple[Key, CallResult]]:
        for future in wait_for(self._under_way)[0]:
            yield self._under_way.pop(future), future.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lanes.shutdown()


def answered(
    calls: Collection[Future[CallResult]], linger: float = LINGER
) -> list[Future[CallResult]]:
    """Wait for an answer, and return the answered calls.

    While calls wait for a lane no lane is idle: waiting a few milliseconds more costs nothing, and
    answers that come meanwhile share a commit.
    """
    pending = wait_for(calls, return_when=FIRST_COMPLETED)[1]
    while sum(not (call.running() or call.done()) for call in pending) > 1:
        more, pending = wait_for(pending, linger, FIRST_COMPLETED)
        if not more:
            break
    return [call for call in calls if call.done()]


def wait_for(
    calls: Collection[Future[Result]],
    timeout: float | None = None,
    return_when: str = ALL_COMPLETED,
) -> tuple[set[Future[Result]], set[Future[Result]]]:
    """Do as `concurrent.futures.wait`, but handle signals while no call is answered."""
    while True:
        futures = wait(calls, LOOK_UP if timeout is None else timeout, return_when)
        is_enough = futures.done and return_when == FIRST_COMPLETED
        if timeout is not None or is_enough or not futures.not_done:
            return futures


def results_of(futures: Collection[Future[Result]]) -> list[Result]:
    if pending := [future for future in futures if not future.done()]:
        wait_for(pending)
    return [future.result() for future in futures]


def executor(lanes: int) -> Executor:
    return _Inline() if lanes == 1 else ThreadPoolExecutor(lanes)


class _Inline(Executor):
    """Runs each function at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


BAD_REQUEST = 400
MOST_PAGES = 1000
"""Pages of a list that is read to its end at most."""


def ask_all(client: Sender, calls: Sequence[Call]) -> CallResult:
    """Make calls one after the other; return their answers, or the first that is no success.

    In a list that is read to its end each page is an answer. If the service refuses a call with a
    parameter that the specification does not show (`unsure`), it is repeated without it.
    """
    replies: list[Reply] = []
    pending = deque(calls)
    while pending:
        call = pending.popleft()
        try:
            reply = client.send(call)
            sure = tuple(pair for pair in call.query if pair[0] not in call.unsure)
            if reply.status == BAD_REQUEST and sure != call.query:
                pending.appendleft(replace(call, query=sure))
                continue
            if reply.status in call.success and call.following:
                link = call.following(reply)
                if isinstance(link, str):
                    link = replace(call, target=link, query=())
                pending.extendleft([link] if link else ())
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
