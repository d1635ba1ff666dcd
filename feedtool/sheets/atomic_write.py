"""Write a file completely and checked, or not at all."""

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import repeat
from pathlib import Path

from feedtool.model.cells import Block
from feedtool.model.disk_list import bring_folder_to_disk
from feedtool.model.errors import CannotWrite, FeedtoolError, reason_of
from feedtool.model.text import tr

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_LOCKED = frozenset((5, 32, 33))
"""Windows: access denied, sharing violation, lock violation."""


USUAL_MODE, PRIVATE_MODE = 0o666, 0o600
"""The rights of a new file: the system's usual ones, and those for its owner alone."""


@contextmanager
def atomic_write(
    target: Path, on_whole: Callable[[Path], None] = lambda _: None, *, is_private: bool = False
) -> Iterator[Path]:
    """Yield a temporary path beside the target; when the block ends well, it becomes the target.

    The file is flushed to the disk first, so that after a crash the old file or the new one is
    there; `on_whole` is called in between. A file that is replaced passes its rights to the new
    one; a new file that `is_private` can be read by its owner alone. If the block fails, the
    temporary file is removed, and the target does not change. Raises CannotWrite if the system
    refuses to write.
    """
    real = Path(os.path.realpath(target))
    temporary = real.with_name(f".feedtool-{secrets.token_hex(6)}.tmp")
    try:
        with _explained(target):
            mode = PRIVATE_MODE if is_private else USUAL_MODE
            open(temporary, "xb", opener=partial(os.open, mode=mode)).close()
            if real.exists():
                shutil.copymode(real, temporary)
        yield temporary
        with _explained(target), temporary.open("rb+") as file:
            os.fsync(file.fileno())
        on_whole(temporary)
        with _explained(target):
            temporary.replace(real)
            bring_folder_to_disk(real.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(target, error) from error


def cannot_write(target: Path, error: OSError) -> CannotWrite:
    """Return the error that explains the system's refusal."""
    why: str
    if error.errno in _FULL:
        why, hint = tr("the disk is full"), tr("Make room, or write elsewhere with --out.")
    elif getattr(error, "winerror", None) in _LOCKED:
        why = tr("another program has it open")
        hint = tr("Close it in Excel, or write elsewhere with --out.")
    elif isinstance(error, FileNotFoundError) and target.parent.is_dir():  # such as /proc
        why = tr("no file can be made in {folder}", folder=target.parent)
        hint = tr("Write elsewhere with --out.")
    elif isinstance(error, FileNotFoundError | NotADirectoryError):
        why = tr("there is no folder {folder}", folder=target.parent)
        hint = tr("Make the folder, or write elsewhere with --out.")
    elif error.errno == errno.ENAMETOOLONG:
        why = tr("its name is too long")
        hint = tr("Give it a shorter name with --out, or shorten the name of the input.")
    else:
        why = reason_of(error)
        hint = tr("Allow writing there, or write elsewhere with --out.")
    return CannotWrite(tr("{target} cannot be written: {why}.", target=target, why=why), hint)


class NotAsWritten(FeedtoolError):
    """The file that was read back differs from what was written: a bug, or a failing disk."""


def not_as_written(what: str) -> NotAsWritten:
    """Return the error of a file that differs in `what` from what was written."""
    return NotAsWritten(
        tr(
            "The file was not kept, since it did not read back as it was written: {what}.",
            what=what,
        ),
        tr("Try again; if it happens twice, the disk is failing or feedtool has a bug."),
    )


class Digest:
    """A checksum of cells or records: made while writing, and compared with one of reading.

    It is a sum, because the cells of a row may have any order in a file. It has a meaning only
    within one process, because Python's hashes differ between processes.
    """

    def __init__(self) -> None:
        self.total = 0
        self.count = 0

    def add(self, items: Iterable[Hashable]) -> None:
        """Add cells, each with its place and text, or rows."""
        hashes = list(map(hash, items))
        self.total += sum(hashes)
        self.count += len(hashes)

    def add_row(self, row: int, texts: tuple[str, ...]) -> None:
        """Add a row; "" is a blank cell."""
        self.total += hash((row, texts))
        self.count += 1

    def add_block(self, block: Block, columns: Iterable[int]) -> None:
        """Add the row, column and text of each cell in these columns that is not blank."""
        for column in columns:
            texts = map(_texts(block), block.column(column))
            self.add(item for item in zip(block.rows, repeat(column), texts) if item[2])

    def add_rows(self, block: Block, columns: Iterable[int]) -> None:
        """Add each row that is not blank in these columns, with the texts of their cells.

        A row is hashed as one item, which is faster than hashing its cells.
        """
        shown = _texts(block)
        blank = [""] * len(block.rows)
        texts = [
            map(shown, block.column(column)) if column < block.width else blank
            for column in columns
        ]
        rows = zip(block.rows, zip(*texts, strict=True), strict=True)
        self.add(row for row in rows if any(row[1]))

    def require_same(self, other: "Digest", what: str) -> None:
        """Raise NotAsWritten if the other digest is of other cells."""
        if (self.total, self.count) != (other.total, other.count):
            raise not_as_written(
                tr("{what}, {count:,} cells or records", what=what, count=self.count)
            )


def _texts(block: Block) -> Callable[[Hashable], str]:
    """Return a function from a block's keys to the texts of cells; only a blank has ""."""
    return cache(lambda key: block.decode(key).text)
