"""Lists of the service, asked for page after page to their end."""

from collections.abc import Callable, Iterable

from feedtool.areas.products.catalog.wire import Page
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.errors import Interrupted, UsageProblem
from feedtool.service.fetch import Circumstances, fetch

MOST_PAGES = 100_000
"""A list of more pages is no list that ends."""

GONE = 404


class Pages:
    """The reader of one list.

    Args:
        what: The list's name in messages.
        call: Asks for a page.
        take: Reads a page, and gives the one after it.
        hint: What to do where the service refuses what it was asked for.
    """

    def __init__(
        self,
        what: str,
        call: Callable[[Page], Call],
        take: Callable[[Page, Reply], Page | None],
        hint: str,
    ) -> None:
        self._what, self._call, self._take, self._hint = what, call, take, hint
        self._links: set[str] = set()

    def call(self, asked: Page) -> Call:
        """The call that asks for it."""
        return self._call(asked)

    def take(self, asked: Page, reply: Reply) -> Iterable[Page]:
        """Read a page, and name the next."""
        following = self._take(asked, reply)
        if following is None:
            return []
        if following.number > MOST_PAGES or following.link in self._links:
            raise Interrupted(
                f"The service's list of {self._what} does not end: page {following.number} leads"
                " back.",
                "Tell the service's operator; nothing was written.",
            )
        if following.link:
            self._links.add(following.link)
        return [following]

    def lack(self, asked: Page, reason: str, status: int | None) -> Iterable[Page]:
        """A list with a gap is no list."""
        if status == GONE and asked.number > 1 and asked.link is None:
            return []  # how many pages there are was not said, so this one was a try
        if status is None:
            raise Interrupted(
                f"The service does not list its {self._what}: {reason}",
                "Nothing was written; run it again.",
            )
        raise UsageProblem(f"The service does not list its {self._what}: {reason}", self._hint)


def ask(pages: Iterable[Pages], client: Sender, around: Circumstances) -> None:
    """Ask for lists, each to its end, one after the other.

    Raises:
        UsageProblem: the service refuses what it was asked for.
        NotAuthorised: it refuses the credential, or the right.
        Interrupted: it cannot be reached, gives no usable answer, or a list that does not end.
        FeedtoolError: what `around.stopping` said.
    """
    for one in pages:
        fetch([Page()], one, client, around)
