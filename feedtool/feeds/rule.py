"""Business rules and their codes.

Every problem has a code. Its page for users is a section of its package's `problems.md`.
"""

import hashlib
import re
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Protocol

from feedtool.feeds.feed import Row, SheetColumns
from feedtool.model.nouns import Code, Issue, Message, Severity
from feedtool.model.text import MessageText, joined, tr

_TOGETHER = 1 << 16
"""Keys that are compared at a time, about."""

_LONGEST = 256
"""Bytes of a key that are kept; of a longer one its beginning, and what proves the rest."""
_CUT = b"\xff"
"""No text in UTF-8 has this byte."""


class RowPlace(NamedTuple):
    """A row of a sheet."""

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
    """Keys and where they occur, in the order in which they were added."""

    def __init__(self) -> None:
        self._places = array("Q")
        self._ends = array("Q")
        self._texts = bytearray()

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: str, sheet: int, row: int) -> None:
        """Notes one occurrence."""
        self._places.append(sheet << 32 | row)
        text = key.encode("utf-8", "surrogatepass")
        if len(text) > _LONGEST:
            text = text[:_LONGEST] + _CUT + hashlib.sha256(text).digest()
        self._texts += text
        self._ends.append(len(self._texts))

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` occurrences."""
        del self._places[length:], self._ends[length:]
        del self._texts[self._ends[-1] if length else 0 :]

    def key(self, index: int) -> str:
        """The key of an occurrence; a very long one ends in `…`."""
        text, cut, _ = self._raw(index).partition(_CUT)
        if not cut:
            return text.decode("utf-8", "surrogatepass")
        return text.decode("utf-8", "ignore") + "…"

    def place(self, index: int) -> RowPlace:
        """The place of an occurrence."""
        packed = self._places[index]
        return RowPlace(packed >> 32, packed & 0xFFFFFFFF)

    def others(self, index: int, group: Group, names: Sequence[str], named: int = 5) -> MessageText:
        """The other places of a key: the first rows, those of other sheets with their names."""
        here = self.place(index)
        first = islice(group, named + 1)
        others = [self.place(other) for other in first if other != index][:named]
        shown = joined(
            tr("row {row}", row=other.row)
            if other.sheet == here.sheet
            else tr("row {row} of {sheet}", row=other.row, sheet=names[other.sheet])
            for other in others
        )
        left = len(group) - 1 - len(others)
        return tr("{rows} and {left} more", rows=shown, left=left) if left else shown

    def repeated(self) -> Iterator[tuple[int, str, Group]]:
        """Each occurrence of a key that is not alone: its index, its key, all occurrences."""
        first = array("I", range(len(self)))
        lengths = array("I", [1]) * len(self)
        following = array("I", [0]) * len(self)
        for indexes in self._alike():
            last: dict[bytes, int] = {}
            for index in indexes:
                key = self._raw(index)
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
        """All indexes in ascending parts; equal keys are in the same part."""
        parts = [array("I") for _ in range(len(self) // _TOGETHER + 1)]
        for index in range(len(self)):
            parts[hash(self._raw(index)) % len(parts)].append(index)
        while parts:
            yield parts.pop()

    def _raw(self, index: int) -> bytes:
        start = self._ends[index - 1] if index else 0
        return bytes(self._texts[start : self._ends[index]])


_SECTION = re.compile(r"^## ([a-z0-9-]+)\n\n(.*?\n)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


def pages_in(language: str) -> dict[str, str]:
    """The page of each code that has one in a language other than English, by its name."""
    if language == "en":
        return {}
    texts = (
        path.read_text("utf-8")
        for path in Path(str(files("feedtool"))).rglob(f"problems.{language}.md")
    )
    return {name: page for text in texts for name, page in _SECTION.findall(text)}


class Problems:
    """The codes of a package: what each means, an example, how to fix it."""

    def __init__(self, package: str) -> None:
        self._pages = dict(_SECTION.findall((files(package) / "problems.md").read_text("utf-8")))
        self.names = frozenset(self._pages)

    def error(self, name: str) -> Code:
        """The code of what keeps a row from being sent."""
        return Code(name, Severity.ERROR, self._pages[name])

    def warning(self, name: str) -> Code:
        """The code of what is only told."""
        return Code(name, Severity.WARNING, self._pages[name])


@dataclass(frozen=True, slots=True)
class SheetFacts:
    """The facts of a sheet whose rows were read."""

    columns: SheetColumns
    unknown: Sequence[tuple[str, str, str | None]]
    """Of each unknown column its letter, its header, and the nearest known header."""
    hidden_rows: int
    elsewhere: Mapping[str, str]
    """Of unknown headers that are keys of a column of another kind, that kind."""
    notices: Mapping[str, Sequence[str]]
    """The notices of reading, by the name of the code that it belongs to."""
    recipe: str = ""
    """The file of the recipe that it is read by; empty without one."""


class Survey(Protocol):
    """A rule that needs to have seen every row of every file."""

    def __len__(self) -> int:
        """The number of rows that are remembered."""

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` rows, since a sheet is read once more."""

    def see(self, sheet: int, row: Row) -> None:
        """Notes one row of the sheet with this number, also one that asks for nothing."""

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """The issues and their places; `names` are the sheets', for messages."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A code, and what finds it; a code without a check is found where something is read."""

    code: Code
    check: Callable[[Row], Iterator[Issue]] | None = None
    """Gives the issues of each row that was read."""
    check_sheet: Callable[[SheetFacts], Iterator[Issue]] | None = None
    """Gives those of a sheet, after its rows."""
    survey: Callable[[], Survey] | None = None
    """Sees every row of every file, and then gives their issues."""
    is_once: bool = False
    """True if the check counts until it finds something, which is said once for the sheet."""
    kinds: tuple[str, ...] | None = None
    """The kinds of feed whose rows it is about; None is all of them."""
    is_guard: bool = False
    """True if what its survey finds holds a valid row back until the code is released."""


def guard_issue(code: Code, message: str, field: str | None = None) -> Issue:
    """A guard's issue, whose hint is how what it holds is sent all the same."""
    hint = tr("if it is meant: submit it with --release {code}", code=code.name)
    return Issue(code, message, hint, field)


def held_message(issue: Issue) -> Message:
    """The message of a row that is held; the cell is marked as one to look at."""
    text = tr("{message} ({hint})", message=issue.message, hint=issue.hint)
    return Message(issue.code.name, text, issue.field or "", Severity.WARNING)


def notices(result: Code, hint: str) -> Callable[[SheetFacts], Iterator[Issue]]:
    """A rule's `check_sheet` that passes on what reading noticed, each once."""

    def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
        for notice in dict.fromkeys(sheet.notices.get(result.name, ())):
            yield Issue(result, notice, hint)

    return check_sheet
