"""The products of a sandbox, as its tables hold them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from feedtool.areas.products.sandbox.integration import ProductOutcome, outcome_of
from feedtool.areas.products.sandbox.products import product_document
from feedtool.areas.products.sandbox.sheets import sheet_of
from feedtool.areas.products.sandbox.submission import ProductBehaviour
from feedtool.sandbox import Sandbox


class Reported(NamedTuple):
    """A product that was submitted to products-integration."""

    seller: str
    gtin: str
    reference: str | None
    """sellerProductReference; None when the product had none."""
    body: dict[str, Any]
    status: str
    """Received, Validated, Integrated or Refused."""
    operation: str | None
    """Creation, Modification or Identical, once that is known."""
    codes: tuple[str, ...]
    """The findings: errors, infos and warnings."""


def reported_products(sandbox: Sandbox, package_id: str | None = None) -> Iterator[Reported]:
    """The submitted products, oldest first, of one package or of all."""
    query = (
        "SELECT * FROM product_report WHERE :package IS NULL OR package_id = :package ORDER BY id"
    )
    with sandbox.state.transaction() as db:
        rows = db.execute(query, {"package": package_id}).fetchall()
    for row in rows:
        outcome = outcome_of(row["outcome"]) if row["outcome"] else ProductOutcome(row["status"])
        codes = tuple(finding.code for finding in outcome.findings)
        names, body = (row["seller"], row["gtin"], row["reference"]), orjson.loads(row["body"])
        yield Reported(*names, body, outcome.status, outcome.operation, codes)


def stored_products(sandbox: Sandbox, seller: str | None = None) -> Iterator[dict[str, Any]]:
    """The sheets as their creators see them, of all sellers unless one is named."""
    query = (
        "SELECT * FROM sheet WHERE :seller IS NULL OR product IN"
        " (SELECT product FROM sheet_seller WHERE seller = :seller) ORDER BY id"
    )
    behaviour = sandbox.settings.of(ProductBehaviour)
    with sandbox.state.transaction() as db:
        rows = db.execute(query, {"seller": seller}).fetchall()
        documents = [product_document(db, behaviour, sheet_of(row), None) for row in rows]
    yield from documents
