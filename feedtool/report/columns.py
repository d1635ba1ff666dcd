"""How each header of a sheet was understood, and why: `validate --explain-columns`."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

from feedtool.check.kinds import HeaderMissing
from feedtool.model.cells import letters
from feedtool.model.header import Header
from feedtool.report.outcome import Outcome
from feedtool.report.plain import clean, printable, value


class ColumnFacts(NamedTuple):
    """One header."""

    column: str
    """Its letter."""
    header: str
    """As the user wrote it."""
    field: str | None
    """The key that it means; None where it is not sent."""
    reason: str
    """Why it was understood so, or what it might be meant for."""


def column_facts(header: Header) -> Iterator[ColumnFacts]:
    """Every header of a sheet, from left to right."""
    nearest = dict(header.unknown)
    for index, text in sorted(header.texts.items()):
        column = header.columns.get(index)
        if column:
            yield ColumnFacts(letters(index), text, column.key, header.reasons.get(index, ""))
        elif index in header.own:
            yield ColumnFacts(letters(index), text, None, "written by feedtool; replaced")
        else:
            near = nearest.get(index)
            reason = f"unknown; did you mean {near}?" if near else "unknown; kept, not sent"
            yield ColumnFacts(letters(index), text, None, reason)


def write_columns(outcomes: Iterable[Outcome], out: TextIO) -> None:
    """A table for each sheet that has a header, also one in which columns are missing."""
    for outcome in outcomes:
        error = outcome.checked.error
        header = error.header if isinstance(error, HeaderMissing) else outcome.checked.header
        if header is None:
            continue
        facts = list(column_facts(header))
        width = max((len(value(one.header)) for one in facts), default=0)
        field = max((len(one.field or "-") for one in facts), default=0)
        out.write(f"{clean(outcome.checked.file)}: header in row {header.row}\n")
        for one in facts:
            place = f"  {one.column:3} {value(one.header):{width}}"
            out.write(f"{place}  {one.field or '-':{field}}  {printable(one.reason)}\n")
        out.write("\n")
