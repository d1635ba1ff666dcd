"""Find keys that occur twice among all rows of a command."""

import hashlib
from array import array
from collections.abc import Iterator, MutableSequence, Sequence
from itertools import islice
from typing import Any, NamedTuple, Self

from feedtool.model.disk_list import TextStore
from feedtool.model.text import MessageText, joined, tr

_TOGETHER = 1 << 16
"""The approximate number of keys compared at a time."""
_NEW = 1 << 10
"""The number of keys stored at a time, in loops that run in C."""

_LONGEST = 256
"""The most bytes of a stored key; a longer key is stored as its beginning and a digest."""
_NAMED = 5
"""The most rows in a text of other rows."""
_CUT = b"\xff"
"""Marks a shortened key; no text in UTF-8 has this byte."""


class RowPlace(NamedTuple):
    sheet: int
    """The number of the sheet within the command, 0-based."""
    row: int


class Group:
    """The indexes of all occurrences of one key, ascending."""

    __slots__ = ("_following", "_length", "first")

    def __init__(self, first: int, length: int, following: "array[int]") -> None:
        self.first = first
        self._length = length
        self._following = following

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[int]:
        index = self.first
        for _ in range(self._length):
            yield index
            index = self._following[index]


class Occurrences:
    """Keys and the places of their rows, in the order in which they were added.

    A million of them take 24 MB of memory; the keys themselves are on disk. `notes` holds data of a
    subclass, `width` entries for each occurrence; without a subclass it is empty.
    """

    width = 1

    def __init__(self, notes: MutableSequence[Any] | None = None) -> None:
        self.notes: MutableSequence[Any] = [] if notes is None else notes
        self._places = array("Q")
        self._hashes = array("q")
        self._keys = TextStore()
        self._new: list[str] = []

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: str, sheet: int, row: int) -> None:
        self._places.append(sheet << 32 | row)
        self._new.append(key)
        if len(self._new) >= _NEW or len(key) > _LONGEST:
            self._store()

    def extend(self, later: Self) -> None:
        self._store()
        later._store()
        self.notes.extend(later.notes)
        self._places.extend(later._places)
        self._hashes.extend(later._hashes)
        self._keys.extend(list(later._keys))

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` occurrences."""
        self._store()
        del self._places[length:], self._hashes[length:], self.notes[length * self.width :]
        self._keys.truncate(length)

    def key(self, index: int) -> str:
        """Return the key of an occurrence; a very long key is cut and ends in `…`."""
        self._store()
        text, cut, _ = self._keys[index].partition(_CUT)
        if not cut:
            return text.decode("utf-8", "surrogatepass")
        return text.decode("utf-8", "ignore") + "…"

    def place(self, index: int) -> RowPlace:
        packed = self._places[index]
        return RowPlace(packed >> 32, packed & 0xFFFFFFFF)

    def folded(self, keys: Sequence[str]) -> Sequence[str]:
        """Return the keys by which occurrences are compared, in the same order.

        A subclass may remove differences that people do not see.
        """
        return keys

    def others(self, index: int, group: Group | Sequence[int], names: Sequence[str]) -> MessageText:
        """Return a text of the first other rows with the same key, with names of sheets."""
        place = self.place(index)
        first = islice(group, _NAMED + 1)
        others = [self.place(other) for other in first if other != index][:_NAMED]
        shown = joined(
            tr("row {row}", row=other.row)
            if other.sheet == place.sheet
            else tr("row {row} of {sheet}", row=other.row, sheet=names[other.sheet])
            for other in others
        )
        left = len(group) - 1 - len(others)
        return tr("{rows} and {left} more", rows=shown, left=left) if left else shown

    def repeated(self) -> Iterator[tuple[int, str, Group]]:
        """Yield each occurrence of a repeated key: its index, its key, all occurrences."""
        self._store()
        first = array("I", range(len(self)))
        lengths = array("I", [1]) * len(self)
        following = array("I", [0]) * len(self)
        for indexes in self._alike():
            last: dict[int | bytes, int] = {}
            for index in indexes:
                key: int | bytes = self._hashes[index]
                before = last.get(key)
                if before is not None and not self._are_same(before, index):
                    key = self._keys[index]  # by chance another key has the same hash
                    before = last.get(key)
                if before is not None:
                    start = first[index] = first[before]
                    following[before] = index
                    lengths[start] += 1
                last[key] = index
        for index, start in enumerate(first):
            if lengths[start] > 1:
                yield index, self.key(index), Group(start, lengths[start], following)

    def _alike(self) -> Iterator["array[int]"]:
        """Yield parts that may have a repeated key: ascending indexes, equal keys in one part."""
        count = len(self) // _TOGETHER + 1
        parts = [array("I") for _ in range(count)]
        for index, key in enumerate(self._hashes):
            parts[key % count].append(index)
        while parts:
            part = parts.pop()
            if len(set(map(self._hashes.__getitem__, part))) < len(part):
                yield part

    def _are_same(self, before: int, index: int) -> bool:
        if self._keys[before] == self._keys[index]:
            return True
        first, second = self.folded([self.key(before), self.key(index)])
        return first == second

    def _store(self) -> None:
        self._hashes.extend(map(hash, self.folded(self._new)))
        self._keys.extend([_stored(key) for key in self._new])
        self._new.clear()


def _stored(key: str) -> bytes:
    text = key.encode("utf-8", "surrogatepass")
    if len(text) > _LONGEST:
        return text[:_LONGEST] + _CUT + hashlib.sha256(text).digest()
    return text
