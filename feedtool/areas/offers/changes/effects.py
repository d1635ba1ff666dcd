"""The effects of a plan on offers: numbers created, changed and removed, and changes of numbers.

They compare rows with the last accepted offers. Unknown offers are counted as unknown, never
guessed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from msgspec import Struct, field

from feedtool.areas.offers import columns
from feedtool.areas.offers.changes import offer_state as state
from feedtool.areas.offers.changes.offer_state import AcceptedOffer
from feedtool.areas.offers.delivery import PackageType, exact
from feedtool.feeds.memory import ChangeColumn, Changes, OpenAccepted, Uploads
from feedtool.model.nouns import Item
from feedtool.model.text import MessageText, joined, plural, tr

KnownOffer = tuple[AcceptedOffer | None, str, int | None]
"""An offer, its stock key, and the quantity; None is unknown."""


class KnownOffers(Protocol):
    def look_up(self, items: Sequence[Item], /) -> Sequence[KnownOffer]: ...


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


class OfferEffects(Struct):
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
        return {
            "rows": self.rows,
            **{name: self.counts[name] for name in COUNTS},
            "pricesUp": self.prices_up.as_json(),
            "pricesDown": self.prices_down.as_json(),
            "stockUp": self.stock_up.as_json(),
            "stockDown": self.stock_down.as_json(),
            "stockToZero": self.to_zero,
        }

    def describe(self, channel: str) -> Iterator[MessageText]:
        """Yield some lines; without a channel the number of products."""
        if not channel:
            yield plural("{count:,} product", "{count:,} products", self.rows)
            return
        yield tr("{channel}: {offers}", channel=channel, offers=self._offers())
        prices = [*self.prices_up.describe(_rises), *self.prices_down.describe(_falls)]
        stock = [*self.stock_up.describe(_rises), *self.stock_down.describe(_falls)]
        if self.to_zero:
            stock.append(tr("{count:,} of them to zero", count=self.to_zero))
        if prices:
            yield tr("{channel}: prices: {moves}", channel=channel, moves=joined(prices, "; "))
        if stock:
            yield tr("{channel}: stock: {moves}", channel=channel, moves=joined(stock, "; "))
        if self.counts["changed"] and not prices and not stock:
            yield tr("{channel}: no price and no stock moves", channel=channel)

    def _offers(self) -> MessageText:
        offers = plural("{count:,} offer", "{count:,} offers", self.rows)
        if self.counts["unknown"] == self.rows:
            return tr("{offers}, {unknown}", offers=offers, unknown=UNKNOWN)
        counts = [
            tr("{count:,} {what}", count=self.counts[name], what=text)
            for name, text in COUNTS.items()
            if self.counts[name]
        ]
        return tr("{offers}: {counts}", offers=offers, counts=joined(counts))


def _rises(count: int) -> MessageText:
    return plural("{count:,} rises", "{count:,} rise", count)


def _falls(count: int) -> MessageText:
    return plural("{count:,} falls", "{count:,} fall", count)


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
    old, new = exact(before), exact(after)
    (up if new > old else down).add(item, old, new)
    return True


def effects_of(uploads: Uploads, open_accepted: OpenAccepted) -> dict[str, OfferEffects]:
    """Return the effects of a plan's rows on the offers of each channel; products have none.

    The accepted offers are opened when they are first needed.
    """
    effects: dict[str, OfferEffects] = {}
    for item, (offer, _, quantity) in _with_known_offers(uploads, open_accepted):
        effects.setdefault(item.channel, OfferEffects()).add(item, offer, quantity)
    return effects


def _with_known_offers(
    uploads: Uploads, open_accepted: OpenAccepted
) -> Iterator[tuple[Item, KnownOffer]]:
    """Yield each row of a plan with its known offer; products have none."""
    known: KnownOffers | None = None
    for items in uploads:
        offers: Sequence[KnownOffer] = [(None, "", None)] * len(items)
        if items[0].package_type in TYPES and (known := known or open_accepted()):
            offers = known.look_up(items)
        yield from zip(items, offers, strict=True)


# The rows of a preview.


MONEY, WHOLE, PERCENT = "#,##0.00", "#,##0", "+0.0%;-0.0%;0.0%"


def change_rows(
    uploads: Uploads, open_accepted: OpenAccepted, held: Mapping[tuple[int, str], str]
) -> Iterator[dict[str, Any]]:
    """Yield the row of each offer, with None for unknown; products have none.

    `held` has the codes of the guards that hold a row, by its number and channel.
    """
    for item, (offer, _, quantity) in _with_known_offers(uploads, open_accepted):
        if item.package_type not in TYPES:
            continue
        held_by = held.get((item.row, item.channel), "")
        change = change_of(item, offer, quantity)
        old, new = money(change.old_price), money(change.price)
        old_stock, stock = change.old_stock, change.stock
        yield {
            "row": item.row,
            columns.REFERENCE: item.reference,
            columns.CHANNEL: item.channel,
            "change": "held" if held_by else change.effect,
            "oldPrice": old,
            "newPrice": new,
            "priceChange": round((new - old) / old, 4) if old and new is not None else None,
            "oldStock": old_stock,
            "newStock": stock,
            "stockChange": None if old_stock is None or stock is None else stock - old_stock,
            "size": str(change.size),
            **({"heldBy": held_by} if held_by else {}),
        }


def money(value: float | None) -> Decimal | None:
    return None if value is None else exact(value)


CHANGES = Changes(
    columns=(
        ChangeColumn("row", tr("Row"), 8, WHOLE),
        ChangeColumn(columns.REFERENCE, tr("Your reference"), 26),
        ChangeColumn(columns.CHANNEL, tr("Sales channel"), 16),
        ChangeColumn("change", tr("What happens"), 18),
        ChangeColumn("oldPrice", tr("Old price"), 12, MONEY),
        ChangeColumn("newPrice", tr("New price"), 12, MONEY),
        ChangeColumn("priceChange", tr("Price change"), 13, PERCENT, is_optional=True),
        ChangeColumn("oldStock", tr("Old stock"), 11, WHOLE),
        ChangeColumn("newStock", tr("New stock"), 11, WHOLE),
        ChangeColumn("stockChange", tr("Stock change"), 13, WHOLE, is_optional=True),
        ChangeColumn("heldBy", tr("Held by"), 24, is_optional=True),
    ),
    words={**COUNTS, "unknown": tr("not known here"), "held": tr("held back")},
    rows=change_rows,
)
