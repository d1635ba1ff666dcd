"""The calls that several accounts of a service share."""

from msgspec import Struct


class Budget(Struct, frozen=True):
    """The calls of all accounts with this budget; in no second more than both numbers together."""

    name: str
    per_second: float
    """Calls a second, in the long run; to be given."""
    burst: int = 1
    """Calls that may leave at once, after a pause; 1 by default."""

    @property
    def interval(self) -> float:
        """Seconds that a call uses up."""
        return 1 / self.per_second

    @property
    def tolerance(self) -> float:
        """Seconds that calls may be ahead of their time."""
        return (self.burst - 1) * self.interval
