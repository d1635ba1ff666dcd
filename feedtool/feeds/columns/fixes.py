"""Corrections of single cells for all kinds of sheets."""

from decimal import ROUND_HALF_UP, Decimal
from functools import partial

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import ENUM_ACCENTS, ENUM_VALUE, FIELD_RETIRED, Choice
from feedtool.feeds.columns.gtin import GTIN_FORMAT, GTIN_PADDED, Gtin, with_zeros
from feedtool.feeds.columns.number import (
    CENT,
    NUMBER_AMBIGUOUS,
    NUMBER_PRECISION,
    VAT_FRACTION,
    number_of,
)
from feedtool.feeds.columns.text import (
    BREAKS,
    REFERENCE_FORMAT,
    TEXT_CONTROL_CHARS,
    TRIMMED,
    invisible_in,
    plain,
    without_invisible,
)
from feedtool.feeds.fix import Fix, FlawedCell, NewValue
from feedtool.model.cells import Kind
from feedtool.model.text import tr

COMMA, POINT = ",", "."


def written_like(number: Decimal, flawed: FlawedCell) -> NewValue:
    """Return a number in the form of its cell: a number, or a text with the sheet's separator."""
    if flawed.cell.kind is not Kind.TEXT:
        return number
    text, decimal = f"{number:f}", flawed.reader.decimal
    if decimal is None:
        decimal = max(POINT, COMMA, key=flawed.cell.text.rfind)
    return text.replace(POINT, decimal)


def trim(flawed: FlawedCell) -> NewValue | None:
    """Remove blanks around the text; from a GTIN also blanks and hyphens inside."""
    return as_read(flawed) if isinstance(flawed.type, Gtin) else plain(flawed.cell.text)


def as_read(flawed: FlawedCell) -> str | None:
    """Return the text value of the cell; None if it has another type or no value."""
    value = flawed.type.read(flawed.cell, flawed.reader)
    read = value.value if isinstance(value, InvalidValue) else value
    return read if isinstance(read, str) else None


def remove_invisible(flawed: FlawedCell) -> NewValue | None:
    """Remove invisible characters; replace line breaks that are not allowed by blanks."""
    if flawed.cell.kind is not Kind.TEXT:
        return None
    text = plain(without_invisible(flawed.cell.text))
    value = flawed.type.read(flawed.cell._replace(text=text), flawed.reader)
    if isinstance(value, InvalidValue) and value.is_refused and invisible_in(text):
        text = text.translate({ord(mark): " " for mark in BREAKS})
    return text or None


def restore_zeros(flawed: FlawedCell) -> NewValue | None:
    """Restore the zeros of a GTIN that a spreadsheet removed, if the check digit is right."""
    if digits := as_read(flawed):
        return digits
    digits = plain(flawed.cell.text)
    return with_zeros(digits) if digits.isascii() and digits.isdecimal() else None


def correct_accents(flawed: FlawedCell) -> NewValue | None:
    choice = flawed.type
    return choice.unaccented(flawed.cell, flawed.reader) if isinstance(choice, Choice) else None


def correct_letters(flawed: FlawedCell) -> NewValue | None:
    choice = flawed.type
    return choice.misspelt(flawed.cell, flawed.reader) if isinstance(choice, Choice) else None


def settle(flawed: FlawedCell) -> NewValue | None:
    return _plainly(flawed, flawed.reader.decimal)


def _plainly(flawed: FlawedCell, decimal: str | None) -> NewValue | None:
    """Return the number without a separator of thousands, so that it is not ambiguous."""
    reader = ColumnReader(flawed.type, flawed.reader.context, decimal)
    number = number_of(flawed.cell, reader) if decimal else None
    return None if number is None else f"{number.normalize():f}".replace(POINT, decimal or POINT)


def round_to_cents(flawed: FlawedCell) -> NewValue | None:
    number = number_of(flawed.cell, flawed.reader)
    if number is None or flawed.cell.percent:
        return None
    return written_like(number.quantize(CENT, ROUND_HALF_UP), flawed)


def fraction_to_percent(flawed: FlawedCell) -> NewValue | None:
    number = number_of(flawed.cell, flawed.reader)
    if number is None:
        return None
    return written_like(Decimal(f"{(number * 100).normalize():f}"), flawed)


def replace_bar(flawed: FlawedCell) -> NewValue | None:
    text = flawed.cell.text
    return text.replace("|", "-") if "|" in text else None


def empty(flawed: FlawedCell) -> NewValue | None:
    del flawed
    return ""


FIXES = (
    Fix("blanks", tr("leave out the blanks around a text"), (TRIMMED,), trim, is_safe=True),
    Fix(
        "invisible",
        tr("leave out invisible characters"),
        (TEXT_CONTROL_CHARS, REFERENCE_FORMAT),
        remove_invisible,
        is_safe=True,
    ),
    Fix(
        "zeros",
        tr("put a GTIN's leading zeros back where its check digit is right"),
        (GTIN_PADDED, GTIN_FORMAT),
        restore_zeros,
        is_safe=True,
    ),
    Fix(
        "accents",
        tr("correct the accents of a list's value"),
        (ENUM_ACCENTS,),
        correct_accents,
        is_safe=True,
    ),
    Fix(
        "decimal-comma",
        tr("read a number such as 1.299 as 1299, and 1,299 as a fraction"),
        (NUMBER_AMBIGUOUS,),
        partial(_plainly, decimal=COMMA),
        decimal=COMMA,
    ),
    Fix(
        "decimal-point",
        tr("read a number such as 1,299 as 1299, and 1.299 as a fraction"),
        (NUMBER_AMBIGUOUS,),
        partial(_plainly, decimal=POINT),
        decimal=POINT,
    ),
    Fix(
        "decimals",
        tr("read a number such as 1,299 as all other numbers of the sheet are written"),
        (NUMBER_AMBIGUOUS,),
        settle,
        is_safe=True,
    ),
    Fix(
        "round",
        tr("round amounts to two decimals"),
        (NUMBER_PRECISION, NUMBER_AMBIGUOUS),
        round_to_cents,
    ),
    Fix("percent", tr("read a VAT such as 0.2 as 20 %"), (VAT_FRACTION,), fraction_to_percent),
    Fix(
        "spelling",
        tr("take the list's value that differs in a letter or two"),
        (ENUM_VALUE,),
        correct_letters,
    ),
    Fix("bar", tr("write a dash for each | of a reference"), (REFERENCE_FORMAT,), replace_bar),
    Fix("retired", tr("empty the fields that can no longer be sent"), (FIELD_RETIRED,), empty),
)
"""Fixes in order: the first that has a new value for a cell is made."""
