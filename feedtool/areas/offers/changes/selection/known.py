"""What is asked of what the service has accepted, and the answers where nobody knows any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from feedtool.areas.offers.changes.selection.tally import OfferCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from feedtool.areas.offers.changes.offer_state import Accepted
    from feedtool.model.nouns import Item


class KnownOffers(OfferCounts, Protocol):
    """What the service has accepted: `AcceptedOffers`, as far as it is asked here."""

    def is_any(self) -> bool:
        """Whether anything is known."""
        ...

    def has_other_names(self) -> bool:
        """Whether products are known by more than their references."""
        ...

    def look_up(self, items: Sequence[Item]) -> list[tuple[Accepted | None, str, int | None]]:
        """Of each row the offer, the key of its stock, and the quantity; None is not known."""
        ...


class Nothing:
    """What is known where there is no ledger, or nobody says whose offers are meant."""

    def is_any(self) -> bool:
        """Nothing is."""
        return False

    def has_other_names(self) -> bool:
        """None is."""
        return False

    def count(self, channel: str) -> int:
        """None."""
        del channel
        return 0

    def count_at_zero(self, channel: str) -> int:
        """None."""
        return self.count(channel)

    def count_stocks(self, channels: Iterable[str]) -> int:
        """None."""
        del channels
        return 0

    def look_up(self, items: Sequence[Item]) -> list[tuple[Accepted | None, str, int | None]]:
        """Nothing of any."""
        return [(None, "", None)] * len(items)
