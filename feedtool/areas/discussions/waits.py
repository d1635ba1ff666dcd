"""What of discussions waits for the seller: lines of `feedtool todo`."""

from collections.abc import Iterator
from datetime import UTC

from feedtool.areas.discussions import wire
from feedtool.areas.discussions.rows import CLAIM, TO_TREAT
from feedtool.feeds.area import Wait
from feedtool.model.call import Reply
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, plural, tr
from feedtool.service.answers import counted, moment

OPEN = ("isOpen", "true")
WAITING = ("processStatus", TO_TREAT)


def waits(_: AccountSettings) -> Iterator[Wait]:
    """Discussions to answer, and those of them that have become claims."""
    yield Wait(
        "to-answer",
        tr("To answer"),
        wire.read_count(OPEN, WAITING),
        counted,
        lambda count: plural("{count:,} discussion", "{count:,} discussions", count),
        ("export", "discussions", "--to-treat"),
        wire.read_discussions((OPEN, WAITING, ("sort", "asc:updatedAt")), size=1),
        oldest,
    )
    yield Wait(
        "claims",
        tr("Claims"),
        wire.read_count(OPEN, WAITING, ("graduationCode", CLAIM)),
        counted,
        lambda count: plural("{count:,} claim", "{count:,} claims", count),
        ("export", "discussions", "--to-treat", "--graduation", CLAIM),
    )


def oldest(reply: Reply) -> MessageText | str:
    """Since when the first discussion of a page waits."""
    found = next(iter(wire.discussions_of(reply)), None)
    at = moment(found.updated_at) if found else None
    return tr("the oldest of {at} UTC", at=f"{at.astimezone(UTC):%Y-%m-%d %H:%M}") if at else ""
