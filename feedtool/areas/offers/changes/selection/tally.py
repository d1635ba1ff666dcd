"""What a sheet takes away of what is known: offers by channel, and stocks, which all share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from feedtool.areas.offers.changes.guards import Removals
from feedtool.areas.offers.package_types import PackageType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from feedtool.areas.offers.changes.offer_state import Accepted
    from feedtool.model.nouns import Item


class OfferCounts(Protocol):
    """How much is known in all."""

    def count(self, channel: str) -> int:
        """How many offers a channel is known to have."""
        ...

    def count_at_zero(self, channel: str) -> int:
        """How many of these are known to have no stock."""
        ...

    def count_stocks(self, channels: Iterable[str]) -> int:
        """How many products, in their condition, are known to have stock, and offers.

        Args:
            channels: Where they may have these, besides those that were sent to.
        """
        ...


@dataclass(slots=True)
class RemovalTally:
    """Counts rows that delete an offer, or set a stock to zero that is not known to be so."""

    removed: Counter[str] = field(default_factory=Counter)
    """Known offers not known to be at zero, by channel."""
    deleted: Counter[str] = field(default_factory=Counter)
    """Known offers that are deleted, at zero or not, by channel."""
    emptied: set[int] = field(default_factory=set)
    """Hashes of the keys of the stocks that were above zero: several rows may empty the same."""

    def add(self, item: Item, offer: Accepted | None, key: str, quantity: int | None) -> None:
        """Count a row, with what is known of it."""
        is_delete = item.package_type == PackageType.DELETE
        if offer and offer.terms:
            self.removed[item.channel] += quantity != 0
            self.deleted[item.channel] += is_delete
        if quantity and not is_delete:
            self.emptied.add(hash(key))

    def removals(self, known: OfferCounts, primary: str) -> Iterator[Removals]:
        """How much is taken away, and of how much.

        Stocks of the primary channel count also where nothing was sent to it: an export may have
        shown them.
        """
        for channel, removed in self.removed.items():
            every, deleted = known.count(channel), self.deleted[channel]
            yield Removals(removed, every - known.count_at_zero(channel), channel)
            yield Removals(deleted, every, channel, are_deleted=True)
        if self.emptied:
            yield Removals(len(self.emptied), known.count_stocks({primary, *self.removed}), None)
