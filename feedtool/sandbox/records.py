"""What later tests hold true: the logs of what was done, the offers and products as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from feedtool.sandbox.offer_view import offer_document
from feedtool.sandbox.product_integration import Outcome, outcome_of
from feedtool.sandbox.product_sheets import sheet_of
from feedtool.sandbox.product_view import product_document
from feedtool.sandbox.shelf import SHOWN_COLUMNS
from feedtool.sandbox.state import State, moment_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from datetime import datetime

    from feedtool.sandbox.settings import Settings

CHUNK = 1000

OFFERS = f"""
SELECT {SHOWN_COLUMNS} FROM offer AS o JOIN stock AS s USING (seller, product, condition)
WHERE o.id > ? AND (o.seller = ? OR ? IS NULL) AND (o.channel = ? OR ? IS NULL)
ORDER BY o.id LIMIT ?
"""  # noqa: S608 - only constants of ours are filled in


@dataclass(frozen=True, slots=True)
class Reported:
    """One product that was submitted to products-integration."""

    sequence: int
    """Order of submission over all packages, rising."""
    at: datetime
    """When it came to its present status."""
    package_id: str
    seller: str
    gtin: str
    reference: str | None
    """sellerProductReference; None when the product had none."""
    body: dict[str, Any]
    """The product as it was submitted."""
    status: str
    """Received, Validated, Integrated or Refused."""
    operation: str | None
    """Creation, Modification or Identical, once that is known."""
    codes: tuple[str, ...]
    """Of its errors, infos and warnings."""


@dataclass(frozen=True, slots=True)
class Applied:
    """One offer request that was integrated or refused."""

    sequence: int
    """Order of application over all packages, rising."""
    at: datetime
    package_id: str
    seller: str
    channel: str
    package_type: str
    reference: str | None
    """sellerExternalReference; None when the request had none."""
    body: dict[str, Any]
    """The offer request as it was uploaded."""
    outcome: str
    """Integrated, Rejected or Duplicated."""
    codes: tuple[str, ...]


def applied_records(state: State, package_id: str | None) -> Iterator[Applied]:
    """The log, oldest first, of one package or of all; never wholly in memory."""
    query = (
        "SELECT * FROM applied WHERE id > ? AND (package_id = ? OR ? IS NULL) ORDER BY id LIMIT ?"
    )
    for row in _rows(state, query, package_id, package_id):
        yield Applied(
            sequence=row["id"],
            at=moment_of(row["at"]),
            package_id=row["package_id"],
            seller=row["seller"],
            channel=row["channel"],
            package_type=row["type"],
            reference=row["reference"],
            body=orjson.loads(row["body"]),
            outcome=row["outcome"],
            codes=tuple(row["codes"].split(",")),
        )


def offer_documents(
    state: State, settings: Settings, seller: str | None, channel: str | None
) -> Iterator[dict[str, Any]]:
    """The offers as GET /offers shows them in every detail, of all sellers unless one is named."""
    for row in _rows(state, OFFERS, seller, seller, channel, channel):
        yield offer_document(row, settings)


def reported_records(state: State, package_id: str | None) -> Iterator[Reported]:
    """The submitted products, oldest first, of one package or of all."""
    query = (
        "SELECT * FROM product_report WHERE id > ? AND (package_id = ? OR ? IS NULL)"
        " ORDER BY id LIMIT ?"
    )
    for row in _rows(state, query, package_id, package_id):
        outcome = outcome_of(row["outcome"]) if row["outcome"] else Outcome(row["status"])
        yield Reported(
            sequence=row["id"],
            at=moment_of(row["updated_at"]),
            package_id=row["package_id"],
            seller=row["seller"],
            gtin=row["gtin"],
            reference=row["reference"],
            body=orjson.loads(row["body"]),
            status=outcome.status,
            operation=outcome.operation,
            codes=tuple(finding.code for finding in outcome.findings),
        )


def product_documents(
    state: State, settings: Settings, seller: str | None
) -> Iterator[dict[str, Any]]:
    """The sheets as their creators see them, of all sellers unless one is named."""
    query = (
        "SELECT * FROM sheet WHERE id > ? AND (? IS NULL OR product IN"
        " (SELECT product FROM sheet_seller WHERE seller = ?)) ORDER BY id LIMIT ?"
    )
    for row in _rows(state, query, seller, seller):
        with state.transaction() as db:
            document = product_document(db, settings, sheet_of(row), None)
        yield document


def _rows(state: State, query: str, *values: str | None) -> Iterator[sqlite3.Row]:
    """All rows, a chunk at a time, so that no transaction is open while they are looked at."""
    after = 0
    while True:
        with state.transaction() as db:
            rows = db.execute(query, (after, *values, CHUNK)).fetchall()
        yield from rows
        if len(rows) < CHUNK:
            return
        after = rows[-1]["id"]
