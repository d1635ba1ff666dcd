"""Values of expressions, and the functions that expressions may call.

A value is a number, a text, a date, true or false, or none, which is a blank. No value is ever
taken for another type; a text that is a number in its sheet's own writing (`10,50`) counts as one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fnmatch import fnmatchcase
from typing import Any, NamedTuple, Self, TypeAlias

LONGEST_TEXT = 32_767
"""Characters, as many as a cell holds."""
MOST = 1_000
"""Of a whole number that counts places or parts."""
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


@dataclass(frozen=True, slots=True)
class UnreadableCell:
    """The value of a cell that has none, and the reason: an error, a formula without a result."""

    reason: str


Value: TypeAlias = Decimal | str | bool | date | UnreadableCell | None


def describe(value: Value) -> str:
    """A value in words."""
    match value:
        case None:
            return "blank"
        case bool():
            return str(value).lower()
        case str():
            return f"the text “{value[:60]}”"
        case date():
            return f"the date {value}"
        case UnreadableCell():
            return value.reason
        case _:
            return f"the number {value:f}"


def read_number(value: Value, source: str) -> Decimal:
    """A number, also of a text that is one."""
    if type(value) is Decimal:
        return value
    if type(value) is NumberText:
        return value.number
    raise ExpressionFailure(f"{source} is {describe(value)}, not a number")


def read_truth(value: Value, source: str) -> bool:
    """True or false."""
    if type(value) is bool:
        return value
    raise ExpressionFailure(f"{source} is {describe(value)}, not true or false")


def read_text(value: Value, source: str) -> str:
    """A text, also of a number, as it is written."""
    if isinstance(value, str):
        return value
    if type(value) is Decimal:
        return f"{value:f}"
    raise ExpressionFailure(f"{source} is {describe(value)}, not a text")


def read_whole(value: Value, source: str) -> int:
    """A small whole number."""
    number = read_number(value, source)
    if number != number.to_integral_value() or abs(number) > MOST:
        raise ExpressionFailure(f"{source} is {describe(value)}, not a small whole number")
    return int(number)


def read_date(value: Value, source: str) -> date:
    """A date, also of a text that begins with one (ISO 8601)."""
    if isinstance(value, str):
        try:
            return date.fromisoformat(value.strip()[:10])
        except ValueError:
            raise ExpressionFailure(f"{source} is no date like 2026-11-20: {value[:60]}") from None
    if type(value) is date:
        return value
    raise ExpressionFailure(f"{source} is {describe(value)}, not a date")


def read_any(value: Value, source: str) -> Value:
    """Any value that can be read."""
    if type(value) is UnreadableCell:
        raise ExpressionFailure(f"{source} is {value.reason}")
    return value


# Functions.


def ends(number: Decimal, ending: Decimal) -> Decimal:
    """The next number, not below a number, that ends so: 12.30 with 0.99 is 12.99."""
    step = Decimal(1).scaleb(max(0, ending.adjusted() + 1)) if ending else Decimal(1)
    start = (number / step).to_integral_value("ROUND_FLOOR") * step + ending
    return start if start >= number else start + step


def _round(number: Decimal, places: int = 0) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places))


def _replace(text: str, old: str, new: str) -> str:
    if len(text) + text.count(old) * len(new) > LONGEST_TEXT:
        raise ExpressionFailure(f"the text would have more than {LONGEST_TEXT} characters")
    return text.replace(old, new) if old else text


def _split(text: str, separator: str, number: int) -> str | None:
    """The n-th part of a text, counted from the end where n is negative; none where it has none."""
    parts = text.split(separator or None)
    at = number - 1 if number > 0 else number
    return parts[at].strip() if number and -len(parts) <= at < len(parts) else None


class _Function(NamedTuple):
    """A function of expressions."""

    call: Callable[..., Value]
    arguments: tuple[Callable[[Value, str], Any], ...]
    example: str
    optional: int = 0
    """The number of arguments at the end that may be left out."""
    is_open: bool = False
    """True if more arguments like the last may follow."""


FUNCTIONS: Mapping[str, _Function] = {
    "min": _Function(min, (read_number, read_number), "min(a, b)", is_open=True),
    "max": _Function(max, (read_number, read_number), "max(a, b)", is_open=True),
    "abs": _Function(abs, (read_number,), "abs(a)"),
    "round": _Function(_round, (read_number, read_whole), "round(a, 2)", optional=1),
    "ends": _Function(ends, (read_number, read_number), "ends(a, 0.99)"),
    "lower": _Function(str.lower, (read_text,), "lower(a)"),
    "upper": _Function(str.upper, (read_text,), "upper(a)"),
    "strip": _Function(str.strip, (read_text,), "strip(a)"),
    "replace": _Function(_replace, (read_text, read_text, read_text), 'replace(a, "-", "")'),
    "split": _Function(_split, (read_text, read_text, read_whole), 'split(a, "-", 1)'),
    "matches": _Function(
        lambda text, pattern: fnmatchcase(text.casefold(), pattern.casefold()),
        (read_text, read_text),
        'matches(a, "Tarif*")',
    ),
    "blank": _Function(lambda value: value is None or value == "", (read_any,), "blank(a)"),
    "days_since": _Function(lambda _: None, (read_date,), "days_since(a)"),  # replaced below: today
}
