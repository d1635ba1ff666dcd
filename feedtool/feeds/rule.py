"""Business rules and their codes.

Every problem has a code. Its page for users is a section of its package's `problems.md`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from feedtool.feeds.feed import Feed, Row, SheetColumns
from feedtool.feeds.occurrences import RowPlace
from feedtool.model.nouns import Code, Issue, Message, Severity
from feedtool.model.own_files import folder_of
from feedtool.model.text import tr

_SECTION = re.compile(r"^## ([a-z0-9-]+)\n\n(.*?\n)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


def pages_in(language: str) -> dict[str, str]:
    """The page of each code that has one in a language other than English, by its name."""
    if language == "en":
        return {}
    texts = (
        path.read_text("utf-8") for path in folder_of("feedtool").rglob(f"problems.{language}.md")
    )
    return {name: page for text in texts for name, page in _SECTION.findall(text)}


class Problems:
    """The codes of a package: what each means, an example, how to fix it."""

    def __init__(self, package: str) -> None:
        self._pages = dict(
            _SECTION.findall((folder_of(package) / "problems.md").read_text("utf-8"))
        )
        self.names = frozenset(self._pages)

    def error(self, name: str) -> Code:
        """The code of what keeps a row from being sent."""
        return Code(name, Severity.ERROR, self._pages[name])

    def warning(self, name: str) -> Code:
        """The code of what is only told."""
        return Code(name, Severity.WARNING, self._pages[name])


class SheetFacts(Struct, frozen=True):
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
    merged: Sequence[str] = ()
    """The ranges of merged cells that leave a cell of a valid row blank."""


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


class Rule(Struct, frozen=True):
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
    is_by_blanks: Callable[[Feed], bool] = lambda _: False
    """True where its check of a row of a kind depends on which cells are blank alone."""
    is_guard: bool = False
    """True if what its survey finds holds a valid row back until the code is released."""

    def is_about(self, kind: str) -> bool:
        """True if it is about the rows of a kind of feed."""
        return self.kinds is None or kind in self.kinds


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
