"""When a seller's next pass is due, by how the last one ended. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from feedtool.ledger.lock import Held
from feedtool.model.errors import FeedtoolError

FILES, SECONDS = 20, 60.0
"""How many files one pass takes, and for how long; then other sellers have their turn."""
LONGEST_REST = 300.0
"""Most seconds before a seller whose service cannot be reached is tried again."""
LONGEST_WAIT = 10.0
"""Most seconds before a seller whose lock somebody else holds is tried again."""


class PassEnd(Struct, frozen=True):
    """How a pass has ended."""

    trouble: FeedtoolError | None = None
    """Why it did not get to its end."""
    has_answered: bool = False
    """True if any of its files was answered."""
    is_stopped: bool = False
    """True if this process has to stop."""

    @property
    def is_held(self) -> bool:
        """True if somebody else sends the seller's files."""
        return isinstance(self.trouble, Held)


def rest_after(end: PassEnd, failures: int, tries: int) -> float:
    """Seconds until the next pass may begin.

    `failures` of the seller came before, as the ledger counts them; `tries` passes came to nothing.
    """
    if end.is_stopped or end.has_answered:
        return 0
    if end.is_held:
        return float(min(LONGEST_WAIT, 2 ** min(tries, 9) / 2))
    return float(min(LONGEST_REST, 2 ** min(failures if end.trouble else tries, 9)))


class NextPass(Struct, frozen=True):
    """The next pass of a seller, to be queued."""

    at: datetime | None
    """None is at once."""
    priority: int
    tries: int


def next_pass(
    end: PassEnd,
    waiting: tuple[datetime | None, int] | None,
    rest: float,
    now: datetime,
    tries: int,
) -> NextPass | None:
    """The next pass; None where nothing waits. `waiting`: see `Parcels.next_due`."""
    if waiting is None:
        return None
    due, priority = waiting
    times: Sequence[datetime] = [now + timedelta(seconds=rest), due or now]
    is_at_once = max(times) <= now
    came_to_nothing = 0 if end.has_answered or end.is_stopped else tries + 1
    return NextPass(None if is_at_once else max(times), priority, came_to_nothing)
