"""Read texts, with the functions for all types: trimming, and cells without a text."""

import re
from contextlib import suppress
from typing import ClassVar

from msgspec import Struct

from feedtool.feeds.columns import PROBLEMS, ColumnReader, InvalidValue
from feedtool.feeds.columns.placeholders import (
    formula_error,
    is_formula_error,
    placeholder_issues,
)
from feedtool.feeds.template import UNWRITABLE
from feedtool.model.cells import SHOWN_DIGITS, Cell, Kind, rounded, shown
from feedtool.model.nouns import Code, Issue
from feedtool.model.text import tr

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u180e"

BREAKS = "\t\n\r"
_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2060\ufeff\u180e\u202a-\u202e\u2066-\u2069]"
    "|[\ud800-\udfff]"  # half a character, which no request can carry
    # A joiner belongs inside emoji and some scripts, and nowhere beside an ASCII character.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_UNREMARKABLE_NAME = re.compile(r"[A-Za-z0-9-]*[1-9][A-Za-z0-9-]*")
"""A name of letters, digits and dashes with a digit that is not zero is no placeholder."""
_PRODUCT_REFERENCE = re.compile(r"[A-Za-z0-9.-]+")
_TWICE = {
    "cp1252": re.compile("[ÂÃ].|â(?:€.|‚¬|„¢)|Å“"),  # noqa: RUF001
    "mac_roman": re.compile("√.|¬[©®°≤≥]|‚[ÄÇÑ]."),  # noqa: RUF001
    "cp850": re.compile("[\u251c\u252c]."),
}
"""Non-ASCII letters in UTF-8, as code pages misread them."""
_EXPONENT = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+", re.ASCII)

FORMULA_NO_CACHE = PROBLEMS.error("formula-no-cache")
DATE_IN_NUMBER_CELL = PROBLEMS.error("date-in-number-cell")
BOOLEAN_IN_CELL = PROBLEMS.error("boolean-in-cell")
TRIMMED = PROBLEMS.warning("trimmed")
ENCODED_TWICE = PROBLEMS.warning("encoded-twice")
PRECISION_LOST = PROBLEMS.error("precision-lost")
TEXT_CONTROL_CHARS = PROBLEMS.error("text-control-chars")
TEXT_TOO_LONG = PROBLEMS.error("text-too-long")
LENGTH_ADVISED = PROBLEMS.warning("length-advised")
REFERENCE_FORMAT = PROBLEMS.error("reference-format")
PRODUCT_REFERENCE_FORMAT = PROBLEMS.error("product-reference-format")


def plain(text: str) -> str:
    """Strip blanks from a text, non-breaking and zero-width ones included."""
    bare = text.strip()
    while bare and (bare[0] in ZERO_WIDTH or bare[-1] in ZERO_WIDTH):
        bare = bare.strip(ZERO_WIDTH).strip()
    return bare


def no_value(cell: Cell) -> InvalidValue | None:
    """Return the flaw of a cell that is neither a number nor a text, else None."""
    if cell.kind is Kind.NUMBER or (cell.kind is Kind.TEXT and "#" not in cell.text):
        return None
    text = plain(cell.text)
    if cell.kind is Kind.ERROR or is_formula_error(text):
        return InvalidValue(None, (formula_error(text),))
    return _NO_VALUE[cell.kind](cell) if cell.kind in _NO_VALUE else None


def refused(code: Code, message: str, hint: str) -> InvalidValue:
    return InvalidValue(None, (Issue(code, message, hint),))


_NO_VALUE = {
    Kind.NO_RESULT: lambda cell: refused(
        FORMULA_NO_CACHE,
        tr("the formula {text} has no stored result", text=cell.text)
        if cell.text
        else tr("the formula here has no stored result"),
        tr("open the file in a spreadsheet program, save it, and try again"),
    ),
    Kind.DATE: lambda cell: refused(
        DATE_IN_NUMBER_CELL,
        tr("the cell holds the date {cell}", cell=shown(cell)),
        tr("format the cell as number or text and type the value again"),
    ),
    Kind.BOOLEAN: lambda cell: refused(
        BOOLEAN_IN_CELL,
        tr("the cell holds {text}", text=cell.text),
        tr("type the number or text that is meant"),
    ),
}


def identified(cell: Cell) -> str | InvalidValue | None:
    """Return the characters of an identifier, None for a blank cell, or a flaw.

    A whole number has no `.0`; if its number format pads with zeros, the zeros are included.
    """
    if flaw := no_value(cell):
        return flaw
    text = plain(cell.text)
    lost = ""
    if cell.kind is Kind.NUMBER:
        text = shown(cell)
        if rounded(cell.text).adjusted() >= SHOWN_DIGITS:
            lost = tr(
                "a numeric cell keeps {digits} digits, {text} has more",
                digits=SHOWN_DIGITS,
                text=text,
            )
    elif "+" in text and _EXPONENT.fullmatch(text):
        lost = tr("{text} is a shortened number, its last digits are gone", text=text)
    hint = tr("format the column as text and paste the identifiers again")
    return refused(PRECISION_LOST, lost, hint) if lost else text or None


def trimmed(cell: Cell, value: str) -> tuple[Issue, ...]:
    if cell.kind is not Kind.TEXT or cell.text == value:
        return ()
    return (Issue(TRIMMED, tr("blanks were left out: read as “{value}”", value=value)),)


