"""Offer packages: parts "Offer package" (states) and "Offers (JSON packages)" (routes, rules)."""

import uuid
from collections.abc import Callable
from itertools import count
from sqlite3 import Connection, Row
from typing import Any

import jsonschema_rs
import orjson

from feedtool.areas.offers.sandbox import integration, offers, store
from feedtool.areas.offers.sandbox.messages import PACKAGE_EMPTY, message
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.sandbox.arguments import (
    DRAFT,
    NUMBER,
    TEXT,
    WHOLE,
    asked,
    asked_page,
    check_structure,
    chosen,
    json_body,
    known_channel,
    language_of,
    page_answer,
    record,
    records,
    required_header,
)
from feedtool.sandbox.exchange import (
    Exchange,
    HttpRequest,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import moment_of, stamp

WAITING = "WaitingForCompletion"
IMPORTING = "Importing"
"""The state between an upload and WaitingForCompletion. An assumption: the specification says only
that a package has to settle "in WaitingForCompletion after an upload"."""
READY = "Ready"
PENDING = "IntegrationPending"
INTEGRATED = "Integrated"
REJECTED = "Rejected"
STATES = (WAITING, IMPORTING, READY, PENDING, INTEGRATED, REJECTED)

TABLES = (
    """
CREATE TABLE IF NOT EXISTS package(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  package_id TEXT UNIQUE,
  seller TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  language TEXT NOT NULL,
  state TEXT NOT NULL,
  next_at TEXT,                -- when it changes by itself; NULL once it no longer does
  created_at TEXT NOT NULL,
  settled_at TEXT NOT NULL,    -- until then it says Importing, and PATCH answers 400
  ready_at TEXT,
  processed_at TEXT,
  requests INTEGER NOT NULL DEFAULT 0,
  integrated INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  duplicated INTEGER NOT NULL DEFAULT 0,
  result_code TEXT             -- why the whole package was rejected
);
CREATE INDEX IF NOT EXISTS package_next ON package(next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS package_by_seller ON package(seller, id);
"""
    + integration.TABLES
    + store.TABLES
)

_PACKAGES = f"""SELECT *,
  iif(state = '{WAITING}' AND settled_at > :now, '{IMPORTING}', state) AS shown_state
  FROM package"""  # noqa: S608 - made of constants


# "Upload validation is JSON structure only; business validation happens after Ready" (part "Offers
# (JSON packages)", rule 5): types are checked, unknown fields are let through, nothing is required.
_STRUCTURE = {
    "$schema": DRAFT,
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "sellerExternalReference": TEXT,
            # Integrations send texts and numbers.
            "product": record(gtin={"type": ["string", "integer", "null"]}, reference=TEXT),
            "condition": TEXT,
            "price": record(
                price=NUMBER, originPrice=NUMBER, taxes=records(code=TEXT, value=NUMBER)
            ),
            "deliveryModes": records(code=TEXT, cost=NUMBER, additionalCost=NUMBER),
            "preparationTime": WHOLE,
            "quantity": WHOLE,
        },
    },
}
_OFFER_REQUESTS = jsonschema_rs.Draft202012Validator(_STRUCTURE)


