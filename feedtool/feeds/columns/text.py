"""Text, and what all types share: trimming, and cells that hold no text at all."""

import re
from dataclasses import dataclass

from feedtool.feeds.columns import ColumnReader, Flawed
from feedtool.model.cells import SHOWN_DIGITS, Cell, Kind, rounded, shown
from feedtool.model.nouns import Code, Fault, Severity

ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u180e"
ERROR_TEXTS = frozenset(
    ("#N/A", "#REF!", "#VALUE!", "#DIV/0!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
)

_INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2060\ufeff\u180e\u202a-\u202e\u2066-\u2069]"
    "|[\ud800-\udfff]"  # half a character, which no request can carry
    # A joiner belongs inside emoji and some scripts, and nowhere beside an ASCII character.
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_UNREMARKABLE = re.compile(r"[A-Za-z0-9-]+")
_PRODUCT_REFERENCE = re.compile(r"[A-Za-z0-9.-]+")
_EXPONENT = re.compile(r"[0-9](?:[.,][0-9]+)?[Ee]\+[0-9]+", re.ASCII)

FORMULA_ERROR = Code(
    "formula-error",
    Severity.ERROR,
    """The cell shows an error such as #N/A or #REF!.

A formula could not be computed, so there is no value to send. This is said of optional columns
too: an error that is left out silently would look like a blank, which means something else.

Example: `=VLOOKUP(A5,Prices!A:B,2,0)` shows #N/A because A5 is missing from the sheet Prices.

To mend it, correct the formula, or replace the cell by its value.
""",
)
FORMULA_NO_CACHE = Code(
    "formula-no-cache",
    Severity.ERROR,
    """A formula without a stored result.

Spreadsheet programs store the result of each formula beside it; some exporting programs write
the formula alone. feedtool reads results and computes nothing.

Example: a cell holds `=E5*1.2` and no value.

To mend it, open the file in a spreadsheet program, save it, and try again.
""",
)
DATE_IN_NUMBER_CELL = Code(
    "date-in-number-cell",
    Severity.ERROR,
    """A date where a number or a text belongs.

The cell holds a number that its format shows as a date, often because the program took an entry
such as `1-2` for a date. What was typed is gone, so it is not turned back by guessing.

Example: the price `12.5` became 12 May.

To mend it, format the cell as a number (or as text) and type the value again.
""",
)
BOOLEAN_IN_CELL = Code(
    "boolean-in-cell",
    Severity.ERROR,
    """TRUE or FALSE where a number or a text belongs.

Example: a quantity holds `TRUE`.

To mend it, type the number or the text that is meant; a reference that really reads TRUE needs a
cell formatted as text.
""",
)
TRIMMED = Code(
    "trimmed",
    Severity.WARNING,
    """Blanks around a value were left out, or the hyphens of an ISBN.

Blanks, non-breaking and zero-width ones included, at either end of a text are never part of a
reference, a GTIN or a choice; inside a GTIN they go too, and so do the hyphens of an ISBN. The row
is sent without them.

Example: `SKU-1 ` is sent as `SKU-1`, and the ISBN `978-2-07-036822-8` as `9782070368228`.

Nothing needs to be done; to be rid of the warning, delete the blanks and the hyphens.
""",
)
PRECISION_LOST = Code(
    "precision-lost",
    Severity.ERROR,
    """Digits of an identifier are gone for good.

A numeric cell keeps 15 digits, and a text such as `8,8E+12` only the first few. What is missing
cannot be brought back from this file.

Example: the GTIN 8806098765432 saved from a narrow column reads `8,80610E+12`.

To mend it, format the column as text and paste the identifiers again from their source.
""",
)
TEXT_CONTROL_CHARS = Code(
    "text-control-chars",
    Severity.ERROR,
    """Control or invisible characters inside a text that travels.

Line breaks, tabs, zero-width blanks and direction overrides cannot be seen, and make two values
that look alike differ.

Example: `REF<zero-width blank>12`.

To mend it, delete the text and type it again, or clean it with CLEAN() and SUBSTITUTE().
""",
)
TEXT_TOO_LONG = Code(
    "text-too-long",
    Severity.ERROR,
    """A text is longer than the cell or the field allows.

A cell of a spreadsheet holds at most 32,767 characters; a longer value usually is a file whose
quotes do not match.

Example: a quote before `Lamp` whose partner stands 2,000 lines further down makes one value of all
that is between them.

To mend it, shorten the text, and look whether a quote is missing before it.
""",
)
LENGTH_ADVISED = Code(
    "length-advised",
    Severity.WARNING,
    """A text is longer than comparable services allow.

The specification gives no limit, peers allow 50 characters for a reference. The row is sent as
it is; if the service refuses it, this is the likely reason.

Example: a reference of 64 characters.

To mend it, use a shorter reference, or raise `bounds.advised_length` in the profile.
""",
)
REFERENCE_FORMAT = Code(
    "reference-format",
    Severity.ERROR,
    """A reference with `|` or invisible characters.

A reference is compared character for character by every system on its way, so characters that
cannot be seen (line breaks, zero-width blanks, direction overrides) and the separator `|` are
refused.

Example: `SKU|1`.

To mend it, type the reference again without these characters.
""",
)
PRODUCT_REFERENCE_FORMAT = Code(
    "product-reference-format",
    Severity.ERROR,
    """A product reference is not alphanumeric with dash or dot.

The service takes the letters A to Z, digits, `-` and `.` in a product reference (error
ER400-8614 of the specification).

Example: `REF_12/b`.

To mend it, use the reference exactly as the service's catalogue gives it.
""",
)


