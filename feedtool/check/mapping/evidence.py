"""Evidence that a column is of a concept: its name, and the content of its cells."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct

from feedtool.check.mapping.names import is_known
from feedtool.check.mapping.weights import NEIGHBOURS, evidence
from feedtool.check.mapping.words import Concept, HeaderWords, conditions, states, words_of
from feedtool.check.mapping.words import plain as plain_words
from feedtool.feeds.columns.gtin import LENGTHS, TEXT_SIGN, check_digit
from feedtool.feeds.columns.number import parse
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import Cell, Kind, rounded, shown
from feedtool.model.text import MessageText

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


class Score(NamedTuple):
    """The confidence that a column is of a concept, with the reasons."""

    confidence: float
    reasons: tuple[MessageText, ...]


def content_score(concept: Concept, column: SheetColumn, name: float) -> Score:
    """Return the confidence that a column is of a concept, from its name and cells, up to 100."""
    if column.few:
        return Score(name * NEIGHBOURS.unfilled, ())
    score, reasons = name, list[MessageText]()
    is_against = column.words.groups & concept.never
    for item in evidence(concept.name):
        measure: float = getattr(column, item.measure)
        if item.least <= measure < item.below:
            score = max(score * item.times, 0 if is_against else item.floor)
            if item.reason:
                reasons.append(MessageText((item.reason,), {"share": f"{measure:.0%}"}))
    return Score(score, tuple(reasons))
