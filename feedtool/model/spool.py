"""A list that moves to disk before it fills the memory, and other temporary files."""

import errno
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import IO, Any, Generic, TypeVar
from weakref import finalize

from feedtool.model.errors import CannotWrite, reason_of
from feedtool.model.text import tr

T = TypeVar("T", bound=tuple[Any, ...])

HELD = 4096
"""Entries held in memory at most; the others are on disk, in batches of this size."""

HEAVIEST = 8 << 20
"""Characters held in memory, about: a file may have the same endless text in every row."""

PREFIX, SUFFIX = "feedtool-", ".tmp"
"""The name of a temporary folder, around what the system chooses."""
NEW = 60.0
"""Seconds for which a folder is left alone: it may be about to be locked."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""The system's errors of a disk that takes nothing more."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for as long as it is needed; CannotWrite where there is no room for what is in it.

    Failures of files elsewhere are to be told inside, by the names of those files.
    """
    with telling_of_room(), locked_folder() as folder:
        yield folder


@contextmanager
def locked_folder() -> Iterator[Path]:
    """The same, with the system's own errors; the first removes what killed processes have left."""
    remove_left_folders(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=PREFIX, suffix=SUFFIX) as folder:
        handle = None
        with suppress(OSError):  # not every file system has locks, and none is needed there
            handle = _lock(folder)
        try:
            yield Path(folder)
        finally:
            if handle is not None:
                os.close(handle)


@cache
def remove_left_folders(parent: str) -> None:
    """Remove the temporary folders of this user that no process has locked any more."""
    if sys.platform == "win32":
        return
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(PREFIX) and entry.name.endswith(SUFFIX)):
                continue
            with suppress(OSError):
                seen = entry.stat(follow_symlinks=False)
                is_new = time.time() - seen.st_mtime < NEW
                if is_new or seen.st_uid != os.getuid() or not entry.is_dir(follow_symlinks=False):
                    continue
                handle = _lock(entry.path)
                shutil.rmtree(entry.path, ignore_errors=True)
                if handle is not None:
                    os.close(handle)


if sys.platform == "win32":

    def _lock(folder: str) -> int | None:
        del folder  # it cannot be locked there

else:
    import fcntl

    def _lock(folder: str) -> int | None:
        """The handle that locks a folder until its process ends; OSError where another has it."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return handle


@contextmanager
def telling_of_room() -> Iterator[None]:
    """CannotWrite, naming the folder and TMPDIR, where a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        # Where no folder can be used at all Python names none.
        is_no_folder = error.errno == errno.ENOENT and error.filename is None
        if error.errno not in NO_ROOM and not is_no_folder:
            raise
        folder = os.environ.get("TMPDIR") or tempfile.tempdir or "/tmp"  # noqa: S108  # only told
        raise CannotWrite(
            tr(
                "temporary files cannot be written in {folder}: {why}",
                folder=folder,
                why=reason_of(error),
            ),
            tr("make room there, or set TMPDIR to another folder"),
        ) from error


def temporary_file() -> IO[bytes]:
    """A file without a name. Raises CannotWrite where there is no room for it."""
    with telling_of_room():
        return tempfile.TemporaryFile()


class Spool(Generic[T]):
    """Append-only; iterated as often as one likes, in the order of appending.

    Entries are named tuples of one class, of plain values.
    """

    def __init__(self, entries: type[T]) -> None:
        # As `_make` of the class does, but without a call of Python's for each entry.
        self._make: Callable[[tuple[object, ...]], T] = partial(tuple.__new__, entries)
        self._held: list[T] = []
        self._file: IO[bytes] | None = None
        self._length = 0
        self._weight = 0

    def __len__(self) -> int:
        return self._length

    def append(self, entry: T) -> None:
        """Adds an entry at the end."""
        self.extend((entry,), _weight(entry))

    def append_all(self, entries: Sequence[T]) -> None:
        """Adds entries at the end."""
        self.extend(entries, sum(map(_weight, entries)))

    def extend(self, entries: Sequence[T], weight: int) -> None:
        """Adds entries whose texts have so many characters, for whoever knows that at once."""
        self._held.extend(entries)
        self._length += len(entries)
        self._weight += weight
        if len(self._held) >= HELD or self._weight >= HEAVIEST:
            self._spill()

    def __iter__(self) -> Iterator[T]:
        yield from self._spilled()
        yield from self._held

    def _spill(self) -> None:
        with telling_of_room():
            if self._file is None:
                self._file = temporary_file()
                finalize(self, self._file.close)
            self._file.seek(0, 2)
            pickle.dump(list(map(tuple, self._held)), self._file)
            self._file.flush()
        self._held, self._weight = [], 0

    def _spilled(self) -> Iterator[T]:
        position = 0
        while self._file is not None:
            self._file.seek(position)  # another iteration may have moved it
            try:
                batch = pickle.load(self._file)  # noqa: S301  # our own file, which no one else sees
            except EOFError:
                return
            position = self._file.tell()
            yield from map(self._make, batch)


def _weight(entry: tuple[Any, ...]) -> int:
    """The characters of an entry's texts."""
    weight = 0
    for value in entry:
        if value.__class__ is str or value.__class__ is bytes:
            weight += len(value)
    return weight
