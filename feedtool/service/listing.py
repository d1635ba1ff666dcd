"""A list of the service, asked for page after page to its end."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from feedtool.model.call import Call, Reply, Sender
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.service.fetch import FetchContext, fetch

MOST_PAGES = 100_000
"""A list of more pages is no list that ends."""

GONE = 404


class Next(NamedTuple):
    """The page after one that was read."""

    call: Call
    is_guess: bool = False
    """Whether nobody has said that there is one."""


Take = Callable[[Reply, Call], Next | None]
"""Keeps what a page holds, and gives the next one; raises Unreadable for what is no page."""


def read_list(
    name: str, first: Call, take: Take, client: Sender, around: FetchContext, hint: str
) -> None:
    """Ask for a list to its end.

    Args:
        name: The list's in messages.
        first: Asks for its first page.
        take: Reads a page.
        client: A way to the service.
        around: Time, chance, and how far to go.
        hint: What to do where the service refuses what it was asked for.

    Raises:
        UsageProblem: the service refuses what it was asked for.
        NotAuthorised: it refuses the credential, or the right.
        Interrupted: it cannot be reached, gives no usable answer, or a list that does not end.
        FeedtoolError: what `around.stopping` said.
    """
    fetch([Next(first)], _Reader(name, take, hint), client, around)


class _Reader:
    def __init__(self, name: str, take: Take, hint: str) -> None:
        self._name, self._take, self._hint = name, take, hint
        self._links: set[Call] = set()
        self._pages = 1

    def call(self, asked: Next) -> Call:
        return asked.call

    def take(self, asked: Next, reply: Reply) -> Iterable[Next]:
        """Read a page, and name the next."""
        following = self._take(reply, asked.call)
        if following is None:
            return []
        self._pages += 1
        if self._pages > MOST_PAGES or following.call in self._links:
            raise Interrupted(
                f"The service's list of {self._name} does not end: page {self._pages} leads back.",
                "Tell the service's operator; nothing was written.",
            )
        if not following.is_guess:
            self._links.add(following.call)
        return [following]

    def lack(self, asked: Next, reason: str, status: int | None) -> Iterable[Next]:
        """A list with a gap is no list."""
        if status == GONE and asked.is_guess:
            return []  # how many pages there are was not said, so this one was a try
        if status is None:
            raise Interrupted(
                f"The service does not list its {self._name}: {reason}",
                "Nothing was written; run it again.",
            )
        raise UsageProblem(f"The service does not list its {self._name}: {reason}", self._hint)
