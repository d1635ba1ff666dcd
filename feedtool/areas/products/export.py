"""`feedtool export products`: what the service has of the seller's products, ready to send again.

Specification, parts "Catalog" and "Catalog endpoints". The columns are those of the categories
that occur, from the local catalogue. Only the creating seller sees all of a product, so others'
products are left out: nothing could be sent of them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from feedtool.areas.products.catalog import Catalog
from feedtool.areas.products.catalog.wire import CatalogPage as Asked
from feedtool.areas.products.categories import chosen
from feedtool.areas.products.columns import common as columns
from feedtool.areas.products.feeds import FEED
from feedtool.areas.products.rows import LEFT, PICTURES, ProductRows, flat
from feedtool.areas.products.wire.sheets import ProductSheet, read_products, sheets_page
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
    MadeRow,
    Query,
    ServiceList,
)
from feedtool.feeds.feed import LANGUAGES
from feedtool.feeds.template import TEXT, CellEntry, Field, Language
from feedtool.model.call import READ, Call, Reply
from feedtool.model.errors import NothingToDo, UsageProblem

PICTURE_WIDTH = 24

# What is tallied: each with a name, or with none.
OTHERS, STRANGE, HOMELESS = "others", "strange", "homeless"
"""Products that another seller has created, items that are none, products without a category."""
LANGUAGE, CATEGORY = "language", "category"
"""Of the products that are the seller's."""


# What is asked for.


def check(query: Query) -> None:
    """Refuse to begin without the catalogue that the columns are made of."""
    if query.context.catalog(None) is None:
        raise UsageProblem(
            "there is no local catalogue to make the columns of",
            "bring it with `feedtool catalog sync`",
        )


def _page(query: Query) -> Callable[[Reply, Call], ListPage]:
    wanted = {code.upper() for code in query[CATEGORY]}

    def page(reply: Reply, call: Call) -> ListPage:
        number = int(dict(call.query).get("pageIndex", "1"))
        found = sheets_page(reply, Asked(number, None if call.query else call.target))
        tally: ExportTally = Counter({(STRANGE, ""): found.strange})
        rows = []
        for product in found.sheets:
            if reason := _left_out(product, query.seller):
                tally[reason, ""] += 1
            elif not wanted or product.category in wanted:
                tally[CATEGORY, str(product.category)] += 1
                tally[LANGUAGE, (product.language or "")[:2].lower()] += 1
                rows.append((product.gtin, dict(flat(product, product.sellers[query.seller]))))
        following = None
        if found.next:
            link = found.next.link
            following = Call("GET", link, READ) if link else read_products(found.next.number)
        is_guess = found.next is not None and found.next.link is None
        return ListPage(rows, following, is_guess, len(rows), tally)

    return page


def _left_out(product: ProductSheet, seller: str) -> str | None:
    own = product.sellers.get(seller)
    if own is None or not own.is_creator:
        return OTHERS
    return HOMELESS if product.category is None else None


# Rows.


def _catalog(query: Query, tally: ExportTally) -> Catalog:
    """The catalogue in the language of most products, or in any."""
    languages = _counted(tally, LANGUAGE)
    usual = languages.most_common(1)[0][0] if languages else ""
    catalog: Catalog | None = (
        query.context.catalog(usual) if usual else None
    ) or query.context.catalog(None)
    if catalog is None:
        raise ValueError("nothing is asked for without a catalogue")
    return catalog


def _counted(tally: ExportTally, what: str) -> Counter[str]:
    return Counter({name: count for (kind, name), count in tally.items() if kind == what})


def _sendable(
    catalog: Catalog, categories: Mapping[str, int]
) -> tuple[list[str], dict[str, UsageProblem]]:
    """The categories that have columns, and why others have none.

    Raises:
        UsageProblem: none has.
    """
    codes: list[str] = []
    refused: dict[str, UsageProblem] = {}
    for code in sorted(categories):
        try:
            chosen(catalog, [code])
        except UsageProblem as reason:
            refused[code] = reason
        else:
            codes.append(code)
    if not codes:
        raise next(iter(refused.values()))
    return codes, refused


