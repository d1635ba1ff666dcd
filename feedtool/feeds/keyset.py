"""Read lists that change while they are read, without skipping anything. Pure.

Page numbers skip items: in a list sorted by last change, a changed item moves to the end, and all
items behind it move up, the first one of the next page onto the page that was just read. So the
next page is the first page of items that changed at or after the last item of this page. An item
on two pages comes twice, and the caller keeps one of each.

Page numbers are needed only where more items than a page holds have the same time. Such pages are
read forwards and then backwards: an item that moves up between two pages comes on the way back.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

from feedtool.feeds.export import ListPage
from feedtool.model.call import Call, Reply

CREATED = "createdAt"
SORTS = ("updatedAt", "asc:updatedAt", CREATED)
"""Values of `sort`; where a page does not ascend, the next value is tried. In the order of creation
nothing moves, so that page numbers are safe, unless the service filters by a state that changes."""

A_SECOND = timedelta(seconds=1)
"""The tolerance for times: a service may cut them to seconds."""


class PageRequest(NamedTuple):
    since: datetime | None = None
    """Only items that changed then or later; None for all."""
    number: int = 1
    sorts: tuple[str, ...] = SORTS
    """The values to try; the first one is in use."""
    begun: datetime | None = None
    """The `since` of the first page of the list."""
    least: datetime | None = None
    """The least time of the first item on a page that ascends."""
    resume: datetime | None = None
    """On the way back: the `since` to continue with afterwards; None at the end of the list."""
    is_back: bool = False
    """True on the way back over pages of items of one time."""

    @property
    def sort(self) -> str:
        return self.sorts[0]


def first(since: datetime | None, sorts: tuple[str, ...] = SORTS) -> PageRequest:
    return PageRequest(since, 1, sorts, since, since)


def following(page: PageRequest, moments: Sequence[datetime], size: int) -> PageRequest | None:
    """Return the request for the next page; None after the last page.

    `moments` are the last changes of the items on the page that was read, in its order; `size` is
    the number of items on a page that is not the last.
    """
    is_full = len(moments) >= size
    if page.sort == CREATED:
        return page._replace(number=page.number + 1) if is_full else None
    is_early = bool(moments) and page.least is not None and moments[0] <= page.least - A_SECOND
    if is_early or any(earlier > later for earlier, later in pairwise(moments)):
        return first(page.begun, page.sorts[1:])
    if page.is_back:
        return _back(page)
    of_one_time = moments[0] if is_full and moments[0] == moments[-1] else None
    if of_one_time and (page.number == 1 or of_one_time == page.least):
        return page._replace(number=page.number + 1, least=of_one_time)
    is_past = bool(moments) and (page.least is None or moments[-1] > page.least)
    # A short page need not be the last: a service may give fewer items than requested.
    later = page._replace(resume=moments[-1] if is_past else None)
    if page.number == 1:
        return _resumed(later)
    if page.least and not is_past and (page.since is None or page.since <= page.least):
        # Items that change meanwhile come after all of these.
        later = later._replace(resume=page.least + timedelta(microseconds=1))
    return _back(later._replace(is_back=True, least=page.since))


def _back(page: PageRequest) -> PageRequest | None:
    """Return the request for the page before, or, before the first page, the one to resume with."""
    return page._replace(number=page.number - 1) if page.number > 1 else _resumed(page)


def _resumed(page: PageRequest) -> PageRequest | None:
    if page.resume is None:
        return None
    return first(page.resume, page.sorts)._replace(begun=page.begun)


def page_reader(
    begin: PageRequest,
    make_call: Callable[[PageRequest], Call],
    read: Callable[[Reply], ListPage],
    size: int,
) -> Callable[[Reply, Call], ListPage]:
    """Return a reader of a list's pages, which finds the next page by `following`.

    `read` reads all items of a page, also the items that a filter leaves out.
    """
    request = begin

    def read_page(reply: Reply, _: Call) -> ListPage:
        nonlocal request
        page = read(reply)
        later = following(request, [item.changed_at for item in page.things], size)
        if later is None:
            return page
        request = later
        return page._replace(next=make_call(later), is_again=True)

    return read_page
