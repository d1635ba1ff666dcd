"""A seller's offers on one sales channel, and the stock that channels share.

"Stock quantity is shared across channels for the same product and condition" (part "What the
service does"), so the quantity belongs to the stock, not to the offer.
"""

from sqlite3 import Connection, Row
from typing import NamedTuple

import orjson
from msgspec import Struct

from feedtool.areas.offers.sandbox.rules import OfferRequest

TABLES = """
CREATE TABLE IF NOT EXISTS offer(
  id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used again, since cursors name it
  seller TEXT NOT NULL,
  channel TEXT NOT NULL,
  reference TEXT NOT NULL,
  product TEXT NOT NULL,                  -- what identifies the product, see OfferStore.product
  gtin TEXT NOT NULL,
  product_reference TEXT NOT NULL,
  condition TEXT NOT NULL,
  price REAL NOT NULL,
  origin_price REAL,
  taxes TEXT NOT NULL,                    -- as in the request
  modes TEXT NOT NULL,                    -- as in the request
  preparation INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  UNIQUE (seller, channel, reference),
  UNIQUE (seller, product, condition, channel)
);
CREATE INDEX IF NOT EXISTS offer_page ON offer(seller, channel, id);
CREATE INDEX IF NOT EXISTS offer_by_product_reference ON offer(seller, product_reference)
  WHERE product_reference <> '' AND gtin <> '';
CREATE TABLE IF NOT EXISTS stock(
  seller TEXT NOT NULL,
  product TEXT NOT NULL,
  condition TEXT NOT NULL,
  quantity INTEGER NOT NULL,
  PRIMARY KEY (seller, product, condition)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS offer_comment( -- the legacy zip alone can give it
  offer INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS product_sheet( -- those created through products-integration
  product TEXT PRIMARY KEY
) WITHOUT ROWID;
"""

SHOWN_COLUMNS = """o.*, s.quantity,
  (SELECT text FROM offer_comment WHERE offer = o.id) AS comment"""

KNOWN_COLUMNS = """o.id, o.product, o.gtin, o.product_reference, o.condition, o.price,
  o.origin_price, o.taxes, o.modes, o.preparation"""


class KnownOffer(NamedTuple):
    id: int
    product: str
    request: OfferRequest
    """The offer as a request, without reference and quantity."""


def known_offer(row: Row) -> KnownOffer | None:
    """Return the offer in KNOWN_COLUMNS of an outer join, or None without one."""
    if row["id"] is None:
        return None
    texts = ("gtin", "product_reference", "condition", "price", "origin_price", "preparation")
    request = OfferRequest(
        **{name: row[name] for name in texts},
        taxes=orjson.loads(row["taxes"]),
        modes=orjson.loads(row["modes"]),
    )
    return KnownOffer(row["id"], row["product"], request)


def gtin_product(gtin: str) -> str:
    """Return the identifier of a GTIN's product: 14 digits, as leading zeros do not count."""
    return gtin.zfill(14)


def has_sheet(db: Connection, product: str) -> bool:
    """True if the catalogue has the product.

    It has every GTIN except restricted ones: a GTIN-13 that begins with 2 has no sheet until
    products-integration creates it.
    """
    if not product.startswith("02"):
        return True
    query = "SELECT 1 FROM product_sheet WHERE product = ?"
    return db.execute(query, (product,)).fetchone() is not None


def note_sheet(db: Connection, product: str) -> None:
    """Add a product to the catalogue."""
    db.execute("INSERT OR IGNORE INTO product_sheet VALUES (?)", (product,))


def offered_products(db: Connection, seller: str, channel: str) -> list[str]:
    """Return the products that a seller offers on a channel under a GTIN."""
    rows = db.execute(
        "SELECT DISTINCT product FROM offer WHERE seller = ? AND channel = ? AND gtin <> ''",
        (seller, channel),
    )
    return [row["product"] for row in rows]


def offers_of_others(db: Connection, seller: str, channel: str, product: str) -> list[Row]:
    """Return the other sellers' offers of a product, oldest first, with their stock."""
    return db.execute(
        "SELECT o.*, s.quantity FROM offer AS o JOIN stock AS s USING (seller, product, condition)"
        " WHERE o.channel = ? AND o.seller <> ? AND o.product = ? ORDER BY o.id",
        (channel, seller, product),
    ).fetchall()


def sellable(db: Connection, seller: str, channel: str, limit: int) -> list[Row]:
    """Return the first of a seller's Active offers on a channel, with their stock."""
    return db.execute(
        "SELECT o.*, s.quantity FROM offer AS o JOIN stock AS s USING (seller, product, condition)"
        " WHERE o.seller = ? AND o.channel = ? AND s.quantity > 0 ORDER BY o.id LIMIT ?",
        (seller, channel, limit),
    ).fetchall()


