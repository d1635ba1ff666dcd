"""Guards against mistakes in rows that are valid: a module each, found by being there.

The module's name is the code (`price_factor` is `price-factor`), its docstring the user's page. A
row that a guard holds is sent only once its code is released. A module defines one of these:

    check(row, settings)         for each row that would be sent: an Issue, or None
    check_file(file, settings)   once for each sheet: yields Holdings, which name what they concern

Only what is known holds anything: without a history there is nothing to compare with.
"""

import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import NamedTuple

from feedtool.areas.offers.changes.offer_state import AcceptedOffer, OfferFields
from feedtool.model.nouns import Code, Issue, Item, Severity
from feedtool.model.settings import Guards


class Candidate(NamedTuple):
    """A row that would be sent."""

    item: Item
    fields: OfferFields
    """Those that it gives."""
    offer: AcceptedOffer | None
    """Last accepted of its reference."""


class Removals(NamedTuple):
    """The offers or stocks that a file takes away, among all that are known."""

    removed: int
    known: int
    channel: str | None
    """The offers of this channel; None is of the stocks that all channels share."""
    are_deleted: bool = False
    """True if deleted offers are counted among all that are known; else those deleted or set to
    stock zero, among all that are not known to be at zero."""


class EarlierFile(NamedTuple):
    """The predecessor of a file."""

    run_id: int
    rows: int


@dataclass(frozen=True, slots=True)
class SheetSummary:
    """A sheet once its rows have been compared."""

    rows: int
    """All that it has."""
    earlier: EarlierFile | None = None
    removals: Sequence[Removals] = ()


class Holding(NamedTuple):
    """An issue of more than one row, and which rows."""

    issue: Issue
    channel: str | None = None
    """The rows of this channel; None is of any."""
    only_removals: bool = False
    """True if only rows are meant that delete an offer, or set its stock to zero."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The definitions in a guard's module; None where it leaves one out."""

    code: Code
    check: Callable[[Candidate, Guards], Issue | None] | None
    check_file: Callable[[SheetSummary, Guards], Iterator[Holding]] | None


def code(module: str, docstring: str | None) -> Code:
    """The code of a guard, from its module's name and docstring."""
    name = module.rpartition(".")[2].replace("_", "-")
    return Code(name, Severity.ERROR, docstring or "")


def issue(result: Code, message: str, field: str | None = None) -> Issue:
    """A guard's issue, whose hint is how what it holds is sent all the same."""
    hint = f"if it is meant: submit it with --release {result.name}"
    return Issue(result, message, hint, field)


def rounded(value: float) -> str:
    """A number for people, to a tenth: `1,234.5`, `40`."""
    return f"{value:,.1f}".removesuffix(".0")


@cache
def all_guards() -> Mapping[str, Guard]:
    """Every guard by its code, in the order of the modules' names."""
    modules = [import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)]
    return {
        module.CODE.name: Guard(
            module.CODE, getattr(module, "check", None), getattr(module, "check_file", None)
        )
        for module in modules
    }
