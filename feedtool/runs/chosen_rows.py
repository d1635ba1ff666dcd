"""Choose rows of a command: all other rows are withheld."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from feedtool.areas.offers.changes.selection import ChosenRows
from feedtool.areas.registry import load
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, Message, RowResult, Status
from feedtool.model.row_ranges import RowRanges
from feedtool.model.sheet import CheckedSheet, rows_of
from feedtool.model.spool import Spool
from feedtool.model.text import in_quotes, joined, plural, tr

LONGEST = 1_000
"""The most characters of a condition; a plan names all of its rows, so none is lost by this."""

NOT_CHOSEN = Message("", tr("not chosen"))
OTHERS_NOT_CHOSEN = Message("", tr("not chosen with all other rows of its request"))


class NoSuchRows(UsageProblem):
    """The chosen rows are not in the sheet."""


def withhold_unchosen(sheets: Sequence[CheckedSheet], chosen: Sequence[ChosenRows]) -> None:
    """Withhold the rows that were not chosen, if any were; a request goes with all of its rows.

    UsageProblem for rows of one sheet if the file has several, for rows that do not exist, and for
    a part of a purge.
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
            if _is_of(entry, sheet):
                refuse_absent(entry, array("L", sheet.rows.marks))
    for sheet in readable:
        ranges = (entry.rows for entry in chosen if _is_of(entry, sheet))
        _withhold(sheet, RowRanges(",".join(ranges)))


def chosen_of(sheet: CheckedSheet, chosen: Sequence[ChosenRows]) -> RowRanges | None:
    """Return the chosen rows of a sheet; None for all, also if a request needs all its rows."""
    feed = load().feeds.get(sheet.kind or "")
    if not chosen or (feed and feed.requests.group_by):
        return None
    return RowRanges(",".join(entry.rows for entry in chosen if _is_of(entry, sheet)))


def _is_of(entry: ChosenRows, sheet: CheckedSheet) -> bool:
    return entry.file == sheet.file and entry.sheet in {None, sheet.sheet}


def refuse_absent(entry: ChosenRows, rows: Sequence[int]) -> None:
    """Raise NoSuchRows if one of the ranges has none of the sheet's rows; `rows` are ascending.

    `40-90` of a sheet that ends with 42 is right: it has some of the rows.
    """
    absent = RowRanges(entry.rows).without(rows)
    if not absent:
        return
    name = joined((entry.file, in_quotes(entry.sheet)), " ") if entry.sheet else entry.file
    count = 1 if absent.isdecimal() else 2
    raise NoSuchRows(
        plural(
            "{sheet} has no row {rows}",
            "{sheet} has no rows {rows}",
            count,
            sheet=name,
            rows=absent,
        ),
        tr("its rows are {first} to {last}; blank ones do not count", first=rows[0], last=rows[-1])
        if rows
        else tr("it has none"),
    )


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
    for of_row in _held_results(others, chosen):
        sheet.selected.unchosen += 1
        for result in of_row:
            results.append(result)
    if results:
        sheet.selected.withhold(sent, results)


def _held_results(items: Iterable[Item], chosen: RowRanges) -> Iterator[Iterable[RowResult]]:
    """Yield the results of each row of these items, by channel."""
    for row, pairs in groupby(rows_of(items), key=itemgetter(0)):
        message = OTHERS_NOT_CHOSEN if row in chosen else NOT_CHOSEN
        references = {item.channel: item.reference for _, item in pairs}
        yield [
            RowResult(row, reference, Status.HELD, (message,), channel)
            for channel, reference in sorted(references.items())
        ]


def as_condition(chosen: Sequence[ChosenRows]) -> str:
    """Return the rows in the words of a plan's conditions, cut to `LONGEST` characters.

    The file is named if there are several: a single one may have another name later.
    """
    is_one = len({entry.file for entry in chosen}) == 1
    texts = ((None if is_one else entry.file, entry.sheet, entry.rows) for entry in chosen)
    return "; ".join(": ".join(filter(None, parts)) for parts in texts)[:LONGEST]
