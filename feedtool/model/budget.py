"""What several accounts may ask of a service together."""

from msgspec import Struct


class Budget(Struct, frozen=True):
    """The calls of all accounts that name it; in a second never more than both numbers together."""

    name: str
    per_second: float
    """Calls a second, in the long run; to be given."""
    burst: int = 1
    """So many calls may leave at once, after a pause; 1 where it is not given."""

    @property
    def interval(self) -> float:
        """Seconds that a call takes up."""
        return 1 / self.per_second

    @property
    def tolerance(self) -> float:
        """Seconds that calls may be ahead of their time."""
        return (self.burst - 1) * self.interval
