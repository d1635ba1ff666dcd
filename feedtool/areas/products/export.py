"""`feedtool export products`: what the service has of the seller's products, ready to send again.

Specification, parts "Catalog" and "Catalog endpoints". The columns are those of the categories
that occur, from the local catalogue. Only the creating seller sees all of a product, so others'
products are left out: nothing could be sent of them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

from feedtool.areas.products.catalog import Catalog, Property
from feedtool.areas.products.catalog.wire import Page
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns.attribute import RETIRED, SEPARATOR
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.template import chosen, products_contents
from feedtool.areas.products.template_shared import offered
from feedtool.areas.products.wire.sheets import (
    Attribute,
    ProductSheet,
    Seller,
    read_products,
    sheets_page,
)
from feedtool.feeds.feed import LANGUAGES
from feedtool.model.call import Call, Reply, Sender
from feedtool.model.cells import letters
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.settings import Dialect
from feedtool.report.export import Exported, Note
from feedtool.runs.export.gathered import Gathered
from feedtool.runs.export.pages import Pages, ask
from feedtool.runs.export.words import EXPORT_WORDS
from feedtool.runs.export.written import is_csv, write
from feedtool.service.fetch import Circumstances
from feedtool.sheets.filled import Value
from feedtool.templates import Language
from feedtool.templates.contents import Contents, Field, Need
from feedtool.templates.entry import TEXT, Entry

STAMP = "exported"
HINT = "look at the base address (its version segment included); nothing was written"
PICTURE_WIDTH = 24

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,10})?")
_TWO_MEANINGS = re.compile(r"-?[0-9]{1,3}\.[0-9]{3}")
"""A number whose point might separate thousands."""

Known = Callable[[str | None], Catalog | None]
"""The local catalogue in a language, or in any."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Which products are wanted."""

    seller: str
    categories: tuple[str, ...] = ()
    """Of these alone; empty for all."""


@dataclass(slots=True)
class Met:
    """What was met on the way, to be told."""

    others: int = 0
    """Products that another seller has created."""
    strange: int = 0
    """Items that are no products."""
    homeless: int = 0
    """Products without a category."""
    left: Counter[str] = field(default_factory=Counter)
    """Values that no cell can hold, by their property."""
    pictures: int = 0
    """Pictures beyond those that a sheet has columns for."""


