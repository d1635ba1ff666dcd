"""For each column of a merchant's own sheet the field that it seems to be."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from statistics import median
from typing import NamedTuple

from feedtool.check.mapping.evidence import SheetColumn, content_score
from feedtool.check.mapping.names import name_score
from feedtool.check.mapping.weights import NAMES, NEIGHBOURS
from feedtool.check.mapping.words import Concept, concepts, groups_in, plain
from feedtool.model.cells import letters

SHOWN = 3
"""Alternatives and samples that are told."""
PRICE, STRUCK = "price.price", "price.originPrice"
SUPPLIERS = frozenset(("discount", "pack"))
"""What stands in a supplier's sheet, beside prices that are no customer's."""
REFERENCES = frozenset(("reference", "unclear reference"))
SAME_ROWS = 0.9
"""The share of rows of which a relation of two columns holds."""
FEW_ROWS = 4
ROUNDED = Decimal("0.006")
"""The most by which a price with tax differs by rounding, as a share or an amount."""
USUAL_RATES = range(17, 25)
"""Percentages of VAT by which an amount is higher that has it in it."""
NEAR = Decimal("0.8")
"""The least share of its recommended price that a shop usually asks for an article."""
HALF = 0.5


class Guess(NamedTuple):
    """A concept that a column may be, and how sure that is."""

    concept: Concept
    key: str | None
    confidence: float
    reason: str

    @property
    def identity(self) -> str:
        """What is given to one column alone: a key, or a concept without one."""
        return self.key or self.concept.name


@dataclass(frozen=True, slots=True)
class ColumnProposal:
    """The proposal for one column."""

    index: int
    header: str
    key: str | None
    """None: it is of no use, or nobody knows what it is."""
    confidence: int
    """0 to 100."""
    is_useless: bool
    """True if it is known and no field of the kind."""
    alternatives: tuple[str, ...]
    """Other keys that it may be, the best first."""
    samples: tuple[str, ...]
    reason: str

    @property
    def column(self) -> str:
        """Its letters."""
        return letters(self.index)


class KnownMeaning(NamedTuple):
    """What a header means in a recipe."""

    key: str | None
    """None: it is of no use."""
    source: str
    """The recipe, in words."""


def propose(
    columns: Iterable[SheetColumn],
    known: Collection[str],
    earlier: Mapping[str, KnownMeaning],
    above: str = "",
) -> list[ColumnProposal]:
    """A proposal for each column.

    Args:
        columns: Those of the sheet that have a header.
        known: The keys of the kind.
        earlier: Header, folded by `words_of`, → what it means in a recipe.
        above: The text above the header.
    """
    columns = list(columns)
    said = {
        column.index: earlier[column.words.text]
        for column in columns
        if column.words.text in earlier
    }
    rest = [column for column in columns if column.index not in said]
    guesses = {column.index: guess_concepts(column, known) for column in rest}
    _weigh_neighbours(rest, guesses, above)
    _weigh_struck(rest, guesses)
    taken = _assign(guesses, {meaning.key for meaning in said.values() if meaning.key})
    if not said:
        _doubt_codes(rest, taken)
    return [
        _said(column, said[column.index])
        if column.index in said
        else _proposal(column, guesses[column.index], taken)
        for column in columns
    ]


def _said(column: SheetColumn, meaning: KnownMeaning) -> ColumnProposal:
    reason = f"as in {meaning.source}"
    is_useless = meaning.key is None
    return ColumnProposal(
        column.index, column.header, meaning.key, 100, is_useless, (), _samples(column), reason
    )


def _samples(column: SheetColumn) -> tuple[str, ...]:
    return tuple(dict.fromkeys(column.texts))[:SHOWN]


def guess_concepts(column: SheetColumn, known: Collection[str]) -> list[Guess]:
    """The concepts that a column may be, the likeliest first."""
    guesses = []
    for concept in concepts():
        name = name_score(column.words, concept)
        confidence, told = content_score(concept, column, name)
        if confidence >= NEIGHBOURS.second_choice:
            key = next((key for key in concept.keys if key in known), None)
            named = f"named like “{concept.name}”" if name >= NAMES.least else ""
            reason = ", ".join(filter(None, (named, *dict.fromkeys(told))))
            guesses.append(Guess(concept, key, confidence, reason))
    return _sorted(guesses)


def _sorted(guesses: Iterable[Guess]) -> list[Guess]:
    return sorted(guesses, key=lambda guess: -guess.confidence)


def _weigh_neighbours(
    columns: Sequence[SheetColumn], guesses: dict[int, list[Guess]], above: str
) -> None:
    """Changes the guesses by what the other columns are, and by the text above the header."""
    best = {at: found[0].concept.name for at, found in guesses.items() if found}
    prices = [column for column in columns if _is_price(guesses[column.index])]
    others = [column for column in prices if guesses[column.index][0].key != STRUCK]
    has_gross = any("gross" in column.words.groups for column in prices)
    is_of_supplier = bool(SUPPLIERS.intersection(best.values()))
    told_above = groups_in(plain(above))
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
        if is_bare and "net" in told_above:
            most = min(most, NEIGHBOURS.text_above)
        if is_bare and ("bought" in told_above or _is_far_below(column, columns, guesses)):
            most = min(most, NEIGHBOURS.sheet_of_supplier)
        if is_bare and is_of_supplier and not has_gross:
            most = min(most, NEIGHBOURS.sheet_of_supplier)
        if has_promotion:
            most = min(most, NEIGHBOURS.beside_promotion)
        guesses[column.index] = _sorted(
            guess._replace(confidence=min(most, guess.confidence * times))
            if guess.key == PRICE
            else guess
            for guess in guesses[column.index]
        )


def _is_far_below(
    column: SheetColumn,
    columns: Sequence[SheetColumn],
    guesses: Mapping[int, Sequence[Guess]],
) -> bool:
    """True if a recommended price is usually so much higher as it is than a dealer's price."""
    for other in columns:
        if other is column or [guess.key for guess in guesses[other.index][:1]] != [STRUCK]:
            continue
        pairs = zip(column.by_row, other.by_row, strict=True)
        shares = [price / struck for price, struck in pairs if price and struck]
        if len(shares) >= max(FEW_ROWS, HALF * len(column.texts)) and median(shares) < NEAR:
            return True
    return False


