"""Making calls: several at a time, or in the calling thread, and whatever is answered is returned.

What may be called when, and what an answer leads to, is decided elsewhere: `fetch` reads, and asks
again as often as it takes; `feedtool.delivery` writes down each step before its call.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any, TypeAlias

from feedtool.model.call import Call, Failure, Reply, Sender
from feedtool.model.errors import FeedtoolError

ReplyResult: TypeAlias = Reply | Failure | FeedtoolError
"""What was answered to a call, or why nothing was."""

CallResult: TypeAlias = ReplyResult | tuple[Reply, ...]
"""What was answered to a call, or to several that all succeeded; or why nothing was."""


def executor(pool: int) -> Executor:
    """So many lanes; one is the calling thread itself."""
    return _Inline() if pool == 1 else ThreadPoolExecutor(pool)


class _Inline(Executor):
    """Runs what is submitted at once, in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def ask(client: Sender, call: Call) -> ReplyResult:
    """What was answered to a call."""
    try:
        return client.send(call)
    except (Failure, FeedtoolError) as error:
        return error


def ask_all(client: Sender, calls: Sequence[Call]) -> CallResult:
    """The answers to calls, made one after the other; the first that is no success ends them.

    That of a single call is returned as it is.
    """
    replies: list[Reply] = []
    for call in calls:
        reply = ask(client, call)
        if len(calls) == 1 or not isinstance(reply, Reply) or reply.status not in call.success:
            return reply
        replies.append(reply)
    return tuple(replies)
