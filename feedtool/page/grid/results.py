"""What became of the rows of a run, or would become of those of a plan: a view beside the check."""

import sqlite3
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from feedtool.model.nouns import RowResult, Status, by_row, worst_status
from feedtool.model.text import joined, kept_text
from feedtool.page.grid.facts import NOTE, GridSheet
from feedtool.page.grid.tables import open_existing, place_in, row_numbers, sheets_of, writing
from feedtool.page.grid.view import GridEntry, add_view, remove_view
from feedtool.report.overview import outcome_of
from feedtool.runs import selection
from feedtool.runs.row_notes import messages_in_cells

WORDS = tuple(Status)
NOT_CHOSEN = frozenset({(selection.NOT_CHOSEN,), (selection.OTHERS_NOT_CHOSEN,)})
"""The first message of a row that was not chosen."""
SAID_BY_CHECK = frozenset({Status.INVALID, Status.SKIPPED})
"""Their messages are what checking found."""


def as_shown(result: RowResult) -> RowResult:
    """A result in the words of the page, where a row that was not chosen is not Held."""
    if result.status is Status.HELD and result.messages[:1] in NOT_CHOSEN:
        return result._replace(status=Status.NOT_CHOSEN)
    return result


def add_results(path: Path, view: str, results: Mapping[int, Iterable[RowResult]]) -> None:
    """Adds what became of rows to a grid, in the place of what the view said before.

    Args:
        path: The grid's file.
        view: Its name, such as `run-7`.
        results: Those of each sheet by its number, in the order of rows.

    Raises:
        GridUnusable: there is no such grid.
        CannotWrite: it cannot be written.
    """
    with closing(open_existing(path)) as db, writing(path):
        db.execute("BEGIN IMMEDIATE")
        for sheet in sheets_of(db):
            if sheet.number in results:
                remove_view(db, sheet.number, view)
                _add_sheet(db, sheet, view, results[sheet.number])
        db.execute("COMMIT")


def _add_sheet(
    db: sqlite3.Connection, sheet: GridSheet, view: str, results: Iterable[RowResult]
) -> None:
    states = bytearray(sheet.rows)
    entries = _entries(sheet, row_numbers(db, sheet.number), results, states)
    add_view(db, sheet.number, view, WORDS, states, entries)


def _entries(
    sheet: GridSheet, numbers: "array[int]", results: Iterable[RowResult], states: bytearray
) -> Iterator[GridEntry]:
    """The messages to read of each row, whose statuses are noted on the way."""
    for of_row in by_row(map(as_shown, results)):
        row = of_row[0].row
        at = place_in(numbers, row)
        if at is not None:
            states[at] = 1 + WORDS.index(worst_status(of_row))
        for result in of_row:
            channel = result.channel if len(of_row) > 1 else ""
            yield from _messages(sheet, at, result, channel)


def _messages(
    sheet: GridSheet, at: int | None, result: RowResult, channel: str
) -> Iterator[GridEntry]:
    if result.status in SAID_BY_CHECK:
        return
    is_idle = outcome_of(result.status) == "idle"
    for message, column, severity in messages_in_cells(result, sheet.places):
        text = joined((channel, message.text), ": ") if channel else message.text
        yield GridEntry(
            at,
            result.row,
            column,
            message.field,
            message.code,
            NOTE if is_idle else severity,
            None,
            kept_text(text),
            "",
        )
