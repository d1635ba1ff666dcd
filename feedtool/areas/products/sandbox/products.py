"""Products and their integration: part "Catalog endpoints" of the specification.

A package of products is accepted at once. Its report is an empty page at first ("still
processing"), then tells which products are Refused and which are Validated and wait, and at last
which of these are Integrated.
"""

import sqlite3
import uuid

import orjson

from feedtool.areas.offers.sandbox.rules import is_gtin
from feedtool.areas.offers.sandbox.store import gtin_product, has_sheet
from feedtool.areas.products.sandbox import catalogue, categories, sheets
from feedtool.areas.products.sandbox.integration import VALIDATED, integrated, validated
from feedtool.areas.products.sandbox.settings import ProductBehaviour
from feedtool.areas.products.sandbox.submission import submitted_products
from feedtool.areas.products.sandbox.view import product_document, report_document
from feedtool.sandbox.arguments import asked, asked_numbered_page, language_of, next_page_link
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
)
from feedtool.sandbox.state import moment_of, stamp

RECEIVED = "Received"
"""Neither seen in a report nor checked yet."""

BATCH = 50

TABLES = (
    """
CREATE TABLE IF NOT EXISTS product_package(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  package_id TEXT UNIQUE,
  seller TEXT NOT NULL,
  waiting TEXT NOT NULL,       -- the status of those products that are next to be worked on
  next_at TEXT,                -- when that is; NULL once all is done
  created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS product_package_next ON product_package(next_at)
  WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS product_report(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  package INTEGER NOT NULL,
  package_id TEXT NOT NULL,
  seller TEXT NOT NULL,
  gtin TEXT NOT NULL,
  reference TEXT,              -- sellerProductReference
  body TEXT NOT NULL,          -- as it was submitted
  status TEXT NOT NULL,
  outcome TEXT NOT NULL,       -- as ProductOutcome.text writes it; empty while it is only received
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS product_report_by_package ON product_report(package, status, id);
CREATE INDEX IF NOT EXISTS product_report_by_seller ON product_report(seller, id);
"""
    + sheets.TABLES
    + catalogue.TABLES
)


# What a seller does.


def submit(exchange: Exchange) -> HttpResponse:
    """POST /products-integration: take a package of products in."""
    products = submitted_products(exchange.request)
    behaviour = exchange.settings.of(ProductBehaviour)
    if len(products) > behaviour.limit:
        raise bad_request("products", f"A package holds at most {behaviour.limit} products.")
    seller, now = exchange.seller, stamp(exchange.now)
    package = exchange.db.execute(
        "INSERT INTO product_package(seller, waiting, next_at, created_at) VALUES (?, ?, ?, ?)",
        (seller, RECEIVED, stamp(exchange.now + behaviour.validate), now),
    ).lastrowid
    # The time is part of it, so that a new state gives none that an earlier one gave.
    package_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"products {package} of {now}"))
    exchange.db.execute(
        "UPDATE product_package SET package_id = ? WHERE id = ?", (package_id, package)
    )
    exchange.db.executemany(
        "INSERT INTO product_report(package, package_id, seller, gtin, reference, body, status,"
        " outcome, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, '', ?, ?)",
        (
            (
                *(package, package_id, seller, str(row["gtin"]), row.get("sellerProductReference")),
                *(orjson.dumps(row).decode(), RECEIVED, now, now),
            )
            for row in products
        ),
    )
    return json_answer(200, {"packageId": package_id})


# What a seller sees.


def read_reports(exchange: Exchange) -> HttpResponse:
    """GET /products-integration-reports, oldest first; `packageId` and `gtin` are comma lists."""
    page = asked_numbered_page(exchange)
    values = {
        "seller": exchange.seller,
        "received": RECEIVED,
        "packages": _list(exchange, "packageId"),
        "gtins": _list(exchange, "gtin"),
        "shown": exchange.settings.of(ProductBehaviour).reported,
        "size": page.size,
        "start": page.start,
    }
    (total,) = exchange.db.execute(f"SELECT COUNT(*) {REPORTS}", values).fetchone()
    rows = exchange.db.execute(f"SELECT * {REPORTS} ORDER BY id LIMIT :size OFFSET :start", values)
    language = language_of(exchange.request)
    items = [report_document(row, language) for row in rows]
    document = {"itemsPerPage": page.size, "items": items}
    return json_answer(200, document, next_page_link(exchange, page, total))


