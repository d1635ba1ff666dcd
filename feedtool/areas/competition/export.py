"""`feedtool export competing-offers` and `competing-offer-changes`: what others offer, as a table.

Specification, part "Legacy offer routes". A row is an offer of another seller; a product of which
there is none has a row of its own. The columns carry the service's own words below their labels.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

from feedtool.areas.competition.wire import (
    CompetingOffer,
    Competition,
    CompetitionPage,
    competition_page,
    fits,
    read_competing_changes,
    read_competing_offers,
)
from feedtool.areas.offers.wire.offers import offers_page, read_offers
from feedtool.areas.products.catalog.wire import Page
from feedtool.feeds.feed import LANGUAGES
from feedtool.model.call import READ, Call, Reply, Sender, comma_lists
from feedtool.model.errors import NothingToDo
from feedtool.model.settings import Dialect
from feedtool.report.export import Exported, Note
from feedtool.runs.export.gathered import Gathered
from feedtool.runs.export.pages import Pages, ask
from feedtool.runs.export.written import Head, is_csv, write_table
from feedtool.service.fetch import Circumstances
from feedtool.sheets.filled import Value
from feedtool.templates import Language

OFFERS, CHANGES = "competing-offers", "competing-offer-changes"

SHEETS = {OFFERS: "Competing offers", CHANGES: "Competing offer changes"}

CLOSED = (
    "This account has no access to competing offers",
    (
        "It is given by special request alone: ask the channel's operator to open the two"
        " competing-offer routes for it."
    ),
)
"""What a 403 means here."""

HINT = "look at --product, and whether the service has the legacy offer routes"


class Column(NamedTuple):
    """One column of the table."""

    key: str
    """The path of the field."""
    labels: tuple[str, str, str]
    """In `LANGUAGES`."""
    of: Callable[[Competition, CompetingOffer | None], Value]
    width: float = 18
    number_format: str = "General"


TEXT, MONEY = "@", "0.00##"

COLUMNS = (
    Column(
        "product.product_ean",
        ("EAN", "EAN", "EAN"),
        lambda product, _: product.product_ean,
        number_format=TEXT,
    ),
    Column(
        "product.product_id",
        ("Product", "Produit", "Producto"),
        lambda product, _: product.product_id,
        number_format=TEXT,
    ),
    Column("product.title", ("Title", "Titre", "Título"), lambda product, _: product.title, 40),
    Column(
        "product.brand_name", ("Brand", "Marque", "Marca"), lambda product, _: product.brand_name
    ),
    Column(
        "last_change_date",
        ("Last change", "Dernière modification", "Último cambio"),
        lambda product, _: product.last_change_date,
        28,
    ),
    Column(
        "seller.name",
        ("Seller", "Vendeur", "Vendedor"),
        lambda _, offer: offer and offer.seller,
        24,
    ),
    Column(
        "price",
        ("Price", "Prix", "Precio"),
        lambda _, offer: offer and offer.price,
        12,
        MONEY,
    ),
    Column(
        "shipping.shipping_price",
        ("Shipping", "Frais de port", "Gastos de envío"),
        lambda _, offer: offer and offer.shipping_price,
        14,
        MONEY,
    ),
    Column(
        "is_best_offer",
        ("Best offer", "Meilleure offre", "Mejor oferta"),
        lambda _, offer: offer and _yes(is_so=offer.is_best_offer),
    ),
    Column(
        "is_available",
        ("Available", "Disponible", "Disponible"),
        lambda _, offer: offer and _yes(is_so=offer.is_available),
    ),
    Column(
        "product_condition_id",
        ("Condition", "État", "Estado"),
        lambda _, offer: offer and offer.product_condition_id,
    ),
    Column(
        "product_state_id",
        ("State", "Nature", "Naturaleza"),
        lambda _, offer: offer and offer.product_state_id,
    ),
    Column(
        "is_with_commercial_operation",
        ("Commercial operation", "Opération commerciale", "Operación comercial"),
        lambda _, offer: offer and _yes(is_so=offer.is_with_commercial_operation),
        22,
    ),
    Column(
        "seller.rating",
        ("Rating", "Note", "Valoración"),
        lambda _, offer: offer and offer.rating,
    ),
    Column(
        "seller.rating_count",
        ("Ratings", "Nombre de notes", "Valoraciones"),
        lambda _, offer: offer and offer.rating_count,
    ),
    Column(
        "seller.sales_count",
        ("Sales", "Ventes", "Ventas"),
        lambda _, offer: offer and offer.sales_count,
    ),
    Column(
        "seller.shipment_country",
        ("Ships from", "Expédié depuis", "Enviado desde"),
        lambda _, offer: offer and offer.shipment_country,
    ),
)


@dataclass(frozen=True, slots=True)
class Wish:
    """Whose competition is wanted."""

    channel: str
    """The sales channel whose offers say which products, where none are named."""
    products: tuple[str, ...] = ()
    """EANs or product_ids; empty for those that the seller offers."""


def export_competing_offers(
    client: Sender,
    around: Circumstances,
    wish: Wish,
    target: Path,
    *,
    dialect: Dialect,
    language: Language,
    on_step: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Bring what others offer of some products, or of all that the seller offers, into a file.

    Raises:
        NothingToDo: the seller offers nothing, or the service knows none of the products.
        UsageProblem: the service refuses what it was asked for, or the file cannot be written.
        NotAuthorised, Interrupted: what `pages.ask` raises.
    """
    with Gathered(around.stopping) as asked:
        if wish.products:
            for one in wish.products:
                asked.put(one, {"product": one})
        else:
            _own_products(client, around, wish.channel, asked)
        if not len(asked):
            raise NothingToDo(
                f"there are no offers with a GTIN on the channel {wish.channel}, so no products to"
                " ask for",
                "name products with --product; nothing was written",
            )
        with Gathered(around.stopping) as rows:
            coming = _Coming(rows, on_step)
            named = (str(one["product"]) for one in asked)
            for some in comma_lists(named):
                ask([Pages("competing offers", _call_of(some), coming.take, HINT)], client, around)
            unknown = len(asked) - coming.products
            notes = [_unknown(unknown)] if unknown > 0 else []
            return _written(OFFERS, rows, target, dialect, language, notes, max(unknown, 0))


