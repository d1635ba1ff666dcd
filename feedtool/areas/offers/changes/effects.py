"""What a file's numbers mean: how many offers are made, changed and removed, and what moves.

By what the service has last accepted of each offer, as far as it is known; what is not known is
counted as such, never guessed. Pure: rows and what was before them in, counts out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from feedtool.areas.offers.changes.offer_state import PRICE, QUANTITY, terms_of
from feedtool.areas.offers.package_types import PackageType
from feedtool.model.nouns import Item
from feedtool.report.plain import counted

UNKNOWN = "of which nothing is known: no run here has had them accepted"
HUNDRED = Decimal(100)
ZERO = Decimal(0)


class Before(NamedTuple):
    """An offer as the service last accepted it; None of what is not known."""

    is_there: bool
    price: Decimal | None = None
    quantity: int | None = None
    """Over all channels, since stock is shared."""
    is_same: bool = False
    """Whether the row leaves it as it is."""


Known = Callable[[Sequence[Item]], Sequence[Before | None]]
"""What is known of some rows' offers, one for each; None of which nothing is."""


def nothing_known(items: Sequence[Item]) -> Sequence[None]:
    """Where there is no ledger, or no account to look there for."""
    return [None] * len(items)


class Most(NamedTuple):
    """The row that moves the most."""

    row: int
    reference: str
    before: Decimal
    after: Decimal

    @property
    def percent(self) -> Decimal | None:
        """By how much; None from nothing."""
        return (self.after - self.before) / self.before * HUNDRED if self.before else None


@dataclass(slots=True)
class Moves:
    """Numbers that rise or fall."""

    count: int = 0
    total: Decimal = ZERO
    most: Most | None = None

    def add(self, item: Item, before: Decimal, after: Decimal) -> None:
        """One more."""
        self.count += 1
        self.total += after - before
        move = Most(item.row, item.reference, before, after)
        if self.most is None or _size(move) > _size(self.most):
            self.most = move


def _size(move: Most) -> Decimal:
    """Compared by the share: what rises from nothing is beyond all others."""
    return abs(move.percent) if move.percent is not None else Decimal("Infinity")


@dataclass(slots=True)
class Effects:
    """What would become of the offers of a channel."""

    rows: int = 0
    created: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    absent: int = 0
    """Updates and Deletes of what is not there any more."""
    unknown: int = 0
    """Of which nothing is known: they may be made, changed or removed."""
    prices_up: Moves = field(default_factory=Moves)
    prices_down: Moves = field(default_factory=Moves)
    stock_up: Moves = field(default_factory=Moves)
    stock_down: Moves = field(default_factory=Moves)
    to_zero: int = 0
    """Of those whose stock falls."""

    def add(self, item: Item, before: Before | None) -> None:
        """One more row, and what it meets."""
        self.rows += 1
        if before is None:
            self.unknown += 1
        elif item.package_type == PackageType.DELETE:
            self.removed += before.is_there
            self.absent += not before.is_there
        elif before.is_there and before.is_same:
            self.unchanged += 1
        elif before.is_there:
            self.changed += 1
            self._move(item, before)
        elif item.package_type == PackageType.UPDATE:
            self.absent += 1
        else:
            self.created += 1

    def _move(self, item: Item, before: Before) -> None:
        terms = terms_of(item.package_type, item.body)
        price = Decimal(str(terms[PRICE])) if PRICE in terms else None
        quantity = terms.get(QUANTITY)
        if price is not None and before.price is not None and price != before.price:
            moves = self.prices_up if price > before.price else self.prices_down
            moves.add(item, before.price, price)
        if quantity is not None and before.quantity is not None and quantity != before.quantity:
            moves = self.stock_up if quantity > before.quantity else self.stock_down
            moves.add(item, Decimal(before.quantity), Decimal(quantity))
            self.to_zero += quantity == 0

    def as_json(self) -> dict[str, Any]:
        """The counts by name; money as text, so that no cent is lost."""
        return {
            "rows": self.rows,
            "created": self.created,
            "changed": self.changed,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "absent": self.absent,
            "unknown": self.unknown,
            "pricesUp": _moves(self.prices_up),
            "pricesDown": _moves(self.prices_down),
            "stockUp": _moves(self.stock_up),
            "stockDown": _moves(self.stock_down),
            "stockToZero": self.to_zero,
        }


def effects_of(uploads: Iterable[Sequence[Item]], known: Known) -> dict[str, Effects]:
    """What becomes of the offers of each channel; products have none.

    Args:
        uploads: The rows, some at a time.
        known: Asked for each of these.
    """
    found: dict[str, Effects] = {}
    for items in uploads:
        are_products = items[0].package_type == "Products"
        before = nothing_known(items) if are_products else known(items)
        for item, one in zip(items, before, strict=True):
            found.setdefault(item.channel, Effects()).add(item, one)
    return found


# In words.


def told(effects: Mapping[str, Effects]) -> Iterator[str]:
    """Some lines for each channel."""
    for channel, one in effects.items():
        if not channel:
            yield counted(one.rows, "product")
            continue
        yield f"{channel}: {_counts(one)}"
        prices = [*_moved(one.prices_up, "rise"), *_moved(one.prices_down, "fall")]
        stock = [*_moved(one.stock_up, "rise"), *_moved(one.stock_down, "fall")]
        if one.to_zero:
            stock.append(f"{one.to_zero:,} of them to zero")
        if prices:
            yield f"{channel}: prices: {'; '.join(prices)}"
        if stock:
            yield f"{channel}: stock: {'; '.join(stock)}"
        if one.changed and not prices and not stock:
            yield f"{channel}: no price and no stock moves"


def _counts(one: Effects) -> str:
    words = (
        (one.created, "created"),
        (one.changed, "changed"),
        (one.unchanged, "unchanged"),
        (one.removed, "removed"),
        (one.absent, "not there any more"),
    )
    counts = [f"{number:,} {word}" for number, word in words if number]
    offers = counted(one.rows, "offer")
    if one.unknown == one.rows:
        return f"{offers}, {UNKNOWN}"
    if one.unknown:
        counts.append(f"{one.unknown:,} {UNKNOWN}")
    return f"{offers}: {', '.join(counts)}"


def _moved(moves: Moves, verb: str) -> Iterator[str]:
    """`12 rise by 34.00 in all, most of all row 7, SKU-9: 9.90 → 11.09 (+12 %)`."""
    if moves.most is None:
        return
    row, reference, before, after = moves.most
    verb = f"{verb}s" if moves.count == 1 else verb
    total = "," if moves.count == 1 else f" by {abs(moves.total):,} in all, most of all"
    share = "" if moves.most.percent is None else f" ({moves.most.percent:+,.0f} %)"
    yield f"{moves.count:,} {verb}{total} row {row}, {reference}: {before:,} → {after:,}{share}"


def _moves(moves: Moves) -> dict[str, Any]:
    most = moves.most
    told_most = most and {
        "row": most.row,
        "sellerExternalReference": most.reference,
        "before": str(most.before),
        "after": str(most.after),
    }
    return {"count": moves.count, "total": str(abs(moves.total)), "most": told_most}
