"""Millions of short texts by index, most of them on disk."""

import os
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import IO
from weakref import finalize

from feedtool.model.spool import reporting_full_disk, temporary_file

HELD = 4 << 20
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
        """The bytes of all texts."""
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
        page = self._pages.get(number) or self._load(number)
        if end - start <= len(page) - offset:
            return page[offset : offset + end - start]
        return self._read(start, end - start)

    def extend(self, texts: Sequence[bytes]) -> None:
        """Append texts; CannotWrite if the disk takes no more."""
        if not texts:
            return
        self._starts.extend(accumulate(map(len, texts), initial=self._starts.pop()))
        self._tail += b"".join(texts)
        if len(self._tail) > HELD:
            self._spill()

    def truncate(self, length: int) -> None:
        """Remove all but the first `length` texts."""
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

    def _load(self, number: int) -> bytes:
        if len(self._pages) >= _PAGES:
            self._pages.clear()
        page = self._pages[number] = self._read(number * _PAGE, _PAGE)
        return page

    def _read(self, start: int, length: int) -> bytes:
        """Read bytes of the file, fewer at its end."""
        if self._file is None:
            raise AssertionError(start)
        length = min(length, self._on_disk - start)
        if hasattr(os, "pread"):  # a process that is forked shares the file, and its position
            return os.pread(self._file.fileno(), length, start)
        self._file.seek(start)
        return self._file.read(length)
