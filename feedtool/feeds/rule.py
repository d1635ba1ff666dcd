"""Business rules: a module each, found by being there; its docstring is the user's page.

The module's name is the code (`origin_price_below_price` is `origin-price-below-price`). What it
defines says when it is asked:

    check(row)          for each row that was read: yields Issues
    check_sheet(facts)  once for each sheet, after its rows
    SURVEY              a class that sees every row of every file, then yields Issues

`KINDS` names the kinds of feed whose rows and sheets a rule is about; without it, all of them.
A rule with `ONCE = True` is asked until it finds something, which is said once for the sheet.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from feedtool.feeds.feed import Row, SheetColumns
from feedtool.feeds.occurrences import Place
from feedtool.model.nouns import Code, Issue, Severity


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
    """A rule, as its module defines it."""

    code: Code
    check: Callable[[Row], Iterator[Issue]] | None = None
    check_sheet: Callable[[SheetFacts], Iterator[Issue]] | None = None
    survey: Callable[[], Survey] | None = None
    is_once: bool = False
    kinds: tuple[str, ...] | None = None
    """The kinds of feed whose rows it is about; None is all of them."""


def code(module: str, docstring: str | None, severity: Severity = Severity.ERROR) -> Code:
    """The code of a rule, from its module's name and docstring."""
    return Code(module.rpartition(".")[2].replace("_", "-"), severity, docstring or "")


def notices(result: Code, hint: str) -> Callable[[SheetFacts], Iterator[Issue]]:
    """A rule's `check_sheet` that passes on what reading noticed, each once."""

    def check_sheet(sheet: SheetFacts) -> Iterator[Issue]:
        for notice in dict.fromkeys(sheet.notices.get(result.name, ())):
            yield Issue(result, notice, hint)

    return check_sheet


def rules_of(package: str) -> Iterator[Rule]:
    """The rules of a package, in the order of its modules' names."""
    for info in pkgutil.iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{info.name}")
        yield Rule(
            module.CODE,
            getattr(module, "check", None),
            getattr(module, "check_sheet", None),
            getattr(module, "SURVEY", None),
            getattr(module, "ONCE", False),
            getattr(module, "KINDS", None),
        )
