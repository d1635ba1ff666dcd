"""Legacy zip packages and their logs: part "Legacy offer routes" of the specification.

A zip is staged and committed in one: it is IntegrationPending at once, and finally Integrated, or
Rejected as a whole. Its log, which is read in pages, is empty until then.
"""

import sqlite3
import uuid
from collections.abc import Mapping
from typing import Any

import orjson

from feedtool.areas.legacy.sandbox.offers import LegacyBehaviour, apply_offer, read_zip, rules_of
from feedtool.areas.offers.sandbox.integration import OfferOutcome, log_applied
from feedtool.areas.offers.sandbox.messages import DOUBLED, PACKAGE_EMPTY, PACKAGE_FULL, message
from feedtool.areas.offers.sandbox.rules import OfferBehaviour
from feedtool.areas.offers.sandbox.store import OfferStore
from feedtool.sandbox.arguments import (
    HIGHEST,
    LIMIT,
    NumberedPage,
    asked_number,
    known_channel,
    language_of,
)
from feedtool.sandbox.exchange import (
    Exchange,
    HttpResponse,
    Route,
    SandboxSettings,
    bad_request,
    json_answer,
    not_found,
)
from feedtool.sandbox.state import stamp

PENDING = "IntegrationPending"
INTEGRATED = "Integrated"
REJECTED = "Rejected"

BATCH = 1000

PRIMARY_POOL = "1"
"""The Id of the primary channel's publication pool, in the older form."""

TABLES = """
CREATE TABLE IF NOT EXISTS legacy_package(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  package_id INTEGER UNIQUE,
  seller TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  purges INTEGER NOT NULL,
  channels TEXT NOT NULL,      -- JSON list
  language TEXT NOT NULL,
  state TEXT NOT NULL,
  next_at TEXT,                -- when it goes on; NULL once all is done
  created_at TEXT NOT NULL,
  entries INTEGER NOT NULL,
  applied INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS legacy_package_next ON legacy_package(next_at)
  WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS legacy_entry(
  package INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,    -- its place in the Offers.xml; 0 is of the whole package
  reference TEXT,
  ean TEXT,
  body TEXT NOT NULL,          -- as it was read
  status TEXT NOT NULL,        -- Integrated, Rejected or Duplicated; empty until it is applied
  codes TEXT NOT NULL,         -- comma list
  at TEXT NOT NULL,
  PRIMARY KEY (package, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS legacy_entry_by_reference ON legacy_entry(package, reference);
"""


def submit(exchange: Exchange) -> HttpResponse:
    """POST /offer-integration-packages: accept a zip, or its public address."""
    content = read_zip(exchange.request, exchange.settings.of(LegacyBehaviour).limit)
    channels = [_channel(pool, exchange.settings) for pool in content.pools]
    times = exchange.settings.of(OfferBehaviour)
    now, due = exchange.now, exchange.now + times.integrate
    package = exchange.db.execute(
        "INSERT INTO legacy_package(seller, name, type, purges, channels, language, state, next_at,"
        " created_at, entries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(exchange.seller, content.name, content.kind, content.purges),
            orjson.dumps(channels or [exchange.settings.primary_channel]).decode(),
            *(language_of(exchange.request), PENDING, stamp(due), stamp(now)),
            len(content.entries),
        ),
    ).lastrowid
    if times.delays and package:
        due += times.delays[package % len(times.delays)]
    # A number, as in the older interface; the time is part of it, so that a new state never repeats
    # an id of an earlier state.
    name = f"legacy package {package} of {stamp(now)}"
    package_id = int(uuid.uuid5(uuid.NAMESPACE_URL, name).hex[:12], 16)
    exchange.db.execute(
        "UPDATE legacy_package SET package_id = ?, next_at = ? WHERE id = ?",
        (package_id, stamp(due), package),
    )
    exchange.db.executemany(
        "INSERT INTO legacy_entry VALUES (?, ?, ?, ?, ?, '', '', ?)",
        (
            (
                *(package, ordinal, entry.get("SellerProductId"), entry.get("ProductEan")),
                *(orjson.dumps(entry).decode(), stamp(now)),
            )
            for ordinal, entry in enumerate(content.entries, 1)
        ),
    )
    return json_answer(200, {"package_id": package_id})


def _channel(pool: Mapping[str, str], settings: SandboxSettings) -> str:
    if channel := pool.get("SalesChannelId"):
        return known_channel(channel, "SalesChannelId", settings)
    number = pool.get("Id", "")
    if number == PRIMARY_POOL:
        return settings.primary_channel
    raise bad_request("PublicationPool", f"There is no publication pool {number!r}.")


def read(exchange: Exchange) -> HttpResponse:
    """GET /offer-integration-packages/{packageId}: return its state and a page of its log."""
    package = exchange.db.execute(
        "SELECT * FROM legacy_package WHERE CAST(package_id AS TEXT) = ? AND seller = ?",
        (exchange.ids["packageId"], exchange.seller),
    ).fetchone()
    if package is None:
        raise not_found("The package")
    size = min(asked_number(exchange, "count_by_page", LIMIT), HIGHEST)
    page = NumberedPage(asked_number(exchange, "page", 1), size)
    is_done = package["state"] != PENDING
    rows = exchange.db.execute(
        "SELECT * FROM legacy_entry WHERE package = ? AND status <> '' AND ?"
        " ORDER BY ordinal LIMIT ? OFFSET ?",
        (package["id"], is_done, page.size, page.start),
    ).fetchall()
    (total,) = exchange.db.execute(
        "SELECT COUNT(*) FROM legacy_entry WHERE package = ? AND status <> '' AND ?",
        (package["id"], is_done),
    ).fetchone()
    document = {
        "count_by_page": page.size,
        "integration_state": package["state"],
        "number_of_errors": package["errors"] if is_done else 0,
        "package_id": package["package_id"],
        "offer_log_paged_list": [_log_document(row, package["language"]) for row in rows],
        "page": page.index,
        "total_logs_count": total,
        "seller_id": package["seller"],
    }
    return json_answer(200, document, {"Content-Language": package["language"]})


