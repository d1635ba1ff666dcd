"""The rows of a command that were chosen: the others are withheld, whatever they are."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from feedtool.areas.offers.changes.selection import ChosenRows
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, Message, RowResult, Status
from feedtool.model.row_ranges import RowRanges
from feedtool.model.sheet import CheckedSheet, rows_of
from feedtool.model.spool import Spool
from feedtool.model.text import tr

LONGEST = 1_000
"""Characters of a condition; a plan names all of its rows, so that none is lost by this."""

NOT_CHOSEN = Message("", tr("not chosen"))
OTHERS_NOT_CHOSEN = Message("", tr("not chosen with all other rows of its request"))


def choose(sheets: Sequence[CheckedSheet], chosen: Sequence[ChosenRows]) -> None:
    """Withhold what was not chosen, where anything was; a request goes with all of its rows.

    UsageProblem for rows of one sheet where the file has several, and for a part of a purge.
    """
    readable = [sheet for sheet in sheets if sheet.error is None] if chosen else []
    if any(sheet.purges for sheet in readable):
        raise UsageProblem(
            tr("--rows and --purge-and-replace contradict each other: the rest would be removed"),
            tr("leave one of them out"),
        )
    for entry in chosen:
        _refuse_several(entry, [sheet for sheet in readable if sheet.file == entry.file])
    for sheet in readable:
        own = (entry.rows for entry in chosen if _is_of(entry, sheet))
        _withhold(sheet, RowRanges(",".join(own)))


def _is_of(entry: ChosenRows, sheet: CheckedSheet) -> bool:
    return entry.file == sheet.file and entry.sheet in {None, sheet.sheet}


def _refuse_several(entry: ChosenRows, sheets: Sequence[CheckedSheet]) -> None:
    if entry.sheet is None and len(sheets) > 1:
        raise UsageProblem(
            tr(
                "--rows is about one sheet, and {file} has {sheets}",
                file=entry.file,
                sheets=", ".join(str(sheet.sheet) for sheet in sheets),
            ),
            tr("name one of them with --sheet"),
        )


def _withhold(sheet: CheckedSheet, chosen: RowRanges) -> None:
    sent, others = Spool(Item), Spool(Item)
    for item in sheet.valid_items():
        rows = (item.row, *item.further_rows)
        (sent if all(row in chosen for row in rows) else others).append(item)
    results = Spool(RowResult)
    for of_row in _results(others, chosen):
        sheet.unchosen += 1
        for result in of_row:
            results.append(result)
    if results:
        sheet.withhold(sent, results)


def _results(items: Iterable[Item], chosen: RowRanges) -> Iterator[Iterable[RowResult]]:
    """The results of each row of these items, by channel."""
    for row, pairs in groupby(rows_of(items), key=itemgetter(0)):
        message = OTHERS_NOT_CHOSEN if row in chosen else NOT_CHOSEN
        references = {item.channel: item.reference for _, item in pairs}
        yield [
            RowResult(row, reference, Status.HELD, (message,), channel)
            for channel, reference in sorted(references.items())
        ]


def as_condition(chosen: Sequence[ChosenRows]) -> str:
    """The rows in the words of a plan's conditions, and no more of them than people read.

    The file is named where there are several: the only one may have another name later.
    """
    is_one = len({entry.file for entry in chosen}) == 1
    texts = ((None if is_one else entry.file, entry.sheet, entry.rows) for entry in chosen)
    return "; ".join(": ".join(filter(None, parts)) for parts in texts)[:LONGEST]
