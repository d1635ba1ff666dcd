"""Making calls: several at a time, or in the calling thread, and whatever is heard is returned.

What may be called when, and what an answer leads to, is decided elsewhere: `fetch` reads, and asks
again as often as it takes; `feedtool.delivery` writes down each step before its call.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from feedtool.model.call import Failure
from feedtool.model.errors import FeedtoolError

if TYPE_CHECKING:
    from collections.abc import Callable

    from feedtool.model.call import Call, Reply, Sender

    Heard = Reply | Failure | FeedtoolError


def executor(pool: int) -> Executor:
    """So many lanes; one is the calling thread itself."""
    return _Inline() if pool == 1 else ThreadPoolExecutor(pool)


class _Inline(Executor):
    """Runs what is submitted at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def ask(client: Sender, call: Call) -> Heard:
    """What was heard of a call."""
    try:
        return client.send(call)
    except (Failure, FeedtoolError) as error:
        return error
