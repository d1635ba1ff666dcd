"""What came back of a step, read as far as its own text goes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from feedtool.areas.legacy.wire import log_page, zip_id
from feedtool.areas.offers.wire.offers import offers_page
from feedtool.areas.offers.wire.packages import package_id, package_view, results_page
from feedtool.areas.products.wire.submissions import batch_id, reports_page
from feedtool.delivery.decide import Do
from feedtool.model.call import Failure, NotSent
from feedtool.model.errors import FeedtoolError
from feedtool.service.answers import Kind, kind_of, refusal, retry_after, service_time
from feedtool.service.bodies import Unreadable

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from feedtool.model.call import Call, Reply
    from feedtool.service.answers import Refusal


class Answer(NamedTuple):
    """An answer as far as its own text goes."""

    kind: Kind
    detail: str = ""
    """What the service, or the failure, said."""
    status: int | None = None
    """The HTTP status, where there was an answer at all."""
    value: Any = None
    """What a success carries: an id, a PackageView, a ResultsPage."""
    refusal: Refusal | None = None
    wait: float | None = None
    """Seconds, where the service asks for them."""
    at: datetime | None = None
    """The service's time."""
    error: FeedtoolError | None = None
    """What kept us from asking at all."""


READERS: dict[Do, Callable[[Reply], Any]] = {
    Do.CREATE: package_id,
    Do.LOOK: package_view,
    Do.FETCH: results_page,
    Do.SEEK: offers_page,
    Do.SUBMIT: batch_id,
    Do.FIND: reports_page,
    Do.REPORT: reports_page,
    Do.SEND: zip_id,
    Do.LOG: log_page,
}
"""What a success must carry; the other steps' successes carry nothing."""


def read_answer(
    do: Do, call: Call, reply: Reply | Failure | FeedtoolError, now: datetime
) -> Answer:
    """The kind of an answer, and what it says. A success that cannot be read is unknown."""
    if isinstance(reply, FeedtoolError):
        return Answer(Kind.AUTH, reply.message, error=reply)
    if isinstance(reply, Failure):
        return Answer(Kind.NOT_SENT if isinstance(reply, NotSent) else Kind.UNKNOWN, str(reply))
    kind, at = kind_of(call, reply), service_time(reply)
    if kind is Kind.DONE:
        try:
            value = READERS[do](reply) if do in READERS else None
        except Unreadable as error:
            return Answer(Kind.UNKNOWN, str(error), reply.status, at=at)
        return Answer(kind, status=reply.status, value=value, at=at)
    said = refusal(reply)
    wait = retry_after(reply, now)
    return Answer(kind, said.text, reply.status, refusal=said, wait=wait, at=at)
