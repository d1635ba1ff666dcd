"""The source of orders: a shop with past orders, to which customers come.

A seller's first request about orders opens the shop.
"""

import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import wraps
from sqlite3 import Connection, Row
from typing import Any, NamedTuple

import orjson

from feedtool.areas.offers.sandbox.store import gtin_product, offer_id, sell, sellable
from feedtool.areas.orders.sandbox import states, store
from feedtool.areas.orders.sandbox.states import (
    CUSTOMER_CANCELS,
    FAILS_CONTROLS,
    PROCESSING,
    OrderBehaviour,
)
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.areas.products.sandbox import sheets
from feedtool.sandbox.exchange import Exchange, HttpResponse, Route, SandboxSettings
from feedtool.sandbox.state import moment_of, stamp

# Orders as customers make them.


CHOICE = 50
"""The number of offers that a customer chooses from."""
MOST_LINES = 3
MOST_PIECES = 3
MODES = ("TrackedHomeDelivery", "SignedHomeDelivery", "ExpressHomeDelivery")

ADDRESS = (
    *("firstName", "lastName", "companyName", "addressLine1", "addressLine2"),
    *("postalCode", "city", "countryCode", "phone"),
)
PEOPLE = (
    "Zoé;L'Hermite;;12 rue de l'Église;Bât. B;01000;Bourg-en-Bresse;FR;+33639980001",
    "Jean-Noël;Œuvrard;Œuvrard & Fils;3 bis, impasse du Gué;;75011;Paris;FR;+33639980002",
    "Íñigo;Muñoz Peña;;Calle Mayor 5;3º izq.;08001;Barcelona;ES;+34600000003",
    'Anne;Le Goff;;Lieu-dit "Kerguélen";;29200;Brest;FR;+33639980004',
    "Hind;El Amrani;;7, rue des Orangers;Appt 4;20000;Casablanca;MA;+212600000005",
    "Luc;Petit;;1 place de la Mairie;;06000;Nice;FR;+33639980006",
    "João;Conceição;;Rua das Flores 7;;1200-195;Lisboa;PT;+351900000007",
    "Sam;O'Neill;;2 High Street;Flat 1;LS1 1AA;Leeds;GB;+447700900008",
)


class Article(NamedTuple):
    """An article that customers can buy."""

    offer_id: str
    reference: str
    title: str
    gtin: str
    price: float
    shipping: float
    mode: str
    stock: int
    offer: Row | None = None
    """The seller's offer; None for an invented article."""


class OrderedProduct(NamedTuple):
    """An article and its quantity."""

    article: Article
    quantity: int


def draw(*about: object) -> int:
    """The same number for the same arguments."""
    return zlib.crc32("|".join(("orders", *map(str, about))).encode())


def chosen_lines(db: Connection, seller: str, number: int, channel: str) -> list[OrderedProduct]:
    """The products of an order: offers of the seller, else invented ones."""
    count = 1 + draw(seller, number, "lines") % MOST_LINES
    offers = sellable(db, seller, channel, CHOICE)
    if not offers:
        return made_up_lines(db, seller, number, channel, count)
    first = draw(seller, number, "article")
    rows = [offers[(first + place) % len(offers)] for place in range(min(count, len(offers)))]
    return _lines([_offered(db, row) for row in rows], seller, number)


def made_up_lines(
    db: Connection, seller: str, number: int, channel: str, count: int
) -> list[OrderedProduct]:
    """`count` lines of an order, of products that need no offer."""
    first = draw(seller, number, "article") % 90
    articles = [made_up_article(db, seller, channel, first + place) for place in range(count)]
    return _lines(articles, seller, number)


def _lines(articles: Sequence[Article], seller: str, number: int) -> list[OrderedProduct]:
    quantities = (1 + draw(seller, number, article.gtin) % MOST_PIECES for article in articles)
    pairs = zip(articles, quantities, strict=True)
    return [OrderedProduct(article, min(quantity, article.stock)) for article, quantity in pairs]


