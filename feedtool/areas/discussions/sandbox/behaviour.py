"""The behaviour of the sandbox's discussions."""

from datetime import timedelta

from msgspec import Struct


class DiscussionBehaviour(Struct, frozen=True):
    """Settings of customers who write, and of channels. All durations are sandbox time."""

    writes_after: timedelta = timedelta(days=3)
    """From the shipment of every fifth order to the discussion that its customer opens."""
    claims_after: timedelta = timedelta(hours=48)
    """A customer who has had no answer for so long makes a claim of it."""
    thanks_after: timedelta = timedelta(hours=6)
    """From an answer to the customer's thanks."""
    closed_channels: tuple[str, ...] = ("SECOND",)
    """Channels where a seller cannot open discussions: isEnabled is false (rule 1)."""
    visible_after: timedelta = timedelta()
    """The delay until a message of the seller shows."""
    shortest: int = 13
    longest: int = 5000
    """Characters of a message (rule 4 names two pairs of bounds)."""
