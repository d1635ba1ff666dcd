"""`feedtool export products`: the seller's products as the service has them, ready to send again.

Specification, parts "Catalog" and "Catalog endpoints". The columns are those of the categories
that occur, from the local catalogue. Only the creating seller sees all of a product, so others'
products are left out: they could not be sent.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from itertools import chain

from feedtool.areas.products.categories import dropdown_entries, refusal
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.columns.attribute import RETIRED, SEPARATOR
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.wire import JOINER, URLS, read_products, sheets_page
from feedtool.catalog import Catalog, Property
from feedtool.catalog.lookup import categories_below
from feedtool.catalog.wire import CatalogPage
from feedtool.feeds.export import (
    Export,
    ExportNote,
    ExportSummary,
    ExportTally,
    FilledTemplate,
    Filter,
    KeyedRow,
    KeyedRows,
    ListPage,
    OutputRow,
    Query,
    ServiceList,
)
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import Call, Reply
from feedtool.model.cells import Value
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.text import LANGUAGES, Language, MessageText, joined, plural, tr

PICTURE_WIDTH = 24

LEFT, PICTURES = "left", "pictures"
"""Entries of the tally: values that fit into no cell, by property; pictures without a column."""

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,10})?")
_TWO_MEANINGS = re.compile(r"-?[0-9]{1,3}\.[0-9]{3}")
"""A number whose point could separate thousands."""

# Entries of the tally, with or without a name.
OTHERS, UNREADABLE, UNCATEGORISED = "others", "strange", "homeless"
"""Products of other creators, unreadable items, products without a category."""
LANGUAGE, CATEGORY = "language", "category"
"""Languages and categories of the seller's own products."""


def check(query: Query) -> None:
    """Refuse an export without the catalogue, which defines the columns."""
    if query.context.catalog(None) is None:
        raise UsageProblem(
            tr("there is no local catalogue to make the columns of"),
            tr("download it with `feedtool catalog sync`"),
        )


def _page(query: Query) -> Callable[[Reply, Call], ListPage]:
    codes = [code.upper() for code in query[CATEGORY]]
    catalog = query.context.catalog(None) if codes else None
    # A higher category stands for all below it; without any, all products are requested.
    inside = (categories_below(catalog, code) or [code] if catalog else [code] for code in codes)
    requested = frozenset(chain.from_iterable(inside))

    def page(reply: Reply, call: Call) -> ListPage:
        number = int(dict(call.query).get("pageIndex", "1"))
        result = sheets_page(
            reply, CatalogPage(number, None if call.query else call.target), query.seller
        )
        tally: ExportTally = Counter({(UNREADABLE, ""): result.strange})
        rows: list[tuple[str | None, KeyedRow]] = []
        for product, is_creator in result.entries:
            category = product[columns.CATEGORY]
            if not is_creator or category is None:
                tally[UNCATEGORISED if is_creator else OTHERS, ""] += 1
            elif not requested or category in requested:
                tally[CATEGORY, str(category)] += 1
                tally[LANGUAGE, str(product[columns.LANGUAGE] or "")[:2].lower()] += 1
                rows.append((str(product[columns.GTIN]), product))
        following = result.next and read_products(result.next)
        is_guess = result.next is not None and result.next.link is None
        return ListPage(rows, following, is_guess, len(rows), tally)

    return page


def _counted(tally: ExportTally, entry: str) -> Counter[str]:
    return Counter({name: count for (kind, name), count in tally.items() if kind == entry})