def rows(query: Query, tally: ExportTally) -> Callable[[KeyedRow], MadeRow]:
    """The rows of products, once it is known which categories they are of."""
    catalog = _catalog(query, tally)
    codes, _ = _sendable(catalog, _counted(tally, CATEGORY))
    maker = ProductRows(catalog, query.context.catalog, codes)

    def row(product: KeyedRow) -> MadeRow:
        return maker.row(product) if product[columns.CATEGORY] in codes else MadeRow(None)

    return row


# The file.


def sheet(query: Query, products: KeyedRows, tally: ExportTally) -> FilledTemplate:
    """The template's, with as many pictures as there are."""
    catalog = _catalog(query, tally)
    codes, _ = _sendable(catalog, _counted(tally, CATEGORY))
    context = query.context._replace(catalog=lambda _: catalog)
    language: Language = catalog.language  # type: ignore[assignment]
    own = {column.key for column in FEED.columns(query.dialect)}
    further = [key for key in columns.PICTURE_KEYS if key in products.columns and key not in own]
    pictures = [_picture(key, language) for key in further]
    return FilledTemplate(FEED, context, language, codes, pictures)


def _picture(key: str, language: Language) -> Field:
    column = next(one for one in columns.PICTURE_COLUMNS if one.key == key)
    at = LANGUAGES.index(language)
    return Field(key, column.labels[at], column.help[at], CellEntry(TEXT, PICTURE_WIDTH))


# What is told.


def nothing(query: Query, tally: ExportTally) -> NothingToDo:
    """Why there are no products."""
    of = f" of the category {', '.join(map(str.upper, query[CATEGORY]))}" if query[CATEGORY] else ""
    if count := tally[OTHERS, ""]:
        return NothingToDo(
            f"none of the products{of} was created by the seller",
            f"the service shows all of a product to its creator alone ({_products(count)} of"
            " others); nothing was written",
        )
    return NothingToDo(
        f"the seller has no products{of}",
        "look at --seller and --category; nothing was written",
    )


def summary(query: Query, tally: ExportTally) -> ExportSummary:
    """What is not in the file."""
    categories = _counted(tally, CATEGORY)
    _, refused = _sendable(_catalog(query, tally), categories)
    notes = [*_refused(refused, categories)]
    if count := tally[OTHERS, ""]:
        notes.append(
            ExportNote(
                f"left out: {_products(count)} that others created, of which the service does not"
                " show all"
            )
        )
    if count := tally[HOMELESS, ""]:
        notes.append(ExportNote(f"left out: {_products(count)} without a category", is_loss=True))
    if count := tally[STRANGE, ""]:
        notes.append(ExportNote(f"left out: {_products(count)} that cannot be read", is_loss=True))
    if left := _counted(tally, LEFT):
        notes.append(
            ExportNote(
                f"{left.total():,} values stay with the service and are not in the file: their"
                f" category has no such property, or a cell cannot say them"
                f" ({', '.join(sorted(left))})",
                "bring the catalogue anew with `feedtool catalog sync`",
            )
        )
    if count := tally[PICTURES, ""]:
        notes.append(ExportNote(f"{count:,} pictures beyond the 20th stay with the service alone"))
    left_out = sum(tally[what, ""] for what in (OTHERS, HOMELESS, STRANGE))
    return ExportSummary(notes, left_out + sum(categories[code] for code in refused))


def _refused(
    refused: Mapping[str, UsageProblem], categories: Mapping[str, int]
) -> Iterator[ExportNote]:
    for code, reason in refused.items():
        count = _products(categories[code])
        yield ExportNote(
            f"left out: {count} of {code}: {reason.message}", reason.hint, is_loss=True
        )


def _products(count: int) -> str:
    return f"{count:,} product{'' if count == 1 else 's'}"


LISTING = ServiceList(
    "products",
    lambda _, __: [read_products()],
    _page,
    nothing,
    "look at the base address (its version segment included); nothing was written",
    unit="products",
)

EXPORT = Export(
    "products",
    """Bring the seller's products into a workbook of the template's shape.

    Ready to edit and to submit. Its columns are those of the categories that occur, from the local
    catalogue (`feedtool catalog sync`), in its language. Only products that the seller has
    created: of others the service does not show all. The exit code is 1 when some cannot be
    brought because the catalogue lacks their category.
    """,
    lambda _: (LISTING,),
    sheet,
    summary,
    (Filter(CATEGORY, "CODE[,CODE]", "Only products of these categories.", is_list=True),),
    check,
    rows,
)
