"""A list that moves to disk before it fills the memory."""

import pickle
from collections.abc import Callable, Iterable, Iterator
from tempfile import TemporaryFile
from typing import IO, Any, Generic, TypeVar
from weakref import finalize

T = TypeVar("T", bound=tuple[Any, ...])

HELD = 4096
"""Entries held in memory at most; the others are on disk, in batches of this size."""

HEAVIEST = 8 << 20
"""Characters held in memory, about: a file may have the same endless text in every row."""


class Spool(Generic[T]):
    """Append-only; iterated as often as one likes, in the order of appending.

    Entries are tuples of plain values; `make` turns a tuple back into an entry.
    """

    def __init__(self, make: Callable[[Iterable[object]], T]) -> None:
        self._make = make
        self._held: list[T] = []
        self._file: IO[bytes] | None = None
        self._length = 0
        self._weight = 0

    def __len__(self) -> int:
        return self._length

    def append(self, entry: T) -> None:
        """Adds an entry at the end."""
        weight = 0
        for value in entry:
            if value.__class__ is str or value.__class__ is bytes:
                weight += len(value)
        self.add(entry, weight)

    def add(self, entry: T, weight: int) -> None:
        """Adds an entry whose texts have so many characters, for whoever knows that at once."""
        self._held.append(entry)
        self._length += 1
        self._weight += weight
        if len(self._held) >= HELD or self._weight >= HEAVIEST:
            self._spill()

    def __iter__(self) -> Iterator[T]:
        yield from self._spilled()
        yield from self._held

    def _spill(self) -> None:
        if self._file is None:
            self._file = TemporaryFile()  # noqa: SIM115  # lives as long as the spool
            finalize(self, self._file.close)
        self._file.seek(0, 2)
        pickle.dump([tuple(entry) for entry in self._held], self._file)
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