def plain(text: str) -> str:
    """The text without blanks at its ends, non-breaking and zero-width ones included."""
    bare = text.strip()
    while bare and (bare[0] in ZERO_WIDTH or bare[-1] in ZERO_WIDTH):
        bare = bare.strip(ZERO_WIDTH).strip()
    return bare


def no_value(cell: Cell) -> Flawed | None:
    """The flaw of a cell that holds neither number nor text, None where it does."""
    if cell.kind is Kind.NUMBER or (cell.kind is Kind.TEXT and "#" not in cell.text):
        return None
    if cell.kind is Kind.ERROR or ("#" in cell.text and plain(cell.text) in ERROR_TEXTS):
        return refused(
            FORMULA_ERROR,
            f"the cell shows {plain(cell.text)}",
            "correct the formula, or replace the cell by its value",
        )
    return _NO_VALUE[cell.kind](cell) if cell.kind in _NO_VALUE else None


def refused(code: Code, message: str, hint: str) -> Flawed:
    """A cell without a value that can be sent, and why."""
    return Flawed(None, (Fault(code, message, hint),))


_NO_VALUE = {
    Kind.NO_RESULT: lambda cell: refused(
        FORMULA_NO_CACHE,
        f"the formula {cell.text or 'here'} has no stored result",
        "open the file in a spreadsheet program, save it, and try again",
    ),
    Kind.DATE: lambda cell: refused(
        DATE_IN_NUMBER_CELL,
        f"the cell holds the date {shown(cell)}",
        "format the cell as number or text and type the value again",
    ),
    Kind.BOOLEAN: lambda cell: refused(
        BOOLEAN_IN_CELL,
        f"the cell holds {cell.text}",
        "type the number or text that is meant",
    ),
}


def identifier(cell: Cell) -> str | Flawed:
    """The characters of an identifier, whether its cell is text or a number.

    A whole number is written without `.0`; where its format pads with zeros it is read as shown.
    """
    text = plain(cell.text)
    if cell.kind is Kind.NUMBER:
        text = shown(cell)
        if rounded(cell.text).adjusted() >= SHOWN_DIGITS:
            return refused(
                PRECISION_LOST,
                f"a numeric cell keeps {SHOWN_DIGITS} digits, {text} has more",
                "format the column as text and paste the identifiers again",
            )
    elif "+" in text and _EXPONENT.fullmatch(text):
        return refused(
            PRECISION_LOST,
            f"{text} is a shortened number, its last digits are gone",
            "format the column as text and paste the identifiers again",
        )
    return text


def identified(cell: Cell) -> str | Flawed | None:
    """The characters of an identifier, None of a blank cell, or why there are none to send."""
    return no_value(cell) or identifier(cell) or None


