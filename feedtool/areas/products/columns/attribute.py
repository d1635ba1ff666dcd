"""Values of a category's properties: reading a cell, and checking it by the property.

A column belongs to a property in all categories, but its valid values depend on the row's category.
So cells are read first (`PropertyCell`) and checked later (`Judge`), each distinct cell once.
"""

import re
from contextlib import suppress
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from feedtool.areas.products.columns import PROBLEMS
from feedtool.areas.products.columns.prose import FILE_TYPE, URL_FORMAT, Lines, ending, is_address
from feedtool.catalog import Category, Property
from feedtool.catalog.model import folded
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import ENUM_VALUE, FIELD_RETIRED
from feedtool.feeds.columns.number import NUMBER_AMBIGUOUS, NUMBER_FORMAT, parse
from feedtool.feeds.columns.text import (
    TEXT_TOO_LONG,
    identified,
    no_value,
    plain,
    refused,
    trimmed,
    visible,
)
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Issue
from feedtool.model.text import joined, tr

UNIT_DIFFERS = PROBLEMS.error("unit-differs")
SINGLE_VALUE = PROBLEMS.error("single-value")
PROPERTY_UNNEEDED = PROBLEMS.warning("property-unneeded")

RETIRED = "CDAV"
"""The property that can no longer be submitted (specification, "Versioning" 4)."""
SEPARATOR = ";"
SHOWN_CHOICES = 12
"""The most choices in a message; the template lists them all."""

_NUMBER = re.compile(r"(?P<sign>[+-]?)\s*(?P<digits>[0-9](?:[0-9.,\s]*[0-9])?)\s*(?P<unit>.*)")
_TEXT = Lines()
_LONGEST_NUMBER = 60
_FILES = re.compile(r"\s*;\s*(?=[A-Za-z]+://)|\s*;\s*$")


class WrittenProperty(NamedTuple):
    """The content of a property's cell, before its category is known."""

    text: str
    is_number: bool
    """True for a numeric cell."""
    is_percent: bool
    decimal: str | None
    """The decimal separator of the column, if other cells decide it."""


class JudgedValue(NamedTuple):
    attribute: dict[str, Any] | None
    """The attribute of the request; None if it is not sent."""
    faults: tuple[Issue, ...] = ()


class _Refused(Exception):
    """A value that cannot be sent: code, message, hint."""


class PropertyCell(Struct, frozen=True):
    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return a WrittenProperty; note the column's decimal separator if the cell shows it."""
        flaw = no_value(cell)
        if flaw:
            return flaw
        if cell.kind is Kind.NUMBER:
            text = identified(cell)
            if not isinstance(text, str):
                return text
            return WrittenProperty(
                text.removesuffix("%"), is_number=True, is_percent=cell.percent, decimal=None
            )
        text = plain(cell.text)
        if not text:
            return None
        bounds = column.settings.bounds
        if len(text) > bounds.longest_text:
            return refused(
                TEXT_TOO_LONG,
                tr(
                    "{count:,} characters, at most {most:,} are possible",
                    count=len(text),
                    most=bounds.longest_text,
                ),
                tr("shorten the text; look whether a quote is missing before it"),
            )
        for part in text.split(SEPARATOR) if text[0].isdecimal() or text[0] in "+-" else ():
            result = _NUMBER.fullmatch(part.strip()) if len(part) <= _LONGEST_NUMBER else None
            amount = parse(result["digits"], column.decimal) if result else ""
            if isinstance(amount, str):
                column.is_ambiguous = column.is_ambiguous or bool(amount)
            elif amount.decimal:
                column.evidence.setdefault(amount.decimal, part.strip())
        written = WrittenProperty(text, is_number=False, is_percent=False, decimal=column.decimal)
        faults = (*trimmed(cell, text), *_TEXT.faults(text))
        return InvalidValue(written, faults) if faults else written


