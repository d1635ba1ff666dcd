"""What was intended and what was answered, per run, file, package and upload.

The service has no idempotency keys, so what we know of it is here or nowhere: every step is
written before its request and after its answer, each a full commit. Never a token or a header.

Reading order: `records` (the nouns), `tables` (how they are kept), `database` (SQLite or
PostgreSQL behind one URL), `trouble` (why it cannot be used), `migrations` (from older tables),
`store` (the Ledger), `saving` (what steps and answers came to), `clearing` (which rows may be in
flight), `leftovers` (which go into a later package), `verdicts` (what became of each row),
`withholding` (of rows that are not sent), `abandoning` (runs that are given up);
then what the service has last accepted: `absorbing` (what that means), `known` (how it is kept),
`seeing` (what an export was shown) and `accepted` (looking it up); beside it `lock` (one writer for
each seller), `claims` (the files that a watcher has taken) and `snapshots` (the input files).
"""

from feedtool.ledger.records import (
    AGAIN,
    Attempt,
    Awaited,
    Change,
    Fate,
    File,
    Package,
    Phase,
    Result,
    Run,
    Sought,
    Stage,
    Tail,
)
from feedtool.ledger.store import Ledger

__all__ = [
    "AGAIN",
    "Attempt",
    "Awaited",
    "Change",
    "Fate",
    "File",
    "Ledger",
    "Package",
    "Phase",
    "Result",
    "Run",
    "Sought",
    "Stage",
    "Tail",
]
