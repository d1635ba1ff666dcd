"""A list that moves to disk before it fills the memory, and other temporary files."""

import errno
import os
import pickle
import shutil
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import accumulate
from pathlib import Path
from typing import IO, Any, Generic, TypeVar
from weakref import finalize

from feedtool.model.errors import CannotWrite, reason_of
from feedtool.model.text import tr

Entry = TypeVar("Entry", bound=tuple[Any, ...])

HELD = 4096
"""Entries held in memory at most; the others are on disk, in batches of this size."""

HEAVIEST = 8 << 20
"""Characters held in memory, about: a file may have the same endless text in every row."""

PREFIX, SUFFIX = "feedtool-", ".tmp"
"""The prefix and suffix of a temporary folder's name."""
NEW = 60.0
"""Seconds in which a new folder is not removed: it may be about to be locked."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})
"""The system's errors if a disk accepts no more."""


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Make a temporary folder; CannotWrite if there is no room for its content.

    Handle failures of other files inside the context, where their names are known.
    """
    with reporting_full_disk(), locked_folder() as folder:
        yield folder


@contextmanager
def locked_folder() -> Iterator[Path]:
    """Make and lock a temporary folder; the first call also removes those of killed processes."""
    remove_left_folders(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix=PREFIX, suffix=SUFFIX) as folder:
        handle = None
        with suppress(OSError):  # some file systems have no locks, and need none
            handle = _lock(folder)
        try:
            yield Path(folder)
        finally:
            if handle is not None:
                os.close(handle)


@cache
def remove_left_folders(parent: str) -> None:
    """Remove the temporary folders of this user that no process has locked."""
    if sys.platform == "win32":
        return
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(PREFIX) and entry.name.endswith(SUFFIX)):
                continue
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                is_new = time.time() - status.st_mtime < NEW
                if (
                    is_new
                    or status.st_uid != os.getuid()
                    or not entry.is_dir(follow_symlinks=False)
                ):
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
        """Lock a folder until its process ends; OSError if another has it. Returns the handle."""
        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return handle


@contextmanager
def reporting_full_disk() -> Iterator[None]:
    """Raise CannotWrite, naming the folder and TMPDIR, if a temporary file cannot be written."""
    try:
        yield
    except OSError as error:
        # If no folder can be used at all Python names none.
        is_no_folder = error.errno == errno.ENOENT and error.filename is None
        if error.errno not in NO_ROOM and not is_no_folder:
            raise
        folder = os.environ.get("TMPDIR") or tempfile.tempdir or "/tmp"  # noqa: S108  # only for the message
        raise CannotWrite(
            tr(
                "temporary files cannot be written in {folder}: {why}",
                folder=folder,
                why=reason_of(error),
            ),
            tr("make room there, or set TMPDIR to another folder"),
        ) from error


def temporary_file() -> IO[bytes]:
    """Open a file without a name; CannotWrite if there is no room for it."""
    with reporting_full_disk():
        return tempfile.TemporaryFile()


class Spool(Generic[Entry]):
    """An append-only list on disk; it may be iterated several times, in the order of appending.

    Entries are named tuples of one class, of plain values.
    """

    def __init__(self, entries: type[Entry]) -> None:
        # The same as `_make` of the class, without a Python call for each entry.
        self._make: Callable[[tuple[object, ...]], Entry] = partial(tuple.__new__, entries)
        self._held: list[Entry] = []
        self._file: IO[bytes] | None = None
        self._length = 0
        self._weight = 0

    def __len__(self) -> int:
        return self._length

    def append(self, entry: Entry) -> None:
        self.extend((entry,), _weight(entry))

    def append_all(self, entries: Sequence[Entry]) -> None:
        self.extend(entries, sum(map(_weight, entries)))

    def extend(self, entries: Sequence[Entry], weight: int) -> None:
        """Append entries whose texts have `weight` characters in all."""
        self._held.extend(entries)
        self._length += len(entries)
        self._weight += weight
        if len(self._held) >= HELD or self._weight >= HEAVIEST:
            self._spill()

    def __iter__(self) -> Iterator[Entry]:
        position = 0
        while self._file is not None:
            self._file.seek(position)  # another iteration may have moved it
            try:
                batch = pickle.load(self._file)  # noqa: S301  # our own file, which nobody else sees
            except EOFError:
                break
            position = self._file.tell()
            yield from map(self._make, batch)
        yield from self._held

    def _spill(self) -> None:
        with reporting_full_disk():
            if self._file is None:
                self._file = temporary_file()
                finalize(self, self._file.close)
            self._file.seek(0, 2)
            pickle.dump(list(map(tuple, self._held)), self._file)
            self._file.flush()
        self._held, self._weight = [], 0


def _weight(entry: tuple[Any, ...]) -> int:
    """The characters of an entry's texts."""
    weight = 0
    for value in entry:
        if value.__class__ is str or value.__class__ is bytes:
            weight += len(value)
    return weight


