"""The form of an export: a field for each of its filters, made from what these declare."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import NamedTuple

from msgspec import Struct, field
from werkzeug.datastructures import MultiDict

from feedtool.check import ReadOptions
from feedtool.feeds.export import Export, Filter, Query, moment_of
from feedtool.model.errors import FeedtoolError, UsageProblem
from feedtool.model.text import Language, tr
from feedtool.runs.cursors import CursorUse, filters_of
from feedtool.runs.export_request import cursor_use, query_of, value_of

ENDING, SINCE, CURSOR, READER, PEEK = "ending", "since", "cursor", "reader", "peek"
"""The fields beside the filters; those behind the first are of kinds that can bring what is new."""
OWN_READER = "page"
"""The cursor that is used where none is named: other programs have theirs."""
NEW, CHANGED = "new", "changed"
INPUTS = {"WHEN": "date", "DAY": "date", "YYYY-MM": "month"}
"""Types of inputs by what a filter takes; all others are texts."""


class FormField(NamedTuple):
    """The field of a filter."""

    entry: Filter
    texts: Sequence[str]
    """As it is filled: several where some of several choices are ticked."""
    error: FeedtoolError | None

    @property
    def input(self) -> str:
        """The type of its input."""
        return INPUTS.get(self.entry.metavar, "text")


class ExportForm(Struct, frozen=True):
    """A form as it is filled, or empty."""

    kind: Export
    given: MultiDict[str, str]
    errors: Mapping[str, FeedtoolError] = field(default_factory=dict)
    """By the field; what is wrong with all of them is without a name."""

    @property
    def values(self) -> dict[str, str]:
        """The filters by their names, as texts."""
        return {entry.name: ",".join(self.texts(entry)) for entry in self.kind.filters}

    @property
    def fields(self) -> list[FormField]:
        """A field for each filter."""
        return [
            FormField(entry, self.texts(entry), self.errors.get(entry.name))
            for entry in self.kind.filters
        ]

    def texts(self, entry: Filter) -> list[str]:
        """The texts of a filter that are not blank."""
        texts = (text.strip() for text in self.given.getlist(entry.name))
        return [text for text in texts if text]

    def text(self, name: str, default: str = "") -> str:
        """The text of one of the other fields."""
        return self.given.get(name, default).strip()

    @property
    def ending(self) -> str:
        """That of the file; UsageProblem for one that the kind is not written as."""
        ending = self.text(ENDING) or self.kind.endings[0]
        if ending not in self.kind.endings:
            raise UsageProblem(tr("there is no such form of file"), tr("choose one of the list"))
        return ending

    @property
    def since(self) -> datetime | None:
        """The time since which something has changed; UsageProblem for what is none."""
        text = self.text(SINCE)
        return moment_of(f"--{SINCE}")(text) if text and self.kind.increments else None

    @property
    def use(self) -> CursorUse | None:
        """How a cursor is used; UsageProblem for what cannot be the name of one."""
        mode = self.text(CURSOR) if self.kind.increments else ""
        if mode not in {NEW, CHANGED}:
            return None
        reader = self.text(READER) or OWN_READER
        return cursor_use(reader, is_changed=mode == CHANGED, is_peek=PEEK in self.given)

    def checked(self, reading: ReadOptions, language: Language) -> "ExportForm":
        """The same form with what is wrong with it; nothing is asked of the service."""
        steps: dict[str, Callable[[], object]] = {
            entry.name: partial(value_of, entry, self.values[entry.name])
            for entry in self.kind.filters
        }
        if self.kind.increments:
            steps |= {SINCE: lambda: self.since, READER: lambda: self.use}
        errors = dict(_failures(steps))
        if not errors:
            context, channel = reading.context, reading.channel
            query = query_of(self.kind, self.values, channel, language, context)
            errors = dict(_failures({"": partial(self._check, query)}))
        return ExportForm(self.kind, self.given, errors)

    def _check(self, query: Query) -> None:
        self.kind.check(query)
        if self.use:
            filters_of(self.kind, query, self.use)


def _failures(steps: Mapping[str, Callable[[], object]]) -> Iterator[tuple[str, FeedtoolError]]:
    for name, step in steps.items():
        try:
            step()
        except UsageProblem as error:
            yield name, error
