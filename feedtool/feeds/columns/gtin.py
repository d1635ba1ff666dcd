"""Read GTINs: their check digit, lost leading zeros, hyphens of an ISBN."""

import re

from msgspec import Struct

from feedtool.feeds.columns import PROBLEMS, ColumnReader, InvalidValue, is_error
from feedtool.feeds.columns.placeholders import placeholder_issues
from feedtool.feeds.columns.text import TRIMMED, ZERO_WIDTH, identified, plain, refused, visible
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Issue
from feedtool.model.text import plural, tr

LENGTHS = (8, 12, 13, 14)
LOST_ZEROS = {7: 8, 10: 12, 11: 12}
"""Lengths of a GTIN without its leading zeros → its full length; shorter numbers are unclear."""

GTIN_FORMAT = PROBLEMS.error("gtin-format")
GTIN_CHECKSUM = PROBLEMS.error("gtin-checksum")
GTIN_PADDED = PROBLEMS.warning("gtin-padded")
TEXT_SIGN = "'"
"""The sign before digits that a spreadsheet stores as text; Shopify exports barcodes so."""


def check_digit(body: str) -> str:
    """Return the check digit of the digits before it (GS1: weights 3 and 1 from the right)."""
    digits = body.encode()
    odd, even = digits[-1::-2], digits[-2::-2]
    zeros = ord("0") * (3 * len(odd) + len(even))
    return str((zeros - 3 * sum(odd) - sum(even)) % 10)


class Gtin(Struct, frozen=True):
    """A GTIN as a str of its digits."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return the digits without blanks and an ISBN's hyphens, with lost zeros restored."""
        del column
        if cell.kind is Kind.TEXT and _is_plausible(cell.text):
            return _proven(cell.text)
        if cell.kind is Kind.TEXT and cell.text.startswith(TEXT_SIGN):
            cell = cell._replace(text=cell.text.removeprefix(TEXT_SIGN))
        text = identified(cell)
        if not isinstance(text, str):
            return text
        digits = text if text.isalnum() else text.translate(_NO_BLANKS)
        if _ISBN.fullmatch(digits):
            digits = re.sub(_HYPHEN, "", digits)
        if cell.kind is Kind.NUMBER:
            return _from_number(digits)
        if written := _AS_NUMBER.fullmatch(digits):
            digits = written[1]
            value = _from_number(digits)
            if value != digits:
                return value
            message = tr("“.0” was left out: read as {digits}", digits=digits)
            return InvalidValue(digits, (Issue(TRIMMED, message),))
        return _checked(digits, cell) if digits else None


_NO_BLANKS = dict.fromkeys(map(ord, f" \t\u00a0\u2007\u202f{ZERO_WIDTH}"))
_AS_NUMBER = re.compile(r"([0-9]{7,14})[.,]0+", re.ASCII)
"""`4006381333931.0`: written as a number, as by pandas if a cell of the column was empty."""
_HYPHEN = "[-\u00ad\u2010-\u2013\u2212]"
_ISBN = re.compile(f"97[89](?:{_HYPHEN}?[0-9]){{10}}")
"""An ISBN or an ISMN with hyphens; in other codes a hyphen shows that it is no GTIN."""


def _checked(digits: str, cell: Cell) -> object:
    if not _is_plausible(digits):
        return _malformed(digits, cell)
    value = _proven(digits)
    if value == digits and cell.kind is Kind.TEXT and cell.text != digits:
        message = tr("blanks were left out: read as {digits}", digits=digits)
        if re.search(_HYPHEN, cell.text):
            message = tr("hyphens were left out: read as {digits}", digits=digits)
        return InvalidValue(digits, (Issue(TRIMMED, message),))
    return value


def _proven(digits: str) -> object:
    right = check_digit(digits[:-1])
    if digits[-1] == right:
        return digits
    return refused(
        GTIN_CHECKSUM,
        tr("the check digit of {digits} is wrong", digits=digits),
        tr("{digits} would fit; compare with the package", digits=f"{digits[:-1]}{right}"),
    )


def _from_number(digits: str) -> object:
    """Return a numeric cell's GTIN, with lost zeros restored if the check digit is right."""
    if digits.isdecimal() and digits.strip("0"):
        if len(digits) in LENGTHS:
            return _proven(digits)
        if padded := with_zeros(digits):
            message = tr("leading zeros were put back: {padded}", padded=padded)
            return InvalidValue(padded, (Issue(GTIN_PADDED, message),))
    return _malformed(digits, None)


def with_zeros(digits: str) -> str | None:
    """Return the GTIN whose leading zeros were lost, if the check digit is right; else None."""
    # Leading zeros do not change the check digit: it is right at every length, or at none.
    if len(digits) not in LOST_ZEROS or digits[-1] != check_digit(digits[:-1]):
        return None
    return digits.zfill(LOST_ZEROS[len(digits)])


def _is_plausible(digits: str) -> bool:
    """Return True for a GTIN's length and digits; zeros alone are no GTIN."""
    return (
        len(digits) in LENGTHS
        and digits.isascii()
        and digits.isdecimal()
        and digits.strip("0") != ""
    )


def _malformed(digits: str, cell: Cell | None) -> InvalidValue:
    issues = placeholder_issues(plain(cell.text) if cell else digits)
    if is_error(issues):
        return InvalidValue(None, issues)
    hint = tr("format the column as text and copy the number from the package")
    if cell and digits.isascii() and digits.isdecimal() and (padded := with_zeros(digits)):
        hint = tr("if leading zeros were lost, it is {digits}", digits=padded)
    text = visible(digits)
    message = tr("“{text}” is not a number; a GTIN has 8, 12, 13 or 14 digits", text=text)
    if digits.isascii() and digits.isdecimal():
        message = plural(
            "“{text}” is {count} digit; a GTIN has 8, 12, 13 or 14 digits",
            "“{text}” is {count} digits; a GTIN has 8, 12, 13 or 14 digits",
            len(digits),
            text=text,
        )
        if not digits.strip("0"):
            message = tr("“{text}” has only zeros: it is not a GTIN", text=text)
    return refused(GTIN_FORMAT, message, hint)
