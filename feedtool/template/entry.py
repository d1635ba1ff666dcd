"""What a cell takes while it is being filled: formats, dropdowns and refused entries.

These are a help for whoever types; pasting passes them by, so nothing relies on them.
"""

import re
from decimal import Decimal
from typing import Literal

from openpyxl.worksheet.datavalidation import DataValidation

from feedtool.columns import CellType
from feedtool.columns.choice import Choice
from feedtool.columns.gtin import Gtin
from feedtool.columns.number import Days, Money, Number, Rate, Whole
from feedtool.columns.text import Text
from feedtool.dialect import Bounds, Dialect
from feedtool.template import Language
from feedtool.template.fields import Field
from feedtool.template.words import WORDS, Words, typeset

FIRST_ROW = 3
LAST_ROW = 1_048_576
"""As many as a sheet has, so that no row is treated otherwise than the ones before it."""

PERCENT = Decimal(100)


def number_format(cell_type: CellType) -> str:
    """How a column shows what is typed; text keeps the zeros of identifiers."""
    match cell_type:
        case Text() | Gtin():
            return "@"
        case Money():
            return "0.00##"  # a third decimal is refused, so it must be seen
        case Whole():
            return "0"
        case _:
            return "General"


def list_name(field: Field) -> str:
    """The named range of a dropdown."""
    return "list_" + re.sub(r"[^A-Za-z0-9]", "_", field.key)


def validation(field: Field, language: Language, dialect: Dialect) -> DataValidation | None:
    """What may be typed into a column, None where anything may."""
    found = _limits(field, language, dialect)
    if found is None:
        return None
    rule, message = found
    rule.allow_blank = True
    rule.showErrorMessage = True
    rule.errorTitle = typeset(WORDS[language].wrong, language)
    rule.error = typeset(message, language)
    rule.add(f"{field.letter}{FIRST_ROW}:{field.letter}{LAST_ROW}")
    return rule


def _limits(
    field: Field, language: Language, dialect: Dialect
) -> tuple[DataValidation, str] | None:
    """The rule of a column's type, and what is said when it refuses."""
    words = WORDS[language]
    match field.column.type:
        case Choice():
            return DataValidation("list", formula1=list_name(field)), words.choose
        case Rate() | Whole() as number:
            least, most = number.least or Decimal(0), _most(number, dialect.bounds)
            text = _text(number, words).format(least=least, most=most)
            return _between(number, least, most), text
        case Number(above=Decimal() as above):
            return _one_bound("greaterThan", above), words.above.format(bound=above)
        case Number(least=Decimal() as least):
            return _one_bound("greaterThanOrEqual", least), words.at_least.format(bound=least)
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


def _between(number: Rate | Whole, least: Decimal, most: Decimal) -> DataValidation:
    kind: Literal["whole", "decimal"] = "whole" if isinstance(number, Whole) else "decimal"
    return DataValidation(kind, operator="between", formula1=str(least), formula2=str(most))


def _one_bound(
    operator: Literal["greaterThan", "greaterThanOrEqual"], bound: Decimal
) -> DataValidation:
    return DataValidation("decimal", operator=operator, formula1=str(bound))
