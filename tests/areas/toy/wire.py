"""The calls of the service, and what their answers say."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from feedtool.feeds.direct import Direct, Goal, Judgement, RequestAttempt
from feedtool.model.call import READ, STAGED, Call, Reply
from feedtool.model.nouns import Message
from feedtool.service.answers import items_of
from tests.areas.toy.statuses import PACKED

Parcels = list[dict[str, Any]]


def read_parcels(order: str = "", channel: str = "", since: datetime | None = None) -> Call:
    """The parcels of an order on a channel, or of the seller; those that were sent since."""
    asked = {"order": order, "channel": channel, "since": since.isoformat() if since else ""}
    return Call("GET", "/parcels", READ, query=tuple(asked.items()))


def parcels(reply: Reply) -> Parcels:
    return items_of(reply, "parcels")


def judge(act: RequestAttempt, shown: Parcels) -> Judgement:
    """Decide if the parcel exists: one more than before, or the same one already."""
    if act.baseline is None:
        is_there = json.loads(act.body)["toys"] in [parcel["toys"] for parcel in shown]
        told = (Message("", "It was sent before."),) if is_there else ()
        return Judgement(Goal.REACHED if is_there else Goal.OPEN, PACKED, told)
    is_there = len(shown) > int(act.baseline)
    return Judgement(Goal.REACHED if is_there else Goal.OPEN, PACKED)


def state(_: RequestAttempt, replies: Sequence[Reply]) -> Parcels:
    """The parcels that there are."""
    return parcels(replies[0])


DELIVERY = Direct(
    call=lambda act: Call("POST", "/parcels", STAGED, body=act.body),
    looks=lambda act: [read_parcels(act.reference, act.package.channel)],
    state=state,
    judge=judge,
    baseline=lambda _, shown: str(len(shown)),
)
