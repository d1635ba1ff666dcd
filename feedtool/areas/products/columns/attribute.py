"""Values of a category's properties: what a cell says, and what a property makes of it.

A column is a property's whatever the row's category, and what is right in it depends on the
category. So reading the cell comes first (`Attribute`), judging it later (`Judge`), once for each
distinct cell of a category's property.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from feedtool.areas.products.catalog import Property
from feedtool.areas.products.catalog.words import folded
from feedtool.areas.products.columns import PROBLEMS
from feedtool.areas.products.columns.address import FILE_TYPE, URL_FORMAT, ending, is_address
from feedtool.areas.products.columns.prose import Lines
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import ENUM_VALUE, FIELD_RETIRED
from feedtool.feeds.columns.number import NUMBER_AMBIGUOUS, NUMBER_FORMAT, parse
from feedtool.feeds.columns.text import (
    TEXT_TOO_LONG,
    identifier,
    no_value,
    plain,
    refused,
    trimmed,
    visible,
)
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Code, Issue, Severity

UNIT_DIFFERS = PROBLEMS.error("unit-differs")
SINGLE_VALUE = PROBLEMS.error("single-value")
PROPERTY_UNNEEDED = PROBLEMS.warning("property-unneeded")

RETIRED = "CDAV"
"""The property that can no longer be submitted (specification, "Versioning" 4)."""
SEPARATOR = ";"
NAMED = 12
"""Choices that a message names; the template lists them all."""

_NUMBER = re.compile(r"(?P<sign>[+-]?)\s*(?P<digits>[0-9](?:[0-9.,\s]*[0-9])?)\s*(?P<unit>.*)")
_TEXT = Lines()
_LONGEST_NUMBER = 60
_FILES = re.compile(r"\s*;\s*(?=[A-Za-z]+://)|\s*;\s*$")


class WrittenProperty(NamedTuple):
    """What stands in a property's cell, before its category is known."""

    text: str
    is_number: bool
    """Whether it is a numeric cell."""
    is_percent: bool
    decimal: str | None
    """What separates decimals in the column, where other cells settle it."""


class Judged(NamedTuple):
    """What a property makes of a cell."""

    attribute: dict[str, Any] | None
    """As it is sent; None where it is not."""
    faults: tuple[Issue, ...] = ()

    @property
    def is_refused(self) -> bool:
        """Whether an error is among the faults."""
        return any(fault.code.severity is Severity.ERROR for fault in self.faults)


@dataclass(frozen=True, slots=True)
class PropertyCell:
    """A cell of a property's column; a Written."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """What stands there; the column's decimal separator is noted where it shows."""
        flaw = no_value(cell)
        if flaw:
            return flaw
        if cell.kind is Kind.NUMBER:
            text = identifier(cell)
            if isinstance(text, InvalidValue):
                return text
            return WrittenProperty(
                text.removesuffix("%"), is_number=True, is_percent=cell.percent, decimal=None
            )
        text = plain(cell.text)
        if not text:
            return None
        bounds = column.dialect.bounds
        if len(text) > bounds.longest_text:
            return refused(
                TEXT_TOO_LONG,
                f"{len(text):,} characters, at most {bounds.longest_text:,} are possible",
                "shorten the text; look whether a quote is missing before it",
            )
        if text[0].isdecimal() or text[0] in "+-":
            _note_decimals(text, column)
        written = WrittenProperty(text, is_number=False, is_percent=False, decimal=column.decimal)
        faults = (*trimmed(cell, text), *_TEXT.faults(text))
        return InvalidValue(written, faults) if faults else written


def _note_decimals(text: str, column: ColumnReader) -> None:
    for part in text.split(SEPARATOR):
        result = _NUMBER.fullmatch(part.strip()) if len(part) <= _LONGEST_NUMBER else None
        if result is None:
            continue
        amount = parse(result["digits"], column.decimal)
        if isinstance(amount, str):
            column.is_ambiguous = column.is_ambiguous or bool(amount)
        elif amount.decimal:
            column.evidence.setdefault(amount.decimal, part.strip())