def _offered(db: Connection, row: Row) -> Article:
    mode = orjson.loads(row["modes"])[0]
    reference = row["product_reference"] or row["reference"]
    return Article(
        offer_id=offer_id(row),
        reference=reference,
        title=_title(db, row["product"]) if row["gtin"] else reference,
        gtin=row["gtin"],
        price=row["price"],
        shipping=mode["cost"],
        mode=mode["code"],
        stock=row["quantity"],
        offer=row,
    )


def made_up_article(db: Connection, seller: str, channel: str, number: int) -> Article:
    """The invented article of a number, for sellers without offers."""
    gtin = _gtin(number)
    return Article(
        offer_id=f"{seller}_{gtin}_New_{channel}",
        reference=f"ART-{number:03d}",
        title=_title(db, gtin_product(gtin)),
        gtin=gtin,
        price=(499 + draw(gtin, "price") % 14_500) / 100,
        shipping=number % 3 * 2.45,
        mode=MODES[number % len(MODES)],
        stock=MOST_PIECES,
    )


def _gtin(number: int) -> str:
    digits = f"3760452{number:05d}"
    weighted = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return digits + str(-weighted % 10)


def _title(db: Connection, product: str) -> str:
    sheet = sheets.find(db, product)
    return str(sheet.values.get("title")) if sheet else product


def new_order(
    seller: str,
    number: int,
    channel: str,
    supply: str,
    lines: Sequence[OrderedProduct],
    now: datetime,
) -> StoredOrder:
    """An order that has just been placed."""
    order_id = _order_id(seller, number)
    address = _address(seller, number)
    document: dict[str, Any] = {
        "orderId": order_id,
        "reference": f"{channel[:3]}-{draw(seller, number, 'reference'):010d}",
        "salesChannelId": channel,
        "salesChannel": {"id": channel, "name": channel.title()},
        "businessOrder": number % 10 == 0,
        "status": PROCESSING,
        "supplyMode": supply,
        "shippingCountry": address["countryCode"],
        "createdAt": stamp(now),
        "updatedAt": stamp(now),
        "shippedAt": None,
        "purchasedAt": stamp(now),
        "currencyCode": "EUR",
        "billingAddress": _billing(address, number),
    }
    document["lines"] = [
        _line(f"{order_id}-{place}", line, supply, address) for place, line in enumerate(lines, 1)
    ]
    total = round(sum(map(cost, document["lines"])), 2)
    document["totalPrice"] = {"sellingPrice": total, "offerPrice": total}
    fate = FAILS_CONTROLS if number % 20 == 0 else CUSTOMER_CANCELS if number % 7 == 0 else ""
    return StoredOrder(seller, number, document, fate)


def cost(line: dict[str, Any]) -> float:
    price = line["sellingPrice"]
    return float(line["quantity"] * price["unitSalesPrice"] + price["shippingCost"])


def _order_id(seller: str, number: int) -> str:
    """An identifier that a spreadsheet program spoils if it reads it as a number."""
    drawn = draw(seller, number, "name")
    digits = f"{drawn % 10**9:09d}{number:06d}"
    return (f"0{digits}", f"26{digits}", f"{drawn % 10**4:04d}E{number:03d}")[number % 3]


def _line(
    line_id: str, line: OrderedProduct, supply: str, address: dict[str, Any]
) -> dict[str, Any]:
    article = line.article
    return {
        "orderLineId": line_id,
        "status": PROCESSING,
        "offer": {
            "offerId": article.offer_id,
            "sellerProductId": article.reference,
            "productTitle": article.title,
            "productGtin": article.gtin,
            "supplyMode": supply,
        },
        "quantity": line.quantity,
        "sellingPrice": {"unitSalesPrice": article.price, "shippingCost": article.shipping},
        "offerPrice": {"unitSalesPrice": article.price},
        "delivery": {"mode": article.mode},
        "shippingAddress": address,
        "parcels": [],
    }


