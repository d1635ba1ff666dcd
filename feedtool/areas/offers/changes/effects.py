"""The effects of a plan on offers: numbers created, changed and removed, and changes of numbers.

They compare rows with the last accepted offers. Unknown offers are counted as unknown, never
guessed.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, field

from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.delivery import PackageType
from feedtool.model.nouns import Item
from feedtool.model.text import MessageText, joined, plural, tr

KnownOffer = tuple[AcceptedOffer | None, str, int | None]
"""An offer, its stock key, and the quantity; None is unknown."""


class KnownOffers(Protocol):
    """A source of a seller's known offers."""

    def look_up(self, items: Sequence[Item], /) -> Sequence[KnownOffer]: ...


OpenAccepted = Callable[[], KnownOffers | None]
"""Returns the accepted offers; None without a seller."""

UNKNOWN = tr("of which nothing is known: no run here has had them accepted")
COUNTS = {
    "created": tr("created"),
    "changed": tr("changed"),
    "unchanged": tr("unchanged"),
    "removed": tr("removed"),
    "absent": tr("not there any more"),
    "unknown": UNKNOWN,
}
"""Texts of counts by name. Absent are Updates and Deletes of offers that no longer exist."""
TYPES = frozenset(PackageType)


class NumberChange(NamedTuple):
    """A price or stock of a row that rises or falls."""

    percent: Decimal
    """The change in percent; infinite for a rise from zero."""
    row: int
    reference: str
    before: Decimal
    after: Decimal

    def describe(self) -> MessageText:
        """`row 7, SKU-9: 9.90 → 11.09 (+12 %)`."""
        numbers = tr("{before:,} → {after:,}", before=self.before, after=self.after)
        share = tr("({percent:+,.0f} %)", percent=self.percent)
        return tr(
            "row {row}, {reference}: {numbers}",
            row=self.row,
            reference=self.reference,
            numbers=joined((numbers, share), " ") if self.before else numbers,
        )