def _log_document(row: sqlite3.Row, language: str) -> dict[str, Any]:
    """Return an entry of the log, with each code in two halves: error and property."""
    return {
        "property_list": [
            {
                "property_code": code[2:],
                "property_error": code[:2],
                "log_message": message(code, language)["message"],
            }
            for code in row["codes"].split(",")
        ],
        "log_date": row["at"],
        "offer_integration_status": row["status"],
        "product_ean": row["ean"],
        "seller_product_id": row["reference"],
    }


def next_due(db: sqlite3.Connection) -> str | None:
    """Return the time of the next package's next step."""
    due: str | None
    (due,) = db.execute("SELECT MIN(next_at) FROM legacy_package").fetchone()
    return due


def step(db: sqlite3.Connection, settings: SandboxSettings) -> None:
    """Integrate some offers of the package that is due first."""
    package = db.execute(
        "SELECT * FROM legacy_package WHERE next_at IS NOT NULL ORDER BY next_at, id LIMIT 1"
    ).fetchone()
    if package["entries"] > settings.of(LegacyBehaviour).limit:
        _reject(db, package, PACKAGE_FULL)
    elif not package["entries"]:
        _reject(db, package, PACKAGE_EMPTY)
    elif package["applied"] == package["entries"]:
        _end(db, package, INTEGRATED)
    else:
        _integrate(db, settings, package)


def _reject(db: sqlite3.Connection, package: sqlite3.Row, code: str) -> None:
    """Reject a whole package: its log has one entry, for no offer."""
    db.execute(
        "INSERT INTO legacy_entry VALUES (?, 0, NULL, NULL, '{}', ?, ?, ?)",
        (package["id"], REJECTED, code, package["next_at"]),
    )
    db.execute("UPDATE legacy_package SET errors = 1 WHERE id = ?", (package["id"],))
    _end(db, package, REJECTED)


def _end(db: sqlite3.Connection, package: sqlite3.Row, state: str) -> None:
    db.execute(
        "UPDATE legacy_package SET state = ?, next_at = NULL WHERE id = ?", (state, package["id"])
    )


def _integrate(db: sqlite3.Connection, settings: SandboxSettings, package: sqlite3.Row) -> None:
    """Apply the next Offers on every channel of the package; a purge clears the channels first."""
    due = package["next_at"]
    stores = [
        OfferStore(db, package["seller"], channel, due)
        for channel in orjson.loads(package["channels"])
    ]
    if package["purges"] and not package["applied"]:
        for store in stores:
            store.clear()
    parameters = {"package": package["id"], "applied": package["applied"], "batch": BATCH}
    rows = db.execute(NEXT_BATCH, parameters).fetchall()
    rules = rules_of(settings.of(OfferBehaviour))
    errors = 0
    for row in rows:
        outcomes = [_outcome(row, package, store, rules) for store in stores]
        # The log has one entry: the worst status on all channels, with its codes.
        worst = [outcome for outcome in outcomes if outcome.status != INTEGRATED] or outcomes
        codes = dict.fromkeys(code for outcome in worst for code in outcome.codes)
        errors += worst[0].status != INTEGRATED
        db.execute(
            "UPDATE legacy_entry SET status = ?, codes = ?, at = ?"
            " WHERE package = ? AND ordinal = ?",
            (worst[0].status, ",".join(codes), due, package["id"], row["ordinal"]),
        )
        # Negative numbers never belong to a package of JSON requests.
        log_applied(
            db,
            (
                (
                    *(due, -package["id"], str(package["package_id"]), package["seller"]),
                    *(store.channel, package["type"], row["reference"], row["body"], outcome),
                )
                for store, outcome in zip(stores, outcomes, strict=True)
            ),
        )
    db.execute(
        "UPDATE legacy_package SET applied = applied + ?, errors = errors + ? WHERE id = ?",
        (len(rows), errors, package["id"]),
    )


NEXT_BATCH = """
SELECT e.*, EXISTS (SELECT 1 FROM legacy_entry AS twin WHERE twin.package = e.package
  AND twin.reference = e.reference AND twin.ordinal <> e.ordinal) AS doubled
FROM legacy_entry AS e WHERE e.package = :package AND e.ordinal > :applied
ORDER BY e.ordinal LIMIT :batch
"""


def _outcome(
    row: sqlite3.Row, package: sqlite3.Row, store: OfferStore, rules: OfferBehaviour
) -> OfferOutcome:
    if row["doubled"]:
        return OfferOutcome("Duplicated", [DOUBLED])
    known = store.find(row["reference"])
    entry = orjson.loads(row["body"])
    outcome = apply_offer(package["type"], entry, known, store, rules)
    if outcome.status == INTEGRATED and "Comment" in entry:
        store.comment(row["reference"], entry["Comment"])
    return outcome


ROUTES: tuple[Route, ...] = (
    Route("POST", "/offer-integration-packages", submit, counted=True),
    Route("GET", "/offer-integration-packages/{packageId}", read, counted=True),
)