def sell(db: Connection, offer: Row, quantity: int, moment: str) -> None:
    """Reduce an offer's stock, which changes the offers of all channels."""
    key = (offer["seller"], offer["product"], offer["condition"])
    db.execute(
        "UPDATE stock SET quantity = quantity - ?"
        " WHERE seller = ? AND product = ? AND condition = ?",
        (quantity, *key),
    )
    db.execute(
        "UPDATE offer SET updated_at = ? WHERE seller = ? AND product = ? AND condition = ?",
        (moment, *key),
    )


def offer_id(offer: Row) -> str:
    product = offer["gtin"] or offer["product_reference"]
    return f"{offer['seller']}_{product}_{offer['condition']}_{offer['channel']}"


class OfferStore(Struct, frozen=True):
    """The offers of one seller on one channel, changed at one moment."""

    db: Connection
    seller: str
    channel: str
    moment: str

    def product(self, request: OfferRequest) -> str:
        """Return the identifier of the product: its GTIN, else its reference.

        A reference that the seller has used with a GTIN identifies that GTIN's product.
        """
        if request.gtin:
            return gtin_product(request.gtin)
        row = self.db.execute(
            "SELECT product FROM offer WHERE seller = ? AND product_reference = ? AND gtin <> ''"
            " AND product_reference <> '' ORDER BY id LIMIT 1",
            (self.seller, request.product_reference),
        ).fetchone()
        return row["product"] if row else f"reference {request.product_reference}"

    def find(self, reference: str | None) -> KnownOffer | None:
        row = self.db.execute(
            f"SELECT {KNOWN_COLUMNS} FROM offer AS o"  # noqa: S608 - only constants are filled in
            " WHERE o.seller = ? AND o.channel = ? AND o.reference = ?",
            (self.seller, self.channel, reference),
        ).fetchone()
        return known_offer(row) if row else None

    def create(self, request: OfferRequest, product: str) -> bool:
        """Store an offer; return False if another offer has its product and condition."""
        done = self.db.execute(
            "INSERT INTO offer(seller, channel, reference, product, gtin, product_reference,"
            " condition, price, origin_price, taxes, modes, preparation, created_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                *(self.seller, self.channel, request.reference, product),
                *(*_columns(request), self.moment, self.moment),
            ),
        )
        return self._stocked(done.rowcount, request, product)

    def write(self, offer: KnownOffer, request: OfferRequest, product: str) -> bool:
        """Replace the fields of a known offer; return False as `create` does."""
        done = self.db.execute(
            "UPDATE OR IGNORE offer SET product = ?, gtin = ?, product_reference = ?,"
            " condition = ?, price = ?, origin_price = ?, taxes = ?, modes = ?, preparation = ?,"
            " updated_at = ? WHERE id = ?",
            (product, *_columns(request), self.moment, offer.id),
        )
        return self._stocked(done.rowcount, request, product)

    def remove(self, offer: KnownOffer) -> None:
        self.db.execute("DELETE FROM offer WHERE id = ?", (offer.id,))

    def clear(self) -> None:
        """Remove all offers of the channel."""
        self.db.execute(
            "DELETE FROM offer WHERE seller = ? AND channel = ?", (self.seller, self.channel)
        )

    def comment(self, reference: str, text: str) -> None:
        """Set the comment of an offer, maybe to ""."""
        self.db.execute(
            "INSERT OR REPLACE INTO offer_comment"
            " SELECT id, ? FROM offer WHERE seller = ? AND channel = ? AND reference = ?",
            (text, self.seller, self.channel, reference),
        )

    def _stocked(self, written: int, request: OfferRequest, product: str) -> bool:
        """Set the shared stock if an offer was written, which changes offers of other channels."""
        if not written:
            return False
        if request.quantity is None:
            return True
        key, quantity = (self.seller, product, request.condition), request.quantity
        changed = self.db.execute(
            "UPDATE stock SET quantity = ?"
            " WHERE seller = ? AND product = ? AND condition = ? AND quantity <> ?",
            (quantity, *key, quantity),
        )
        if changed.rowcount:
            self.db.execute(
                "UPDATE offer SET updated_at = ?"
                " WHERE seller = ? AND product = ? AND condition = ? AND channel <> ?",
                (self.moment, *key, self.channel),
            )
        else:
            self.db.execute("INSERT OR IGNORE INTO stock VALUES (?, ?, ?, ?)", (*key, quantity))
        return True


def _columns(request: OfferRequest) -> tuple[object, ...]:
    return (
        *(request.gtin, request.product_reference, request.condition),
        *(request.price, request.origin_price),
        *(orjson.dumps(request.taxes).decode(), orjson.dumps(request.modes).decode()),
        request.preparation,
    )
