"""GET /offers: part "Offers (read)" of the specification."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson

from feedtool.areas.offers.sandbox import store
from feedtool.areas.offers.sandbox.view import offer_document, selection
from feedtool.sandbox.access import asked, known_channel
from feedtool.sandbox.paging import HIGHEST, asked_limit, asked_page, page_answer
from feedtool.sandbox.problem import FIELD_MISSING, bad_request
from feedtool.sandbox.route import Exchange, Route
from feedtool.sandbox.state import stamp

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from feedtool.sandbox.message import HttpResponse
    from feedtool.sandbox.settings import SandboxSettings

TABLES = store.TABLES

FEEDBACK = "salesChannelFeedback"

# RFC 3339 date-time; without an offset it is UTC (part "What the service does").
DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII | re.IGNORECASE
)


def read_offers(exchange: Exchange) -> HttpResponse:
    """The seller's offers on a channel, oldest first."""
    channel = exchange.parameters.get("salesChannelId", "")
    if not channel:
        raise bad_request("salesChannelId", "salesChannelId is required.", FIELD_MISSING)
    known_channel(channel, "salesChannelId", exchange.settings)
    # The only route for which a highest limit is documented.
    if asked_limit(exchange) > HIGHEST:
        raise bad_request("limit", f"limit must be a number from 1 to {HIGHEST}.")
    page = asked_page(exchange)
    chosen = selection(_asked_fields(exchange))
    conditions, values = _filters(exchange)
    rows = exchange.db.execute(
        OFFERS.format(conditions="".join(f" AND {condition}" for condition in conditions)),
        {
            **values,
            "seller": exchange.seller,
            "channel": channel,
            "after": page.after,
            "rows": page.limit + 1,
        },
    ).fetchall()
    return page_answer(
        exchange, page, rows, lambda row: offer_document(row, exchange.settings, chosen)
    )


OFFERS = f"""
SELECT {store.SHOWN_COLUMNS} FROM offer AS o JOIN stock AS s USING (seller, product, condition)
WHERE o.seller = :seller AND o.channel = :channel AND o.id > :after{{conditions}}
ORDER BY o.id LIMIT :rows
"""  # noqa: S608 - only constants of ours are filled in


def _asked_fields(exchange: Exchange) -> list[str]:
    """Rule 2: if fields and expand are both sent, expand is ignored."""
    fields = exchange.parameters.get("fields")
    if fields is not None:
        return fields.split(",")
    expand = asked(exchange, "expand")
    if expand not in {None, FEEDBACK}:
        raise bad_request("expand", f"expand must be {FEEDBACK}.")
    return [FEEDBACK] if expand else []


def _filters(exchange: Exchange) -> tuple[list[str], dict[str, str]]:
    """The conditions that the sent filters come to, and their values."""
    conditions, values = [], {}
    for name, (condition, value_of) in FILTERS.items():
        if text := asked(exchange, name):
            conditions.append(condition)
            values[name] = value_of(text)
    return conditions, values


def _json_list(items: list[str]) -> str:
    return orjson.dumps(items).decode()


def _texts(text: str) -> str:
    return _json_list(text.split(","))


def _products(text: str) -> str:
    return _json_list([store.gtin_product(gtin) for gtin in text.split(",")])


def _states(text: str) -> str:
    states = text.split(",")
    if not {"active", "inactive"}.issuperset(states):
        raise bad_request("offerStates", "offerStates must be active or inactive.")
    return _json_list(states)


def _moment(text: str) -> str:
    try:
        moment = datetime.fromisoformat(text.upper()) if DATE_TIME.fullmatch(text) else None
        if moment:
            return stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):  # no such day, or none that UTC has a year for
        pass
    raise bad_request("updatedAtMin", "updatedAtMin must be an RFC 3339 date-time.")


# As `offer_view.offer_id` writes it.
OFFER_IDS = """
  o.seller || '_' || iif(o.gtin = '', o.product_reference, o.gtin)
    || '_' || o.condition || '_' || o.channel IN (SELECT value FROM json_each(:offerIds))
"""
OFFER_STATES = """
  iif(s.quantity = 0, 'inactive', 'active') IN (SELECT value FROM json_each(:offerStates))
"""
# Both go by an index of their own; SQLite would rather walk through all offers in page order.
GTINS = """
  o.id IN (SELECT id FROM offer WHERE seller = :seller AND gtin <> ''
    AND product IN (SELECT value FROM json_each(:gtins)))
"""
REFERENCES = """
  o.id IN (SELECT id FROM offer WHERE seller = :seller AND channel = :channel
    AND reference IN (SELECT value FROM json_each(:sellerExternalReferences)))
"""

FILTERS: dict[str, tuple[str, Callable[[str], str]]] = {
    "offerIds": (OFFER_IDS, _texts),
    "offerStates": (OFFER_STATES, _states),
    "gtins": (GTINS, _products),
    "sellerExternalReferences": (REFERENCES, _texts),
    "updatedAtMin": ("o.updated_at >= :updatedAtMin", _moment),
}
"""Query parameter, the SQL condition that it adds, and how its value is bound to its name."""


def next_due(_db: sqlite3.Connection) -> str | None:
    """Offers do nothing by themselves."""
    return None


def step(_db: sqlite3.Connection, _settings: SandboxSettings) -> None:
    """Nothing, see `next_due`."""


ROUTES: tuple[Route, ...] = (Route("GET", "/offers", read_offers),)
