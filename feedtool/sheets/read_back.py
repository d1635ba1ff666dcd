"""A file that was written is read again before it takes its place: the two must agree."""

from collections.abc import Hashable, Iterable
from functools import cache
from itertools import repeat

from feedtool.model.cells import Block, Kind
from feedtool.model.errors import FeedtoolError


class NotAsWritten(FeedtoolError):
    """The file read back is not what was written: a bug of ours, or a failing disk."""


def not_as_written(what: str) -> NotAsWritten:
    """The error of a file that differs in `what` from what was written, to be raised."""
    return NotAsWritten(
        f"The file was not kept, since it did not read back as it was written: {what}.",
        "Try again; if it happens twice, the disk is failing or feedtool has a bug.",
    )


class Digest:
    """Of cells or records: one is made while writing and compared with one made while reading.

    A sum, because a row's cells need not stand in order in a file. It means something only within
    one process, whose hashes are its own.
    """

    def __init__(self) -> None:
        self.total = 0
        self.count = 0

    def add(self, items: Iterable[Hashable]) -> None:
        """Add cells, each with its place and text."""
        hashes = list(map(hash, items))
        self.total += sum(hashes)
        self.count += len(hashes)

    def add_block(self, block: Block, columns: Iterable[int]) -> None:
        """Add the row, column and text of each cell in these columns that is not blank."""

        @cache
        def text(key: Hashable) -> str | None:
            cell = block.decode(key)
            return None if cell.kind is Kind.BLANK else cell.text

        for column in columns:
            texts = map(text, block.column(column))
            self.add(item for item in zip(block.rows, repeat(column), texts) if item[2] is not None)

    def require_same(self, other: "Digest", what: str) -> None:
        """Raise NotAsWritten if other cells were added to the other one."""
        if (self.total, self.count) != (other.total, other.count):
            raise not_as_written(f"{what}, {self.count:,} cells or records")
