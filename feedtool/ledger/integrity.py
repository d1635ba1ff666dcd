"""Check that a ledger is undamaged, and copy it while others work.

SQLite's file is read without a lock that keeps others from writing, and is not changed.
PostgreSQL has programs of its own for both: `pg_amcheck` and `pg_dump`.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import text

from feedtool.ledger.database import LedgerView, open_read_only, refuse_other_tables
from feedtool.ledger.migrations import VERSION
from feedtool.ledger.trouble import DAMAGED_HINT
from feedtool.model.errors import UsageProblem
from feedtool.model.text import tr

SHOWN = 5
"""Findings of SQLite that are shown; more would add nothing."""


def check(place: Path | str) -> LedgerView:
    """Check that a ledger is undamaged; return it, with its connection closed.

    The tables of an older version are not compared: they change when it is next opened.
    UsageProblem if it is damaged, has other tables than its version, or is no ledger.
    """
    with open_read_only(place) as view:
        if view.is_file:
            _refuse_damaged(view, view.shown)
        if view.version == VERSION:
            refuse_other_tables(view.connection, view.shown, view.version)
        return view


def back_up(place: Path | str, target: Path) -> None:
    """Copy one moment of SQLite's file into an empty one, and check that the copy is undamaged.

    UsageProblem for PostgreSQL, for a damaged ledger or none, and if copying fails.
    """
    with open_read_only(place) as view:
        if not view.is_file:
            raise UsageProblem(
                tr(
                    "The ledger {shown} is in PostgreSQL: copy it with its own `pg_dump`.",
                    shown=view.shown,
                )
            )
        source: Any = view.connection.connection.driver_connection
        try:
            with closing(sqlite3.connect(target, isolation_level=None)) as copy:
                # Nobody uses the copy yet: it needs no journal, and is removed if this fails.
                copy.execute("PRAGMA journal_mode = OFF").close()
                copy.execute("PRAGMA synchronous = OFF").close()
                source.backup(copy)
                # One file without a log can be read on a disk that is read-only.
                copy.execute("PRAGMA journal_mode = DELETE").close()
        except sqlite3.Error as error:
            raise UsageProblem(
                tr("The ledger {shown} cannot be copied: {why}.", shown=view.shown, why=error),
                tr("See to the reason, or name another FILE."),
            ) from error
    with open_read_only(target) as copied:
        _refuse_damaged(copied, view.shown)


def _refuse_damaged(view: LedgerView, shown: str) -> None:
    """Raise UsageProblem with the first findings of SQLite's own check, if any."""
    rows = view.connection.execute(text(f"PRAGMA integrity_check({SHOWN})")).scalars()
    lines = [line for row in rows for line in row.splitlines() if not line.startswith("***")]
    if lines != ["ok"]:
        raise UsageProblem(
            tr(
                "The ledger {shown} is damaged: {findings}.",
                shown=shown,
                findings="; ".join(lines),
            ),
            DAMAGED_HINT,
        )
