"""Evidence that a column is of a concept: its name, and the content of its cells."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from msgspec import Struct
from rapidfuzz import fuzz, process

from feedtool.check.mapping.words import (
    Concept,
    HeaderWords,
    concepts,
    conditions,
    groups_in,
    significant,
    states,
    words_left,
    words_of,
)
from feedtool.check.mapping.words import plain as plain_words
from feedtool.feeds.columns.gtin import LENGTHS, TEXT_SIGN, check_digit
from feedtool.feeds.columns.number import parse
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import Cell, Column, Kind, folded, rounded, shown
from feedtool.model.files import folder_of
from feedtool.model.text import MessageText, joined, tr


class Evidence(NamedTuple):
    """The weight of a measure of cells as evidence for a concept."""

    concept: str
    measure: str
    """The property of `SheetColumn`."""
    least: float
    below: float
    """The evidence counts if `least` <= measure < `below`."""
    times: float
    """The factor for the likeness of the name."""
    floor: float
    """The least confidence by content alone."""
    reason: str
    """The reason in messages; empty for none."""


class Weights(dict[str, float]):
    """A table of weights by their names."""

    def __getattr__(self, name: str) -> float:
        return self[name]


_TABLES: Mapping[str, Any] = tomllib.loads(
    (folder_of(__package__) / "weights.toml").read_text("utf-8")
)
NAMES = Weights(_TABLES["names"])
NEIGHBOURS = Weights(_TABLES["neighbours"])


@cache
def evidence(concept: str) -> Sequence[Evidence]:
    """Return the evidence that the cells of a column may be for a concept."""
    weights = _TABLES["weights"]
    return [
        Evidence(concept, *row[1:])
        for row in weights["content"]
        if concept in weights["of"].get(row[0], [row[0]])
    ]


# Compare a header with the names of concepts.


DECISIVE = frozenset(("net", "gross", "bought", "struck", "advised", "lowest", "apart"))
"""The groups of words that a misspelling must also have."""
SUBJECTS = frozenset(("barcode", "carriage", "eco", "price", "reference", "stock", "tax", "time"))
"""The groups of words that name the subject of a column."""
LONG = 5
"""The letters from which a name is not part of others by chance."""


def name_score(words: HeaderWords, concept: Concept) -> float:
    """Return the likeness of a header to the names of a concept, up to 100."""
    by_groups = [
        NAMES.groups - NAMES.word_more * words_left(words, groups)
        for groups in concept.groups
        if groups <= words.groups
    ]
    score = max((_by_names(words, concept), *by_groups))
    if excludes(words, concept) and score < NAMES.same:
        score = min(score, NAMES.against)
    return min(score, concept.most) if score >= NAMES.least else 0


def excludes(words: HeaderWords, concept: Concept) -> bool:
    """Return True if a header has a word that excludes a concept."""
    is_other = "price" in words.groups and not concept.is_amount
    return is_other or bool(words.groups & concept.never)


def shares_subject(words: HeaderWords, concept: Concept) -> bool:
    """Return True if a header has a word for a concept's subject, or without one of its names."""
    subjects = frozenset().union(*concept.groups) & SUBJECTS
    if subjects:
        return bool(subjects & words.groups)
    return any(name.intersection(words.significant) for name in _significant_names(concept))


def _by_names(words: HeaderWords, concept: Concept) -> float:
    if words.text in concept.names:
        return NAMES.same
    if words.bare in concept.names:
        return NAMES.same_but_aside
    of_header = set(words.significant)
    if not of_header:
        return 0
    score = 0.0
    for name, of_name in zip(concept.names, _significant_names(concept), strict=True):
        if of_name == of_header:
            return NAMES.same_words
        may_be_part = len(of_name) > 1 or is_part(name)
        if of_name and of_name < of_header and may_be_part:
            more = len(of_header) - len(of_name)
            score = max(score, NAMES.part - more * NAMES.word_more)
    near = process.extractOne(
        words.bare, concept.names, scorer=fuzz.ratio, score_cutoff=max(score, NAMES.nearly)
    )
    if near and len(near[0]) > LONG and groups_in(near[0]) & DECISIVE <= words.groups:
        score = max(score, near[1] * NAMES.spelling / NAMES.same)
    return score


@cache
def is_part(name: str) -> bool:
    """Return True if a name of one word also counts in a header of several words."""
    return len(name) >= LONG and " " not in name and "article" not in groups_in(name)


@cache
def _significant_names(concept: Concept) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(significant(name)) for name in concept.names)


@lru_cache(8192)
def is_known(text: str) -> bool:
    """Return True if a text is similar to a name of any concept."""
    words = words_of(text)
    return any(name_score(words, concept) >= NAMES.header for concept in concepts())


