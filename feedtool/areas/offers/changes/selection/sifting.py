"""What a command says of which rows are sent."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sifting:
    """Which rows are sent; by default all but those that a guard holds."""

    changed_only: bool = False
    """Whether rows that change nothing are left out."""
    prefer_update: bool = False
    """Whether an Upsert that changes a price or a stock alone is sent as an Update of these."""
    released: tuple[str, ...] = ()
    """Codes of guards that hold nothing this time."""


EVERY_ROW = Sifting()
"""But those that a guard holds."""
