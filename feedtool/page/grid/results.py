"""The results of a run's or a plan's rows, as a view beside the check."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from feedtool.model.nouns import RowResult, Status, by_row, every_status, worst_status
from feedtool.model.text import joined, kept_text
from feedtool.page.grid.facts import NOTE, GridSheet
from feedtool.page.grid.tables import open_existing, place_in, row_numbers, sheets_of, writing
from feedtool.page.grid.view import GridEntry, add_view, remove_view
from feedtool.report.overview import outcome_of
from feedtool.runs import selection
from feedtool.runs.row_notes import messages_in_cells

NOT_CHOSEN = frozenset({(selection.NOT_CHOSEN,), (selection.OTHERS_NOT_CHOSEN,)})
"""The first messages of rows that were not chosen."""
SHOWN_BY_CHECK = frozenset({Status.INVALID, Status.SKIPPED})
"""Statuses of rows whose messages come from the check."""


def with_page_status(result: RowResult) -> RowResult:
    """Return a result with the page's status: a row that was not chosen is not Held."""
    if result.status is Status.HELD and result.messages[:1] in NOT_CHOSEN:
        return result._replace(status=Status.NOT_CHOSEN)
    return result


def add_results(path: Path, view: str, results: Mapping[int, Iterable[RowResult]]) -> None:
    """Add the results of rows to a grid, in place of earlier ones of the view.

    They come by the sheets' numbers, in the order of rows. GridUnusable if the grid does not exist,
    CannotWrite if it cannot be written.
    """
    words = every_status()
    with closing(open_existing(path)) as db, writing(path):
        db.execute("BEGIN IMMEDIATE")
        for sheet in sheets_of(db):
            if sheet.number in results:
                remove_view(db, sheet.number, view)
                states = bytearray(sheet.rows)
                numbers = row_numbers(db, sheet.number)
                entries = _entries(sheet, numbers, results[sheet.number], states, words)
                add_view(db, sheet.number, view, words, states, entries)
        db.execute("COMMIT")


def _entries(
    sheet: GridSheet,
    numbers: "array[int]",
    results: Iterable[RowResult],
    states: bytearray,
    words: Sequence[Status],
) -> Iterator[GridEntry]:
    """Yield the messages of each row, and note the rows' statuses in `states`."""
    for of_row in by_row(map(with_page_status, results)):
        row = of_row[0].row
        position = place_in(numbers, row)
        if position is not None:
            states[position] = 1 + words.index(worst_status(of_row))
        for result in of_row:
            if result.status in SHOWN_BY_CHECK:
                continue
            channel = result.channel if len(of_row) > 1 else ""
            is_idle = outcome_of(result.status) == "idle"
            for message, column, severity in messages_in_cells(result, sheet.places):
                text = joined((channel, message.text), ": ") if channel else message.text
                yield GridEntry(
                    position,
                    row,
                    column,
                    message.field,
                    message.code,
                    NOTE if is_idle else severity,
                    None,
                    kept_text(text),
                    "",
                )