RATES = frozenset(
    map(
        Decimal,
        (
            *("0", "2.1", "2.5", "2.6", "3", "3.7", "3.8", "4", "4.8", "5", "5.5", "6", "7", "7.7"),
            *("8", "8.1", "8.5", "9", "9.5", "10", "12", "13", "13.5", "14", "15", "16", "17"),
            *("18", "19", "19.6", "20", "21", "22", "23", "24", "25", "27"),
        ),
    )
)
"""Percentages of VAT in Europe, current and recent."""
FEW = 3
"""The least filled cells for content to count."""
LONG_TEXT, MANY_WORDS = 40, 4
"""The characters and words from which a text is prose."""
MOST_DAYS = 120
_CODE = re.compile(r"(?=\S*\d)\S*[^\W\d_]\S*|\d{5,}")
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./-]\d\d?[./-](?:20)?\d\d(?!\d)")
UPC = 11
"""The digits of a UPC without its leading zero."""


class SheetColumn(Struct, frozen=True, dict=True):
    """A column of a sheet, its header and its first cells."""

    index: int
    header: str
    cells: Sequence[Cell]
    over: str = ""
    """The text of the row above, which may be over several headers."""

    @cached_property
    def words(self) -> HeaderWords:
        """The header's words, with the text above it if the header alone is unknown."""
        both = f"{self.over} {self.header}"
        return words_of(both if self.over and not is_known(self.header) else self.header)

    @cached_property
    def texts(self) -> Sequence[str]:
        return [text for cell in self.cells if (text := plain(shown(cell)))]

    @cached_property
    def by_row(self) -> Sequence[Decimal | None]:
        """The number of each cell; None for other cells."""
        return [_number_of(cell) for cell in self.cells]

    @cached_property
    def numbers(self) -> Sequence[Decimal]:
        return [number for number in self.by_row if number is not None]

    def share(self, holds: Callable[[str], bool]) -> float:
        """Return the share of filled cells for which `holds` is true."""
        return sum(map(holds, self.texts)) / len(self.texts) if self.texts else 0

    def _of_numbers(self, holds: Callable[[Decimal], bool]) -> float:
        return sum(map(holds, self.numbers)) / len(self.texts) if self.texts else 0

    @cached_property
    def filled(self) -> float:
        return len(self.texts) / len(self.cells) if self.cells else 0

    @cached_property
    def few(self) -> float:
        """1 if hardly any cell is filled."""
        return float(len(self.texts) < FEW)

    @cached_property
    def numeric(self) -> float:
        return self._of_numbers(lambda _: True)

    @cached_property
    def whole(self) -> float:
        return self._of_numbers(lambda number: number == int(number))

    @cached_property
    def counts(self) -> float:
        return self._of_numbers(lambda number: number > 1 and number == int(number))

    @cached_property
    def decimals(self) -> float:
        return self.numeric - self.whole

    @cached_property
    def positive(self) -> float:
        return self._of_numbers(lambda number: number > 0)

    @cached_property
    def days(self) -> float:
        """The share of numbers that may be days until dispatch."""
        return self._of_numbers(lambda number: 0 <= number <= MOST_DAYS and number == int(number))

    @cached_property
    def distinct(self) -> float:
        return len(set(self.texts)) / len(self.texts) if self.texts else 0

    @cached_property
    def right_gtins(self) -> float:
        return self.share(_has_check_digit)

    @cached_property
    def rates(self) -> float:
        """The share of numbers that are rates of VAT, as percent or fraction."""
        return self._of_numbers(lambda number: number in RATES or number * 100 in RATES)

    @cached_property
    def prose(self) -> float:
        return self.share(lambda text: len(text) > LONG_TEXT or text.count(" ") >= MANY_WORDS)

    @cached_property
    def codes(self) -> float:
        """The share of words with digits that are no amounts."""
        return self.share(lambda text: _CODE.fullmatch(text) is not None)

    @cached_property
    def links(self) -> float:
        """The share of addresses of pages."""
        return self.share(lambda text: "://" in text or text.startswith("www."))

    @cached_property
    def states(self) -> float:
        """The share of words such as yes, no, active and inactive."""
        return self.share(lambda text: plain_words(text) in states())

    @cached_property
    def counting(self) -> float:
        """1 if the cells number the rows, from 0 or 1."""
        steps = zip(self.numbers, self.numbers[1:], strict=False)
        is_counted = len(self.numbers) >= FEW and self.numbers[0] <= 1
        return float(is_counted and all(later - number == 1 for number, later in steps))

    @cached_property
    def conditions(self) -> float:
        return self.share(lambda text: not text.isdigit() and plain_words(text) in conditions())

    @cached_property
    def dates(self) -> float:
        return self.share(lambda text: _DATE.match(text) is not None)

    @cached_property
    def percent(self) -> float:
        """1 if its header says percent, and not that it includes VAT."""
        return float(self.words.is_percent and "gross" not in self.words.groups)


