"""Business rules and their codes.

Every problem has a code. Its page for users is a section of its package's `problems.md`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from feedtool.feeds.feed import Feed, Row, SheetColumns
from feedtool.feeds.occurrences import RowPlace
from feedtool.model.files import folder_of
from feedtool.model.nouns import Code, Issue, Message, Severity
from feedtool.model.text import tr

_SECTION = re.compile(r"^## ([a-z0-9-]+)\n\n(.*?\n)(?=\n## |\Z)", re.MULTILINE | re.DOTALL)


def pages_in(language: str) -> dict[str, str]:
    """Return the translated pages of codes, by the code's name; none for English."""
    if language == "en":
        return {}
    texts = (
        path.read_text("utf-8") for path in folder_of("feedtool").rglob(f"problems.{language}.md")
    )
    return {name: page for text in texts for name, page in _SECTION.findall(text)}


class Problems:
    """The codes of a package, with their pages: meaning, example, and how to fix the problem."""

    def __init__(self, package: str) -> None:
        self._pages = dict(
            _SECTION.findall((folder_of(package) / "problems.md").read_text("utf-8"))
        )
        self.names = frozenset(self._pages)

    def error(self, name: str) -> Code:
        return Code(name, Severity.ERROR, self._pages[name])

    def warning(self, name: str) -> Code:
        return Code(name, Severity.WARNING, self._pages[name])


class SheetFacts(Struct, frozen=True):
    """The facts of a sheet whose rows were read."""

    columns: SheetColumns
    unknown: Sequence[tuple[str, str, str | None]]
    """The letter and header of each unknown column, and the nearest known header."""
    hidden_rows: int
    elsewhere: Mapping[str, str]
    """The kinds whose column has an unknown header as its key, by that header."""
    notices: Mapping[str, Sequence[str]]
    """The notices of reading, by the name of their code."""
    recipe: str = ""
    """The file of the recipe for reading the sheet; empty without one."""
    merged: Sequence[str] = ()
    """The ranges of merged cells that leave a cell of a valid row blank."""


class Survey(Protocol):
    """A rule that needs every row of every file."""

    def __len__(self) -> int:
        """The number of remembered rows."""

    def rewind(self, length: int) -> None:
        """Forget all but the first `length` rows, before a sheet is read again."""

    def see(self, sheet: int, row: Row) -> None:
        """Note one row of the sheet with this number, also a row that makes no request."""

    def faults(self, names: list[str]) -> Iterator[tuple[RowPlace, Issue]]:
        """Yield the issues and their places; `names` are the names of the sheets, for messages."""


class Rule(Struct, frozen=True):
    """A code and its check; without a check the code is found while something is read."""

    code: Code
    check: Callable[[Row], Iterator[Issue]] | None = None
    """Yields the issues of one row."""
    check_sheet: Callable[[SheetFacts], Iterator[Issue]] | None = None
    """Yields the issues of a sheet, after its rows."""
    survey: Callable[[], Survey] | None = None
    """Makes the object that sees every row of every file and then yields the issues."""
    is_once: bool = False
    """True if the check counts over rows and reports its issue once for a sheet."""
    kinds: tuple[str, ...] | None = None
    """The kinds of feed whose rows it checks; None for all."""
    is_by_blanks: Callable[[Feed], bool] = lambda _: False
    """True if its check of a row of this kind depends only on which cells are blank."""
    is_guard: bool = False
    """True if an issue of its survey holds a valid row back until the code is released."""

    def is_about(self, kind: str) -> bool:
        return self.kinds is None or kind in self.kinds


def guard_issue(code: Code, message: str, field: str | None = None) -> Issue:
    """Return a guard's issue; the hint says how to send the held row all the same."""
    hint = tr("if it is meant: submit it with --release {code}", code=code.name)
    return Issue(code, message, hint, field)


def held_message(issue: Issue) -> Message:
    """Return the message of a held row; its cell is marked with a warning."""
    text = tr("{message} ({hint})", message=issue.message, hint=issue.hint)
    return Message(issue.code.name, text, issue.field or "", Severity.WARNING)


def notices(result: Code, hint: str) -> Callable[[SheetFacts], Iterator[Issue]]:
    """Return a `check_sheet` that yields each notice of reading once."""

    def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
        for notice in dict.fromkeys(sheet.notices.get(result.name, ())):
            yield Issue(result, notice, hint)

    return check_sheet
