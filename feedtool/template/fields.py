"""The columns of a template as its reader sees them: labelled, required or not, with choices.

What is required is not declared twice: the feed is asked which keys a row must fill, and which
of them it no longer asks for once another one is filled.
"""

from dataclasses import dataclass
from enum import Enum

from feedtool.cells import letters
from feedtool.columns import CellType, ColumnReader
from feedtool.columns.choice import Choice, Condition
from feedtool.columns.number import Number
from feedtool.dialect import Dialect
from feedtool.feeds import LANGUAGES, Column, Feed, Row, SheetColumns
from feedtool.template import Language

SPLITTING = frozenset(("action", "salesChannelId"))
"""Columns that few sheets need: they make several packages of one."""


class Need(Enum):
    """Whether a column must be filled."""

    ALWAYS = "always"
    UNLESS = "unless"
    """Unless a column that is folded away is filled."""
    EITHER = "either"
    """It, or another column that can be seen."""
    NEVER = "never"


MARKS = {Need.ALWAYS: " *", Need.UNLESS: " *", Need.EITHER: " (*)", Need.NEVER: ""}
"""What stands after a label, since a colour alone is not seen by everybody."""


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a template, in one language."""

    column: Column
    letter: str
    """Of its column in the sheet."""
    label: str
    help: str
    example: str
    need: Need
    others: tuple[str, ...]
    """The labels of the columns that are filled in its stead."""
    is_folded: bool
    """Away until its group is unfolded: optional, and needed by few."""
    choices: tuple[str, ...]
    """What its dropdown offers."""

    @property
    def key(self) -> str:
        """As in the grey row."""
        return self.column.key

    @property
    def title(self) -> str:
        """The label with its mark."""
        return self.label + MARKS[self.need]


def fields_of(feed: Feed, language: Language, dialect: Dialect) -> tuple[Field, ...]:
    """All columns of a feed's template, in order."""
    columns = feed.columns(dialect)
    at = LANGUAGES.index(language)
    labels = {column.key: column.labels[at] for column in columns}
    folded = _folded(feed, dialect, list(labels))
    excuses = _excuses(feed, dialect, list(labels))
    fields = []
    for index, column in enumerate(columns):
        need, others = _need(column.key, excuses, folded)
        fields.append(
            Field(
                column,
                letters(index),
                labels[column.key],
                column.help[at],
                _example(column, language),
                need,
                tuple(labels[key] for key in others),
                column.key in folded,
                _choices(column.type, language, dialect),
            )
        )
    return tuple(fields)


def _folded(feed: Feed, dialect: Dialect, keys: list[str]) -> frozenset[str]:
    """All delivery modes but the usual one, and what splits a sheet."""
    modes = feed.modes(dialect)
    usual = dialect.mandatory_mode or (modes[0].code if modes else None)
    further = {key for mode in modes if mode.code != usual for key in (mode.cost, mode.additional)}
    return frozenset(keys) & (further | SPLITTING)


def _excuses(feed: Feed, dialect: Dialect, keys: list[str]) -> dict[str, tuple[str, ...]]:
    """Each required key, and the keys that make it needless once they are filled."""
    modes = tuple(mode for mode in feed.modes(dialect) if mode.cost in keys)
    sheet = SheetColumns(dialect, frozenset(keys), modes)
    seconds = {mode.additional for mode in modes}

    def required(*filled: str) -> list[str]:
        row = Row(0, feed.kind, "", dict.fromkeys(filled, "filled"), frozenset(), sheet)
        return feed.required(row)

    return {
        key: tuple(
            other
            for other in keys
            if other != key and other not in seconds and key not in required(other)
        )
        for key in required()
    }


def _need(
    key: str, excuses: dict[str, tuple[str, ...]], folded: frozenset[str]
) -> tuple[Need, tuple[str, ...]]:
    """Whether a key must be filled, and what may be filled in its stead."""
    others = excuses.get(key)
    if others is None:
        in_stead = tuple(other for other, excusing in excuses.items() if key in excusing)
        is_either = in_stead and key not in folded
        return (Need.EITHER, in_stead) if is_either else (Need.NEVER, ())
    if not others:
        return Need.ALWAYS, ()
    return (Need.UNLESS if folded.issuperset(others) else Need.EITHER), others


def _example(column: Column, language: Language) -> str:
    """The example as it is typed in the language's country."""
    if isinstance(column.type, Number) and language != "en":
        return column.example.replace(".", ",")
    if isinstance(column.type, Condition):
        return _condition(column.type, column.example, language)
    return column.example


def _choices(cell_type: CellType, language: Language, dialect: Dialect) -> tuple[str, ...]:
    """What a choice offers; a condition by its label, which the reader knows as well."""
    if not isinstance(cell_type, Choice):
        return ()
    allowed = cell_type.allowed(ColumnReader(cell_type, dialect))
    if isinstance(cell_type, Condition):
        return tuple(_condition(cell_type, value, language) for value in allowed)
    return tuple(map(str, allowed))


def _condition(condition: Condition, value: str, language: Language) -> str:
    """A condition's label; a seller's own condition has none and stands for itself."""
    labels = condition.values.get(value)
    return labels[LANGUAGES.index(language)] if labels else value
