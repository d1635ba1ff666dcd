"""Orders as customers make them: nothing by chance, the seller and a number decide."""

import zlib
from collections.abc import Sequence
from datetime import datetime
from sqlite3 import Connection, Row
from typing import Any, NamedTuple

import orjson

from feedtool.areas.offers.sandbox.store import gtin_product, offer_id, sellable
from feedtool.areas.orders.sandbox.life import CUSTOMER_CANCELS, FAILS_CONTROLS, PROCESSING
from feedtool.areas.orders.sandbox.store import StoredOrder
from feedtool.areas.products.sandbox import sheets
from feedtool.sandbox.state import stamp

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
    """The price of a line with its shipping."""
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
