"""Adjust the guesses for a column by the other columns, and by the text above the header."""

from collections.abc import Collection, Mapping, Sequence
from decimal import Decimal
from functools import cache
from itertools import permutations
from statistics import median

from feedtool.check.mapping.evidence import NAMES, NEIGHBOURS, Guess, SheetColumn, by_confidence
from feedtool.check.mapping.words import concepts, groups_in, plain
from feedtool.model.text import tr

SUPPLIERS = frozenset(("discount", "pack"))
"""Concepts of a supplier's sheet, whose prices are not for customers."""
LIKELIEST = 3
"""The first guesses of a column, among which a price counts."""
FEW_ROWS = 4
"""The least rows with both amounts for their relation to count."""
ROUNDED = Decimal("0.006")
"""The most by which rounding changes a price with tax, as a share or an amount."""
USUAL_RATES = range(17, 25)
"""Usual percentages of VAT in an amount that includes it."""
NEAR = Decimal("0.8")
"""The least usual share of a shop's price in the recommended price."""
HALF = 0.5
ALL = 0.97
"""The share of cells that counts as all cells."""
SAME_ROWS = 0.9
"""The least share of rows that confirm a relation of two columns."""


@cache
def key_of(name: str) -> str:
    """Return the first key of a concept; call it late, since it loads all words of headers."""
    return next(concept.keys[0] for concept in concepts() if concept.name == name)


def weigh_neighbours(
    columns: Sequence[SheetColumn],
    guesses: dict[int, list[Guess]],
    known: Collection[str],
    above: str,
) -> None:
    """Change the guesses by the other columns, and by the text above the header."""
    prices = [column for column in columns if _is_price(guesses[column.index])]
    _weigh_taxes(columns, prices, guesses, above)
    _weigh_higher(prices, guesses, known)
    _weigh_struck(columns, guesses)
    _weigh_values(columns, guesses)


def _weigh_values(columns: Sequence[SheetColumn], guesses: dict[int, list[Guess]]) -> None:
    """Weigh prices whose cells are flags or all equal, and VAT with unused rates."""
    price, struck, vat = map(key_of, ("price", "list price", "vat"))
    for column in columns:
        numbers = set(column.numbers) if column.numeric >= HALF else set()
        is_flag = column.states >= ALL or bool(numbers and numbers <= {0, 1})
        is_same = len(numbers) == 1 and len(column.texts) > 1
        in_use = column.rates / column.numeric if column.numeric else 1
        has_cents = any(
            other.decimals >= NEIGHBOURS.with_cents and other.rates < ALL
            for other in columns
            if other is not column
        )
        is_rate = in_use >= HALF and column.states < ALL
        is_wrong = {price: is_flag, struck: is_flag and numbers != {0}, vat: not is_rate}
        is_word = bool(column.texts) and not column.numeric
        is_doubtful = {price: is_same and has_cents, vat: is_word or in_use < SAME_ROWS}
        guesses[column.index] = by_confidence(
            guess.at_most(NEIGHBOURS.doubtful) if is_doubtful.get(guess.key or "") else guess
            for guess in guesses[column.index]
            if not is_wrong.get(guess.key or "")
        )


def _weigh_taxes(
    columns: Sequence[SheetColumn],
    prices: Sequence[SheetColumn],
    guesses: dict[int, list[Guess]],
    above: str,
) -> None:
    """Weigh prices that may exclude tax, or be for dealers."""
    best = {index: row[0].concept.name for index, row in guesses.items() if row}
    others = [column for column in prices if guesses[column.index][0].key != key_of("list price")]
    has_gross = any("gross" in column.words.groups for column in prices)
    is_of_supplier = bool(SUPPLIERS.intersection(best.values()))
    groups_above = groups_in(plain(above))
    dealers = next(concept for concept in concepts() if concept.name == "purchase price")
    has_promotion = any(
        best.get(column.index) == "promotional price" and column.filled >= HALF
        for column in columns
    )
    for column in prices:
        is_bare = not column.words.groups & {"gross", "sold"}
        times, most = 1.0, 100.0
        if has_gross and "gross" not in column.words.groups:
            times *= NEIGHBOURS.beside_gross
        if "gross" not in column.words.groups and any(
            is_net_of(column, other) for other in others if other is not column
        ):
            times *= NEIGHBOURS.below_gross
        if is_bare and (
            groups_above & {"net", "bought"} or _is_far_below(column, columns, guesses)
        ):
            most = min(most, NEIGHBOURS.of_dealers)
            reason = tr("a dealers' price, by its title or neighbours")
            guesses[column.index].append(Guess(dealers, None, NEIGHBOURS.dealer_price, reason))
        if is_bare and is_of_supplier and not has_gross:
            most = min(most, NEIGHBOURS.sheet_of_supplier)
        if has_promotion:
            most = min(most, NEIGHBOURS.beside_promotion)
        guesses[column.index] = by_confidence(
            guess._replace(confidence=min(most, guess.confidence * times))
            if guess.key == key_of("price")
            else guess
            for guess in guesses[column.index]
        )


