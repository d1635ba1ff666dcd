"""The entries of cells that are being filled: formats, dropdowns and refused entries.

These are a help for whoever types; pasting passes them by, so nothing relies on them.
"""

from decimal import Decimal
from typing import Literal

from openpyxl.worksheet.datavalidation import DataValidation

from feedtool.feeds.columns.choice import Choice
from feedtool.feeds.columns.gtin import Gtin
from feedtool.feeds.columns.number import Days, Money, Number, Rate, Whole
from feedtool.feeds.columns.text import Text
from feedtool.feeds.template import TEXT, CellEntry, Language, Limit, choice_width
from feedtool.model.header import CellType
from feedtool.model.settings import AccountSettings, Bounds
from feedtool.model.translation import Translate
from feedtool.templates.look import texts, typeset

PERCENT = Decimal(100)


def entry_of(
    cell_type: CellType,
    label: str,
    choices: tuple[str, ...],
    language: Language,
    dialect: AccountSettings,
) -> CellEntry:
    """The entries of a feed's column, by its type; text keeps the zeros of identifiers."""
    number_format, width = _look(cell_type, (label, *choices))
    return CellEntry(number_format, width, _limit(cell_type, texts(language), dialect), choices)


def _look(cell_type: CellType, shown: tuple[str, ...]) -> tuple[str, float]:
    """The format and the width of a column."""
    match cell_type:
        case Gtin():
            return TEXT, 18
        case Text():
            return TEXT, 24
        case Choice():
            return "General", choice_width(shown)
        case Money():
            return "0.00##", 15  # a third decimal is refused, so it must be seen
        case Number():
            return "0" if isinstance(cell_type, Whole) else "General", 15
        case _:
            return "General", 20


def rule_of(entry: CellEntry, choices: str, language: Language) -> DataValidation | None:
    """The rule of a column, None where anything may be typed; `choices` names its range."""
    limit = entry.limit
    if limit is None:
        return None
    _ = texts(language)
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
        rule.errorTitle = typeset(_("This value is not possible"), language)
        refusal = limit.refusal or _("Please choose a value from the list.")
        rule.error = typeset(refusal, language)
    return rule


def _limit(cell_type: CellType, _: Translate, dialect: AccountSettings) -> Limit | None:
    """The limit of a column's type, and what is said when it refuses."""
    match cell_type:
        case Choice():
            return Limit("list")
        case Rate() | Whole() as number:
            least, most = number.least or Decimal(0), _most(number, dialect.bounds)
            text = _text(number, _).format(least=least, most=most)
            kind: Literal["whole", "decimal"] = "whole" if isinstance(number, Whole) else "decimal"
            return Limit(kind, text, "between", (str(least), str(most)))
        case Number(above=Decimal() as above):
            refusal = _("A number above {bound}, with two decimals at most.").format(bound=above)
            return Limit("decimal", refusal, "greaterThan", (str(above),))
        case Number(least=Decimal() as least):
            text = _("A number not below {bound}, with two decimals at most.")
            return Limit("decimal", text.format(bound=least), "greaterThanOrEqual", (str(least),))
        case _:
            return None


def _most(number: Rate | Whole, bounds: Bounds) -> Decimal:
    """The upper bound that the column or, where it has none, the profile gives."""
    if isinstance(number, Days):
        return Decimal(bounds.longest_preparation)
    return number.most or (
        PERCENT if isinstance(number, Rate) else Decimal(bounds.highest_quantity)
    )


def _text(number: Rate | Whole, _: Translate) -> str:
    if isinstance(number, Rate):
        return _("A rate from {least} to {most}: type 20 for 20%.")
    if isinstance(number, Days):
        return _("A whole number of days from {least} to {most}.")
    return _("A whole number, {least} or more.")