def export_products(
    client: Sender,
    around: Circumstances,
    wish: Wish,
    target: Path,
    *,
    dialect: Dialect,
    known: Known,
    service: str,
    on_step: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Bring the seller's products into a file.

    Args:
        client: A way to the service.
        around: Time, chance, and how far to go.
        wish: Which ones.
        target: The .xlsx or .csv to write.
        dialect: The profile's: which common fields must be filled.
        known: The local catalogue; its language is the workbook's.
        service: The base address, told in the workbook.
        on_step: Told how many products have come.

    Raises:
        NothingToDo: there are none.
        UsageProblem: there is no catalogue, or it has none of their categories; the service
            refuses the list; the file cannot be written.
        NotAuthorised, Interrupted: what `pages.ask` raises.
    """
    any_language = known(None)
    if any_language is None:
        raise UsageProblem(
            "there is no local catalogue to make the columns of",
            "bring it with `feedtool catalog sync`",
        )
    at, met = around.wall(), Met()
    with Gathered(around.stopping) as came, Gathered(around.stopping) as rows:
        coming = _Coming(wish, came, met, on_step)
        ask([Pages("products", coming.call, coming.take, HINT)], client, around)
        if not len(came):
            raise _nothing(wish, met)
        catalog = known(_usual(coming.languages)) or any_language
        codes, refused = _sendable(catalog, coming.categories)
        making = _Making(catalog, known, codes, met)
        for one in came:
            if one[columns.CATEGORY] in codes:
                rows.put(str(one[columns.GTIN]), making.row(one))
        contents = _contents(catalog, codes, rows, dialect, service, at)
        header = write(target, contents, rows, dialect.reading)
        left = len(came) - len(rows)
        notes = [*_of_categories(refused, coming.categories), *_notes(met)]
        sheet = None if is_csv(target) else contents.sheet
        skipped = left + met.others + met.homeless + met.strange
        return Exported(target, FEED.kind, sheet, header, len(rows), skipped, notes)


class _Coming:
    """Takes pages of products, and keeps what is the seller's."""

    def __init__(
        self, wish: Wish, came: Gathered, met: Met, on_step: Callable[[int], None]
    ) -> None:
        self.languages: Counter[str] = Counter()
        self.categories: Counter[str] = Counter()
        self._wish, self._came, self._met, self._on_step = wish, came, met, on_step
        self._last: list[ProductSheet] = []

    def call(self, asked: Page) -> Call:
        """The call that asks for a page."""
        return read_products(asked.number, link=asked.link)

    def take(self, asked: Page, reply: Reply) -> Page | None:
        """Keep what a page has."""
        found = sheets_page(reply, asked)
        self._met.strange += found.strange
        if found.next and found.next.link is None and found.sheets == self._last:
            return None  # whoever does not know of pages gives the same one for each
        self._last = found.sheets
        for sheet in found.sheets:
            self._take(sheet)
        self._on_step(len(self._came))
        return found.next

    def _take(self, sheet: ProductSheet) -> None:
        own = sheet.sellers.get(self._wish.seller)
        if own is None or not own.is_creator:
            self._met.others += 1
        elif sheet.category is None:
            self._met.homeless += 1
        elif not self._wish.categories or sheet.category in self._wish.categories:
            self.categories[sheet.category] += 1
            self.languages[(sheet.language or "")[:2].lower()] += 1
            self._came.put(sheet.gtin, dict(_flat(sheet, own)))


VALUES, URLS = "values:", "urls:"
"""Before a propertyReference: what its attribute says, one a line, until its cell is known."""
LINE = "\0"


def _flat(sheet: ProductSheet, own: Seller) -> Iterator[tuple[str, Value]]:
    yield columns.GTIN, sheet.gtin
    yield columns.REFERENCE, own.product_reference
    yield columns.TITLE, sheet.label
    yield columns.DESCRIPTION, sheet.description
    yield columns.BRAND, sheet.brand
    yield columns.CATEGORY, sheet.category
    yield columns.LANGUAGE, sheet.language
    yield columns.GTIN_REFERENCE, own.gtin_reference
    yield columns.MARKETING, sheet.marketing_description
    yield columns.GROUP, sheet.group
    for index, url in sheet.pictures.items():
        yield columns.picture_key(index), url
    for reference, one in sheet.attributes.items():
        yield VALUES + reference, LINE.join(one.values)
        yield URLS + reference, LINE.join(one.urls)


class _Making:
    """Makes the rows of products, once it is known which categories they are of."""

    def __init__(self, catalog: Catalog, known: Known, codes: Mapping[str, int], met: Met) -> None:
        self._catalog, self._known, self._met = catalog, known, met
        self._properties = {
            code: {one.reference: one for one in catalog.properties(code) or ()} for code in codes
        }
        self._cells: dict[tuple[str, str, str], Cells] = {}

    def row(self, flat: Mapping[str, Value]) -> dict[str, Value]:
        """A product under the keys of its columns."""
        row: dict[str, Value] = {}
        category, language = str(flat[columns.CATEGORY]), str(flat.get(columns.LANGUAGE) or "")
        for key, value in flat.items():
            name, _, reference = key.partition(":")
            if not reference:
                row[key] = value
            elif reference.upper() != RETIRED:
                is_values = f"{name}:" == VALUES
                said = tuple(str(value).split(LINE))
                attribute = Attribute(said, ()) if is_values else Attribute((), said)
                cell = self._cell(category, reference, language[:2].lower(), attribute)
                if cell is None and reference not in row:
                    self._met.left[reference] += 1
                elif cell is not None:
                    row[reference] = cell
        for key in [one for one in row if one.startswith(_PICTURE) and one not in _PICTURES]:
            del row[key]
            self._met.pictures += 1
        return row

    def _cell(self, category: str, reference: str, language: str, attribute: Attribute) -> Value:
        one = self._properties[category].get(reference)
        if one is None:
            return None
        key = category, reference, language
        if key not in self._cells:
            self._cells[key] = Cells(one, self._other(category, reference, language))
        return self._cells[key].cell(attribute)

    def _other(self, category: str, reference: str, language: str) -> Property | None:
        """The property as the catalogue in the product's language has it."""
        if language == self._catalog.language:
            return None
        other = self._known(language)
        if other is None or other.language != language:
            return None
        found = other.properties(category) or ()
        return next((one for one in found if one.reference == reference), None)


_PICTURE = columns.picture_key(1)[:-1]
_PICTURES = frozenset(columns.PICTURE_KEYS)


class Cells:
    """What the cells of one category's property hold.

    Args:
        one: The property.
        other: The same in the language of the products, where that is another one.
    """

    def __init__(self, one: Property, other: Property | None = None) -> None:
        self._one = one
        told = dict(zip((choice.code for choice in one.choices), offered(one.choices), strict=True))
        self._told = {**told}
        for choice in (*(other.choices if other else ()), *one.choices):
            if choice.code in told:
                self._told[choice.label] = told[choice.code]

    def cell(self, attribute: Attribute) -> Value:
        """The cell; None where none could say it."""
        one = self._one
        if one.allowed_file_types:
            return SEPARATOR.join(attribute.urls) or None
        values = [self._told.get(value, value) for value in attribute.values]
        is_split = one.is_multiple or one.is_ranged or one.is_numeric
        if is_split and len(values) > 1 and any(SEPARATOR in value for value in values):
            return None
        if is_split and not one.choices and any(SEPARATOR in value for value in values):
            return None
        if len(values) == 1 and one.is_numeric and not one.choices and not one.is_multiple:
            return _number(values[0])
        if one.is_numeric:
            values = [_clear(value) for value in values]
        return SEPARATOR.join(values) or None


def _number(text: str) -> Value:
    return Decimal(text) if _NUMBER.fullmatch(text) else text


def _clear(text: str) -> str:
    """A number of which nobody can take the point for one that separates thousands."""
    return f"{text}0" if _TWO_MEANINGS.fullmatch(text) else text


# Which categories.


def _usual(languages: Counter[str]) -> str | None:
    """The language of most products."""
    return languages.most_common(1)[0][0] or None


def _sendable(
    catalog: Catalog, categories: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, UsageProblem]]:
    """The categories that have columns, and why others have none.

    Raises:
        UsageProblem: none has.
    """
    found: dict[str, int] = {}
    refused: dict[str, UsageProblem] = {}
    for code in sorted(categories):
        try:
            chosen(catalog, [code])
        except UsageProblem as reason:
            refused[code] = reason
        else:
            found[code] = categories[code]
    if not found:
        raise next(iter(refused.values()))
    return found, refused


