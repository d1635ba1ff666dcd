"""What speaks for a column's being a field: its name, its cells, and the columns beside it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from rapidfuzz import fuzz

from feedtool.check.mapping.words import Concept, HeaderWords, words_of
from feedtool.feeds.columns.number import parse
from feedtool.feeds.columns.text import LENGTHS, check_digit, plain
from feedtool.model.cells import Cell, Kind, rounded, shown
from feedtool.model.header import Column

RATES = frozenset(
    map(
        Decimal,
        (
            *("0", "2.1", "3", "4", "4.8", "5", "5.5", "6", "7", "8", "8.5", "9", "9.5", "10"),
            *("12", "13", "13.5", "14", "16", "17", "18", "19", "20", "21", "22", "23", "24"),
            *("25", "27"),
        ),
    )
)
"""Percentages of VAT in Europe, now and lately."""
WEIGHTS: Mapping[str, int] = {
    "a name and nothing against it": 100,
    "right content of a sort that tells": 97,
    "a name, but other content": 35,
    "net where gross is meant": 20,
}
FEW = 3
"""Filled cells from which content counts."""


@dataclass(frozen=True)
class SheetColumn:
    """A column of a sheet, its header and its first cells."""

    index: int
    header: str
    cells: Sequence[Cell]

    @cached_property
    def words(self) -> HeaderWords:
        """Its header as it is compared."""
        return words_of(self.header)

    @cached_property
    def texts(self) -> Sequence[str]:
        """The filled cells as shown."""
        return [text for cell in self.cells if (text := plain(shown(cell)))]

    @cached_property
    def numbers(self) -> Sequence[Decimal]:
        """The cells that are numbers."""
        return [number for cell in self.cells if (number := _number_of(cell)) is not None]

    def share(self, holds: Callable[[str], bool]) -> float:
        """The share of filled cells of which something holds."""
        return sum(map(holds, self.texts)) / len(self.texts) if self.texts else 0

    @property
    def filled(self) -> float:
        """The share of cells that are filled."""
        return len(self.texts) / len(self.cells) if self.cells else 0

    @cached_property
    def numeric(self) -> float:
        """The share of filled cells that are numbers."""
        return len(self.numbers) / len(self.texts) if self.texts else 0

    @cached_property
    def whole(self) -> float:
        """The share of filled cells that are whole numbers, not below 0."""
        whole = [number for number in self.numbers if number == int(number) and number >= 0]
        return len(whole) / len(self.texts) if self.texts else 0

    @cached_property
    def distinct(self) -> float:
        """The share of different values."""
        return len(set(self.texts)) / len(self.texts) if self.texts else 0

    @cached_property
    def right_gtins(self) -> float:
        """The share of cells with a right check digit."""
        return self.share(_has_check_digit)

    @cached_property
    def rates(self) -> float:
        """The share of numbers that are rates of VAT, as percent or fraction."""
        known = [number in RATES or number * 100 in RATES for number in self.numbers]
        return sum(known) / len(self.texts) if self.texts else 0


def _has_check_digit(text: str) -> bool:
    digits = text.replace(" ", "")
    is_code = digits.isascii() and digits.isdigit() and len(digits) in {*LENGTHS, 11}
    return is_code and bool(digits.strip("0")) and check_digit(digits[:-1]) == digits[-1]


def _number_of(cell: Cell) -> Decimal | None:
    if cell.kind is Kind.NUMBER:
        return rounded(cell.text)
    if cell.kind is not Kind.TEXT:
        return None
    text = plain(cell.text).strip("€$£% \u00a0").removesuffix("EUR").removeprefix("EUR").strip()
    amount = parse(text.lstrip("-"), ",") if text else ""
    return None if isinstance(amount, str) else amount.number


def name_score(words: HeaderWords, concept: Concept) -> float:
    """How much a header is called like a concept, up to 100."""
    return max(_likeness(words, name) for name in concept.names)


def _likeness(words: HeaderWords, name: str) -> float:
    if name in {words.text, words.bare}:
        return 100
    score: float = max(fuzz.token_sort_ratio(words.bare, name), fuzz.ratio(words.bare, name))
    of_name, of_header = set(name.split()), set(words.text.split())
    if of_name <= of_header and (len(of_name) > 1 or len(name) > 4):
        # The longer the rest, the less it says.
        score = max(score, 96 - 6 * (len(of_header) - len(of_name)))
    return score if score >= 70 else 0


def content_score(
    concept: Concept, column: SheetColumn, choices: Column | None, name: float
) -> float:
    """The confidence that a column is of a concept, by its name and its cells, up to 100."""
    judge = _JUDGES.get(concept.name)
    if len(column.texts) < FEW:
        return min(name, 84) if judge else name
    return judge(column, name, choices) if judge else name


def _gtin(column: SheetColumn, name: float, _: Column | None) -> float:
    if column.right_gtins >= 0.9:
        return max(97, name)
    return name * (0.5 + column.right_gtins / 2)


def _reference(column: SheetColumn, name: float, _: Column | None) -> float:
    if column.distinct < 0.8 or column.filled < 0.5:
        return name * 0.5
    if column.right_gtins >= 0.9:
        return name * 0.7
    is_prose = column.share(lambda text: len(text) > 40 or text.count(" ") > 3) > 0.3
    is_decimal = column.numeric > 0.9 > column.whole
    return name * 0.5 if is_prose or is_decimal else name


def _amount(column: SheetColumn, name: float, _: Column | None) -> float:
    if column.numeric < 0.8 or column.words.is_percent:
        return name * 0.4
    return name


def _price(column: SheetColumn, name: float, _: Column | None) -> float:
    if column.words.is_net and not column.words.is_gross:
        return min(name, WEIGHTS["net where gross is meant"])
    positive = [number for number in column.numbers if number > 0]
    if len(positive) < 0.6 * len(column.texts) or (column.rates > 0.95 and column.distinct < 0.3):
        return name * 0.4
    return _amount(column, name, None)


def _vat(column: SheetColumn, name: float, _: Column | None) -> float:
    if column.rates < 0.9:
        return name * 0.4
    return max(name, 60)


def _quantity(column: SheetColumn, name: float, _: Column | None) -> float:
    if column.whole < 0.85:
        return name * 0.5
    return name if column.right_gtins < 0.5 else name * 0.4


def _days(column: SheetColumn, name: float, _: Column | None) -> float:
    small = [number for number in column.numbers if 0 <= number <= 120 and number == int(number)]
    if len(small) < 0.9 * len(column.texts):
        return name * 0.7
    return name


def _condition(column: SheetColumn, name: float, choices: Column | None) -> float:
    hits = column.share(lambda text: _is_choice(text, choices)) if choices else 0
    if hits >= 0.9 and column.distinct < 0.6:
        return max(name, 92)
    return name if hits >= 0.5 else name * (0.6 if hits else 0.4)


def _is_choice(text: str, column: Column | None) -> bool:
    writings = getattr(column.type, "_by_writing", {}) if column else {}
    return " ".join(text.casefold().split()) in writings


def _prose(column: SheetColumn, name: float, _: Column | None) -> float:
    return name if column.numeric < 0.5 else name * 0.5


_JUDGES: Mapping[str, Callable[[SheetColumn, float, Column | None], float]] = {
    "gtin": _gtin,
    "reference": _reference,
    "price": _price,
    "struck price": _amount,
    "purchase price": _amount,
    "net price": _amount,
    "floor price": _amount,
    "eco": _amount,
    "dea": _amount,
    "delivery": _amount,
    "additional delivery": _amount,
    "vat": _vat,
    "quantity": _quantity,
    "incoming stock": _quantity,
    "preparation": _days,
    "condition": _condition,
    "title": _prose,
    "brand": _prose,
}
