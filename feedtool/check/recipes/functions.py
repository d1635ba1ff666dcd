"""The functions and operators of expressions."""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_FLOOR, Decimal, DecimalException, Overflow
from fnmatch import fnmatchcase
from keyword import iskeyword
from typing import Any, NamedTuple, TypeAlias

from feedtool.check.recipes.values import (
    LONGEST_TEXT,
    ExpressionFailure,
    NumberText,
    Value,
    is_blank,
    number_text,
    read_any,
    read_date,
    read_number,
    read_numeric,
    read_pattern,
    read_separator,
    read_text,
    read_whole,
    show,
)
from feedtool.feeds.columns.number import number_in
from feedtool.feeds.columns.text import plain
from feedtool.model.cells import folded
from feedtool.model.text import tr

Evaluate: TypeAlias = Callable[[Sequence[Value]], Value]
"""Computes a value from the values of names, in the order of `Expression.names`."""

CONSTANTS: Mapping[str, Value] = {"none": None, "true": True, "false": False}


def ends(number: Decimal, ending: Decimal) -> Decimal:
    """Return the next number at or above `number` with this ending: 12.30 with 0.99 is 12.99."""
    if ending < 0:
        raise ExpressionFailure(tr("no number ends with {number}", number=number_text(ending)))
    places = max(0, ending.adjusted() + 1) if ending else 0
    start = number.scaleb(-places).to_integral_value(ROUND_FLOOR).scaleb(places) + ending
    return start if start >= number else start + Decimal(1).scaleb(places)


def floor_divided(number: Decimal, divisor: Decimal) -> Decimal:
    """Divide and round down, as Python's `//` of whole numbers; Decimal rounds towards zero."""
    quotient, rest = divmod(number, divisor)
    return quotient - 1 if rest and (rest < 0) is not (divisor < 0) else quotient


def floor_rest(number: Decimal, divisor: Decimal) -> Decimal:
    """Return the remainder of `floor_divided`, which has the sign of the divisor."""
    rest = number % divisor
    return rest + divisor if rest and (rest < 0) is not (divisor < 0) else rest


def _round(number: Decimal, places: int = 0) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-places))


def _replace(text: str, old: str, new: str) -> str:
    return joined(text.split(old), new) if old else text


def joined(texts: Sequence[str], between: str = "") -> str:
    """Join texts; raises ExpressionFailure if the result is too long."""
    if sum(map(len, texts)) + len(between) * (len(texts) - 1) > LONGEST_TEXT:
        raise ExpressionFailure(
            tr("the text would have more than {count} characters", count=LONGEST_TEXT)
        )
    return between.join(texts)


def _says(value: Value, *words: str) -> bool:
    """Return True if a cell has one of some words, also as a number or a tick box."""
    match value:
        case NumberText() if not value.endswith("%"):
            text = number_text(value.number)
        case Decimal() | bool():
            text = show(value)
        case _:
            # A word of signs alone, as ✗, is itself.
            return isinstance(value, str) and (folded(value) or value.strip()) in {
                folded(word) or word for word in words
            }
    return text in words


def as_number(value: Decimal | str, decimal: str = "") -> Decimal:
    """Return the number of a text; `decimal` is the decimal separator of an ambiguous one."""
    if isinstance(value, Decimal):
        return value
    number = number_in(plain(value), decimal or None)
    if isinstance(number, Decimal):
        return number
    if number:
        raise ExpressionFailure(
            tr(
                "“{text}” could mean two numbers: name the sign of its decimals, as in"
                ' number(a, ",")',
                text=value[:60],
            )
        )
    raise ExpressionFailure(tr("“{text}” is not a number", text=value[:60]))


def _split(text: str, separator: str, number: int) -> str:
    """Return the n-th part of a text, counted from the end if n is negative."""
    parts = text.split(separator or None)
    index = number - 1 if number > 0 else number
    if not number:
        raise ExpressionFailure(
            tr("split counts the parts from 1, and from the end with -1, not 0")
        )
    if not -len(parts) <= index < len(parts):
        raise ExpressionFailure(
            tr(
                "“{text}” has no part {number} when it is split at “{separator}”",
                text=text[:60],
                number=number,
                separator=separator[:60],
            )
        )
    return parts[index].strip()


