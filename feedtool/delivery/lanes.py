"""Where calls are made: each in a lane of its own, or in the calling thread."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any

from feedtool.errors import FeedtoolError
from feedtool.service.wire import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from feedtool.service.wire import Call, Reply, Sender

    Heard = Reply | Failure | FeedtoolError

LINGER = 0.008
"""Seconds between two answers that are taken in together."""


class _Inline(Executor):
    """Runs what is submitted at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def lanes(pool: int) -> Executor:
    """So many lanes; one is the calling thread itself."""
    return _Inline() if pool == 1 else ThreadPoolExecutor(pool)


def ask(client: Sender, call: Call) -> Heard:
    """What was heard of a call."""
    try:
        return client.send(call)
    except (Failure, FeedtoolError) as error:
        return error


def answered(calls: Collection[Future[Heard]], linger: float = LINGER) -> set[Future[Heard]]:
    """Those of the calls that have had their answer, once there is one.

    While others still wait for a lane no lane is idle: a few milliseconds more cost nothing, and
    let the answers that come meanwhile, and the calls that follow on them, share a commit.
    """
    left = wait(calls, return_when=FIRST_COMPLETED).not_done
    while _waiting(left) > 1:
        more, left = wait(left, linger, FIRST_COMPLETED)
        if not more:
            break
    return {call for call in calls if call.done()}


def _waiting(calls: Collection[Future[Heard]]) -> int:
    """How many calls wait for a lane."""
    return sum(not (call.running() or call.done()) for call in calls)
