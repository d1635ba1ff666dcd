"""Rows kept on disk until all are there: only then is it known which columns they need."""

import pickle
import sqlite3
from collections.abc import Callable, Iterator
from typing import Self

from feedtool.feeds.export import KeyedRow
from feedtool.model.errors import FeedtoolError

BATCH = 1000
"""Rows that are read before somebody is asked whether to stop."""


class RowBuffer:
    """Rows in the order in which they came first; a later one of the same key takes its place.

    A list may change while its pages are read, so that one entry is on two of them. The rows are
    in a temporary database, which is gone when the process is.
    """

    def __init__(self, stopping: Callable[[], FeedtoolError | None] = lambda: None) -> None:
        self._stopping = stopping
        self._db = sqlite3.connect("", isolation_level=None)
        self._db.execute("CREATE TABLE row(key TEXT UNIQUE, cells BLOB NOT NULL)")
        self._db.execute("BEGIN")
        self.columns: dict[str, None] = {}
        """The keys of the columns that any row fills, as they were met."""

    def put(self, key: str | None, row: KeyedRow) -> None:
        """Adds a row, or replaces the one of this key; None is never another's."""
        filled = {name: value for name, value in row.items() if value is not None and value != ""}
        self.columns.update(dict.fromkeys(filled))
        self._db.execute(
            "INSERT INTO row VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET cells = excluded.cells",
            (key, pickle.dumps(filled)),
        )

    def __len__(self) -> int:
        (count,) = self._db.execute("SELECT COUNT(*) FROM row").fetchone()
        return int(count)

    def __iter__(self) -> Iterator[KeyedRow]:
        """All rows; raises what `stopping` says."""
        rows = self._db.execute("SELECT cells FROM row ORDER BY rowid")
        for number, (cells,) in enumerate(rows):
            if number % BATCH == 0 and (reason := self._stopping()):
                raise reason
            yield pickle.loads(cells)  # noqa: S301  # our own file, which no one else sees

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()
