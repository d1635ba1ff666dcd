"""A file takes its place whole and checked, or nothing happens."""

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
from feedtool.model.disk import bring_folder_to_disk
from feedtool.model.errors import CannotWrite, FeedtoolError, reason_of
from feedtool.model.text import tr

_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
_LOCKED = frozenset((5, 32, 33))
"""Windows: access denied, sharing violation, lock violation."""


EVERYBODYS, OWN = 0o666, 0o600
"""The rights of a new file: those that the system gives to most, and its owner's alone."""


@contextmanager
def atomic_write(
    target: Path,
    on_whole: Callable[[Path], None] = lambda _: None,
    *,
    is_private: bool = False,
) -> Iterator[Path]:
    """A path beside the target to write to; when the block ends well, it becomes the target.

    It is brought to the disk first, so that after a crash there is the old file or the new one;
    `on_whole` is called in between. A file that is replaced leaves its rights to the new one; one
    that is new can be read by its owner alone where it `is_private`.
    When the block fails it is removed, and the target is as it was. Raises CannotWrite where the
    system refuses to write.
    """
    real = Path(os.path.realpath(target))
    temporary = real.with_name(f".feedtool-{secrets.token_hex(6)}.tmp")
    try:
        with _explained(target):
            mode = OWN if is_private else EVERYBODYS
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
    """The error that explains the system's refusal."""
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
    """The file read back is not what was written: a bug of ours, or a failing disk."""


def not_as_written(what: str) -> NotAsWritten:
    """The error of a file that differs in `what` from what was written, to be raised."""
    return NotAsWritten(
        tr(
            "The file was not kept, since it did not read back as it was written: {what}.",
            what=what,
        ),
        tr("Try again; if it happens twice, the disk is failing or feedtool has a bug."),
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
        """Add cells, each with its place and text, or rows."""
        hashes = list(map(hash, items))
        self.total += sum(hashes)
        self.count += len(hashes)

    def add_row(self, row: int, texts: tuple[str, ...]) -> None:
        """Add a row, "" being blank."""
        self.total += hash((row, texts))
        self.count += 1

    def add_block(self, block: Block, columns: Iterable[int]) -> None:
        """Add the row, column and text of each cell in these columns that is not blank."""
        for column in columns:
            texts = map(_texts(block), block.column(column))
            self.add(item for item in zip(block.rows, repeat(column), texts) if item[2])

    def add_rows(self, block: Block, columns: Iterable[int]) -> None:
        """Add each row that is not blank in these columns, with what they show together.

        A row is one item to hash, where its cells would be three.
        """
        shown = _texts(block)
        blank = [""] * len(block.rows)
        texts = [map(shown, block.column(at)) if at < block.width else blank for at in columns]
        rows = zip(block.rows, zip(*texts, strict=True), strict=True)
        self.add(row for row in rows if any(row[1]))

    def require_same(self, other: "Digest", what: str) -> None:
        """Raise NotAsWritten if other cells were added to the other one."""
        if (self.total, self.count) != (other.total, other.count):
            raise not_as_written(
                tr("{what}, {count:,} cells or records", what=what, count=self.count)
            )


def _texts(block: Block) -> Callable[[Hashable], str]:
    """What the cells of a block show, by key; a blank is "" and nothing else is."""
    return cache(lambda key: block.decode(key).text)
