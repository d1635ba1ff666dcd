"""What came back of a step, read as far as its own text goes. Pure."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from feedtool.model.call import Call, Failure, NotSent
from feedtool.model.errors import FeedtoolError
from feedtool.service.answers import (
    AnswerKind,
    Refusal,
    kind_of,
    refusal,
    retry_after,
    service_time,
)
from feedtool.service.bodies import Unreadable
from feedtool.service.calling import CallResult


class Answer(NamedTuple):
    """An answer as far as its own text goes."""

    kind: AnswerKind
    detail: str = ""
    """What the service, or the failure, said."""
    status: int | None = None
    """The HTTP status, where there was an answer at all."""
    value: Any = None
    """What a success carries, as the area reads it: an id, a PackageView, a ResultsPage."""
    refusal: Refusal | None = None
    wait: float | None = None
    """Seconds, where the service asks for them."""
    at: datetime | None = None
    """The service's time."""
    error: FeedtoolError | None = None
    """What kept us from asking at all."""


def read_answer(
    call: Call,
    result: CallResult,
    now: datetime,
    read: Callable[[Any], Any] | None = None,
) -> Answer:
    """The kind of an answer, and what it says.

    `read` gives what a success, or several, must carry; what cannot be read is unknown.
    """
    reply = result[-1] if isinstance(result, tuple) else result
    if isinstance(reply, FeedtoolError):
        return Answer(AnswerKind.AUTH, reply.message, error=reply)
    if isinstance(reply, Failure):
        return Answer(
            AnswerKind.NOT_SENT if isinstance(reply, NotSent) else AnswerKind.UNKNOWN, str(reply)
        )
    kind, at = kind_of(call, reply), service_time(reply)
    if kind is AnswerKind.DONE:
        try:
            value = read(result) if read else None
        except Unreadable as error:
            return Answer(AnswerKind.UNKNOWN, str(error), reply.status, at=at)
        return Answer(kind, status=reply.status, value=value, at=at)
    said = refusal(reply)
    wait = retry_after(reply, now)
    return Answer(kind, said.text, reply.status, refusal=said, wait=wait, at=at)
