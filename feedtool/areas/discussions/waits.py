"""What of discussions waits for the seller: lines of `feedtool todo`."""

from collections.abc import Iterator

from feedtool.areas.discussions import wire
from feedtool.areas.discussions.rows import CLAIM, TO_TREAT
from feedtool.areas.discussions.wire import SELLER
from feedtool.feeds.export import Wait
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import counted, moment

OPEN = ("isOpen", "true")
WAITING = ("processStatus", TO_TREAT)
SORT = ("sort", "asc:updatedAt")


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Discussions to answer, and those of them that have become claims."""
    yield Wait(
        "to-answer",
        tr("To answer"),
        wire.read_count(OPEN, WAITING),
        counted,
        lambda count: plural("{count:,} discussion", "{count:,} discussions", count),
        ("export", "discussions", "--to-treat"),
        wire.read_discussions((OPEN, WAITING, SORT, ("includeMessages", "LastMessage"))),
        longest,
    )
    yield Wait(
        "claims",
        tr("Claims"),
        wire.read_count(OPEN, WAITING, ("graduationCode", CLAIM)),
        counted,
        lambda count: plural("{count:,} claim", "{count:,} claims", count),
        ("export", "discussions", "--to-treat", "--graduation", CLAIM),
    )


def longest(reply: Reply) -> MessageText | str:
    """Since when somebody has waited for an answer."""
    last = (message for found in wire.discussions_of(reply) for message in found.messages[-1:])
    at = min(
        filter(None, (moment(it.created_at) for it in last if it.sender != SELLER)), default=None
    )
    return tr("waiting since {at} UTC", at=f"{at:%Y-%m-%d %H:%M}") if at else ""