class Judge:
    """Converts cells into values of one category's property."""

    def __init__(self, known: Property) -> None:
        self.known = known
        self._codes = {choice.code: choice.code for choice in known.choices}
        for choice in known.choices:
            self._codes.setdefault(choice.label, choice.code)
        self._by_number: dict[Decimal, str] = {}
        for choice in known.choices if known.is_numeric else ():
            for text in (choice.code, choice.label):
                with suppress(_Refused):
                    self._by_number.setdefault(self._number(text, "."), choice.code)
        self._types = frozenset(map(_file_type, known.allowed_file_types))

    def judge(self, written: WrittenProperty) -> JudgedValue:
        """Return the value of a cell that is not blank."""
        known, faults = self.known, list[Issue]()
        values: dict[str, bool] = {}
        if known.reference.upper() == RETIRED:
            message, hint = tr("this field can no longer be submitted"), tr("empty the cell")
            return JudgedValue(None, (Issue(FIELD_RETIRED, message, hint, known.reference),))
        parts = self._parts(written.text)
        for part in parts:
            try:
                values[self._value(part, written)] = True
            except _Refused as error:
                code, message, hint = error.args
                faults.append(Issue(code, message, hint, known.reference))
        is_several = len(parts) > 1 and not self._types
        if faults and is_several and (choice := self._by_name.get(folded(written.text))):
            values, faults = {choice: True}, []  # a choice that contains the separator
        count = len(parts if self._types else values)
        if not faults and count > 1 and not known.is_multiple:
            message = tr("{count} values, and {name} takes one", count=count, name=known.name)
            faults.append(Issue(SINGLE_VALUE, message, tr("keep one of them"), known.reference))
        if faults:
            return JudgedValue(None, tuple(faults))
        if self._types:
            files = [{"index": index, "url": url} for index, url in enumerate(parts, start=1)]
            return JudgedValue({"propertyReference": known.reference, "files": files})
        return JudgedValue({"propertyReference": known.reference, "values": [*values]})

    @cached_property
    def _by_name(self) -> dict[str, str]:
        """Codes by folded codes and labels, for the few cells that differ from the list."""
        names: dict[str, str] = {}
        for choice in self.known.choices:
            names.setdefault(folded(choice.code), choice.code)
        for choice in self.known.choices:
            names.setdefault(folded(choice.label), choice.code)
        return names

    def _parts(self, text: str) -> list[str]:
        """Return the values of a cell; a single text may contain the separator."""
        if self._types:
            return [url for url in _FILES.split(text) if url]
        if SEPARATOR not in text or text in self._codes or not self.known.is_split:
            return [text]
        return [part for item in text.split(SEPARATOR) if (part := item.strip())] or [text]

    def _value(self, text: str, written: WrittenProperty) -> str:
        if self._types:
            return self._file(text)
        if self.known.choices:
            code = self._choice(text, written)
            if code is not None:
                return code
            if self.known.is_ranged:
                raise self._no_choice(text)
        if not self.known.is_numeric:
            return f"{text}%" if written.is_percent else text
        number = self._number(text, written.decimal, written)
        return f"{number.normalize():f}" if number else "0"  # no exponent, no trailing zeros

    def _choice(self, text: str, written: WrittenProperty) -> str | None:
        code = self._codes.get(text) or self._by_name.get(folded(text))
        if code is None and self._by_number:
            with suppress(_Refused):
                code = self._by_number.get(self._number(text, written.decimal, written))
        unit = self.known.unit
        if code is None and unit and text.casefold().endswith(unit.casefold()):
            code = self._by_name.get(folded(text[: -len(unit)]))  # the unit may follow a choice
        return code

    def _no_choice(self, text: str) -> _Refused:
        from rapidfuzz import fuzz, process

        labels = {choice.code: choice.label for choice in self.known.choices}
        known = tuple(self._by_name)
        near = process.extractOne(folded(text), known, scorer=fuzz.ratio, score_cutoff=50)
        shown = joined(list(labels.values())[:SHOWN_CHOICES])
        if (more := len(labels) - SHOWN_CHOICES) > 0:
            shown = tr("{choices} and {more} more", choices=shown, more=more)
        return _Refused(
            ENUM_VALUE,
            tr(
                "“{text}” is not a choice of {name}: {choices}",
                text=visible(text),
                name=self.known.name,
                choices=shown,
            ),
            tr("did you mean {choice}?", choice=labels[self._by_name[near[0]]])
            if near
            else tr("choose one of the list"),
        )

    def _number(
        self, text: str, decimal: str | None, written: WrittenProperty | None = None
    ) -> Decimal:
        unit = self.known.unit
        if written and written.is_number:
            if written.is_percent and unit != "%":
                raise self._other_unit(f"{text}%", "%")
            return Decimal(text)
        result = _NUMBER.fullmatch(text) if len(text) <= _LONGEST_NUMBER else None
        amount = parse(result["digits"], decimal) if result else ""
        if not result or not amount:
            raise _Refused(
                NUMBER_FORMAT,
                tr("“{text}” is not a number", text=visible(text)),
                tr("type the number alone, in {unit}", unit=unit)
                if unit
                else tr("type the number alone"),
            )
        if result["unit"] and (not unit or _bare(result["unit"]) != _bare(unit)):
            raise self._other_unit(text, result["unit"])
        if isinstance(amount, str):
            whole, fraction = re.split("[.,]", result["digits"])[:2]
            raise _Refused(
                NUMBER_AMBIGUOUS,
                tr(
                    "{text} could mean {thousands} or {fraction}; no other cell of the column"
                    " settles it",
                    text=text,
                    thousands=f"{whole}{fraction}",
                    fraction=f"{whole}.{fraction}",
                ),
                tr("type {number}, or store the column as numbers", number=f"{whole}{fraction}"),
            )
        return -amount.number if result["sign"] == "-" else amount.number

    def _other_unit(self, text: str, unit: str) -> _Refused:
        known_unit = self.known.unit
        values = {"text": visible(text), "name": self.known.name, "unit": visible(unit)}
        return _Refused(
            UNIT_DIFFERS,
            tr("{text}: {name} is given in {own}, not in {unit}", own=known_unit, **values)
            if known_unit
            else tr("{text}: {name} is given without a unit, not in {unit}", **values),
            tr("convert it to {own} and type the number alone", own=known_unit)
            if known_unit
            else tr("type the number alone"),
        )

    def _file(self, url: str) -> str:
        types = ", ".join(self.known.allowed_file_types)
        if not is_address(url, ("https",)):
            raise _Refused(
                URL_FORMAT,
                tr("“{url}” is not the address of a file on the web", url=visible(url)),
                tr(
                    "paste the address of a file ({types}), which begins with https://", types=types
                ),
            )
        kind = ending(url)
        if _file_type(kind) not in self._types:
            raise _Refused(
                FILE_TYPE,
                tr(
                    "the address ends with .{kind}; {name} takes {types}",
                    kind=kind,
                    name=self.known.name,
                    types=types,
                )
                if kind
                else tr(
                    "no type ends the address; {name} takes {types}",
                    name=self.known.name,
                    types=types,
                ),
                tr("give the file as {types}", types=types),
            )
        return url


def unneeded_value(reference: str, category: Category) -> Issue:
    """Return the fault of a value whose property the category does not have."""
    return Issue(
        PROPERTY_UNNEEDED,
        tr(
            "{label} ({category}) has no such property: the value is not sent",
            label=category.label,
            category=category.reference,
        ),
        tr("nothing needs to be done if the category is right"),
        reference,
    )


def _bare(unit: str) -> str:
    return folded(unit).replace(" ", "").removesuffix(".")


def _file_type(kind: str) -> str:
    """Return a file type as an ending: `pdf` for `pdf`, `.PDF` and `application/pdf`."""
    plain = kind.rpartition("/")[2].removeprefix(".").lower()
    return "jpg" if plain == "jpeg" else plain