class Judge:
    """Says of cells what one category's property makes of them."""

    def __init__(self, known: Property) -> None:
        self.known = known
        self.name = f"{known.label} ({known.reference})" if known.label else known.reference
        self._codes = {choice.code: choice.code for choice in known.choices}
        for choice in known.choices:
            self._codes.setdefault(choice.label, choice.code)
        self._by_number: dict[Decimal, str] = {}
        if known.is_numeric:
            for choice in known.choices:
                for text in (choice.code, choice.label):
                    number = self._number(text, ".")
                    if isinstance(number, Decimal):
                        self._by_number.setdefault(number, choice.code)
        self._types = frozenset(map(_file_type, known.allowed_file_types))

    def judge(self, written: WrittenProperty) -> Judged:
        """What the property makes of a cell that is not blank."""
        if self.known.reference.upper() == RETIRED:
            return self._refused(
                FIELD_RETIRED, "this field can no longer be submitted", "empty the cell"
            )
        if self._types:
            return self._files(written)
        parts = self._parts(written.text)
        result = [self._value(part, written) for part in parts]
        values = list(dict.fromkeys(item for item in result if isinstance(item, str)))
        faults = [fault for item in result if isinstance(item, Judged) for fault in item.faults]
        if faults and len(parts) > 1 and (code := self._by_name.get(folded(written.text))):
            values, faults = [code], []  # a choice that holds the separator
        if faults:
            return Judged(None, tuple(faults))
        if len(values) > 1 and not self.known.is_multiple:
            return self._several(len(values))
        return Judged({"propertyReference": self.known.reference, "values": values})

    @cached_property
    def _by_name(self) -> dict[str, str]:
        """Codes by whatever may be meant by them; few cells are not written as the list is."""
        names: dict[str, str] = {}
        for choice in self.known.choices:
            names.setdefault(folded(choice.code), choice.code)
        for choice in self.known.choices:
            names.setdefault(folded(choice.label), choice.code)
        return names

    def _parts(self, text: str) -> list[str]:
        """The values of a cell; a lone text may hold the separator."""
        if SEPARATOR not in text or text in self._codes:
            return [text]
        if not (self.known.is_multiple or self.known.is_ranged or self.known.is_numeric):
            return [text]
        return [part for item in text.split(SEPARATOR) if (part := item.strip())] or [text]

    def _value(self, text: str, written: WrittenProperty) -> "str | Judged":
        code = self._choice(text, written) if self.known.choices else None
        if code is not None:
            return code
        if self.known.is_ranged and self.known.choices:
            return self._no_choice(text)
        if not self.known.is_numeric:
            return f"{text}%" if written.is_percent else text
        number = self._number(text, written.decimal, written)
        return _digits(number) if isinstance(number, Decimal) else number

    def _choice(self, text: str, written: WrittenProperty) -> str | None:
        code = self._codes.get(text) or self._by_name.get(folded(text))
        if code is None and self._by_number:
            number = self._number(text, written.decimal, written)
            code = self._by_number.get(number) if isinstance(number, Decimal) else None
        if code is None and self.known.unit:  # the unit may stand behind a choice, too
            bare = _without_unit(text, self.known.unit)
            code = self._by_name.get(folded(bare)) if bare else None
        return code

    def _no_choice(self, text: str) -> Judged:
        from rapidfuzz import fuzz, process

        labels = {choice.code: choice.label for choice in self.known.choices}
        known = tuple(self._by_name)
        near = process.extractOne(folded(text), known, scorer=fuzz.ratio, score_cutoff=50)
        some = ", ".join(list(labels.values())[:NAMED])
        more = len(labels) - NAMED
        among = f"{some} and {more} more" if more > 0 else some
        return self._refused(
            ENUM_VALUE,
            f"“{visible(text)}” is no choice of {self.name}: {among}",
            f"did you mean {labels[self._by_name[near[0]]]}?" if near else "choose one of the list",
        )

    def _number(
        self, text: str, decimal: str | None, written: WrittenProperty | None = None
    ) -> "Decimal | Judged":
        unit = self.known.unit
        if written and written.is_number:
            if written.is_percent and unit != "%":
                return self._other_unit(f"{text}%", "%")
            return Decimal(text)
        result = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
        amount = parse(result["digits"], decimal) if result else ""
        if not result or not amount:
            return self._refused(
                NUMBER_FORMAT,
                f"“{visible(text)}” is not a number",
                f"type the number alone{f', in {unit}' if unit else ''}",
            )
        if result["unit"] and not _is_unit(result["unit"], unit):
            return self._other_unit(text, result["unit"])
        if isinstance(amount, str):
            whole, fraction = re.split("[.,]", result["digits"])[:2]
            return self._refused(
                NUMBER_AMBIGUOUS,
                f"{text} could mean {whole}{fraction} or {whole}.{fraction}; no other cell of "
                "the column settles it",
                f"type {whole}{fraction}, or store the column as numbers",
            )
        return -amount.number if result["sign"] == "-" else amount.number

    def _other_unit(self, text: str, unit: str) -> Judged:
        own = self.known.unit
        return self._refused(
            UNIT_DIFFERS,
            f"{visible(text)}: {self.name} is given {f'in {own}' if own else 'without a unit'}, "
            f"not in {visible(unit)}",
            f"convert it to {own} and type the number alone" if own else "type the number alone",
        )

    def _files(self, written: WrittenProperty) -> Judged:
        urls = [url for url in _FILES.split(written.text) if url]
        faults = [fault for url in urls for fault in self._file_faults(url)]
        if faults:
            return Judged(None, tuple(faults))
        if len(urls) > 1 and not self.known.is_multiple:
            return self._several(len(urls))
        files = [{"index": index, "url": url} for index, url in enumerate(urls, start=1)]
        return Judged({"propertyReference": self.known.reference, "files": files})

    def _file_faults(self, url: str) -> Iterator[Issue]:
        types = ", ".join(self.known.allowed_file_types)
        if not is_address(url, ("https",)):
            yield Issue(
                URL_FORMAT,
                f"“{visible(url)}” is no address of a file on the web",
                f"paste the address of a file ({types}), which begins with https://",
                self.known.reference,
            )
        elif _file_type(ending(url)) not in self._types:
            kind = ending(url)
            yield Issue(
                FILE_TYPE,
                f"{f'the address ends with .{kind}' if kind else 'no type ends the address'}; "
                f"{self.name} takes {types}",
                f"give the file as {types}",
                self.known.reference,
            )

    def _several(self, count: int) -> Judged:
        return self._refused(
            SINGLE_VALUE, f"{count} values, and {self.name} takes one", "keep one of them"
        )

    def _refused(self, code: Code, message: str, hint: str) -> Judged:
        return Judged(None, (Issue(code, message, hint, self.known.reference),))


def unneeded(reference: str, category: str) -> Judged:
    """What is said of a value whose property the category does not have."""
    fault = Issue(
        PROPERTY_UNNEEDED,
        f"{category} has no such property: the value is not sent",
        "nothing needs to be done if the category is right",
        reference,
    )
    return Judged(None, (fault,))


def _is_unit(text: str, unit: str | None) -> bool:
    return bool(unit) and (text == unit or _bare(text) == _bare(unit or ""))


def _bare(unit: str) -> str:
    return folded(unit).replace(" ", "").removesuffix(".")


def _without_unit(text: str, unit: str) -> str:
    """The text before its unit; empty where it does not end with it."""
    return text[: -len(unit)].rstrip() if text.casefold().endswith(unit.casefold()) else ""


def _digits(number: Decimal) -> str:
    """A number as the service reads it: a point, no exponent, no zeros that say nothing."""
    return f"{number.normalize():f}" if number else "0"


def _file_type(kind: str) -> str:
    """A type of file as an ending: `pdf` of `pdf`, `.PDF` and `application/pdf`."""
    plain = kind.rpartition("/")[2].removeprefix(".").lower()
    return "jpg" if plain == "jpeg" else plain