def _is_far_below(
    column: SheetColumn, columns: Sequence[SheetColumn], guesses: Mapping[int, Sequence[Guess]]
) -> bool:
    """Return True if a recommended price is usually much higher, as beside a dealer's price."""
    for other in columns:
        is_struck = any(guess.key == key_of("list price") for guess in guesses[other.index][:1])
        if other is column or not is_struck:
            continue
        pairs = zip(column.by_row, other.by_row, strict=True)
        shares = [price / struck for price, struck in pairs if price and struck]
        if len(shares) >= max(FEW_ROWS, HALF * len(column.texts)) and median(shares) < NEAR:
            return True
    return False


def _weigh_higher(
    prices: Sequence[SheetColumn], guesses: dict[int, list[Guess]], known: Collection[str]
) -> None:
    """Guess a struck price where one of two columns named as price is nearly always higher."""
    if key_of("list price") not in known:
        return
    named_price = [
        column
        for column in prices
        for best in guesses[column.index][:1]
        if best.key == key_of("price") and best.confidence >= NAMES.header
    ]
    struck = next(concept for concept in concepts() if key_of("list price") in concept.keys)
    for lower, higher in permutations(named_price, 2):
        pairs = [pair for pair in zip(lower.by_row, higher.by_row, strict=True) if all(pair)]
        count = sum(price < other for price, other in pairs if price and other)
        if len(pairs) >= FEW_ROWS and count >= SAME_ROWS * len(pairs):
            for column, most in ((lower, NEIGHBOURS.tied), (higher, NEIGHBOURS.higher)):
                guesses[column.index] = [guess.at_most(most) for guess in guesses[column.index]]
            reason = tr("higher than the price")
            guesses[higher.index].append(
                Guess(struck, key_of("list price"), NEIGHBOURS.higher_price, reason)
            )
            guesses[higher.index] = by_confidence(guesses[higher.index])


def _weigh_struck(columns: Sequence[SheetColumn], guesses: dict[int, list[Guess]]) -> None:
    """Make the user confirm a price and a struck price if the struck one is lower."""
    prices = [column for column in columns if guesses[column.index][:1]]
    likeliest = {guesses[column.index][0].key: column for column in reversed(prices)}
    price, struck = likeliest.get(key_of("price")), likeliest.get(key_of("list price"))
    if not price or not struck:
        return
    pairs = [pair for pair in zip(price.by_row, struck.by_row, strict=True) if all(pair)]
    lower = sum(old < new for new, old in pairs if old and new)
    if len(pairs) >= FEW_ROWS and lower >= SAME_ROWS * len(pairs):
        for column in (price, struck):
            guesses[column.index] = by_confidence(
                guess.at_most(NEIGHBOURS.higher_than_struck) for guess in guesses[column.index]
            )


def _is_price(guesses: Sequence[Guess]) -> bool:
    return any(
        guess.key in {key_of("price"), key_of("list price")} for guess in guesses[:LIKELIEST]
    ) or (bool(guesses) and guesses[0].concept.name == "net price")


def is_net_of(column: SheetColumn, other: SheetColumn) -> bool:
    """Return True if another column has nearly always the same amount plus one rate of VAT."""
    pairs = [
        (net, gross)
        for net, gross in zip(column.by_row, other.by_row, strict=True)
        if net and gross and net > 0
    ]
    if len(pairs) < FEW_ROWS:
        return False
    fits = [
        any(
            abs(net * (1 + Decimal(rate) / 100) - gross) <= ROUNDED * max(Decimal(1), net / 10)
            for rate in USUAL_RATES
        )
        for net, gross in pairs
    ]
    usual = median(gross / net for net, gross in pairs)
    is_rate = any(abs(usual - 1 - Decimal(rate) / 100) < ROUNDED for rate in USUAL_RATES)
    return is_rate and sum(fits) >= SAME_ROWS * len(pairs)