class NumberChanges(Struct):
    """All numbers of one kind that rise, or that fall."""

    count: int = 0
    total: Decimal = Decimal(0)
    largest: NumberChange | None = None

    def add(self, item: Item, before: Decimal, after: Decimal) -> None:
        self.count += 1
        self.total += after - before
        percent = (after - before) / before * 100 if before else Decimal("Infinity")
        if self.largest is None or abs(percent) > abs(self.largest.percent):
            self.largest = NumberChange(percent, item.row, item.reference, before, after)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON form, with money as text to keep every cent."""
        largest = self.largest and {
            "row": self.largest.row,
            "sellerExternalReference": self.largest.reference,
            "before": str(self.largest.before),
            "after": str(self.largest.after),
        }
        return {"count": self.count, "total": str(abs(self.total)), "most": largest}

    def describe(self, moved: Callable[[int], MessageText]) -> Iterator[MessageText]:
        """`12 rise by 34.00 in all, most of all row 7, SKU-9: 9.90 → 11.09 (+12 %)`."""
        if self.largest is None:
            return
        largest = self.largest.describe()
        if self.count == 1:
            yield tr("{moved}, {most}", moved=moved(1), most=largest)
        else:
            yield tr(
                "{moved} by {total:,} in all, most of all {most}",
                moved=moved(self.count),
                total=abs(self.total),
                most=largest,
            )


class Effects(Struct):
    """The effects of a plan on the offers of a channel."""

    rows: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    """Numbers of rows by the names of COUNTS."""
    prices_up: NumberChanges = field(default_factory=NumberChanges)
    prices_down: NumberChanges = field(default_factory=NumberChanges)
    stock_up: NumberChanges = field(default_factory=NumberChanges)
    stock_down: NumberChanges = field(default_factory=NumberChanges)
    to_zero: int = 0
    """Falling stocks that become zero."""

    def add(self, item: Item, offer: AcceptedOffer | None, quantity: int | None) -> None:
        """Count a row, given its known offer and the stock that channels share."""
        self.rows += 1
        change = change_of(item, offer, quantity)
        self.counts[change.effect] += 1
        if change.effect == "changed":
            _add_change(item, change.old_price, change.price, self.prices_up, self.prices_down)
            if _add_change(item, change.old_stock, change.stock, self.stock_up, self.stock_down):
                self.to_zero += change.stock == 0

    def as_json(self) -> dict[str, Any]:
        """Return the counts by name."""
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
    """The effect of a row on its offer; None is a number that is unknown, or not given."""

    effect: str
    """A name of COUNTS."""
    old_price: float | None = None
    price: float | None = None
    old_stock: int | None = None
    stock: int | None = None

    @property
    def size(self) -> float:
        """The size of the change, for sorting: removed is the largest, unchanged the smallest."""
        if self.effect == "changed":
            return max(_share(self.old_price, self.price), _share(self.old_stock, self.stock))
        return SIZES.get(self.effect, 0.0)


SIZES = {"removed": float("inf"), "created": 2e-6, "unknown": 1e-6, "absent": 1e-6}
"""The sizes of changes without numbers; unchanged has none."""
SMALLEST, FROM_NOTHING = 3e-6, 1e12
"""The sizes of a change of neither price nor stock, and of a change from zero."""


def _share(before: float | None, after: float | None) -> float:
    if before is None or after is None or before == after:
        return SMALLEST
    return max(abs(after - before) / before, SMALLEST) if before else FROM_NOTHING


def change_of(item: Item, offer: AcceptedOffer | None, quantity: int | None) -> OfferChange:
    """Return the effect of a row, given its known offer and stock."""
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


def _add_change(
    item: Item, before: float | None, after: float | None, up: NumberChanges, down: NumberChanges
) -> bool:
    """Add the change of a known number; return True if it changes."""
    if before is None or after is None or before == after:
        return False
    old, new = Decimal(str(before)), Decimal(str(after))
    (up if new > old else down).add(item, old, new)
    return True


def effects_of(
    uploads: Iterable[Sequence[Item]], open_accepted: OpenAccepted
) -> dict[str, Effects]:
    """Return the effects of a plan's rows on the offers of each channel; products have none.

    The accepted offers are opened when they are first needed.
    """
    effects: dict[str, Effects] = {}
    for item, (offer, _, quantity) in with_known_offers(uploads, open_accepted):
        effects.setdefault(item.channel, Effects()).add(item, offer, quantity)
    return effects


def with_known_offers(
    uploads: Iterable[Sequence[Item]], open_accepted: OpenAccepted
) -> Iterator[tuple[Item, KnownOffer]]:
    """Yield each row of a plan with its known offer; products have none."""
    known: KnownOffers | None = None
    for items in uploads:
        offers: Sequence[KnownOffer] = [(None, "", None)] * len(items)
        if items[0].package_type in TYPES and (known := known or open_accepted()):
            offers = known.look_up(items)
        yield from zip(items, offers, strict=True)


def describe(effects: Mapping[str, Effects]) -> Iterator[MessageText]:
    """Yield some lines for each channel."""
    for channel, effect in effects.items():
        if not channel:
            yield plural("{count:,} product", "{count:,} products", effect.rows)
            continue
        yield tr("{channel}: {offers}", channel=channel, offers=_offers(effect))
        prices = [*effect.prices_up.describe(_rises), *effect.prices_down.describe(_falls)]
        stock = [*effect.stock_up.describe(_rises), *effect.stock_down.describe(_falls)]
        if effect.to_zero:
            stock.append(tr("{count:,} of them to zero", count=effect.to_zero))
        if prices:
            yield tr("{channel}: prices: {moves}", channel=channel, moves=joined(prices, "; "))
        if stock:
            yield tr("{channel}: stock: {moves}", channel=channel, moves=joined(stock, "; "))
        if effect.counts["changed"] and not prices and not stock:
            yield tr("{channel}: no price and no stock moves", channel=channel)


def _rises(count: int) -> MessageText:
    return plural("{count:,} rises", "{count:,} rise", count)


def _falls(count: int) -> MessageText:
    return plural("{count:,} falls", "{count:,} fall", count)


def _offers(effect: Effects) -> MessageText:
    """Return the number of offers, and the counts of effects."""
    offers = plural("{count:,} offer", "{count:,} offers", effect.rows)
    if effect.counts["unknown"] == effect.rows:
        return tr("{offers}, {unknown}", offers=offers, unknown=UNKNOWN)
    counts = [
        tr("{count:,} {what}", count=effect.counts[name], what=text)
        for name, text in COUNTS.items()
        if effect.counts[name]
    ]
    return tr("{offers}: {counts}", offers=offers, counts=joined(counts))
