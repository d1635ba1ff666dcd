"""A sandbox's offers and requests as its owner sees them, and sales to customers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from feedtool.areas.offers.sandbox.offers import offer_document
from feedtool.areas.offers.sandbox.store import SHOWN_COLUMNS, OfferStore
from feedtool.sandbox import Sandbox
from feedtool.sandbox.state import latest_moment, moment_of, stamp

OFFERS = f"""
SELECT {SHOWN_COLUMNS} FROM offer AS o JOIN stock AS s USING (seller, product, condition)
WHERE o.id > ? AND (o.seller = ? OR ? IS NULL) AND (o.channel = ? OR ? IS NULL)
ORDER BY o.id LIMIT ?
"""  # noqa: S608 - only constants of ours are filled in


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


def applied_requests(sandbox: Sandbox, package_id: str | None = None) -> Iterator[Applied]:
    """All requests that were integrated or refused, oldest first, of one package or of all."""
    query = (
        "SELECT * FROM applied WHERE id > ? AND (package_id = ? OR ? IS NULL) ORDER BY id LIMIT ?"
    )
    for row in sandbox.state.rows(query, package_id, package_id):
        yield Applied(
            sequence=row["id"],
            at=moment_of(row["at"]),
            **{name: row[name] for name in ("package_id", "seller", "channel", "reference")},
            package_type=row["type"],
            body=orjson.loads(row["body"]),
            outcome=row["outcome"],
            codes=tuple(row["codes"].split(",")),
        )


def stored_offers(
    sandbox: Sandbox, seller: str | None = None, channel: str | None = None
) -> Iterator[dict[str, Any]]:
    """The offers as GET /offers shows them in every detail, of all sellers unless one is named."""
    for row in sandbox.state.rows(OFFERS, seller, seller, channel, channel):
        yield offer_document(row, sandbox.settings)


def sell_offer(
    sandbox: Sandbox, seller: str, channel: str, reference: str, now: datetime, quantity: int = 1
) -> bool:
    """Let a customer buy some of an offer; False if there was none to be had."""
    sandbox.advance(now)
    with sandbox.state.transaction() as db:
        at = stamp(latest_moment(db, now))
        return OfferStore(db, seller, channel, at).sell(reference, quantity)
