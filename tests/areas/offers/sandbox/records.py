"""A sandbox's offers and requests as its owner sees them, and sales to customers."""

from datetime import datetime
from typing import Any, NamedTuple

import orjson

from feedtool.areas.offers.sandbox.offers import offer_document
from feedtool.areas.offers.sandbox.store import SHOWN_COLUMNS
from feedtool.sandbox import Sandbox
from feedtool.sandbox.state import latest_moment, stamp

APPLIED = """
SELECT id, package_id, seller, channel, type, reference, body, outcome, codes FROM applied
WHERE package_id = :package OR :package IS NULL ORDER BY id
"""
OFFERS = f"""
SELECT {SHOWN_COLUMNS} FROM offer AS o JOIN stock AS s USING (seller, product, condition)
WHERE (seller = :seller OR :seller IS NULL) AND (channel = :channel OR :channel IS NULL)
ORDER BY o.id
"""  # noqa: S608 - only constants of ours are filled in
SALE = """
UPDATE stock SET quantity = max(0, quantity - ?) WHERE quantity > 0
AND (seller, product, condition) =
  (SELECT seller, product, condition FROM offer WHERE seller = ? AND channel = ? AND reference = ?)
RETURNING seller, product, condition
"""
SOLD = "UPDATE offer SET updated_at = ? WHERE seller = ? AND product = ? AND condition = ?"


class Applied(NamedTuple):
    """An offer request that was integrated or refused."""

    sequence: int
    """Order of application over all packages, rising."""
    package_id: str
    seller: str
    channel: str
    package_type: str
    reference: str | None
    body: dict[str, Any]
    outcome: str
    """Integrated, Rejected or Duplicated."""
    codes: tuple[str, ...]


def applied_requests(sandbox: Sandbox, package_id: str | None = None) -> list[Applied]:
    """All requests that were integrated or refused, oldest first, of one package or of all."""
    with sandbox.state.transaction() as db:
        rows = db.execute(APPLIED, {"package": package_id}).fetchall()
    return [
        Applied._make((*who, orjson.loads(body), outcome, tuple(codes.split(","))))
        for *who, body, outcome, codes in rows
    ]


def stored_offers(
    sandbox: Sandbox, seller: str | None = None, channel: str | None = None
) -> list[dict[str, Any]]:
    """The offers as GET /offers shows them in every detail, of all sellers unless one is named."""
    with sandbox.state.transaction() as db:
        rows = db.execute(OFFERS, {"seller": seller, "channel": channel}).fetchall()
    return [offer_document(row, sandbox.settings) for row in rows]


def sell_offer(
    sandbox: Sandbox, seller: str, channel: str, reference: str, now: datetime, quantity: int = 1
) -> bool:
    """Let a customer buy some of an offer, whose stock all channels share.

    Never below 0; False when there is no such offer, or nothing of it left.
    """
    sandbox.advance(now)
    with sandbox.state.transaction() as db:
        key = db.execute(SALE, (quantity, seller, channel, reference)).fetchone()
        if key is not None:
            db.execute(SOLD, (stamp(latest_moment(db, now)), *key))
        return key is not None
