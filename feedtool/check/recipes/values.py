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
"""Characters, as many as a cell holds."""
SHOWN = 60
"""Characters of a text in messages."""
LONGEST_PATTERN = 200
"""Characters of a pattern of `matches`."""
MOST = 1_000
"""Of a whole number that counts places or parts."""
ISO_DATE = re.compile(r"\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T\s].*)?", re.ASCII | re.DOTALL)
CONTEXT = Context(
    prec=28, rounding=ROUND_HALF_UP, Emax=40, traps=[DivisionByZero, InvalidOperation, Overflow]
)


class ExpressionFailure(Exception):
    """Why an expression has no value in a row."""


class NumberText(str):
    """A text of a sheet that is a number in its writing."""

    __slots__ = ("number",)
    number: Decimal

    def __new__(cls, text: str, number: Decimal) -> Self:
        """The text, and the number that it is."""
        made = super().__new__(cls, text)
        made.number = number
        return made


class UnclearText(str):
    """A text of a sheet that may be one of two numbers."""

    __slots__ = ("reason",)
    reason: str

    def __new__(cls, text: str, reason: str) -> Self:
        """The text, and which numbers it may be."""
        made = super().__new__(cls, text)
        made.reason = reason
        return made


class UnreadableCell(Struct, frozen=True):
    """The value of a cell that has none, and the reason: an error, a formula without a result."""

    reason: str


Value: TypeAlias = Decimal | str | bool | date | UnreadableCell | None


def describe(value: Value) -> str:
    """A value in words, with its type."""
    if isinstance(value, str):
        return tr("the text {value}", value=show(value))
    if type(value) is Decimal:
        return tr("the number {value}", value=show(value))
    if type(value) is date:
        return tr("the date {value}", value=show(value))
    return show(value)


def show(value: Value) -> str:
    """A value in words."""
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
    """A number in digits, without zeros at the end of its decimals."""
    text = f"{number:f}" if number else "0"  # also of -0
    return text.rstrip("0").rstrip(".") if "." in text else text


def read_number(value: Value, source: str) -> Decimal:
    """A number, also of a text that is one."""
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
    """A number, or a text that may be one."""
    if isinstance(value, str) and type(value) is not NumberText:
        return value
    return read_number(value, source)


def read_separator(value: Value, source: str) -> str:
    """The sign before decimals."""
    text = read_text(value, source)
    if text not in {",", "."}:
        raise ExpressionFailure(
            tr('{source} is {value}, not "," or "."', source=source, value=describe(value))
        )
    return text


def negated(number: Decimal) -> Decimal:
    """Minus a number, however long; of zero, zero."""
    return number.copy_negate() if number else number


def read_truth(value: Value, source: str) -> bool:
    """True or false."""
    if type(value) is bool:
        return value
    raise ExpressionFailure(
        tr("{source} is {value}, not true or false", source=source, value=describe(value))
    )


def read_text(value: Value, source: str) -> str:
    """A text, also of a number."""
    if isinstance(value, str):
        return value
    if type(value) is Decimal:
        return number_text(value)
    raise ExpressionFailure(
        tr("{source} is {value}, not a text", source=source, value=describe(value))
    )


def read_whole(value: Value, source: str) -> int:
    """A small whole number."""
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
    """A date, also of a text that begins with one (ISO 8601)."""
    if type(value) is date:
        return value
    if isinstance(value, str) and (match := ISO_DATE.fullmatch(value)):
        with suppress(ValueError):  # the 30th of February
            return date.fromisoformat(match[1])
    raise ExpressionFailure(
        tr("{source} is {value}, not a date like 2026-11-20", source=source, value=describe(value))
    )


def read_pattern(value: Value, source: str) -> str:
    """A pattern in which `*` and `?` alone stand for other characters."""
    text = read_text(value, source)
    if len(text) > LONGEST_PATTERN:
        raise ExpressionFailure(
            tr("{source} has more than {count} characters", source=source, count=LONGEST_PATTERN)
        )
    return text.casefold().replace("[", "[[]")


def read_any(value: Value, source: str) -> Value:
    """Any value that can be read."""
    if type(value) is UnreadableCell:
        raise ExpressionFailure(tr("{source} is {value}", source=source, value=value.reason))
    return value


def is_blank(value: Value) -> bool:
    """True of nothing, and of a text without characters."""
    return value is None or value == ""


def equal(a: Value, b: Value, left: str, right: str) -> bool:
    """True if two values are the same: two numbers, texts, dates, truths or blanks."""
    a, b = read_any(a, left), read_any(b, right)
    if is_blank(a) or is_blank(b):
        return is_blank(a) and is_blank(b)
    if type(a) is date or type(b) is date:
        return read_date(a, left) == read_date(b, right)
    numbers = (Decimal, NumberText)
    if type(a) in numbers and type(b) in numbers:
        return read_number(a, left) == read_number(b, right)
    are_texts = isinstance(a, str) and isinstance(b, str)
    if not are_texts and type(a) is not type(b):
        raise ExpressionFailure(
            tr("{first} and {second} cannot be compared", first=describe(a), second=describe(b))
        )
    return a == b
