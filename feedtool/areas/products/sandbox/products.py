"""Products and their integration: part "Catalog endpoints" of the specification.

A package of products is accepted at once. Its report is an empty page at first ("still
processing"), then shows which products are Refused, and which are Validated and wait, and finally
which of these are Integrated.
"""

import sqlite3
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from feedtool.areas.offers.sandbox.rules import is_gtin
from feedtool.areas.offers.sandbox.store import gtin_product, has_sheet
from feedtool.areas.products.sandbox import catalogue, sheets
from feedtool.areas.products.sandbox.catalogue import LANGUAGES, find_brand, text_in
from feedtool.areas.products.sandbox.integration import (
    INTEGRATED,
    VALIDATED,
    integrate,
    outcome_of,
    validate,
)
from feedtool.areas.products.sandbox.messages import finding_document
from feedtool.areas.products.sandbox.sheets import CatalogueSheet
from feedtool.areas.products.sandbox.submission import (
    GROUP,
    PICTURES,
    TEXTS,
    ProductBehaviour,
    submitted_products,
)
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

FOR_EVERYBODY = ("gtin", "reference", "label", "category", "language", "permissions")
"""The fields that all sellers see; only the creating seller sees the others."""


def product_document(
    db: sqlite3.Connection, behaviour: ProductBehaviour, sheet: CatalogueSheet, seller: str | None
) -> dict[str, Any]:
    """Return a product as a seller sees it; seller None sees all of it."""
    values, category = sheet.values, sheet.category
    brand = find_brand(db, values["brand"]) if "brand" in values else None
    is_closed = sheet.product in set(map(gtin_product, behaviour.closed_products))
    is_creator = bool(sheet.creator) and sheet.creator == seller
    document = {
        "gtin": sheet.gtin,
        "reference": sheet.reference,
        "label": values.get("title"),
        "description": values.get("description"),
        "marketingDescription": values.get("richMarketingDescription"),
        "language": values.get("language"),
        "brand": {"name": brand.name, "reference": brand.reference} if brand else None,
        "category": {
            "label": text_in(category.label, values["language"]),
            "reference": category.reference,
            "referencePath": "/".join([*category.parents, category.reference]),
        },
        "completeness": sheet.completeness,
        "status": "Archived" if is_closed else "Active",
        "isMarketable": sheet.is_marketable,
        "isTop": False,
        "origin": "Seller" if sheet.creator else "Catalog",
        "groupReference": values.get(GROUP),
        "createdAt": sheet.created_at,
        "updatedAt": sheet.updated_at,
        "expireAt": None,
        "pictures": _files(sheet, values.get(PICTURES, [])),
        "attributes": list(_attributes(sheet, is_variation=False)),
        "variantAttributes": list(_attributes(sheet, is_variation=True)),
        "sellers": [
            {
                "reference": row["seller"],
                "productReference": row["reference"],
                "gtinReference": row["gtin_reference"],
                "isCreator": row["seller"] == sheet.creator,
            }
            for row in sheets.sellers(db, sheet.product)
        ],
        "permissions": {"edit": is_creator, "enrich": is_creator or not is_closed},
    }
    if is_creator or seller is None:
        return document
    return {name: document[name] for name in FOR_EVERYBODY}


def _attributes(sheet: CatalogueSheet, *, is_variation: bool) -> Iterator[dict[str, Any]]:
    """Yield the filled properties by index, in the sheet's language."""
    language = sheet.values["language"]
    for known in (use.known for use in sheet.category.uses):
        if known.is_variation is is_variation and known.reference in sheet.content:
            held = sheet.values[known.reference]
            yield {
                "reference": known.reference,
                "label": text_in(known.label, language),
                "unit": known.unit and text_in(known.unit, language),
                "values": known.translated(held["values"], LANGUAGES[0], language),
                "files": _files(sheet, held["files"]),
            }


