"""Values out of a closed list, compared without case and sent canonical."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from feedtool.feeds.columns import ColumnReader, Flawed
from feedtool.feeds.columns.text import identified, plain, refused, trimmed, visible
from feedtool.model.cells import Cell
from feedtool.model.nouns import Code, Severity
from feedtool.model.settings import CONDITION_PARTS, CONDITIONS, LEGACY_CONDITIONS, LEGACY_WRITINGS

ENUM_VALUE = Code(
    "enum-value",
    Severity.ERROR,
    """A value that is not in the closed list.

The column takes one of a few values, in any case, or their labels in English, French or Spanish.

Example: the condition `Like new`; the nearest is `UsedLikeNew`.

To mend it, choose one of the values that the message names.
""",
)
FIELD_RETIRED = Code(
    "field-retired",
    Severity.ERROR,
    """A field that can no longer be submitted.

CDAV was replaced by a rule of the service (specification, "Versioning" 4), which refuses
requests that still carry it.

Example: a cell of the column CDAV holds `1`.

To mend it, empty or remove the column.
""",
)


_DASH = re.compile(r" [-\u2010-\u2015] ?|[-\u2010-\u2015] ")
"""Between a group and a state."""

SHORT = 2
"""Characters of a value for which no other one is suggested."""
CLOSE = 50
"""How alike a value and a suggested one are at least; 100 is the same."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values."""

    values: Mapping[str, tuple[str, ...]]
    """Canonical value → other writings that mean it."""
    _by_writing: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        writings = {
            _folded(writing): value
            for value, others in self.values.items()
            for writing in (value, *others)
        }
        object.__setattr__(self, "_by_writing", writings)

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        """The canonical values that the seller may use."""
        del column
        return tuple(self.values)

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """The canonical value."""
        text = identified(cell)
        if not isinstance(text, str):
            return text
        allowed = self.allowed(column)
        value = self._by_writing.get(_folded(text)) or self._of_parts(text)
        if value is None:  # a seller's own list may hold values that we have no label for
            value = _by_folded(allowed).get(_folded(text))
        if value not in allowed:
            return self._unknown(text, allowed)
        faults = trimmed(cell, text)
        return Flawed(value, faults) if faults else value

    def _of_parts(self, text: str) -> str | None:
        """The value that a text of several parts means, where there are such."""

    def _unknown(self, text: str, allowed: tuple[str, ...]) -> Flawed:
        from rapidfuzz import fuzz, process

        folded = _folded(text)
        # Of two letters one in common says nothing: `de` is not `es`.
        known = tuple(self._by_writing) if len(folded) > SHORT else ()
        near = process.extractOne(folded, known, scorer=fuzz.ratio, score_cutoff=CLOSE)
        nearest = self._by_writing[near[0]] if near else None
        return refused(
            ENUM_VALUE,
            f"“{visible(text)}” is none of {', '.join(allowed)}",
            f"did you mean {nearest}?" if nearest in allowed else f"use {allowed[0]}, for example",
        )


@dataclass(frozen=True, slots=True)
class Condition(Choice):
    """The condition of an offer; the list is a setting of the profile."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: CONDITIONS)

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        """What the profile lists."""
        return column.dialect.conditions

    def _of_parts(self, text: str) -> str | None:
        """As the channel operator's lists have it: `Nuevo - Nuevo`, `group - state`."""
        group, dash, state = _DASH.sub("\n", _folded(text), count=1).partition("\n")
        if not dash:
            return None
        if group == state:
            return self._by_writing.get(group)
        return _by_parts().get((_unaccented(group), _unaccented(state)))


@dataclass(frozen=True, slots=True)
class LegacyCondition(Condition):
    """The condition of an offer in a legacy zip, by its name or its number."""

    values: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {
            name: (*labels, *LEGACY_WRITINGS.get(name, ()))
            for name, labels in {**CONDITIONS, **LEGACY_CONDITIONS}.items()
        }
    )

    def allowed(self, column: ColumnReader) -> tuple[str, ...]:
        """Those that the profile has a number for."""
        return tuple(column.dialect.legacy_conditions)


@dataclass(frozen=True, slots=True)
class Action(Choice):
    """What a row asks for; decides the type of its package. No other words: one deletes."""

    values: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: dict.fromkeys(("Upsert", "Update", "Delete"), ())
    )


@dataclass(frozen=True, slots=True)
class Retired:
    """A field that can no longer be submitted: any value is refused."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """None for a blank, else `field-retired`."""
        del column
        if not plain(cell.text):
            return None
        return refused(
            FIELD_RETIRED, "this field can no longer be submitted", "empty or remove the column"
        )


@dataclass(frozen=True, slots=True)
class Ignored:
    """A field that is no longer supported: it is read by nobody and reported once."""

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Always None."""
        del cell, column
        return None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@cache
def _by_folded(values: tuple[str, ...]) -> dict[str, str]:
    return {_folded(value): value for value in reversed(values)}


def _unaccented(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text)
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


@cache
def _by_parts() -> dict[tuple[str, str], str]:
    return {
        (_unaccented(group), _unaccented(state)): condition
        for condition, (groups, states) in CONDITION_PARTS.items()
        for group in groups
        for state in states
    }