def _address(seller: str, number: int) -> dict[str, Any]:
    """Every sixth order goes to a pickup point."""
    drawn = draw(seller, number, "person")
    person = PEOPLE[drawn % len(PEOPLE)].split(";")
    is_pickup = number % 6 == 0
    return {
        **{name: value or None for name, value in zip(ADDRESS, person, strict=True)},
        "email": f"customer-{drawn:08x}@example.org",
        "pickupId": f"PR{drawn % 10**6:06d}" if is_pickup else None,
        "pickupName": "Tabac de la Gare" if is_pickup else None,
    }


def _billing(address: dict[str, Any], number: int) -> dict[str, Any]:
    """Every tenth customer is a company."""
    company = {
        "company": "Atelier Durand SARL",
        "companyVatNumber": "FR00123456789",
        "companyRegistrationNumber": "12345678900017",
    }
    return {
        "name": f"{address['firstName']} {address['lastName']}",
        **(company if number % 10 == 0 else dict.fromkeys(company)),
        "country": address["countryCode"],
    }


TABLES = """
CREATE TABLE IF NOT EXISTS shop(
  seller TEXT PRIMARY KEY,
  next_at TEXT                 -- when the next customer comes; NULL: none does
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS shop_next ON shop(next_at) WHERE next_at IS NOT NULL;
"""

ROUTES: tuple[Route, ...] = ()

EVERY_FULFILLED = 8
"""One in so many orders is the warehouse's."""


class PastOrder(NamedTuple):
    """An order that was there when the shop opened."""

    hours: float
    """Since it was placed."""
    status: str
    """The status of its lines; CancelRequest is the status of its first line only."""
    is_primary: bool = True
    """True if it comes from the primary channel."""
    supply: str = "Seller"


PAST = (
    PastOrder(330, states.DELIVERED),
    PastOrder(300, states.DELIVERED, is_primary=False),
    PastOrder(270, states.DELIVERED, supply="Fulfillment"),
    PastOrder(250, states.REFUSED),
    PastOrder(230, states.REJECTED),
    PastOrder(210, states.CANCELLED),
    PastOrder(190, states.IN_PREPARATION),
    PastOrder(150, states.IN_PREPARATION),
    PastOrder(100, states.IN_PREPARATION, is_primary=False),
    PastOrder(90, states.IN_PREPARATION),
    PastOrder(60, states.SHIPPED),
    PastOrder(50, states.SHIPPED, is_primary=False),
    PastOrder(40, states.SHIPPED, supply="Fulfillment"),
    PastOrder(35, states.IN_PREPARATION),
    PastOrder(30, states.IN_PREPARATION, is_primary=False),
    PastOrder(26, states.IN_PREPARATION),
    PastOrder(24, states.WAITING),
    PastOrder(20, states.CANCEL_REQUEST),
    PastOrder(16, states.IN_PREPARATION),
    PastOrder(10, states.IN_PREPARATION, supply="Fulfillment"),
    PastOrder(5, states.WAITING),
    PastOrder(2, states.WAITING),
    PastOrder(0.15, states.ACCEPTED, is_primary=False),
    PastOrder(0.01, states.PROCESSING),
)
"""Oldest first."""

HOURS_TO = {
    states.PROCESSING: 0,
    states.WAITING: 1 / 30,
    states.ACCEPTED: 1 / 30,
    states.IN_PREPARATION: 1,
    states.CANCEL_REQUEST: 4,
    states.REFUSED: 3,
    states.REJECTED: 1,
    states.CANCELLED: 5,
    states.SHIPPED: 24,
    states.DELIVERED: 72,
}


def opened(answer: Callable[[Exchange], HttpResponse]) -> Callable[[Exchange], HttpResponse]:
    """Wrap the function of a route: first open the seller's shop, if needed."""

    @wraps(answer)
    def answer_in_shop(exchange: Exchange) -> HttpResponse:
        open_shop(exchange.db, exchange.seller, exchange.now, exchange.settings)
        return answer(exchange)

    return answer_in_shop