def _sendable(
    query: Query, tally: ExportTally
) -> tuple[Catalog, list[str], dict[str, tuple[str, str]]]:
    """Return the catalogue, the categories with columns, and why others have none, with a hint.

    The catalogue is in the language of most products, or in any. Raises UsageProblem if no category
    has columns.
    """
    usual = next((name for name, _ in _counted(tally, LANGUAGE).most_common(1)), "")
    preferred = query.context.catalog(usual) if usual else None
    catalog: Catalog | None = preferred or query.context.catalog(None)
    if catalog is None:
        raise ValueError("nothing is asked for without a catalogue")
    reasons = {code: refusal(catalog, code) for code in sorted(_counted(tally, CATEGORY))}
    refused = {code: reason for code, reason in reasons.items() if reason}
    codes = [code for code in reasons if code not in refused]
    if not codes:
        raise UsageProblem(*next(iter(refused.values())))
    return catalog, codes, refused


def _property(
    catalog: Catalog | None, language: str, category: str, reference: str
) -> Property | None:
    if catalog is None or catalog.language != language:
        return None
    listed = catalog.properties(category) or ()
    return next((item for item in listed if item.reference == reference), None)


def rows(query: Query, lists: Sequence[KeyedRows], tally: ExportTally) -> Iterator[OutputRow]:
    """The rows of products, once it is known which categories they are of."""
    catalog, codes, _ = _sendable(query, tally)

    @cache
    def cells_of(category: str, reference: str, language: str) -> PropertyCells | None:
        known = _property(catalog, catalog.language, category, reference)
        other = None if language == catalog.language else query.context.catalog(language)
        same = _property(other, language, category, reference)
        return PropertyCells(known, same) if known else None

    def row_of(product: KeyedRow) -> OutputRow:
        """A product under the keys of its columns; the tally counts values without a cell."""
        category = str(product[columns.CATEGORY])
        if category not in codes:
            return OutputRow(None)
        row: dict[str, Value] = {}
        left: ExportTally = Counter()
        language = str(product.get(columns.LANGUAGE) or "")[:2].lower()
        for key, value in product.items():
            name, _, reference = key.partition(":")
            if not reference:
                if not key.startswith(_PICTURE) or key in _PICTURES:
                    row[key] = value
                else:
                    left[PICTURES, ""] += 1
            elif reference.upper() != RETIRED:
                cells = cells_of(category, reference, language)
                texts = str(value).split(JOINER)
                cell = cells.cell(texts, is_files=f"{name}:" == URLS) if cells else None
                if cell is not None:
                    row[reference] = cell
                elif reference not in row:
                    left[LEFT, reference] += 1
        return OutputRow(row, left)

    return map(row_of, lists[-1])


_PICTURE = columns.picture_key(1)[:-1]
_PICTURES = frozenset(columns.PICTURE_KEYS)


class PropertyCells:
    """Writes the cells of one category's property."""

    def __init__(self, known: Property, other: Property | None = None) -> None:
        """Take a property, and the same in the products' language if that is another one."""
        self._known = known
        codes = (choice.code for choice in known.choices)
        shown = dict(zip(codes, dropdown_entries(known.choices), strict=True))
        self._shown = {**shown}
        for choice in (*(other.choices if other else ()), *known.choices):
            if choice.code in shown:
                self._shown[choice.label] = shown[choice.code]

    def cell(self, texts: Iterable[str], *, is_files: bool = False) -> Value:
        """Return the cell of values or addresses of files; None if no cell can hold them."""
        known = self._known
        if is_files or known.allowed_file_types:
            fits = is_files and known.allowed_file_types
            return (SEPARATOR.join(texts) or None) if fits else None
        values = [self._shown.get(text, text) for text in texts]
        is_ambiguous = any(SEPARATOR in value for value in values)
        if known.is_split and is_ambiguous and (len(values) > 1 or not known.choices):
            return None
        if known.is_numeric and len(values) == 1 and not known.choices and not known.is_multiple:
            return Decimal(values[0]) if _NUMBER.fullmatch(values[0]) else values[0]
        if known.is_numeric:  # the point of `1.2340` cannot separate thousands
            values = [f"{value}0" if _TWO_MEANINGS.fullmatch(value) else value for value in values]
        return SEPARATOR.join(values) or None


