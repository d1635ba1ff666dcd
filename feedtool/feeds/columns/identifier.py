"""Identifiers by the service or a carrier: texts that are never numbers."""

from typing import ClassVar

from msgspec import Struct

from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.placeholders import placeholder_issues
from feedtool.feeds.columns.text import Text, identified, trimmed
from feedtool.model.cells import Cell


class Identifier(Struct, frozen=True):
    """An identifier of any length; digits that a spreadsheet lost are reported."""

    is_written: ClassVar[bool] = False

    def read(self, cell: Cell, column: ColumnReader) -> object | None:
        del column
        value = identified(cell)
        if not isinstance(value, str):
            return value
        if invisible := Text().faults(value):
            return InvalidValue(None, invisible)
        faults = trimmed(cell, value)
        if self.is_written:
            faults = (*faults, *placeholder_issues(value))
        return InvalidValue(value, faults) if faults else value


class WrittenIdentifier(Identifier, frozen=True):
    """An identifier by the seller, which cannot be a placeholder."""

    is_written: ClassVar[bool] = True
