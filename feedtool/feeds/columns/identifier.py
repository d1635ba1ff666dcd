"""Identifiers by the service or a carrier: texts that are never numbers."""

from typing import ClassVar

from msgspec import Struct

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.placeholders import placeholder_issues
from feedtool.feeds.columns.text import (
    TEXT_CONTROL_CHARS,
    identified,
    invisible_in,
    trimmed,
    visible,
)
from feedtool.model.cells import Cell
from feedtool.model.nouns import Issue
from feedtool.model.text import tr


class Identifier(Struct, frozen=True):
    """An identifier of any length; digits that a spreadsheet lost are reported."""

    is_written: ClassVar[bool] = False

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        """Return a str."""
        del column
        value = identified(cell)
        if not isinstance(value, str):
            return value
        if invisible_in(value):
            message = tr("the text holds an invisible character: {value}", value=visible(value))
            issue = Issue(TEXT_CONTROL_CHARS, message, tr("delete the text and type it again"))
            return InvalidValue(None, (issue,))
        faults = trimmed(cell, value)
        if self.is_written:
            faults = (*faults, *placeholder_issues(value))
        return InvalidValue(value, faults) if faults else value


class WrittenIdentifier(Identifier, frozen=True):
    """An identifier by the seller, which cannot be a placeholder."""

    is_written: ClassVar[bool] = True