def _offer_requests(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the offer requests of an upload: "array or set", so a bare array or one in a wrapper.

    An upload without requests is refused with 400.
    """
    document = json_body(request)
    if isinstance(document, dict):
        document = document.get("offerRequests")
    check_structure(_OFFER_REQUESTS, document, "a set of offer requests")
    rows: list[dict[str, Any]] = document
    return rows


def create(exchange: Exchange) -> HttpResponse:
    """POST /offer-packages: open a package for one channel, one type and one language."""
    now = exchange.now
    channel = required_header(exchange.request, "SalesChannelId")
    known_channel(channel, "SalesChannelId", exchange.settings)
    kind = chosen(exchange.request, "packageType", integration.APPLY)
    language = language_of(exchange.request)
    expires = stamp(now + _behaviour(exchange).open_life)
    row = exchange.db.execute(
        "INSERT INTO package(seller, channel, type, language, state, next_at, created_at,"
        " settled_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
        (exchange.seller, channel, kind, language, WAITING, expires, stamp(now)),
    ).lastrowid
    # The time is part of it, so that a new state never repeats an id of an earlier state.
    package_id = str(uuid.uuid5(uuid.NAMESPACE_URL, f"package {row} of {stamp(now)}"))
    exchange.db.execute("UPDATE package SET package_id = ? WHERE id = ?", (package_id, row))
    location = f"{exchange.request.base}/offer-packages/{package_id}"
    return HttpResponse(201, {"Content-Location": location, "Content-Language": language})


def upload(exchange: Exchange) -> HttpResponse:
    """POST /offer-packages/{packageId}/offer-requests: stage some offer requests."""
    package = _package(exchange)
    rows = _offer_requests(exchange.request)
    if package["state"] != WAITING:
        raise bad_request("packageId", "The package takes no more offer requests.")
    # Part "Limits": 100 offer requests per upload; 50000 per package.
    behaviour = _behaviour(exchange)
    if len(rows) > behaviour.upload_limit:
        raise bad_request("body", f"An upload holds at most {behaviour.upload_limit} requests.")
    if package["requests"] + len(rows) > behaviour.package_limit:
        raise bad_request("body", f"A package holds at most {behaviour.package_limit} requests.")
    references = (row.get("sellerExternalReference") or None for row in rows)
    staged = zip(count(package["requests"] + 1), references, map(orjson.dumps, rows), strict=False)
    exchange.db.executemany(
        "INSERT INTO request VALUES (?, ?, ?, ?)",
        ((package["id"], place, reference, body.decode()) for place, reference, body in staged),
    )
    exchange.db.execute(
        "UPDATE package SET requests = requests + ?, settled_at = ? WHERE id = ?",
        (len(rows), stamp(exchange.now + behaviour.settle), package["id"]),
    )
    return HttpResponse(201, {"Content-Language": package["language"]})


def complete(exchange: Exchange) -> HttpResponse:
    """PATCH /offer-packages/{packageId}: complete the package, which then integrates by itself."""
    package = _package(exchange)
    chosen(exchange.request, "state", (READY,))
    if package["shown_state"] != WAITING:
        raise bad_request("state", f"The package must be in the state {WAITING}.")
    pends = stamp(exchange.now + _behaviour(exchange).pend)
    exchange.db.execute(
        "UPDATE package SET state = ?, ready_at = ?, next_at = ? WHERE id = ?",
        (READY, stamp(exchange.now), pends, package["id"]),
    )
    return HttpResponse(204, {"Content-Language": package["language"]})


# Reading.


def read(exchange: Exchange) -> HttpResponse:
    """GET /offer-packages/{packageId}."""
    package = _package(exchange)
    return json_answer(200, package_document(package), {"Content-Language": package["language"]})


def read_all(exchange: Exchange) -> HttpResponse:
    """GET /offer-packages: the seller's packages, oldest first."""
    state, channel = asked(exchange, "state"), asked(exchange, "salesChannelId")
    if state is not None and state not in STATES:
        raise bad_request("state", f"state must be one of {', '.join(STATES)}.")
    if channel is not None:
        known_channel(channel, "salesChannelId", exchange.settings)
    page = asked_page(exchange)
    values = {"now": stamp(exchange.now), "seller": exchange.seller, "after": page.after}
    rows = exchange.db.execute(
        f"{_PACKAGES} WHERE seller = :seller AND id > :after"
        " AND (:state IS NULL OR shown_state = :state) AND (:channel IS NULL OR channel = :channel)"
        " ORDER BY id LIMIT :limit",
        values | {"state": state, "channel": channel, "limit": page.limit + 1},
    ).fetchall()
    return page_answer(exchange, page, rows, package_document)


def results(exchange: Exchange) -> HttpResponse:
    """GET /offer-packages/{packageId}/offer-requests-results, in the order of the uploads."""
    package = _package(exchange)
    if package["state"] not in {INTEGRATED, REJECTED}:
        raise bad_request("packageId", "The package is not yet integrated: no results so far.")
    gone = moment_of(package["processed_at"]) + _behaviour(exchange).results_life
    if gone <= exchange.now:
        raise not_found("The set of results")
    page = asked_page(exchange)
    rows = exchange.db.execute(
        "SELECT id, reference, outcome, codes FROM applied WHERE package = ? AND id > ?"
        " ORDER BY id LIMIT ?",
        (package["id"], page.after, page.limit + 1),
    ).fetchall()
    language = package["language"]
    answer = page_answer(
        exchange,
        page,
        rows,
        lambda row: {
            "sellerExternalReference": row["reference"],
            "integrationStatus": row["outcome"],
            "results": [message(code, language) for code in row["codes"].split(",")],
        },
    )
    return answer.adding({"Content-Language": language})


def _behaviour(exchange: Exchange) -> OfferBehaviour:
    return exchange.settings.of(OfferBehaviour)


def _package(exchange: Exchange) -> Row:
    """Return the seller's package; 404 if unknown, another seller's, or expired."""
    row: Row | None = exchange.db.execute(
        f"{_PACKAGES} WHERE package_id = :package AND seller = :seller",
        {
            "now": stamp(exchange.now),
            "package": exchange.ids["packageId"],
            "seller": exchange.seller,
        },
    ).fetchone()
    if row is None:
        raise not_found("The package")
    return row


def package_document(package: Row) -> dict[str, Any]:
    """Return a package's "state, type, submission date, results info"."""
    document = {
        "packageId": package["package_id"],
        "packageType": package["type"],
        "state": package["shown_state"],
        "salesChannelId": package["channel"],
        "submissionDate": package["created_at"],
        "processingDate": package["processed_at"],
        "offerRequestsCount": package["requests"],
        "integratedCount": package["integrated"],
        "rejectedCount": package["rejected"],
        "duplicatedCount": package["duplicated"],
    }
    if package["state"] == REJECTED:
        document["result"] = message(package["result_code"], package["language"])
    return document


# Changes by time.


def next_due(db: Connection) -> str | None:
    """Return the time of the next package's next step."""
    due: str | None
    (due,) = db.execute("SELECT MIN(next_at) FROM package WHERE next_at IS NOT NULL").fetchone()
    return due


def step(db: Connection, settings: SandboxSettings) -> None:
    """Expire or advance the package that is due first."""
    package = db.execute(
        "SELECT * FROM package WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1"
    ).fetchone()
    STEPS[package["state"]](db, settings.of(OfferBehaviour), package)


def _expire(db: Connection, _behaviour: OfferBehaviour, package: Row) -> None:
    """Delete an open package that was not completed in time (part "Limits": 6 hours)."""
    db.execute("DELETE FROM request WHERE package = ?", (package["id"],))
    db.execute("DELETE FROM package WHERE id = ?", (package["id"],))


def _pend(db: Connection, behaviour: OfferBehaviour, package: Row) -> None:
    due = moment_of(package["ready_at"]) + behaviour.integrate
    if behaviour.delays:
        due += behaviour.delays[package["id"] % len(behaviour.delays)]
    db.execute(
        "UPDATE package SET state = ?, next_at = ? WHERE id = ?",
        (PENDING, max(stamp(due), package["next_at"]), package["id"]),
    )


def _integrate(db: Connection, behaviour: OfferBehaviour, package: Row) -> None:
    """Integrate the next batch of the package, and finish it after the last."""
    counts = integration.apply_batch(db, behaviour, package)
    if not counts:
        # Only an empty package is rejected as a whole.
        result = (INTEGRATED, None) if package["requests"] else (REJECTED, PACKAGE_EMPTY)
        db.execute(
            "UPDATE package SET state = ?, result_code = ?, processed_at = next_at, next_at = NULL"
            " WHERE id = ?",
            (*result, package["id"]),
        )
    db.execute(
        "UPDATE package SET integrated = integrated + ?, rejected = rejected + ?,"
        " duplicated = duplicated + ? WHERE id = ?",
        (counts["Integrated"], counts["Rejected"], counts["Duplicated"], package["id"]),
    )


STEPS: dict[str, Callable[[Connection, OfferBehaviour, Row], None]] = {
    WAITING: _expire,
    READY: _pend,
    PENDING: _integrate,
}
"""The change of a package of each state at its `next_at`; the other states are final."""

ROUTES: tuple[Route, ...] = (
    Route("GET", "/offers", offers.read_offers),
    Route("POST", "/offer-packages", create, counted=True),
    Route("GET", "/offer-packages", read_all, counted=True),
    Route("GET", "/offer-packages/{packageId}", read, counted=True),
    Route("PATCH", "/offer-packages/{packageId}", complete, counted=True),
    Route("POST", "/offer-packages/{packageId}/offer-requests", upload, counted=True),
    Route("GET", "/offer-packages/{packageId}/offer-requests-results", results, counted=True),
)
