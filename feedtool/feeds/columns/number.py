"""Read amounts, rates and whole numbers, in every usual writing, without guessing."""

import re
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from feedtool.feeds.columns import PROBLEMS, ColumnReader, InvalidValue
from feedtool.feeds.columns.text import no_value, plain, refused
from feedtool.model.cells import Cell, Kind, rounded, shown
from feedtool.model.nouns import Issue
from feedtool.model.text import MessageText, tr

NUMBER_FORMAT = PROBLEMS.error("number-format")
NUMBER_AMBIGUOUS = PROBLEMS.error("number-ambiguous")
NUMBER_RANGE = PROBLEMS.error("number-range")
NUMBER_PRECISION = PROBLEMS.error("number-precision")
INTEGER_REQUIRED = PROBLEMS.error("integer-required")
PERCENT_READ = PROBLEMS.warning("percent-read")
VAT_FRACTION = PROBLEMS.error("vat-fraction")

_BLANKS = " \u00a0\u2000-\u200a\u202f\u205f\u3000"
_APOSTROPHES = "'’‘′´`\u02bc"  # noqa: RUF001
_IN_THREES = rf"[0-9]{{1,3}}(?:(?:[{_BLANKS}][0-9]{{3}})+|(?:[{_APOSTROPHES}][0-9]{{3}})+)"
"""Thousands separated by blanks or, as in Switzerland, by apostrophes."""
CENT = Decimal("0.01")

# Unambiguous writings: (pattern, decimal separator).
_WRITINGS = tuple(
    (re.compile(pattern, re.ASCII), decimal)
    for pattern, decimal in (
        (r"[0-9]+", ""),
        (_IN_THREES, ""),
        (r"[0-9]{1,3}(?:\.[0-9]{3}){2,}", ""),
        (r"[0-9]{1,3}(?:,[0-9]{3}){2,}", ""),
        (_IN_THREES + r"\.[0-9]+", "."),
        (_IN_THREES + ",[0-9]+", ","),
        (r"[0-9]{1,3}(?:,[0-9]{3})+\.[0-9]+", "."),
        (r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]+", ","),
        # A single separator: thousands have three digits each, and do not begin with a zero.
        (r"(?:0+|[0-9]{4,})\.[0-9]+|[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})", "."),
        (r"(?:0+|[0-9]{4,}),[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,})", ","),
    )
)
_WRITTEN = re.compile(f"[0-9.,{_BLANKS}{_APOSTROPHES}]+", re.ASCII)
"""The characters of all writings."""
_AMBIGUOUS = re.compile(r"[0-9]{1,3}[.,][0-9]{3}", re.ASCII)
_NOT_DIGITS = re.compile(r"[^0-9]", re.ASCII)
_EVIDENCE_OF = {  # decimal separator that a writing without decimals implies
    ".": re.compile(r"[0-9]{1,3}(?:,[0-9]{3}){2,}", re.ASCII),
    ",": re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){2,}", re.ASCII),
}
HOURS_OF_DAY = 24
_COUNT = "([0-9]{1,4})"
_DAYS = re.compile(
    rf"{_COUNT}\s*(?:d|days?|j|jrs?|jours?|d[ií]as?|tage?|giorn[io]|gg|dag|dagen|dni|dzień)\.?"
)
_FROM_TODAY = re.compile(rf"[jdtg]\s*\+\s*{_COUNT}")
_HOURS = re.compile(rf"{_COUNT}\s*(?:h|hrs?|hours?|heures?|horas?|std|stunden?|or[ae]|uur|godz)\.?")
"""Durations in the eight languages of headers."""


class Amount(NamedTuple):
    """A parsed text: its number, and the decimal separator that it implies."""

    number: Decimal
    decimal: str
    """`.` or `,`; "" if the writing implies neither."""


def parse(text: str, decimal: str | None = None) -> Amount | str:
    """Parse unsigned digits and separators, without currency or percent sign.

    Return "ambiguous" if the column's `decimal` is needed but unknown, and "" for a text that is
    no number in any accepted writing.
    """
    if not _WRITTEN.fullmatch(text):
        return ""
    for pattern, separator in _WRITINGS:
        if pattern.fullmatch(text):
            forms = (sign for sign, form in _EVIDENCE_OF.items() if form.fullmatch(text))
            return Amount(_number(text, separator), separator or next(forms, ""))
    if _AMBIGUOUS.fullmatch(text):
        return Amount(_number(text, decimal), "") if decimal else "ambiguous"
    return ""


def _number(text: str, decimal: str) -> Decimal:
    whole, _, fraction = text.partition(decimal) if decimal else (text, "", "")
    return Decimal(f"{_digits(whole)}.{fraction}" if fraction else _digits(whole))


