"""`feedtool export picking`: what to take from the shelves for the orders in preparation."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from feedtool.areas.orders import columns
from feedtool.areas.orders.listing import FILTERS, lines_to_ship, orders_list, reader
from feedtool.areas.orders.rows import order_rows
from feedtool.areas.orders.wire import Order
from feedtool.feeds.export import (
    Export,
    ExportSummary,
    ExportTally,
    KeyedRow,
    KeyedRows,
    ListedItem,
    ListPage,
    OutputRow,
    PlainTable,
    Query,
)
from feedtool.feeds.template import TEXT, CellEntry, Field
from feedtool.model.call import Call, Reply
from feedtool.model.cells import Value
from feedtool.model.text import LANGUAGES, Translator, tr

_COLUMNS = {
    columns.PRODUCT: ("Seller's reference", TEXT, 24.0),
    "product.title": ("Product", TEXT, 48.0),
    "product.gtin": ("GTIN", TEXT, 18.0),
    "quantity": ("Quantity", "0", 12.0),
    columns.ORDER: ("Order", TEXT, 40.0),
}
"""By key, the label, the format and the width of a column."""


_Place = tuple[str, Value]
"""An order, and the number of a line: identifiers may be unique only within an order."""


class _Shelf:
    """The lines to ship by product; an order that is read again replaces itself."""

    def __init__(self) -> None:
        self._lines: defaultdict[str, dict[_Place, KeyedRow]] = defaultdict(dict)
        self._products: dict[str, list[tuple[str, _Place]]] = {}
        """The products and lines of each order."""

    def take(self, things: Iterable[ListedItem]) -> Iterable[tuple[str, KeyedRow]]:
        """The rows of all products that these orders change."""
        changed: dict[str, None] = {}
        for order in things:
            for product, line in self._products.pop(order.key, ()):
                del self._lines[product][line]
                changed[product] = None
            keys = [(_product(row), (order.key, row["line.number"])) for row in order.rows]
            for (product, line), row in zip(keys, order.rows, strict=True):
                self._lines[product][line] = row
            self._products[order.key] = keys
            changed.update(dict.fromkeys(product for product, _ in keys))
        return [(product, _picked(self._lines[product].values())) for product in changed]


def _product(row: KeyedRow) -> str:
    return str(row[columns.PRODUCT] or row["product.gtin"] or row["product.title"] or "")


def _picked(lines: Iterable[KeyedRow]) -> KeyedRow:
    """The row of a product, from all its lines; without lines nothing of it is to be taken."""
    rows = list(lines)
    orders = dict.fromkeys(str(row[columns.ORDER]) for row in rows)
    quantities = (row["quantity"] for row in rows)
    picked: Mapping[str, Value] = {
        "quantity": sum(number for number in quantities if isinstance(number, int)),
        columns.ORDER: ", ".join(orders),
    }
    return {**rows[0], **picked} if rows else picked


def _page(query: Query) -> Callable[[Reply, Call], ListPage]:
    shelf = _Shelf()

    def make(order: Order) -> list[KeyedRow]:
        line_ids = {line.id for line in lines_to_ship(order)}
        rows = order_rows(order, query.settings, has_addresses=False)
        return [row for row in rows if row.get(columns.LINE) in line_ids]

    read = reader(query, make)

    def page(reply: Reply, call: Call) -> ListPage:
        listed = read(reply, call)
        return listed._replace(things=(), rows=[*shelf.take(listed.things)])

    return page


def _taken(_: Query, lists: Sequence[KeyedRows], __: ExportTally) -> Iterator[OutputRow]:
    """The rows without products of which nothing is left to take."""
    return (OutputRow(row) for row in lists[-1] if columns.ORDER in row)


def _table(query: Query, *_: Any) -> PlainTable:
    place = LANGUAGES.index(query.language)
    fields = (
        Field(key, columns.WORDS.of(label)[place], "", CellEntry(number_format, width))
        for key, (label, number_format, width) in _COLUMNS.items()
    )
    title = Translator(query.language).message(tr("Picking list"))
    return PlainTable(title, tuple(fields), has_labels=True)


PICKING = Export(
    "picking",
    """Export what to take from the shelves: a row for each product, with the sum of its pieces.

    Of all lines in preparation that the seller ships.
    """,
    lambda _: (orders_list(lambda _: lambda _: [])._replace(page=_page),),
    _table,
    lambda *_: ExportSummary(()),
    FILTERS,
    rows=_taken,
)
