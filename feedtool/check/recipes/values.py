"""Values of expressions.

A value is a number, a text, a date, true or false, or none, which is a blank. No value is ever
taken for another type; a text that is a number in its sheet's own writing (`10,50`) counts as one.
Numbers are Decimals of 28 digits; what has more is rounded half up (2.5 is 3, -2.5 is -3).
"""

import re
from contextlib import suppress
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from typing import Self, TypeAlias

from msgspec import Struct

from feedtool.model.text import in_quotes, joined, tr

LONGEST_TEXT = 32_767
"""The most characters of a text, as in a cell."""
SHOWN = 60
"""The most characters of a text in messages."""
LONGEST_PATTERN = 200
"""The most characters of a pattern for `matches`."""
MOST = 1_000
"""The largest whole number for counting decimals or parts."""
ISO_DATE = re.compile(r"\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T\s].*)?", re.ASCII | re.DOTALL)
CONTEXT = Context(
    prec=28, rounding=ROUND_HALF_UP, Emax=40, traps=[DivisionByZero, InvalidOperation, Overflow]
)


class ExpressionFailure(Exception):
    """The expression has no value in a row."""


class NumberText(str):
    """A text of a sheet that can be read as a number."""

    __slots__ = ("number",)
    number: Decimal

    def __new__(cls, text: str, number: Decimal) -> Self:
        """Make the text with its number."""
        made = super().__new__(cls, text)
        made.number = number
        return made


class UnclearText(str):
    """A text of a sheet with two possible numbers."""

    __slots__ = ("reason",)
    reason: str

    def __new__(cls, text: str, reason: str) -> Self:
        """Make the text with a message about its possible numbers."""
        made = super().__new__(cls, text)
        made.reason = reason
        return made


class UnreadableCell(Struct, frozen=True):
    """A cell without a value, with the reason: an error, a formula without a result."""

    reason: str


Value: TypeAlias = Decimal | str | bool | date | UnreadableCell | None


def describe(value: Value) -> str:
    """Return a value in words, with its type."""
    if isinstance(value, str):
        return tr("the text {value}", value=show(value))
    if type(value) is Decimal:
        return tr("the number {value}", value=show(value))
    if type(value) is date:
        return tr("the date {value}", value=show(value))
    return show(value)


def show(value: Value) -> str:
    match value:
        case None:
            return tr("blank")
        case bool():
            return str(value).lower()
        case str():
            return in_quotes(value[:SHOWN])
        case date():
            return value.isoformat()
        case UnreadableCell():
            return value.reason
        case _:
            return number_text(value)


def number_text(number: Decimal) -> str:
    """Return a number in digits, without zeros at the end of decimals."""
    text = f"{number:f}" if number else "0"  # also for -0
    return text.rstrip("0").rstrip(".") if "." in text else text


def read_number(value: Value, source: str) -> Decimal:
    """Return a number, also from a text that is one."""
    if type(value) is Decimal:
        return value
    if type(value) is NumberText:
        return value.number
    if type(value) is UnclearText:
        raise ExpressionFailure(joined((source, value.reason), ": "))
    raise ExpressionFailure(
        tr("{source} is {value}, not a number", source=source, value=describe(value))
    )


def read_numeric(value: Value, source: str) -> Decimal | str:
    """Return a number, or a text that may be one."""
    if isinstance(value, str) and type(value) is not NumberText:
        return value
    return read_number(value, source)


def read_separator(value: Value, source: str) -> str:
    text = read_text(value, source)
    if text not in {",", "."}:
        raise ExpressionFailure(
            tr('{source} is {value}, not "," or "."', source=source, value=describe(value))
        )
    return text


def negated(number: Decimal) -> Decimal:
    """Negate a number without rounding; zero stays zero."""
    return number.copy_negate() if number else number


def read_truth(value: Value, source: str) -> bool:
    if type(value) is bool:
        return value
    raise ExpressionFailure(
        tr("{source} is {value}, not true or false", source=source, value=describe(value))
    )


def read_text(value: Value, source: str) -> str:
    """Return a text, also from a number."""
    if isinstance(value, str):
        return value
    if type(value) is Decimal:
        return number_text(value)
    raise ExpressionFailure(
        tr("{source} is {value}, not a text", source=source, value=describe(value))
    )


def read_whole(value: Value, source: str) -> int:
    number = read_number(value, source)
    if number != number.to_integral_value() or abs(number) > MOST:
        raise ExpressionFailure(
            tr(
                "{source} is {value}, not a small whole number",
                source=source,
                value=describe(value),
            )
        )
    return int(number)


def read_date(value: Value, source: str) -> date:
    """Return a date, also from a text that begins with one (ISO 8601)."""
    if type(value) is date:
        return value
    if isinstance(value, str) and (match := ISO_DATE.fullmatch(value)):
        with suppress(ValueError):  # the 30th of February
            return date.fromisoformat(match[1])
    raise ExpressionFailure(
        tr("{source} is {value}, not a date like 2026-11-20", source=source, value=describe(value))
    )


def read_pattern(value: Value, source: str) -> str:
    """Return a pattern in which only `*` and `?` match other characters."""
    text = read_text(value, source)
    if len(text) > LONGEST_PATTERN:
        raise ExpressionFailure(
            tr("{source} has more than {count} characters", source=source, count=LONGEST_PATTERN)
        )
    return text.casefold().replace("[", "[[]")


def read_any(value: Value, source: str) -> Value:
    """Return any value that can be read."""
    if type(value) is UnreadableCell:
        raise ExpressionFailure(tr("{source} is {value}", source=source, value=value.reason))
    return value


def is_blank(value: Value) -> bool:
    """Return True for no value, and for an empty text."""
    return value is None or value == ""


def equal(first: Value, second: Value, left: str, right: str) -> bool:
    """Return True for two equal numbers, texts, dates, truths or blanks."""
    first, second = read_any(first, left), read_any(second, right)
    if is_blank(first) or is_blank(second):
        return is_blank(first) and is_blank(second)
    if type(first) is date or type(second) is date:
        return read_date(first, left) == read_date(second, right)
    numbers = (Decimal, NumberText)
    if type(first) in numbers and type(second) in numbers:
        return read_number(first, left) == read_number(second, right)
    are_texts = isinstance(first, str) and isinstance(second, str)
    if not are_texts and type(first) is not type(second):
        raise ExpressionFailure(
            tr(
                "{first} and {second} cannot be compared",
                first=describe(first),
                second=describe(second),
            )
        )
    return first == second