class Number(Struct, frozen=True):
    """The common base of numbers: reads a cell, checks bounds, finds a column's separator."""

    above: Decimal | None = None
    """The number must be greater."""
    least: Decimal | None = None
    """The number must not be smaller."""
    most: Decimal | None = None
    """The number must not be greater; None for the settings' bound, if there is one."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        flaw = no_value(cell)
        if flaw:
            return flaw
        if cell.kind is Kind.NUMBER:
            return self.checked(rounded(cell.text), cell, column)
        text = plain(cell.text)
        return self.read_text(text, cell, column) if text else None

    def read_text(self, text: str, cell: Cell, column: ColumnReader) -> object:
        """Return the value of a text cell, which may determine the column's decimal separator."""
        negative, digits = _unsigned(text, column.settings.currencies)
        amount = parse(digits, column.decimal)
        if isinstance(amount, str):
            if amount:
                return _unread(text, column)
            currencies = ", ".join(column.settings.currencies)
            hint = tr(
                "type the number alone, such as 1299.00 (accepted currency: {currencies})",
                currencies=currencies,
            )
            return refused(NUMBER_FORMAT, tr("“{text}” is not a number", text=text), hint)
        value = self.checked(-amount.number if negative else amount.number, cell, column)
        if isinstance(value, InvalidValue):
            is_settled = column.decimal is not None and _AMBIGUOUS.fullmatch(digits) is not None
            return _as_settled(value, column) if is_settled else value
        if amount.decimal:
            column.evidence.setdefault(amount.decimal, text)
        return value

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        """Return the number as the column's value, or the flaw of its bounds or precision.

        Without a subclass all numbers are valid.
        """
        del cell, column
        return number

    def out_of_range(
        self, number: Decimal, cell: Cell, most: Decimal | None
    ) -> InvalidValue | None:
        if self.above is not None and number <= self.above:
            message = tr("{number} must be above {bound}", number=shown(cell), bound=self.above)
        elif self.least is not None and number < self.least:
            message = tr("{number} must not be below {bound}", number=shown(cell), bound=self.least)
        elif most is not None and number > most:
            message = tr("{number} must not be above {bound}", number=shown(cell), bound=most)
        else:
            return None
        return refused(NUMBER_RANGE, message, tr("correct the number"))


class Money(Number, frozen=True):
    """An amount with two decimals, as a Decimal."""

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        """Return a Decimal with at most two decimals, never rounded."""
        most = column.settings.bounds.highest_price if self.most is None else self.most
        return self.out_of_range(number, cell, most) or _money(number, cell)


class Measure(Number, frozen=True):
    """A length or a weight with any number of decimals, as a Decimal."""

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        del column
        return self.out_of_range(number, cell, self.most) or number


class Rate(Number, frozen=True):
    """A percentage from 0 to 100; a cell with a percent format has the value that it shows."""

    def read_text(self, text: str, cell: Cell, column: ColumnReader) -> object:
        """Read `20 %` as 20."""
        return Number.read_text(self, text.removesuffix("%").rstrip(), cell, column)

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        """Return a Decimal from 0 to 100 with at most two decimals; refuse a fraction of 1."""
        del column
        if cell.percent:
            number *= 100
        elif 0 < number < 1 and "%" not in cell.text:
            percent = f"{(number * 100).normalize():f}"
            return refused(
                VAT_FRACTION,
                tr(
                    "{cell} looks like a fraction of 1, and VAT is given in percent",
                    cell=shown(cell),
                ),
                tr(
                    "type {percent} for {percent} %; whether the service is sent 20 or 0.2 is the"
                    " profile's vat_scale",
                    percent=percent,
                ),
            )
        value = self.out_of_range(number, cell, self.most) or _money(number, cell)
        if not cell.percent or isinstance(value, InvalidValue):
            return value
        read = f"{number.normalize():f}"
        message = tr("{cell} is read as {number}", cell=shown(cell), number=read)
        return InvalidValue(value, (Issue(PERCENT_READ, message),))


class Whole(Number, frozen=True):
    """A whole number, as an int."""

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        most = Decimal(column.settings.bounds.highest_quantity) if self.most is None else self.most
        flaw = self.out_of_range(number, cell, most)
        if flaw:
            return flaw
        if number != number.to_integral_value():
            message = tr("{number} is not a whole number", number=shown(cell))
            return refused(INTEGER_REQUIRED, message, tr("type a whole number"))
        return int(number)