# Millions of short texts by index, most of them on disk.

HELD_TEXTS = 4 << 20
"""Bytes held in memory at most; earlier ones are on disk."""
_PAGE = 1 << 14
_PAGES = 64


class TextStore:
    """Byte strings by index.

    Each takes eight bytes of memory; all texts but the last 4 MiB are on disk.
    """

    def __init__(self, texts: Sequence[bytes] = ()) -> None:
        self._starts = array("Q", [0])
        self._tail = bytearray()
        self._on_disk = 0
        self._file: IO[bytes] | None = None
        self._pages: dict[int, bytes] = {}
        self.extend(texts)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return TextStore, (list(self),)

    def __len__(self) -> int:
        return len(self._starts) - 1

    @property
    def size(self) -> int:
        return self._starts[-1]

    def __iter__(self) -> Iterator[bytes]:
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, index: int) -> bytes:
        """The text of an index; IndexError if it is out of range."""
        if index < 0:
            raise IndexError(index)
        start, end = self._starts[index], self._starts[index + 1]
        offset = start - self._on_disk
        if offset >= 0:
            return bytes(self._tail[offset : end - self._on_disk])
        # Neighbours are read one after the other: most texts of a workbook are in the order of its
        # cells.
        number, offset = divmod(start, _PAGE)
        page = self._pages.get(number)
        if page is None:
            if len(self._pages) >= _PAGES:
                self._pages.clear()
            page = self._pages[number] = self._read(number * _PAGE, _PAGE)
        if end - start <= len(page) - offset:
            return page[offset : offset + end - start]
        return self._read(start, end - start)

    def extend(self, texts: Sequence[bytes]) -> None:
        """Append texts; CannotWrite if the disk takes no more."""
        if not texts:
            return
        self._starts.extend(accumulate(map(len, texts), initial=self._starts.pop()))
        self._tail += b"".join(texts)
        if len(self._tail) > HELD_TEXTS:
            self._spill()

    def truncate(self, length: int) -> None:
        del self._starts[length + 1 :]
        del self._tail[max(self.size - self._on_disk, 0) :]
        if self.size < self._on_disk:
            self._on_disk = self.size
            self._pages.clear()

    def _spill(self) -> None:
        with reporting_full_disk():
            if self._file is None:
                self._file = temporary_file()
                finalize(self, self._file.close)
            self._file.seek(self._on_disk)
            self._file.write(self._tail)
            self._file.flush()
        self._on_disk += len(self._tail)
        self._tail = bytearray()
        self._pages.clear()

    def _read(self, start: int, length: int) -> bytes:
        """Read bytes of the file, fewer at its end."""
        if self._file is None:
            raise AssertionError(start)
        length = min(length, self._on_disk - start)
        if hasattr(os, "pread"):  # a process that is forked shares the file, and its position
            return os.pread(self._file.fileno(), length, start)
        self._file.seek(start)
        return self._file.read(length)


# Make files survive a crash of the machine.


def bring_folder_to_disk(folder: Path) -> None:
    """Write a folder's names to disk; a system that cannot open folders does so by itself."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
