"""Lists of pages that change while they are read, so that nothing on them is skipped. Pure.

A page number is a trap: whatever changes moves to the end of a list sorted by its last change, and
all behind it moves up, the first of the next page onto the page that was just read. So the next
page is the first one of what changed at or after the last thing of this page. Whatever is on two
pages comes twice, and whoever takes the pages keeps one of each.

Only where more things than a page holds have one time do pages of them have to be counted. These
are read once forth and once back: what moves up between two pages is met on the way back.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from feedtool.feeds.export import ListPage
from feedtool.model.call import Call, Reply

CREATED = "createdAt"
SORTS = ("updatedAt", "asc:updatedAt", CREATED)
"""Values of `sort`, of which the next is tried where a page does not ascend. Sorted by creation,
where nothing moves, pages can be counted, unless the service leaves out what can change."""

A_SECOND = timedelta(seconds=1)
"""A service may cut a time to its second."""


LEAST_TIME = timedelta(microseconds=1)


class Asked(NamedTuple):
    """A page that is asked for."""

    since: datetime | None = None
    """Of what changed then or later; None for all."""
    number: int = 1
    sorts: tuple[str, ...] = SORTS
    """The first of them is the one in use."""
    begun: datetime | None = None
    """The `since` of the first page of the list."""
    least: datetime | None = None
    """What a page that ascends begins with, or something later."""
    resume: datetime | None = None
    """On the way back: where to go on from then; None where the list is at its end."""
    is_back: bool = False
    """True on the way back over pages of things of one time."""

    @property
    def sort(self) -> str:
        """How the list is to be sorted."""
        return self.sorts[0]


def first(since: datetime | None, sorts: tuple[str, ...] = SORTS) -> Asked:
    """The first page of what changed then or later."""
    return Asked(since, 1, sorts, since, since)


def following(asked: Asked, moments: Sequence[datetime], size: int) -> Asked | None:
    """The page after one with things of these moments, in its order; None after the last.

    Args:
        asked: The page that was read.
        moments: When each of its things changed last.
        size: How many things a page has that is not the last.
    """
    is_full = len(moments) >= size
    if asked.sort == CREATED:
        return asked._replace(number=asked.number + 1) if is_full else None
    if not _ascends(asked, moments):
        return first(asked.begun, asked.sorts[1:])
    if asked.is_back:
        return _back(asked)
    of_one_time = moments[0] if is_full and moments[0] == moments[-1] else None
    if of_one_time and (asked.number == 1 or of_one_time == asked.least):
        return asked._replace(number=asked.number + 1, least=of_one_time)
    is_past = bool(moments) and (asked.least is None or moments[-1] > asked.least)
    # Not even a short page is trusted to be the last: a service may give fewer than was asked for.
    further = asked._replace(resume=moments[-1] if is_past else None)
    if asked.number == 1:
        return _resumed(further)
    if asked.least and not is_past and (asked.since is None or asked.since <= asked.least):
        # What changes meanwhile is behind all these.
        further = further._replace(resume=asked.least + LEAST_TIME)
    return _back(further._replace(is_back=True, least=asked.since))


def _ascends(asked: Asked, moments: Sequence[datetime]) -> bool:
    """False where a page is sorted otherwise, or holds what was not asked for."""
    is_asked = not moments or asked.least is None or moments[0] > asked.least - A_SECOND
    return is_asked and all(one <= other for one, other in pairwise(moments))


def _back(asked: Asked) -> Asked | None:
    """The page before, or, where there is none, the one to go on with."""
    return asked._replace(number=asked.number - 1) if asked.number > 1 else _resumed(asked)


def _resumed(asked: Asked) -> Asked | None:
    if asked.resume is None:
        return None
    return first(asked.resume, asked.sorts)._replace(begun=asked.begun)


def page_reader(
    begin: Asked, ask: Callable[[Asked], Call], read: Callable[[Reply], ListPage], size: int
) -> Callable[[Reply, Call], ListPage]:
    """The reader of a list's pages, one after the other, that names the next by `following`.

    Args:
        begin: The first page, as it was asked for.
        ask: The call that asks for a page.
        read: The things of a page: all of them, also those that a filter leaves out.
        size: How many things a page has that is not the last.
    """
    asked = begin

    def page(reply: Reply, _: Call) -> ListPage:
        nonlocal asked
        found = read(reply)
        further = following(asked, [thing.at for thing in found.things], size)
        if further is None:
            return found
        asked = further
        return found._replace(next=ask(further), is_again=True)

    return page