def _files(sheet: CatalogueSheet, files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kinds = [file["url"].rpartition(".")[2].partition("?")[0].lower() for file in files]
    types = {"pdf": "application/pdf", "jpg": "image/jpeg"}
    return [
        {**file, "mimeType": types.get(kind, f"image/{kind}"), "updatedAt": sheet.updated_at}
        for file, kind in zip(files, kinds, strict=True)
    ]


def report_document(row: sqlite3.Row, language: str) -> dict[str, Any]:
    body, outcome = orjson.loads(row["body"]), outcome_of(row["outcome"])
    entries: dict[str, list[Mapping[str, Any]]] = {"Error": [], "Info": [], "Warning": []}
    for finding in outcome.findings:
        document = finding_document(finding, language)
        entries[str(document["type"])].append(document)
    return {
        "packageId": row["package_id"],
        "gtin": row["gtin"],
        "sellerProductReference": row["reference"],
        "productReference": outcome.reference,
        "integratedProductId": outcome.reference if outcome.status == INTEGRATED else None,
        **{name: body.get(name) for name in TEXTS},
        "attributes": [
            {
                "propertyReference": attribute.get("propertyReference"),
                "values": attribute.get("values") or [],
                "files": attribute.get("files") or [],
            }
            for attribute in body.get("attributes") or ()
        ],
        "sellerPictureUrls": body.get(PICTURES) or [],
        "integrationPictureUrls": outcome.pictures,
        "status": outcome.status,
        "operationType": outcome.operation,
        "submissionType": "Api",
        "submissionDate": row["created_at"],
        "createdAt": row["created_at"],
        "updatedAt": row["updated_at"],
        "publicationCompleteness": outcome.completeness,
        "errors": entries["Error"],
        "infos": entries["Info"],
        "warnings": entries["Warning"],
        "wasAllowedToEdit": outcome.was_allowed_to_edit,
        "wasAllowedToEnrich": outcome.was_allowed_to_enrich,
        "wasMarketable": outcome.was_marketable,
        "sellerId": row["seller"],
    }


# The routes.

RECEIVED = "Received"
"""The status of products neither checked nor reported yet."""

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


# Submitting.


def submit(exchange: Exchange) -> HttpResponse:
    """POST /products-integration: accept a package of products."""
    products = submitted_products(exchange.request)
    behaviour = exchange.settings.of(ProductBehaviour)
    if len(products) > behaviour.products_limit:
        raise bad_request(
            "products", f"A package holds at most {behaviour.products_limit} products."
        )
    seller, now = exchange.seller, stamp(exchange.now)
    package = exchange.db.execute(
        "INSERT INTO product_package(seller, waiting, next_at, created_at) VALUES (?, ?, ?, ?)",
        (seller, RECEIVED, stamp(exchange.now + behaviour.validate), now),
    ).lastrowid
    # The time is part of it, so that a new state never repeats an id of an earlier state.
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


# Reading.


def read_reports(exchange: Exchange) -> HttpResponse:
    """GET /products-integration-reports, oldest first; `packageId` and `gtin` are comma lists."""
    page = asked_numbered_page(exchange)
    values = {
        "seller": exchange.seller,
        "received": RECEIVED,
        "packages": _json_list(exchange, "packageId"),
        "gtins": _json_list(exchange, "gtin"),
        "shown": exchange.settings.of(ProductBehaviour).reported_products,
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


def _json_list(exchange: Exchange, name: str) -> str | None:
    text = asked(exchange, name)
    return orjson.dumps(text.split(",")).decode() if text else None


def read_products(exchange: Exchange) -> HttpResponse:
    """GET /products: the products of the GTINs in `Gtin`, else the seller's submitted products."""
    page = asked_numbered_page(exchange)
    db, behaviour = exchange.db, exchange.settings.of(ProductBehaviour)
    if gtins := asked(exchange, "Gtin"):
        requested = dict.fromkeys(gtin_product(gtin) for gtin in gtins.split(",") if is_gtin(gtin))
        products = [product for product in requested if has_sheet(db, product)]
    else:
        rows = db.execute(
            "SELECT product FROM sheet JOIN sheet_seller USING (product) WHERE seller = ?"
            " ORDER BY sheet.id",
            (exchange.seller,),
        )
        products = [row["product"] for row in rows]
    items = [
        product_document(db, behaviour, sheet, exchange.seller)
        for product in page.of(products)
        if (sheet := sheets.find(db, product))
    ]
    document = {"itemsPerPage": page.size, "items": items}
    return json_answer(200, document, next_page_link(exchange, page, len(products)))


# Changes by time.


def next_due(db: sqlite3.Connection) -> str | None:
    """Return the time of the next validation or integration."""
    query = "SELECT MIN(next_at) FROM product_package WHERE next_at IS NOT NULL"
    due: str | None = db.execute(query).fetchone()[0]
    return due


def step(db: sqlite3.Connection, settings: SandboxSettings) -> None:
    """Validate or integrate some products of the package that is due first."""
    package = db.execute(
        "SELECT * FROM product_package WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1"
    ).fetchone()
    is_new, moment = package["waiting"] == RECEIVED, package["next_at"]
    behaviour = settings.of(ProductBehaviour)
    batch = db.execute(
        "SELECT id, body FROM product_report WHERE package = ? AND status = ? ORDER BY id LIMIT ?",
        (package["id"], package["waiting"], BATCH),
    ).fetchall()
    for row in batch:
        body = orjson.loads(row["body"])
        if is_new:
            outcome = validate(body, behaviour)
        else:
            outcome = integrate(db, behaviour, package["seller"], body, moment)
        db.execute(
            "UPDATE product_report SET status = ?, outcome = ?, updated_at = ? WHERE id = ?",
            (outcome.status, outcome.text(), moment, row["id"]),
        )
    if not batch:  # received products are integrated next; after that all is done
        due = stamp(moment_of(package["created_at"]) + behaviour.integrate)
        db.execute(
            "UPDATE product_package SET waiting = ?, next_at = ? WHERE id = ?",
            (VALIDATED, max(due, moment) if is_new else None, package["id"]),
        )


ROUTES: tuple[Route, ...] = (
    *catalogue.ROUTES,
    Route("GET", "/products", read_products),
    Route("POST", "/products-integration", submit),
    Route("GET", "/products-integration-reports", read_reports),
)