def export_competing_changes(
    client: Sender,
    around: Circumstances,
    target: Path,
    *,
    dialect: Dialect,
    language: Language,
    on_step: Callable[[int], None] = lambda _: None,
) -> Exported:
    """Bring what has changed of others' offers into a file; the same is raised."""
    with Gathered(around.stopping) as rows:
        coming = _Coming(rows, on_step)

        def call(asked: Page) -> Call:
            return read_competing_changes(asked.link)

        ask([Pages("competing offer changes", call, coming.take, HINT)], client, around)
        return _written(CHANGES, rows, target, dialect, language, [], 0)


class _Coming:
    """Takes answers, and makes rows of them."""

    def __init__(self, rows: Gathered, on_step: Callable[[int], None]) -> None:
        self.products = 0
        self._rows, self._on_step = rows, on_step
        self._numbers = count()

    def take(self, asked: Page, reply: Reply) -> Page | None:
        """Keep the rows of an answer."""
        found: CompetitionPage = competition_page(reply)
        for product in found.products:
            self.products += 1
            for row in _rows_of(product):
                self._rows.put(str(next(self._numbers)), row)
        self._on_step(self.products)
        return Page(asked.number + 1, found.next) if found.next else None


def _own_products(client: Sender, around: Circumstances, channel: str, asked: Gathered) -> None:
    """The GTINs of the seller's offers, each once."""

    def call(page: Page) -> Call:
        return read_offers(channel, fields=("product",), link=page.link)

    def take(page: Page, reply: Reply) -> Page | None:
        found = offers_page(reply)
        for one in found.offers:
            if one.gtin and fits(one.gtin):
                asked.put(one.gtin.zfill(14), {"product": one.gtin})
        return Page(page.number + 1, found.next) if found.next else None

    ask([Pages("offers", call, take, "look at --channel; nothing was written")], client, around)


def _call_of(products: Sequence[str]) -> Callable[[Page], Call]:
    def call(asked: Page) -> Call:
        return Call("GET", asked.link, READ) if asked.link else read_competing_offers(products)

    return call


def _rows_of(product: Competition) -> Iterator[dict[str, Value]]:
    for offer in product.offers or (None,):
        yield {column.key: column.of(product, offer) for column in COLUMNS}


def _yes(*, is_so: bool | None) -> str | None:
    return None if is_so is None else "true" if is_so else "false"


def _written(
    kind: str,
    rows: Gathered,
    target: Path,
    dialect: Dialect,
    language: Language,
    notes: Sequence[Note],
    skipped: int,
) -> Exported:
    if not len(rows):
        raise NothingToDo(
            "the service tells of no competing offers",
            "it knows none of these products" if kind == OFFERS else "nothing has changed",
        )
    at = LANGUAGES.index(language)
    heads = [
        Head(column.key, column.labels[at], column.width, column.number_format)
        for column in COLUMNS
    ]
    header = write_table(target, SHEETS[kind], heads, rows, dialect.reading)
    sheet = None if is_csv(target) else SHEETS[kind]
    return Exported(target, kind, sheet, header, len(rows), skipped, tuple(notes))


def _unknown(products: int) -> Note:
    return Note(f"the service knows nothing of {products:,} product{'' if products == 1 else 's'}")
