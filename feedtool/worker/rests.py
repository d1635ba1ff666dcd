"""The time of a seller's next pass, by the end of the last one. Pure."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from feedtool.ledger.lock import Held
from feedtool.model.errors import FeedtoolError

FILES, SECONDS = 20, 60.0
"""Most files and seconds of one pass; then other sellers have their turn."""
LONGEST_REST = 300.0
"""Most seconds before a seller whose service cannot be reached is tried again."""
LONGEST_WAIT = 10.0
"""Most seconds before a seller whose lock somebody else holds is tried again."""


class PassEnd(Struct, frozen=True):
    """The end of a pass."""

    trouble: FeedtoolError | None = None
    """The error that ended the pass early; None if it reached its end."""
    has_answered: bool = False
    """True if any file of the pass was answered."""
    is_stopped: bool = False
    """True if this process has to stop."""

    @property
    def is_held(self) -> bool:
        """True if another process sends the seller's files."""
        return isinstance(self.trouble, Held)


def rest_after(end: PassEnd, failures: int, tries: int) -> float:
    """Return the seconds until the next pass may begin.

    `failures` is the ledger's count for the seller; `tries` counts the passes without effect.
    """
    if end.is_stopped or end.has_answered:
        return 0
    if end.is_held:
        return float(min(LONGEST_WAIT, 2 ** min(tries, 9) / 2))
    return float(min(LONGEST_REST, 2 ** min(failures if end.trouble else tries, 9)))


class NextPass(Struct, frozen=True):
    """A seller's next pass, to be queued."""

    due: datetime | None
    """None means at once."""
    priority: int
    tries: int


def next_pass(
    end: PassEnd,
    waiting: tuple[datetime | None, int] | None,
    rest: float,
    now: datetime,
    tries: int,
) -> NextPass | None:
    """Return the next pass; None if nothing waits. `waiting`: see `Parcels.next_due`."""
    if waiting is None:
        return None
    not_before, priority = waiting
    times: Sequence[datetime] = [now + timedelta(seconds=rest), not_before or now]
    is_at_once = max(times) <= now
    tries_without_effect = 0 if end.has_answered or end.is_stopped else tries + 1
    return NextPass(None if is_at_once else max(times), priority, tries_without_effect)