def trimmed(cell: Cell, value: str) -> tuple[Fault, ...]:
    """A warning where blanks were left out of a text cell."""
    if cell.kind is not Kind.TEXT or cell.text == value:
        return ()
    return (Fault(TRIMMED, f"blanks were left out: read as “{value}”"),)


@dataclass(frozen=True, slots=True)
class Text:
    """Text as it is, trimmed."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """A str; numbers are written as shown."""
        # Nearly every identifier is made of letters, digits and dashes alone, has a usual length
        # and so nothing about it to judge; the rest of this method is for the others.
        usual = column.dialect.bounds.advised_length
        text = cell.text
        if cell.kind is Kind.TEXT and len(text) <= usual and _UNREMARKABLE.fullmatch(text):
            return text
        value = identified(cell)
        if not isinstance(value, str):
            return value
        faults = (*trimmed(cell, value), *_too_long(value, column), *self.faults(value))
        return Flawed(value, faults) if faults else value

    def faults(self, value: str) -> tuple[Fault, ...]:
        """What is wrong with the characters themselves."""
        if not has_invisible(value):
            return ()
        return (
            Fault(
                TEXT_CONTROL_CHARS,
                f"the text holds an invisible character: {visible(value)}",
                "delete the text and type it again",
            ),
        )


@dataclass(frozen=True, slots=True)
class Reference(Text):
    """The seller's own reference of an offer."""

    def faults(self, value: str) -> tuple[Fault, ...]:
        """`reference-format`."""
        if "|" not in value and not has_invisible(value):
            return ()
        return (
            Fault(
                REFERENCE_FORMAT,
                f"the reference holds `|` or an invisible character: {visible(value)}",
                "type the reference again without it",
            ),
        )


@dataclass(frozen=True, slots=True)
class ProductReference(Text):
    """The reference of a product in the service's catalogue (ER400-8614)."""

    def faults(self, value: str) -> tuple[Fault, ...]:
        """`product-reference-format`."""
        if _PRODUCT_REFERENCE.fullmatch(value):
            return ()
        return (
            Fault(
                PRODUCT_REFERENCE_FORMAT,
                f"“{visible(value)}” is not only letters, digits, dash and dot",
                "use the reference as the service's catalogue gives it",
            ),
        )


@dataclass(frozen=True, slots=True)
class Comment(Text):
    """A text for people: whatever XML can carry, line breaks included."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """A str; numbers are written as shown."""
        flaw = no_value(cell)
        if flaw:
            return flaw
        value = plain(shown(cell))
        if not value:
            return None
        too_long = (
            _too_long(value, column) if len(value) > column.dialect.bounds.longest_text else ()
        )
        faults = (*trimmed(cell, value), *too_long, *self.faults(value))
        return Flawed(value, faults) if faults else value

    def faults(self, value: str) -> tuple[Fault, ...]:
        """`text-control-chars` (XML 1.0, production 2)."""
        if not _NOT_IN_XML.search(value):
            return ()
        return (
            Fault(
                TEXT_CONTROL_CHARS,
                f"no XML can carry a character of this text: {_NOT_IN_XML.sub(_spelled, value)}",
                "delete the text and type it again",
            ),
        )


def _too_long(value: str, column: ColumnReader) -> tuple[Fault, ...]:
    bounds = column.dialect.bounds
    if len(value) <= bounds.advised_length:
        return ()
    if len(value) > bounds.longest_text:
        return (
            Fault(
                TEXT_TOO_LONG,
                f"{len(value):,} characters, at most {bounds.longest_text:,} are possible",
                "shorten the text; look whether a quote is missing before it",
            ),
        )
    return (
        Fault(
            LENGTH_ADVISED,
            f"{len(value)} characters, comparable services allow {bounds.advised_length}",
            "use a shorter one if the service refuses it",
        ),
    )


def has_invisible(text: str) -> bool:
    """Whether a text holds control, zero-width or direction characters."""
    return invisible_in(text) is not None


def invisible_in(text: str) -> re.Match[str] | None:
    """The first control, zero-width or direction character of a text."""
    if text.isascii() and text.isprintable():  # nearly all of them, and much faster to tell
        return None
    return _INVISIBLE.search(text)


def visible(text: str) -> str:
    """The text with its invisible characters spelled out, as `U+200B`."""
    return _INVISIBLE.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"