# The file.


def _contents(
    catalog: Catalog,
    codes: Mapping[str, int],
    rows: Gathered,
    dialect: Dialect,
    service: str,
    at: datetime,
) -> Contents:
    """The template's, with as many pictures as there are, and where it is from."""
    contents = products_contents(catalog, list(codes), dialect)
    own = {one.key for one in contents.fields}
    further = [key for key in columns.PICTURE_KEYS if key in rows.columns and key not in own]
    pictures = [
        _picture(key, len(own) + place, contents.language) for place, key in enumerate(further)
    ]
    words = EXPORT_WORDS[contents.language]
    origin = words.origin.format(service=service, at=f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC")
    return replace(
        contents,
        fields=(*contents.fields, *pictures),
        facts=((words.heading, origin), *contents.facts),
        stamps={**contents.stamps, STAMP: (at.astimezone(UTC).isoformat(timespec="seconds"),)},
    )


def _picture(key: str, index: int, language: Language) -> Field:
    column = next(one for one in columns.PICTURE_COLUMNS if one.key == key)
    at = LANGUAGES.index(language)
    label, text = column.labels[at], column.help[at]
    return Field(
        key, letters(index), label, text, "", Need.NEVER, text, text, Entry(TEXT, PICTURE_WIDTH)
    )


# What is told.


def _nothing(wish: Wish, met: Met) -> NothingToDo:
    of = f" of the category {', '.join(wish.categories)}" if wish.categories else ""
    if met.others:
        return NothingToDo(
            f"none of the products{of} was created by the seller",
            f"the service shows all of a product to its creator alone ({_products(met.others)} of"
            " others); nothing was written",
        )
    return NothingToDo(
        f"the seller has no products{of}",
        "look at --seller and --category; nothing was written",
    )


def _of_categories(
    refused: Mapping[str, UsageProblem], categories: Mapping[str, int]
) -> Iterator[Note]:
    for code, reason in refused.items():
        count = _products(categories[code])
        yield Note(f"left out: {count} of {code}: {reason.message}", reason.hint, is_loss=True)


def _notes(met: Met) -> Sequence[Note]:
    notes = []
    if met.others:
        notes.append(
            Note(
                f"left out: {_products(met.others)} that others created, of which the service does"
                " not show all"
            )
        )
    if met.homeless:
        notes.append(Note(f"left out: {_products(met.homeless)} without a category", is_loss=True))
    if met.strange:
        notes.append(Note(f"left out: {_products(met.strange)} that cannot be read", is_loss=True))
    if met.left:
        named = ", ".join(sorted(met.left))
        notes.append(
            Note(
                f"{met.left.total():,} values stay with the service and are not in the file: their"
                f" category has no such property, or a cell cannot say them ({named})",
                "bring the catalogue anew with `feedtool catalog sync`",
            )
        )
    if met.pictures:
        notes.append(Note(f"{met.pictures:,} pictures beyond the 20th stay with the service alone"))
    return notes


def _products(count: int) -> str:
    return f"{count:,} product{'' if count == 1 else 's'}"
