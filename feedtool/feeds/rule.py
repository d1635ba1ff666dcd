"""Business rules and their codes.

Whatever can be wrong has a code, whose page for users is a section of its package's `problems.md`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Protocol

from feedtool.feeds.feed import Row, SheetColumns
from feedtool.feeds.occurrences import Place
from feedtool.model.nouns import Code, Issue, Severity

_SECTION = re.compile(r"^## ([a-z0-9-]+)\n\n(.*?\n)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


class Problems:
    """The codes of a package: what each means, an example, how to mend it."""

    def __init__(self, package: str) -> None:
        self._pages = dict(_SECTION.findall((files(package) / "problems.md").read_text("utf-8")))

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


class Survey(Protocol):
    """A rule that needs to have seen every row of every file."""

    def __len__(self) -> int:
        """The number of rows that are remembered."""
        ...

    def rewind(self, length: int) -> None:
        """Forgets all but the first `length` rows, since a sheet is read once more."""
        ...

    def see(self, sheet: int, row: Row) -> None:
        """Notes one row of the sheet with this number."""
        ...

    def faults(self, names: list[str]) -> Iterator[tuple[Place, Issue]]:
        """The issues and their places; `names` are the sheets', for messages."""
        ...


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


def notices(result: Code, hint: str) -> Callable[[SheetFacts], Iterator[Issue]]:
    """A rule's `check_sheet` that passes on what reading noticed, each once."""

    def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
        for notice in dict.fromkeys(sheet.notices.get(result.name, ())):
            yield Issue(result, notice, hint)

    return check_sheet
