"""The effects of a plan on offers: how many are made, changed and removed, and what moves.

By what the service has last accepted of each offer, as far as it is known; what is not known is
counted as such, never guessed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.nouns import Item
from feedtool.report.plain import counted

if TYPE_CHECKING:  # the ledger's library takes longer to import than a small file to check
    from feedtool.areas.offers.changes.accepted import AcceptedOffers

OpenAccepted = Callable[[], "AcceptedOffers | None"]
"""Returns what the service has accepted; None if nobody says whose offers are meant."""

UNKNOWN = "of which nothing is known: no run here has had them accepted"
COUNTS = {
    "created": "created",
    "changed": "changed",
    "unchanged": "unchanged",
    "removed": "removed",
    "absent": "not there any more",
    "unknown": UNKNOWN,
}
"""The name of a count, and how it is written. Absent are Updates and Deletes of what is gone."""
TYPES = frozenset(PackageType)


class Move(NamedTuple):
    """A number of a row that rises or falls."""

    percent: Decimal
    """By how much; what rises from nothing is beyond all others."""
    row: int
    reference: str
    before: Decimal
    after: Decimal


@dataclass(slots=True)
class Moves:
    """Numbers that rise, or fall."""

    count: int = 0
    total: Decimal = Decimal(0)
    most: Move | None = None

    def add(self, item: Item, before: Decimal, after: Decimal) -> None:
        """Count a number that moves."""
        self.count += 1
        self.total += after - before
        percent = (after - before) / before * 100 if before else Decimal("Infinity")
        if self.most is None or abs(percent) > abs(self.most.percent):
            self.most = Move(percent, item.row, item.reference, before, after)

    def as_json(self) -> dict[str, Any]:
        """Money as text, so that no cent is lost."""
        most = self.most and {
            "row": self.most.row,
            "sellerExternalReference": self.most.reference,
            "before": str(self.most.before),
            "after": str(self.most.after),
        }
        return {"count": self.count, "total": str(abs(self.total)), "most": most}

    def describe(self, verb: str) -> Iterator[str]:
        """`12 rise by 34.00 in all, most of all row 7, SKU-9: 9.90 → 11.09 (+12 %)`."""
        if self.most is None:
            return
        percent, row, reference, before, after = self.most
        verb = f"{verb}s" if self.count == 1 else verb
        total = "," if self.count == 1 else f" by {abs(self.total):,} in all, most of all"
        share = f" ({percent:+,.0f} %)" if before else ""
        yield f"{self.count:,} {verb}{total} row {row}, {reference}: {before:,} → {after:,}{share}"


@dataclass(slots=True)
class Effects:
    """The effects of a plan on the offers of a channel."""

    rows: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """By the names of COUNTS."""
    prices_up: Moves = field(default_factory=Moves)
    prices_down: Moves = field(default_factory=Moves)
    stock_up: Moves = field(default_factory=Moves)
    stock_down: Moves = field(default_factory=Moves)
    to_zero: int = 0
    """Of those whose stock falls."""

    def add(self, item: Item, offer: AcceptedOffer | None, quantity: int | None) -> None:
        """Count a row, with what is known of its offer, and of the stock that channels share."""
        self.rows += 1
        if offer is None or offer.fields == {}:
            self.counts["unknown"] += 1
        elif offer.fields is None:
            is_made = item.package_type not in {PackageType.UPDATE, PackageType.DELETE}
            self.counts["created" if is_made else "absent"] += 1
        elif item.package_type == PackageType.DELETE:
            self.counts["removed"] += 1
        else:
            fields = state.offer_fields(item.package_type, item.body)
            if state.differences(item, fields, offer, quantity) == frozenset():
                self.counts["unchanged"] += 1
                return
            self.counts["changed"] += 1
            old, new = offer.fields.get(state.PRICE), fields.get(state.PRICE)
            _add_move(item, old, new, self.prices_up, self.prices_down)
            stock = fields.get(state.QUANTITY)
            if _add_move(item, quantity, stock, self.stock_up, self.stock_down):
                self.to_zero += stock == 0

    def as_json(self) -> dict[str, Any]:
        """The counts by name."""
        return {
            "rows": self.rows,
            **{name: self.counts[name] for name in COUNTS},
            "pricesUp": self.prices_up.as_json(),
            "pricesDown": self.prices_down.as_json(),
            "stockUp": self.stock_up.as_json(),
            "stockDown": self.stock_down.as_json(),
            "stockToZero": self.to_zero,
        }


def _add_move(
    item: Item, before: float | None, after: float | None, up: Moves, down: Moves
) -> bool:
    """True if a number moves, and from what is known."""
    if before is None or after is None or before == after:
        return False
    old, new = Decimal(str(before)), Decimal(str(after))
    (up if new > old else down).add(item, old, new)
    return True


def effects_of(
    uploads: Iterable[Sequence[Item]], open_accepted: OpenAccepted
) -> dict[str, Effects]:
    """The effects of a plan's rows on the offers of each channel; products have none.

    What was accepted is opened when it is first needed.
    """
    effects: dict[str, Effects] = {}
    known: AcceptedOffers | None = None
    for items in uploads:
        looked_up: list[tuple[AcceptedOffer | None, str, int | None]] = []
        if items[0].package_type in TYPES and (known := known or open_accepted()):
            looked_up = known.look_up(items)
        nothing = repeat((None, "", None), len(items))
        for item, (offer, _, quantity) in zip(items, looked_up or nothing, strict=True):
            effects.setdefault(item.channel, Effects()).add(item, offer, quantity)
    return effects


def describe(effects: Mapping[str, Effects]) -> Iterator[str]:
    """Some lines for each channel."""
    for channel, effect in effects.items():
        if not channel:
            yield counted(effect.rows, "product")
            continue
        offers, counts = counted(effect.rows, "offer"), effect.counts
        listed = [f"{counts[name]:,} {text}" for name, text in COUNTS.items() if counts[name]]
        is_unknown = counts["unknown"] == effect.rows
        yield f"{channel}: {offers}" + (f", {UNKNOWN}" if is_unknown else f": {', '.join(listed)}")
        prices = [*effect.prices_up.describe("rise"), *effect.prices_down.describe("fall")]
        stock = [*effect.stock_up.describe("rise"), *effect.stock_down.describe("fall")]
        if effect.to_zero:
            stock.append(f"{effect.to_zero:,} of them to zero")
        if prices:
            yield f"{channel}: prices: {'; '.join(prices)}"
        if stock:
            yield f"{channel}: stock: {'; '.join(stock)}"
        if counts["changed"] and not prices and not stock:
            yield f"{channel}: no price and no stock moves"
