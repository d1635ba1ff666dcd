"""Intentions and answers of runs, by file, package and upload.

The service has no idempotency keys, so what we know of it is here or nowhere: every step is
written before its request and after its answer, each a full commit. Never a token or a header.

Reading order: `records` (the nouns), `tables` (how they are kept; `migrations` from older ones),
`database` (SQLite or PostgreSQL behind one URL; `trouble`: why it cannot be used), `store` (the
Ledger) and `reader`, `packages`, `admission` (which rows go with a package), `row_results`,
`row_history` (rows of other runs, and rows that were not sent). Beside these are `lock` (one writer
for each seller), `claims` (a watcher's files), `parcels` (files that wait for a worker) and
`snapshots` (the input files). An area reads and writes its own tables through the ledger's engine.

Requests and rows are many to many. A request is named by its first row and its number among the
requests of that row; `request_rows` has its further rows, which most requests do not have.
"""

from feedtool.ledger.records import (
    REQUEUE,
    Attempt,
    Change,
    Clearance,
    File,
    Package,
    Phase,
    Requeue,
    Resolution,
    Result,
    ResultCounts,
    Run,
    Stage,
)
from feedtool.ledger.store import Ledger

__all__ = [
    "REQUEUE",
    "Attempt",
    "Change",
    "Clearance",
    "File",
    "Ledger",
    "Package",
    "Phase",
    "Requeue",
    "Resolution",
    "Result",
    "ResultCounts",
    "Run",
    "Stage",
]