def _weigh_struck(columns: Sequence[SheetColumn], guesses: dict[int, list[Guess]]) -> None:
    """Lets a price and a struck price be asked for where the struck one is the lower."""
    prices = [column for column in columns if guesses[column.index][:1]]
    likeliest = {guesses[column.index][0].key: column for column in reversed(prices)}
    price, struck = likeliest.get(PRICE), likeliest.get(STRUCK)
    if not price or not struck:
        return
    pairs = [pair for pair in zip(price.by_row, struck.by_row, strict=True) if all(pair)]
    lower = sum(old < new for new, old in pairs if old and new)
    if len(pairs) >= FEW_ROWS and lower >= SAME_ROWS * len(pairs):
        for column in (price, struck):
            guesses[column.index] = _sorted(
                guess._replace(confidence=min(guess.confidence, NEIGHBOURS.higher_than_struck))
                for guess in guesses[column.index]
            )


def _is_price(guesses: Sequence[Guess]) -> bool:
    return any(guess.key in {PRICE, STRUCK} for guess in guesses[:SHOWN]) or (
        bool(guesses) and guesses[0].concept.name == "net price"
    )


def is_net_of(column: SheetColumn, other: SheetColumn) -> bool:
    """True if another column is in nearly all rows the same amount with one rate of VAT more."""
    pairs = [
        (net, gross)
        for net, gross in zip(column.by_row, other.by_row, strict=True)
        if net and gross and net > 0
    ]
    if len(pairs) < FEW_ROWS:
        return False
    fits = [any(_is_taxed(net, gross, rate) for rate in USUAL_RATES) for net, gross in pairs]
    usual = median(gross / net for net, gross in pairs)
    is_rate = any(abs(usual - 1 - Decimal(rate) / 100) < ROUNDED for rate in USUAL_RATES)
    return is_rate and sum(fits) >= SAME_ROWS * len(pairs)


def _is_taxed(net: Decimal, gross: Decimal, rate: int) -> bool:
    return abs(net * (1 + Decimal(rate) / 100) - gross) <= ROUNDED * max(Decimal(1), net / 10)


def _assign(guesses: Mapping[int, Sequence[Guess]], given: set[str]) -> dict[int, Guess]:
    """The concept of each column; each that is a field is given once, to the likeliest."""
    pairs = [(guess.confidence, -index, guess) for index, row in guesses.items() for guess in row]
    pairs.sort(key=lambda pair: (-pair[0], -pair[1]))
    taken: dict[int, Guess] = {}
    for confidence, minus, guess in pairs:
        index = -minus
        if index in taken or (guess.key and guess.key in given):
            continue
        if guesses[index][0].confidence - confidence > NEIGHBOURS.second_choice:
            continue  # what it is is taken, and it is nothing else
        taken[index] = guess
        if guess.key:
            given.add(guess.key)
    return _tied(taken, guesses)


def _tied(taken: Mapping[int, Guess], guesses: Mapping[int, Sequence[Guess]]) -> dict[int, Guess]:
    """The same, but that a column is less sure which another might have been nearly as well."""
    result = {}
    for index, guess in taken.items():
        least = guess.confidence - NEIGHBOURS.close
        others = [
            other
            for at, row in guesses.items()
            for other in row
            if at != index and other.key == guess.key and other.confidence > least
        ]
        own = [
            other
            for other in guesses[index]
            if other.identity != guess.identity
            and (other.key or guess.key)
            and other.confidence > least
            and not _is_given_elsewhere(other, index, taken)
        ]
        is_tied = bool(own or (guess.key and others))
        most = NEIGHBOURS.tied if is_tied else 100
        result[index] = guess._replace(confidence=min(guess.confidence, most))
    return result


def _doubt_codes(columns: Sequence[SheetColumn], taken: dict[int, Guess]) -> None:
    """Makes codes of no use less sure where no column is the reference."""
    if any(guess.concept.name in REFERENCES for guess in taken.values()):
        return
    for column in columns:
        guess = taken.get(column.index)
        if guess and not guess.key and min(column.codes, column.distinct) >= SAME_ROWS:
            confidence = min(guess.confidence, NEIGHBOURS.no_reference)
            taken[column.index] = guess._replace(confidence=confidence)


def _is_given_elsewhere(guess: Guess, index: int, taken: Mapping[int, Guess]) -> bool:
    return guess.key is not None and any(
        at != index and other.key == guess.key and other.confidence > guess.confidence
        for at, other in taken.items()
    )


def _proposal(
    column: SheetColumn, guesses: Sequence[Guess], taken: Mapping[int, Guess]
) -> ColumnProposal:
    guess = taken.get(column.index)
    keys = [other.key for other in guesses if other.key and other is not guess]
    proposal = ColumnProposal(
        column.index,
        column.header,
        None,
        0,
        is_useless=False,
        alternatives=tuple(dict.fromkeys(keys))[:SHOWN],
        samples=_samples(column),
        reason="not known",
    )
    if guess is None:
        return proposal
    return replace(
        proposal,
        key=guess.key,
        confidence=round(guess.confidence),
        is_useless=guess.key is None,
        alternatives=tuple(key for key in proposal.alternatives if key != guess.key),
        reason=guess.reason,
    )