def sheet(query: Query, products: KeyedRows, tally: ExportTally) -> FilledTemplate:
    """Return the template with as many pictures as the products have."""
    catalog, codes, _ = _sendable(query, tally)
    context = query.context._replace(catalog=lambda _: catalog)
    language: Language = catalog.language  # type: ignore[assignment]
    place = LANGUAGES.index(language)
    keys = {column.key for column in FEED.sheet.columns(query.settings)}
    pictures = [
        Field(item.key, item.labels[place], item.help[place], CellEntry(TEXT, PICTURE_WIDTH))
        for item in columns.PICTURE_COLUMNS
        if item.key in products.columns and item.key not in keys
    ]
    return FilledTemplate(FEED, context, language, codes, pictures)


# The notes.


def nothing(query: Query, tally: ExportTally) -> NothingToDo:
    codes = joined(map(str.upper, query[CATEGORY]))
    if count := tally[OTHERS, ""]:
        return NothingToDo(
            tr(
                "none of the products of the category {codes} was created by the seller",
                codes=codes,
            )
            if codes
            else tr("none of the products was created by the seller"),
            tr(
                "the service shows all of a product to its creator alone ({products} of"
                " others); nothing was written",
                products=_products(count),
            ),
        )
    return NothingToDo(
        tr("the seller has no products of the category {codes}", codes=codes)
        if codes
        else tr("the seller has no products"),
        tr("look at --seller and --category; nothing was written"),
    )


def summary(query: Query, tally: ExportTally) -> ExportSummary:
    """Return notes on the products and values that are not in the file."""
    categories, (_, _, refused) = _counted(tally, CATEGORY), _sendable(query, tally)
    notes = [
        ExportNote(
            tr(
                "left out: {products} of {category}: {reason}",
                products=_products(categories[code]),
                category=code,
                reason=reason,
            ),
            hint,
            is_loss=True,
        )
        for code, (reason, hint) in refused.items()
    ]
    left_out = {
        OTHERS: tr("that others created, of which the service does not show all"),
        UNCATEGORISED: tr("without a category"),
        UNREADABLE: tr("that cannot be read"),
    }
    counts = {name: tally[name, ""] for name in left_out}
    notes += [
        ExportNote(
            tr("left out: {products} {why}", products=_products(count), why=left_out[name]),
            is_loss=name != OTHERS,
        )
        for name, count in counts.items()
        if count
    ]
    if left := _counted(tally, LEFT):
        notes.append(
            ExportNote(
                tr(
                    "{count:,} values stay with the service and are not in the file: their"
                    " category has no such property, or a cell cannot say them ({properties})",
                    count=left.total(),
                    properties=joined(sorted(left)),
                ),
                tr("download the catalogue again with `feedtool catalog sync`"),
            )
        )
    if count := tally[PICTURES, ""]:
        text = tr("{count:,} pictures beyond the 20th stay with the service alone", count=count)
        notes.append(ExportNote(text))
    return ExportSummary(notes, sum(counts.values()) + sum(categories[code] for code in refused))


def _products(count: int) -> MessageText:
    return plural("{count:,} product", "{count:,} products", count)


LISTING = ServiceList(
    tr("products"),
    lambda _, __: [read_products()],
    _page,
    nothing,
    tr("look at the base address (its version segment included); nothing was written"),
    unit=tr("products"),
)

EXPORT = Export(
    "products",
    """Export the seller's products into a workbook of the template's shape.

    Ready to edit and to submit. Its columns are those of the categories that occur, from the local
    catalogue (`feedtool catalog sync`), in its language. Only products that the seller has created:
    of others the service does not show all. The exit code is 1 when some cannot be exported because
    the catalogue lacks their category.
    """,
    lambda _: (LISTING,),
    sheet,
    summary,
    (
        Filter(
            CATEGORY,
            "CODE[,CODE]",
            tr("Of products: these categories alone; a higher category includes all below it."),
            is_list=True,
        ),
    ),
    check,
    rows,
    is_sent_back=True,
)