class Days(Whole, frozen=True):
    """A preparation time in days."""

    def read_text(self, text: str, cell: Cell, column: ColumnReader) -> object:
        """Read `2 jours`, `J+2` and `48 h` as 2; refuse a range, or part of a day."""
        spoken = text.casefold()
        if days := _DAYS.fullmatch(spoken) or _FROM_TODAY.fullmatch(spoken):
            return self.checked(Decimal(days[1]), cell, column)
        if (hours := _HOURS.fullmatch(spoken)) and int(hours[1]) % HOURS_OF_DAY == 0:
            return self.checked(Decimal(hours[1]) / HOURS_OF_DAY, cell, column)
        value = Whole.read_text(self, text, cell, column)
        if not isinstance(value, InvalidValue) or value.faults[0].code != NUMBER_FORMAT:
            return value
        return refused(
            NUMBER_FORMAT,
            tr("“{text}” is not a number of days", text=text),
            tr("type whole days as one number: 2 for 48 h, 3 for 2-3 days"),
        )

    def checked(self, number: Decimal, cell: Cell, column: ColumnReader) -> object:
        longest = Decimal(column.settings.bounds.longest_preparation)
        return self.out_of_range(number, cell, longest) or Whole.checked(self, number, cell, column)


def _money(number: Decimal, cell: Cell) -> Decimal | InvalidValue:
    """Return a Decimal with two decimals, or the flaw of more; a float would not be exact."""
    money = number.quantize(CENT)
    if money == number:
        return money
    return refused(
        NUMBER_PRECISION,
        tr("{cell} has more than two decimals", cell=shown(cell)),
        tr("round it in the sheet, for example to {money}", money=money),
    )


def number_of(cell: Cell, column: ColumnReader) -> Decimal | None:
    """Return the number of a cell without checks; None if it is ambiguous or no number."""
    if cell.kind is Kind.NUMBER:
        return rounded(cell.text)
    number = number_in(plain(cell.text), column.decimal, column.settings.currencies)
    return number if isinstance(number, Decimal) else None


def number_in(text: str, decimal: str | None, currencies: tuple[str, ...] = ()) -> Decimal | str:
    """Return the number of a text, also with a sign, a currency or a percent sign; see `parse`."""
    negative, digits = _unsigned(text.removesuffix("%").rstrip(), currencies)
    amount = parse(digits, decimal)
    if isinstance(amount, str):
        return amount
    return -amount.number if negative else amount.number


def _unsigned(text: str, currencies: tuple[str, ...]) -> tuple[bool, str]:
    """Return True for a negative number, and its digits without sign and currency."""
    text = _without_currency(text, currencies)
    if text[:1] in ("+", "-"):  # both `+€ 5` and `€ +5` occur
        return text[0] == "-", _without_currency(text[1:].lstrip(), currencies)
    return False, text


def _without_currency(text: str, currencies: tuple[str, ...]) -> str:
    upper, known = text.upper(), _in_capitals(currencies)
    if not (upper.startswith(known) or upper.endswith(known)):
        return text
    for currency in currencies:
        if upper.startswith(currency.upper()):
            return text[len(currency) :].lstrip()
        if upper.endswith(currency.upper()):
            return text[: -len(currency)].rstrip()
    return text


@cache
def _in_capitals(currencies: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(currency.upper() for currency in currencies)


def _unread(text: str, column: ColumnReader) -> InvalidValue:
    """Return the flaw of a single separator before three digits, with the column's evidence."""
    column.is_ambiguous = True
    whole, fraction = re.split("[.,]", text.strip("+-"))[:2]
    thousands = _digits(whole + fraction)
    values = {
        "text": text,
        "thousands": thousands,
        "fraction": f"{_digits(whole)}.{_digits(fraction)}",
    }
    message = tr(
        "{text} could mean {thousands} or {fraction}; no other cell of the column settles it",
        **values,
    )
    if len(column.evidence) > 1:
        first, second = (
            tr("{example} ({sign} for decimals)", example=example, sign=sign)
            for sign, example in column.evidence.items()
        )
        message = tr(
            "{text} could mean {thousands} or {fraction}; the column has both {first} and {second}",
            first=first,
            second=second,
            **values,
        )
    return refused(
        NUMBER_AMBIGUOUS,
        message,
        tr(
            "type {thousands} for thousands, or two decimals at most, or store the column "
            "as numbers",
            thousands=thousands,
        ),
    )


def _as_settled(flawed: InvalidValue, column: ColumnReader) -> InvalidValue:
    """Return the flaw of a number read by the column's separator, with the cell that implies it."""
    example = column.evidence.get(column.decimal or "")

    def explained(message: str) -> MessageText:
        if not example:
            return tr(
                "{message} when read with “{sign}” for decimals",
                message=message,
                sign=column.decimal,
            )
        return tr(
            "{message} when read with “{sign}” for decimals, as {example} in this column shows",
            message=message,
            sign=column.decimal,
            example=example,
        )

    faults = tuple(fault._replace(message=explained(fault.message)) for fault in flawed.faults)
    return flawed._replace(faults=faults)


def _digits(text: str) -> str:
    return _NOT_DIGITS.sub("", text)
