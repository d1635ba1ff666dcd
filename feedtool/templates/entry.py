"""What a cell takes while it is being filled: formats, dropdowns and refused entries.

These are a help for whoever types; pasting passes them by, so nothing relies on them.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from openpyxl.worksheet.datavalidation import DataValidation

from feedtool.feeds.columns.choice import Choice
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Days, Money, Number, Rate, Whole
from feedtool.feeds.columns.text import Text
from feedtool.model.header import CellType
from feedtool.model.settings import Bounds, Dialect
from feedtool.templates import Language
from feedtool.templates.words import WORDS, Words, typeset

PERCENT = Decimal(100)

TEXT = "@"
"""The format that keeps the zeros of identifiers, and what looks like a date."""

WIDEST_CHOICE = 40
"""Characters of a column with a dropdown; longer choices show when it is open."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What may be typed; other entries are refused."""

    type: Literal["list", "whole", "decimal"]
    """`list`: one of the choices."""
    refusal: str
    """What is said to others."""
    operator: Literal["between", "greaterThan", "greaterThanOrEqual"] | None = None
    bounds: tuple[str, ...] = ()
    is_strict: bool = True
    """Whether others are refused; else the list is but offered."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What the cells of a column take."""

    number_format: str
    width: float
    limit: Limit | None = None
    choices: tuple[str, ...] = ()
    """What its dropdown offers."""


def entry_of(
    cell_type: CellType,
    label: str,
    choices: tuple[str, ...],
    language: Language,
    dialect: Dialect,
) -> Entry:
    """What a feed's column takes, by its type."""
    return Entry(
        number_format(cell_type),
        _width(cell_type, (label, *choices)),
        _limit(cell_type, language, dialect),
        choices,
    )


def number_format(cell_type: CellType) -> str:
    """How a column shows what is typed; text keeps the zeros of identifiers."""
    match cell_type:
        case Text() | Gtin():
            return TEXT
        case Money():
            return "0.00##"  # a third decimal is refused, so it must be seen
        case Whole():
            return "0"
        case _:
            return "General"


def _width(cell_type: CellType, texts: tuple[str, ...]) -> float:
    match cell_type:
        case Gtin():
            return 18
        case Text():
            return 24
        case Choice():
            return width_of(texts)
        case Number():
            return 15
        case _:
            return 20


def width_of(texts: tuple[str, ...]) -> float:
    """Of a column with a dropdown, whose button takes some room."""
    return 4 + min(WIDEST_CHOICE, max(map(len, texts)))


def rule_of(entry: Entry, choices: str, language: Language) -> DataValidation | None:
    """The rule of a column, None where anything may be typed; `choices` names its range."""
    limit = entry.limit
    if limit is None:
        return None
    first, second = (*limit.bounds, None, None)[:2]
    rule = DataValidation(
        limit.type,
        operator=limit.operator,
        formula1=choices if limit.type == "list" else first,
        formula2=second,
    )
    rule.allow_blank = True
    rule.showErrorMessage = limit.is_strict
    if limit.is_strict:
        rule.errorTitle = typeset(WORDS[language].wrong, language)
        rule.error = typeset(limit.refusal, language)
    return rule


def _limit(cell_type: CellType, language: Language, dialect: Dialect) -> Limit | None:
    """The limit of a column's type, and what is said when it refuses."""
    words = WORDS[language]
    match cell_type:
        case Choice():
            return Limit("list", words.choose)
        case Rate() | Whole() as number:
            least, most = number.least or Decimal(0), _most(number, dialect.bounds)
            text = _text(number, words).format(least=least, most=most)
            kind: Literal["whole", "decimal"] = "whole" if isinstance(number, Whole) else "decimal"
            return Limit(kind, text, "between", (str(least), str(most)))
        case Number(above=Decimal() as above):
            refusal = words.above.format(bound=above)
            return Limit("decimal", refusal, "greaterThan", (str(above),))
        case Number(least=Decimal() as least):
            refusal = words.at_least.format(bound=least)
            return Limit("decimal", refusal, "greaterThanOrEqual", (str(least),))
        case _:
            return None


def _most(number: Rate | Whole, bounds: Bounds) -> Decimal:
    """The upper bound that the column or, where it has none, the profile gives."""
    if isinstance(number, Days):
        return Decimal(bounds.longest_preparation)
    return number.most or (
        PERCENT if isinstance(number, Rate) else Decimal(bounds.highest_quantity)
    )


def _text(number: Rate | Whole, words: Words) -> str:
    if isinstance(number, Rate):
        return words.rate
    return words.days if isinstance(number, Days) else words.whole
