"""The settings of the sandbox's competing-offer routes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CompetitionBehaviour:
    """The accounts that may use them."""

    unopened_sellers: tuple[str, ...] = ("unopened",)
    """Whose accounts have no access (part "Authentication", 4)."""
