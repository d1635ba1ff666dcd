"""The behaviour of the sandbox's discussions."""

from datetime import timedelta

from msgspec import Struct


class DiscussionBehaviour(Struct, frozen=True):
    """Of customers who write, and of channels. All durations are sandbox time."""

    writes_after: timedelta = timedelta(days=3)
    """From the shipment of every fifth order to the discussion that its customer opens."""
    claims_after: timedelta = timedelta(hours=48)
    """A customer who has had no answer for so long makes a claim of it."""
    thanks_after: timedelta = timedelta(hours=6)
    """From an answer to the customer's thanks."""
    closed_channels: tuple[str, ...] = ("SECOND",)
    """Where a seller cannot open discussions: isEnabled is false ("Discussions", rule 1)."""
    visible_after: timedelta = timedelta()
    """What the seller writes shows so much later."""
    shortest: int = 13
    longest: int = 5000
    """Characters of a message (rule 4 names two pairs of bounds)."""
