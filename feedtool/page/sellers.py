"""All sellers of accounts that a user sees, a page at a time, with their state."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import NamedTuple

from feedtool.ledger.run_lists import NOT_TAKEN
from feedtool.ledger.sellers import (
    SellerFilter,
    SellerLine,
    SellersOverview,
    SellerState,
)
from feedtool.model.nouns import Status
from feedtool.page.access import User
from feedtool.page.runs import page_counts, visible_sellers
from feedtool.page.session import PageSession
from feedtool.runs.sellers import PAGE, account_names

BAR = 100
"""Units of a bar's length."""
IDLE = frozenset({Status.SKIPPED, Status.NOT_CHOSEN, Status.SUPERSEDED})
OPEN = frozenset({Status.PENDING, Status.HELD, Status.UNKNOWN})


class SellerSearch(NamedTuple):
    """A search among the sellers."""

    trouble: bool = False
    held: bool = False
    waiting: int = 0
    """Fewest minutes that a file has waited for; 0 for all sellers."""
    never: bool = False
    page: int = 1

    def filter(self, now: datetime) -> SellerFilter:
        since = now - timedelta(minutes=self.waiting) if self.waiting else None
        return SellerFilter(self.trouble, self.held, since, self.never)

    @property
    def words(self) -> dict[str, str | int]:
        """The search as parameters of a link, without its page."""
        values = {name: value for name, value in self._asdict().items() if value and name != "page"}
        return {name: "on" if value is True else value for name, value in values.items()}


class BarPart(NamedTuple):
    """A part of a bar of statuses."""

    look: str
    """The class of its colour."""
    begin: float
    length: float


class FoundSellers(NamedTuple):
    """A page of sellers, and the figures of all sellers that the user sees."""

    states: list[SellerState]
    matches: int
    """The number of sellers that match the search."""
    all: list[SellerLine]

    @property
    def pages(self) -> int:
        return max(1, -(-self.matches // PAGE))

    @property
    def in_trouble(self) -> int:
        """The number of sellers whose last pass did not get to its end."""
        return sum(1 for line in self.all if line.failures)

    @property
    def waiting(self) -> int:
        """The number of files that wait."""
        return sum(line.waiting for line in self.all)

    @property
    def oldest(self) -> datetime | None:
        """The arrival of the oldest waiting file."""
        return min((line.oldest for line in self.all if line.oldest), default=None)

    @property
    def with_held(self) -> int:
        return sum(1 for line in self.all if line.held)

    def waiting_for(self, minutes: int, now: datetime) -> int:
        """The number of sellers with a file that has waited for so long."""
        seller_filter = SellerSearch(waiting=minutes).filter(now)
        return sum(1 for line in self.all if seller_filter.takes(line))

    @property
    def never(self) -> int:
        return sum(1 for line in self.all if not line.has_begun)


def found_sellers(
    session: PageSession, user: User, search: SellerSearch, now: datetime
) -> FoundSellers:
    with session.workspace() as workspace:
        overview = SellersOverview(workspace.ledger.engine, workspace.ledger.counts)
        among = visible_sellers(session, user, workspace)
        accounts = session.accounts.sellers.items()
        known = {
            name: key
            for name, key in accounts
            if user.sees(name) and not session.accounts.is_sandbox(name)
        }
        every = overview.lines(known=account_names(known), among=among)
        lines = [*filter(search.filter(now).takes, every)]
        begin = (search.page - 1) * PAGE
        states = overview.states(lines[begin : begin + PAGE], now)
        runs = {state.last.run_id: state.last.statuses for state in states if state.last}
        counts = page_counts(runs, workspace)
        shown = [
            state._replace(
                last=state.last and state.last._replace(statuses=counts[state.last.run_id])
            )
            for state in states
        ]
        return FoundSellers(shown, len(lines), every)


def bar_of(statuses: Mapping[Status, int]) -> Iterator[BarPart]:
    """Yield the parts of a bar: accepted, refused, open and other rows."""
    total, begin = sum(statuses.values()), 0.0
    by_look = dict.fromkeys(("good", "bad", "open", "idle"), 0)
    for status, count in statuses.items():
        by_look[_look_of(status)] += count
    for look, count in by_look.items():
        if count:
            length = BAR * count / total
            yield BarPart(look, round(begin, 2), round(length, 2))
            begin += length


def _look_of(status: Status) -> str:
    if status in NOT_TAKEN:
        return "bad"
    if status in OPEN:
        return "open"
    return "idle" if status in IDLE else "good"