def encoded_twice(value: str) -> tuple[Issue, ...]:
    """Return a warning if UTF-8 was read in a code page, and written again: `RÃ©f`."""
    if value.isascii():
        return ()
    for page, letters in _TWICE.items():
        corrected = value
        for pair in dict.fromkeys(letters.findall(value)):
            with suppress(UnicodeError):
                corrected = corrected.replace(pair, pair.encode(page).decode())
        if corrected != value:
            message = tr(
                "“{value}” looks like “{corrected}” in a wrong encoding",
                value=value,
                corrected=corrected,
            )
            hint = tr("write “{corrected}” if that is meant", corrected=corrected)
            return (Issue(ENCODED_TWICE, message, hint),)
    return ()


class Text(Struct, frozen=True):
    """A trimmed text."""

    unremarkable: ClassVar[re.Pattern[str]] = re.compile(r"[A-Za-z0-9-]+")

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return a str; numbers have the digits that the cell shows."""
        # Fast path: most identifiers have only letters, digits and dashes and a usual length,
        # so that there is nothing to check.
        usual = column.settings.bounds.advised_length
        text = cell.text
        if cell.kind is Kind.TEXT and len(text) <= usual and self.unremarkable.fullmatch(text):
            return text
        value = identified(cell)
        if not isinstance(value, str):
            return value
        faults = (
            *trimmed(cell, value),
            *encoded_twice(value),
            *_too_long(value, column),
            *self.faults(value),
        )
        return InvalidValue(value, faults) if faults else value

    def faults(self, value: str) -> tuple[Issue, ...]:
        if not invisible_in(value):
            return ()
        message = tr("the text holds an invisible character: {value}", value=visible(value))
        return (Issue(TEXT_CONTROL_CHARS, message, tr("delete the text and type it again")),)


class Reference(Text, frozen=True):
    """The seller's own reference of an offer."""

    unremarkable: ClassVar[re.Pattern[str]] = _UNREMARKABLE_NAME

    def faults(self, value: str) -> tuple[Issue, ...]:
        if "|" not in value and not invisible_in(value):
            return placeholder_issues(value)
        message = tr(
            "the reference holds `|` or an invisible character: {value}", value=visible(value)
        )
        return (Issue(REFERENCE_FORMAT, message, tr("type the reference again without it")),)


class ProductReference(Text, frozen=True):
    """The reference of a product in the service's catalogue (ER400-8614)."""

    unremarkable: ClassVar[re.Pattern[str]] = _UNREMARKABLE_NAME

    def faults(self, value: str) -> tuple[Issue, ...]:
        if (issues := placeholder_issues(value)) or _PRODUCT_REFERENCE.fullmatch(value):
            return issues
        message = tr("“{value}” is not only letters, digits, dash and dot", value=visible(value))
        hint = tr("use the reference as the service's catalogue gives it")
        return (Issue(PRODUCT_REFERENCE_FORMAT, message, hint),)


class Comment(Text, frozen=True):
    """A text for people: all characters that XML allows, line breaks included."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return a str; numbers have the digits that the cell shows."""
        flaw = no_value(cell)
        if flaw:
            return flaw
        value = plain(shown(cell))
        if not value:
            return None
        is_too_long = len(value) > column.settings.bounds.longest_text
        too_long = _too_long(value, column) if is_too_long else ()
        faults = (*trimmed(cell, value), *encoded_twice(value), *too_long, *self.faults(value))
        return InvalidValue(value, faults) if faults else value

    def faults(self, value: str) -> tuple[Issue, ...]:
        """Return `text-control-chars` (XML 1.0, production 2)."""
        if not UNWRITABLE.search(value):
            return ()
        text = UNWRITABLE.sub(_spelled, value)
        message = tr("no XML can carry a character of this text: {text}", text=text)
        return (Issue(TEXT_CONTROL_CHARS, message, tr("delete the text and type it again")),)


def _too_long(value: str, column: ColumnReader) -> tuple[Issue, ...]:
    bounds = column.settings.bounds
    if len(value) <= bounds.advised_length:
        return ()
    if len(value) > bounds.longest_text:
        message = tr(
            "{count:,} characters, at most {most:,} are possible",
            count=len(value),
            most=bounds.longest_text,
        )
        hint = tr("shorten the text; look whether a quote is missing before it")
        return (Issue(TEXT_TOO_LONG, message, hint),)
    message = tr(
        "{count} characters, comparable services allow {most}",
        count=len(value),
        most=bounds.advised_length,
    )
    return (Issue(LENGTH_ADVISED, message, tr("use a shorter one if the service refuses it")),)


def invisible_in(text: str) -> re.Match[str] | None:
    """Return the first control, zero-width or direction character of a text."""
    if text.isascii() and text.isprintable():  # most texts, and a much faster check
        return None
    return _INVISIBLE.search(text)


def without_invisible(text: str) -> str:
    """Remove the invisible characters of a text, except line breaks and tabs."""
    return _INVISIBLE.sub(lambda match: match[0] if match[0] in BREAKS else "", text)


def visible(text: str) -> str:
    """Replace the invisible characters of a text by `<U+200B>`."""
    return _INVISIBLE.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"