class _Function(NamedTuple):
    call: Callable[..., Value]
    arguments: tuple[Callable[[Value, str], Any], ...]
    example: str
    meaning: str
    optional: int = 0
    """The number of optional arguments at the end."""
    is_open: bool = False
    """True if the last argument may be repeated."""
    is_text: bool = False
    """True if it returns texts."""
    needs_today: bool = False
    """True if its first argument is today's date, which expressions leave out."""


FUNCTIONS: Mapping[str, _Function] = {
    "min": _Function(
        min, (read_number, read_number), "min(a, b)", "the least of numbers", is_open=True
    ),
    "max": _Function(
        max, (read_number, read_number), "max(a, b)", "the greatest of numbers", is_open=True
    ),
    "abs": _Function(abs, (read_number,), "abs(a)", "a number without its sign"),
    "round": _Function(
        _round,
        (read_number, read_whole),
        "round(a, 2)",
        "a number with so many decimals, half up: 2.345 is 2.35; without a second number a whole",
        optional=1,
    ),
    "ends": _Function(
        ends,
        (read_number, read_number),
        "ends(a, 0.99)",
        "the next number, not below a, that ends so: 12.30 is 12.99; with 9, 13 is 19",
    ),
    "number": _Function(
        as_number,
        (read_numeric, read_separator),
        'number(split(a, "x", 1))',
        "the number that a text is, as sheets write it: `1 299,90`, `19%`; where it may be two"
        ' (`12,345`), a second text says what separates the decimals: `number(a, ",")`',
        optional=1,
    ),
    "lower": _Function(
        str.lower, (read_text,), "lower(a)", "a text in small letters", is_text=True
    ),
    "upper": _Function(str.upper, (read_text,), "upper(a)", "a text in capitals", is_text=True),
    "strip": _Function(
        str.strip, (read_text,), "strip(a)", "a text without blanks at its ends", is_text=True
    ),
    "replace": _Function(
        _replace,
        (read_text, read_text, read_text),
        'replace(a, "-", "")',
        "a text with one text for another, wherever it stands",
        is_text=True,
    ),
    "split": _Function(
        _split,
        (read_text, read_text, read_whole),
        'split(a, "-", 1)',
        "the n-th part of a text: 1 is the first, -1 the last; what is not there is a problem",
        is_text=True,
    ),
    "matches": _Function(
        lambda text, pattern: fnmatchcase(text.casefold(), pattern),
        (read_text, read_pattern),
        'matches(a, "Tarif*")',
        "true if a text is so, in any case: `*` is any text, `?` one character",
    ),
    "says": _Function(
        _says,
        (read_any, read_text),
        'says(a, "no", "0", "false")',
        "true if one of some words stands there, without regard to case, accents, blanks and signs",
        is_open=True,
    ),
    "blank": _Function(is_blank, (read_any,), "blank(a)", "true if nothing stands there"),
    "days_since": _Function(
        lambda today, day: Decimal((today - day).days),
        (read_date,),
        "days_since(a)",
        "the days from a date, or a text like 2026-11-20, to the day of the run",
        needs_today=True,
    ),
}

ARITHMETIC: Mapping[type[ast.operator], Callable[[Decimal, Decimal], Decimal]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: floor_divided,
    ast.Mod: floor_rest,
}
DIVISIONS = (ast.Div, ast.FloorDiv, ast.Mod)

ORDER: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def is_name(text: str) -> bool:
    """Return True if expressions can use a text as a name; names of functions are allowed."""
    return text.isidentifier() and not iskeyword(text) and text not in CONSTANTS


def arithmetic_failure(error: DecimalException, source: str) -> ExpressionFailure:
    """Return the failure of a part whose arithmetic has no result."""
    if isinstance(error, Overflow):
        return ExpressionFailure(tr("{source} is too large", source=source))
    return ExpressionFailure(tr("{source} has too many digits", source=source))
