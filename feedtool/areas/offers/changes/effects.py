"""The effects of a plan on offers: how many are made, changed and removed, and what moves.

By what the service has last accepted of each offer, as far as it is known; what is not known is
counted as such, never guessed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.nouns import Item
from feedtool.report.plain import counted

KnownOffer = tuple[AcceptedOffer | None, str, int | None]
"""An offer, the key of its stock, and the quantity; None is not known."""


class KnownOffers(Protocol):
    """The offers of a seller, as far as they are known."""

    def look_up(self, items: Sequence[Item], /) -> Sequence[KnownOffer]:
        """What is known of the offer of each row."""
        ...


OpenAccepted = Callable[[], KnownOffers | None]
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
        change = change_of(item, offer, quantity)
        self.counts[change.what] += 1
        if change.what == "changed":
            _add_move(item, change.old_price, change.price, self.prices_up, self.prices_down)
            if _add_move(item, change.old_stock, change.stock, self.stock_up, self.stock_down):
                self.to_zero += change.stock == 0

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


class OfferChange(NamedTuple):
    """What a row would do to its offer; None is a number that is not known, or not given."""

    what: str
    """A name of COUNTS."""
    old_price: float | None = None
    price: float | None = None
    old_stock: int | None = None
    stock: int | None = None

    @property
    def size(self) -> float:
        """For sorting: how much happens. What is removed comes first, what stays comes last."""
        if self.what == "changed":
            return max(_share(self.old_price, self.price), _share(self.old_stock, self.stock))
        return SIZES.get(self.what, 0.0)


SIZES = {"removed": float("inf"), "created": 2e-6, "unknown": 1e-6, "absent": 1e-6}
"""The sizes of changes that are no moves of numbers; unchanged has none."""
SMALLEST, FROM_NOTHING = 3e-6, 1e12
"""The sizes of a change that moves neither price nor stock, and of one that starts from zero."""


def _share(before: float | None, after: float | None) -> float:
    if before is None or after is None or before == after:
        return SMALLEST
    return max(abs(after - before) / before, SMALLEST) if before else FROM_NOTHING


def change_of(item: Item, offer: AcceptedOffer | None, quantity: int | None) -> OfferChange:
    """What a row would do, with what is known of its offer, and of the stock."""
    is_offer = item.package_type in TYPES
    fields = state.offer_fields(item.package_type, item.body) if is_offer else {}
    price, stock = fields.get(state.PRICE), fields.get(state.QUANTITY)
    if offer is None or offer.fields == {}:
        return OfferChange("unknown", None, price, None, stock)
    if offer.fields is None:
        is_made = item.package_type not in {PackageType.UPDATE, PackageType.DELETE}
        return OfferChange("created" if is_made else "absent", None, price, None, stock)
    old = offer.fields.get(state.PRICE)
    if item.package_type == PackageType.DELETE:
        return OfferChange("removed", old, None, quantity, None)
    is_same = state.differences(item, fields, offer, quantity) == frozenset()
    return OfferChange("unchanged" if is_same else "changed", old, price, quantity, stock)


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
    for item, (offer, _, quantity) in looked_up(uploads, open_accepted):
        effects.setdefault(item.channel, Effects()).add(item, offer, quantity)
    return effects


def looked_up(
    uploads: Iterable[Sequence[Item]], open_accepted: OpenAccepted
) -> Iterator[tuple[Item, KnownOffer]]:
    """Each row of a plan with what is known of its offer; products have none."""
    known: KnownOffers | None = None
    for items in uploads:
        offers: Sequence[KnownOffer] = [(None, "", None)] * len(items)
        if items[0].package_type in TYPES and (known := known or open_accepted()):
            offers = known.look_up(items)
        yield from zip(items, offers, strict=True)


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
