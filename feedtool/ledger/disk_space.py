"""Make a ledger's file smaller if much of it is free.

SQLite uses the pages of removed rows for new ones, and never makes its file smaller by itself.
PostgreSQL does this by itself.
"""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine

from feedtool.ledger.trouble import explained, is_file
from feedtool.model.errors import Interrupted
from feedtool.model.text import tr

WORTH = 0.25
"""The part of the file that has to be free: rewriting costs as much as copying it."""
LEAST = 1 << 20
"""Bytes that have to be free."""


class Shrunk(NamedTuple):
    """The size of a ledger's file, in bytes."""

    before: int
    after: int


def shrink(engine: Engine) -> Shrunk | None:
    """Rewrite a ledger's file without its free pages; None if it is not worth it.

    Meanwhile others read, and wait to write: a second or two for each 100 MB that stay. A crash
    leaves the file as it was.

    Raises:
        Interrupted: It is in use for too long, or there is no room for the copy.
    """
    if not is_file(engine.url):
        return None
    path = Path(str(engine.url.database))
    with explained(engine, "written"), closing(engine.raw_connection()) as pooled:
        connection: Any = pooled.driver_connection  # no statement begins a transaction here
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        if free * size < LEAST or free < pages * WORTH:
            return None
        try:
            connection.execute("VACUUM").close()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        except sqlite3.OperationalError as error:
            raise Interrupted(
                tr("The ledger {path} was not made smaller: {why}.", path=path, why=error),
                tr("What is free in it is used for new runs. Make room, or wait; run it again."),
            ) from error
    return Shrunk(pages * size, path.stat().st_size)