def open_shop(db: Connection, seller: str, now: datetime, settings: SandboxSettings) -> None:
    """Let orders of the past be there, and customers come, unless the shop is open already."""
    behaviour = settings.of(OrderBehaviour)
    is_visited = bool(behaviour.customers_every)
    first = stamp(now + behaviour.customers_every) if is_visited else None
    new = db.execute("INSERT OR IGNORE INTO shop VALUES (?, ?)", (seller, first)).rowcount
    if new and is_visited:
        for past in PAST[max(0, len(PAST) - behaviour.opening) :]:
            _remember(db, seller, past, now, settings)


def _remember(
    db: Connection, seller: str, past: PastOrder, now: datetime, settings: SandboxSettings
) -> None:
    """Put in an order of the past; what it should have done long ago it no longer does."""
    behaviour = settings.of(OrderBehaviour)
    others = [name for name in settings.channels if name != settings.primary_channel]
    channel = settings.primary_channel if past.is_primary or not others else others[0]
    placed = now - timedelta(hours=past.hours)
    number = store.next_number(db, seller)
    lines = chosen_lines(db, seller, number, channel)
    order = new_order(seller, number, channel, past.supply, lines, placed)
    _bring(order, past.status, placed + timedelta(hours=HOURS_TO[past.status]), behaviour)
    if order.next_at and order.next_at <= stamp(now):
        order.next_at = None
    store.write(db, order, now, behaviour.visible_after)


def _bring(order: StoredOrder, status: str, now: datetime, behaviour: OrderBehaviour) -> None:
    """Let an order be of this status since a time, with all that belongs to it."""
    if status == states.CANCEL_REQUEST:
        states.move(order, states.IN_PREPARATION, now, behaviour)
        states.request_cancellation(order, order.lines[0], now, behaviour)
        return
    if status in {states.SHIPPED, states.DELIVERED}:
        states.pack(order)
        order.document["shippedAt"] = stamp(now - states.CARRIED)
    states.move(order, status, now, behaviour)


# Customers.


def next_due(db: Connection) -> str | None:
    """The time when the next customer comes to any shop."""
    query = "SELECT MIN(next_at) FROM shop WHERE next_at IS NOT NULL"
    due: str | None
    (due,) = db.execute(query).fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Let the next customer buy."""
    behaviour = settings.of(OrderBehaviour)
    seller, due = db.execute(
        "SELECT seller, next_at FROM shop WHERE next_at IS NOT NULL ORDER BY next_at, seller"
    ).fetchone()
    moment = moment_of(due)
    number = store.next_number(db, seller)
    supply = "Fulfillment" if number % EVERY_FULFILLED == 0 else "Seller"
    channel = settings.channels[number % len(settings.channels)]
    lines = chosen_lines(db, seller, number, channel)
    for line in lines:
        if line.article.offer is not None:
            sell(db, line.article.offer, line.quantity, due)
    order = new_order(seller, number, channel, supply, lines, moment)
    states.follow(order, moment, behaviour)
    store.write(db, order, moment, behaviour.visible_after)
    following = stamp(moment + behaviour.customers_every)
    db.execute("UPDATE shop SET next_at = ? WHERE seller = ?", (following, seller))


# For tests.


def place(
    db: Connection,
    seller: str,
    now: datetime,
    *,
    status: str = states.IN_PREPARATION,
    lines: int = 1,
    channel: str = "PRIMARY",
    supply: str = "Seller",
    fate: str = "",
    behaviour: OrderBehaviour | None = None,
) -> StoredOrder:
    """A new order, for tests: it has had its status since now, and lives on by itself."""
    behaviour, number = behaviour or OrderBehaviour(), store.next_number(db, seller)
    bought = made_up_lines(db, seller, number, channel, lines)
    placed = now - timedelta(hours=HOURS_TO[status])
    order = new_order(seller, number, channel, supply, bought, placed)
    order.fate = fate
    _bring(order, status, now, behaviour)
    store.write(db, order, now, timedelta())
    return order