def _has_check_digit(text: str) -> bool:
    digits = text.removeprefix(TEXT_SIGN).replace(" ", "").removesuffix(".0")
    is_code = digits.isascii() and digits.isdigit() and len(digits) in {*LENGTHS, UPC}
    return is_code and bool(digits.strip("0")) and check_digit(digits[:-1]) == digits[-1]


def _number_of(cell: Cell) -> Decimal | None:
    if cell.kind is Kind.NUMBER:
        return rounded(cell.text)
    if cell.kind is not Kind.TEXT:
        return None
    text = plain(cell.text)
    for sign in ("EUR", "PLN", "GBP", "USD", "CHF", "zł"):
        text = text.removesuffix(sign).removeprefix(sign)
    text = text.strip("€$£% \u00a0+<>≥~")
    amount = parse(text.lstrip("-"), ",") if text else ""
    return None if isinstance(amount, str) else amount.number


def content_score(
    concept: Concept, column: SheetColumn, name: float
) -> tuple[float, list[MessageText]]:
    """Return the confidence that a column is of a concept, up to 100, and the reasons."""
    if column.few:
        return name * NEIGHBOURS.unfilled, []
    score, reasons = name, list[MessageText]()
    is_against = column.words.groups & concept.never
    for item in evidence(concept.name):
        measure: float = getattr(column, item.measure)
        if item.least <= measure < item.below:
            score = max(score * item.times, 0 if is_against else item.floor)
            if item.reason:
                reasons.append(MessageText((item.reason,), {"share": f"{measure:.0%}"}))
    return score, reasons


# Guess the concepts of a column, from its name and cells alone.


class Guess(NamedTuple):
    """A possible concept of a column, with its confidence."""

    concept: Concept
    key: str | None
    confidence: float
    reason: str

    @property
    def identity(self) -> str:
        """The name that only one column can have: a key, or a concept without a key."""
        return self.key or self.concept.name

    def at_most(self, confidence: float) -> "Guess":
        return self._replace(confidence=min(self.confidence, confidence))


def field_names(known: Mapping[str, Column]) -> Mapping[str, str]:
    """Return folded header → the field with this key or label, unless it names another concept."""
    meant = {name: concept.keys for concept in concepts() for name in concept.names}
    names = {
        folded(label): key
        for key, column in known.items()
        for label in column.labels
        if key in meant.get(words_of(label).text, (key,))
    }
    return {**names, **{folded(key): key for key in known}}


def guess_concepts(
    column: SheetColumn, known: Mapping[str, Column], fields: Mapping[str, str]
) -> list[Guess]:
    """Return the possible concepts of a column, best first; `fields` are the `field_names`."""
    if key := fields.get(folded(column.header)):
        of_field = Concept(key, (key,), (), (), frozenset(), NAMES.same)
        return [Guess(of_field, key, NAMES.same, tr("the name of the field"))]
    guesses = []
    for concept in concepts():
        name = name_score(column.words, concept)
        confidence, reasons = content_score(concept, column, name)
        if confidence >= NEIGHBOURS.second_choice:
            key = next((key for key in concept.keys if key in known), None)
            by_name = ""
            if name >= NAMES.least:
                like = tr("named like “{name}”", name=MessageText((concept.name,)))
                by_name = MessageText((concept.doubt,)) or like
            reason = joined(filter(None, (by_name, *dict.fromkeys(reasons))))
            guesses.append(Guess(concept, key, confidence, reason))
    return by_confidence(guesses)


def other_keys(column: SheetColumn, known: Mapping[str, Column]) -> list[str]:
    """Return other possible fields of a column, best first.

    Its name has a word for their subject, or its cells are similar, and no word excludes them.
    """
    scores: dict[str, float] = {}
    for concept in concepts():
        key = next((key for key in concept.keys if key in known), None)
        if not key or excludes(column.words, concept):
            continue
        is_faint = shares_subject(column.words, concept)
        name = NAMES.least if is_faint else NEIGHBOURS.second_choice
        confidence, reasons = content_score(concept, column, name)
        if (is_faint or reasons) and confidence >= NEIGHBOURS.alternative:
            scores[key] = max(confidence, scores.get(key, 0))
    return sorted(scores, key=lambda key: -scores[key])


def by_confidence(guesses: Iterable[Guess]) -> list[Guess]:
    return sorted(guesses, key=lambda guess: -guess.confidence)
