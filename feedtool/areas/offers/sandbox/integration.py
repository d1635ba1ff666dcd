"""The integration of a package: every offer request gets its outcome, in upload order.

Part "Offers (JSON packages)", rules 1 to 4. A package is integrated in batches, each a separate
step, so that it is never wholly in memory and other requests need not wait for it.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from sqlite3 import Connection, Row
from typing import NamedTuple

import orjson

from feedtool.areas.offers.sandbox.messages import CREATED, DOUBLED, UPDATED
from feedtool.areas.offers.sandbox.rules import (
    OfferBehaviour,
    OfferRequest,
    read_request,
    update_codes,
    upsert_codes,
    with_changes,
)
from feedtool.areas.offers.sandbox.store import (
    KNOWN_COLUMNS,
    KnownOffer,
    OfferStore,
    gtin_product,
    has_sheet,
    known_offer,
)

BATCH = 1000

TABLES = """
CREATE TABLE IF NOT EXISTS request(       -- staged; gone once applied
  package INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,               -- its place in the package
  reference TEXT,
  body TEXT NOT NULL,
  PRIMARY KEY (package, ordinal)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS request_by_reference ON request(package, reference);
CREATE TABLE IF NOT EXISTS applied(       -- only ever added to
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  package INTEGER NOT NULL,
  package_id TEXT NOT NULL,
  seller TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  reference TEXT,
  body TEXT NOT NULL,
  outcome TEXT NOT NULL,                  -- Integrated, Rejected or Duplicated
  codes TEXT NOT NULL                     -- comma list
);
CREATE INDEX IF NOT EXISTS applied_by_package ON applied(package, id);
"""


class OfferOutcome(NamedTuple):
    status: str
    codes: list[str]


def rejected(*codes: str) -> OfferOutcome:
    """Return the refusal of one request; its package goes on (part "Errors", rule 10)."""
    return OfferOutcome("Rejected", list(codes))


def apply_batch(db: Connection, behaviour: OfferBehaviour, package: Row) -> Counter[str]:
    """Apply the next staged requests, log their outcomes, and count them by status.

    Returns no counts once all are applied, and deletes the staged requests. A batch is read before
    any of it is applied. That is safe: a reference that occurs twice is never applied, so no
    request sees an offer changed by another request of its package.
    """
    batch = db.execute(
        NEXT_BATCH,
        {
            "seller": package["seller"],
            "channel": package["channel"],
            "package": package["id"],
            "applied": package["integrated"] + package["rejected"] + package["duplicated"],
        },
    ).fetchall()
    if not batch:
        db.execute("DELETE FROM request WHERE package = ?", (package["id"],))
    store = OfferStore(db, package["seller"], package["channel"], moment=package["next_at"])
    apply = APPLY[package["type"]]
    outcomes = [
        OfferOutcome("Duplicated", [DOUBLED])
        if row["doubled"]
        else apply(read_request(orjson.loads(row["body"])), known_offer(row), store, behaviour)
        for row in batch
    ]
    names = ("next_at", "id", "package_id", "seller", "channel", "type")
    common = tuple(package[name] for name in names)
    applied = zip(batch, outcomes, strict=True)
    log_applied(db, ((*common, row["reference"], row["body"], result) for row, result in applied))
    return Counter(outcome.status for outcome in outcomes)


NEXT_BATCH = f"""
SELECT r.reference, r.body, {KNOWN_COLUMNS},
  EXISTS (SELECT 1 FROM request AS twin WHERE twin.package = r.package
          AND twin.reference = r.reference AND twin.ordinal <> r.ordinal) AS doubled
FROM request AS r LEFT JOIN offer AS o
  ON o.seller = :seller AND o.channel = :channel AND o.reference = r.reference
WHERE r.package = :package AND r.ordinal > :applied ORDER BY r.ordinal LIMIT {BATCH}
"""  # noqa: S608 - only constants are filled in


AppliedRow = tuple[str, int, str, str, str, str, str | None, str, OfferOutcome]
"""Columns of the table `applied` from `at` to `body`, and the outcome."""


def log_applied(db: Connection, rows: Iterable[AppliedRow]) -> None:
    """Add to the log of all integrated and refused requests."""
    db.executemany(
        "INSERT INTO applied(at, package, package_id, seller, channel, type, reference, body,"
        " outcome, codes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        ((*row, outcome.status, ",".join(outcome.codes)) for *row, outcome in rows),
    )


def _upsert(
    request: OfferRequest, known: KnownOffer | None, store: OfferStore, behaviour: OfferBehaviour
) -> OfferOutcome:
    """Create the offer, or replace the one of the same reference, product and condition."""
    if codes := upsert_codes(request, behaviour):
        return rejected(*codes)
    if known and is_another_product(request, known.request):
        return rejected("2503")
    if known and not request.gtin:
        request = request._replace(gtin=known.request.gtin)
    product = store.product(request)
    if not has_sheet(store.db, product):
        return rejected("1324")
    done = store.write(known, request, product) if known else store.create(request, product)
    if not done:
        return rejected("2403")
    return OfferOutcome("Integrated", [UPDATED if known else CREATED])


def _update(
    request: OfferRequest, known: KnownOffer | None, store: OfferStore, behaviour: OfferBehaviour
) -> OfferOutcome:
    """Change the fields that are present; product and condition must stay the same (rule 2)."""
    if not request.reference.strip():
        return rejected("1003")
    if not known:
        return rejected("3628")
    if is_another_product(request, known.request):
        return rejected("2503")
    if codes := update_codes(request, known.request, behaviour):
        return rejected(*codes)
    store.write(known, with_changes(request, known.request), known.product)
    return OfferOutcome("Integrated", [UPDATED])


def _delete(
    request: OfferRequest, known: KnownOffer | None, store: OfferStore, _behaviour: OfferBehaviour
) -> OfferOutcome:
    """Remove the offer; only the reference counts (rule 3)."""
    if not request.reference.strip():
        return rejected("1003")
    if not known:
        return rejected("3003")
    store.remove(known)
    return OfferOutcome("Integrated", [UPDATED])


def is_another_product(request: OfferRequest, known: OfferRequest) -> bool:
    """True if a request has another product or condition than the offer of its reference."""
    if request.condition and request.condition != known.condition:
        return True
    if request.gtin and known.gtin:
        return gtin_product(request.gtin) != gtin_product(known.gtin)
    if not (request.gtin or request.product_reference):
        return False
    return request.product_reference != known.product_reference


Apply = Callable[[OfferRequest, KnownOffer | None, OfferStore, OfferBehaviour], OfferOutcome]

APPLY: dict[str, Apply] = {"Upsert": _upsert, "Update": _update, "Delete": _delete}
"""By packageType, case-sensitive."""