REPORTS = """
FROM product_report AS report WHERE seller = :seller AND status <> :received
  AND (:packages IS NULL OR package_id IN (SELECT value FROM json_each(:packages)))
  AND (:gtins IS NULL OR gtin IN (SELECT value FROM json_each(:gtins)))
  AND (:shown IS NULL OR id < :shown + (
    SELECT MIN(id) FROM product_report AS sibling WHERE sibling.package = report.package))
"""


def _list(exchange: Exchange, name: str) -> str | None:
    """A comma list as JSON, or None where the query has none."""
    text = asked(exchange, name)
    return orjson.dumps(text.split(",")).decode() if text else None


def read_products(exchange: Exchange) -> HttpResponse:
    """GET /products: those of the GTINs in `Gtin`, else those that the seller has submitted."""
    page = asked_numbered_page(exchange)
    db, behaviour = exchange.db, exchange.settings.of(ProductBehaviour)
    if gtins := asked(exchange, "Gtin"):
        named = dict.fromkeys(gtin_product(gtin) for gtin in gtins.split(",") if is_gtin(gtin))
        products = [product for product in named if has_sheet(db, product)]
    else:
        products = [row["product"] for row in db.execute(OWN_PRODUCTS, (exchange.seller,))]
    items = [
        product_document(db, behaviour, sheet, exchange.seller)
        for product in page.of(products)
        if (sheet := sheets.find(db, product))
    ]
    document = {"itemsPerPage": page.size, "items": items}
    return json_answer(200, document, next_page_link(exchange, page, len(products)))


OWN_PRODUCTS = """
SELECT product FROM sheet JOIN sheet_seller USING (product) WHERE seller = ? ORDER BY sheet.id
"""


# What a package does by itself.


def next_due(db: sqlite3.Connection) -> str | None:
    """The time at which the next products are validated or integrated."""
    query = "SELECT MIN(next_at) FROM product_package WHERE next_at IS NOT NULL"
    due: str | None = db.execute(query).fetchone()[0]
    return due


def step(db: sqlite3.Connection, settings: SandboxSettings) -> None:
    """Validate or integrate some products of the package whose time has come first."""
    package = db.execute(
        "SELECT * FROM product_package WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1"
    ).fetchone()
    is_new, at = package["waiting"] == RECEIVED, package["next_at"]
    behaviour = settings.of(ProductBehaviour)
    batch = db.execute(
        "SELECT id, body FROM product_report WHERE package = ? AND status = ? ORDER BY id LIMIT ?",
        (package["id"], package["waiting"], BATCH),
    ).fetchall()
    for row in batch:
        body = orjson.loads(row["body"])
        if is_new:
            outcome = validated(body, behaviour)
        else:
            outcome = integrated(db, behaviour, package["seller"], body, at)
        db.execute(
            "UPDATE product_report SET status = ?, outcome = ?, updated_at = ? WHERE id = ?",
            (outcome.status, outcome.text(), at, row["id"]),
        )
    if not batch:  # the received ones are integrated next; after that nothing is left to do
        due = stamp(moment_of(package["created_at"]) + behaviour.integrate)
        db.execute(
            "UPDATE product_package SET waiting = ?, next_at = ? WHERE id = ?",
            (VALIDATED, max(due, at) if is_new else None, package["id"]),
        )


ROUTES: tuple[Route, ...] = (
    *categories.ROUTES,
    Route("GET", "/products", read_products),
    Route("POST", "/products-integration", submit),
    Route("GET", "/products-integration-reports", read_reports),
)
