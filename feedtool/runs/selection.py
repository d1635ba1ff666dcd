"""Select the valid rows of a command to send: chosen ones, that no guard holds, and that change.

The choice of rows, guards of rules and the memory of accepted rows each decide on their part.
"""

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import ReadOptions
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.number import NUMBER_AMBIGUOUS, Number
from feedtool.feeds.memory import Accepted
from feedtool.feeds.selection import ChosenRows, EarlierFile, SelectionOptions, predecessor
from feedtool.ledger.records import ABANDONED
from feedtool.model.cells import Block, Cell, Cells, Column, Header, Kind, shown
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, Message, RowResult, Status
from feedtool.model.row_ranges import RowRanges
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.sheet import CheckedSheet, rows_of
from feedtool.model.text import in_quotes, joined, plural, tr
from feedtool.runs.held import hold_guarded
from feedtool.runs.workspace import Workspace
from feedtool.sheets import Sheet

# Choose rows of a command.


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
        sheets_of_file = [str(sheet.sheet) for sheet in readable if sheet.file == entry.file]
        if entry.sheet is None and len(sheets_of_file) > 1:
            raise UsageProblem(
                tr(
                    "--rows selects rows of one sheet, and {file} has {sheets}",
                    file=entry.file,
                    sheets=", ".join(sheets_of_file),
                ),
                tr("name one of them with --sheet"),
            )
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
        else tr("it has no rows"),
    )


def _withhold(sheet: CheckedSheet, chosen: RowRanges) -> None:
    sent, others = Spool(Item), Spool(Item)
    for item in sheet.valid_items():
        rows = (item.row, *item.further_rows)
        (sent if all(row in chosen for row in rows) else others).append(item)
    results = Spool(RowResult)
    for row, pairs in groupby(rows_of(others), key=itemgetter(0)):
        sheet.selected.unchosen += 1
        message = OTHERS_NOT_CHOSEN if row in chosen else NOT_CHOSEN
        references = {item.channel: item.reference for _, item in pairs}
        for channel, reference in sorted(references.items()):
            results.append(RowResult(row, reference, Status.HELD, (message,), channel))
    if results:
        sheet.selected.withhold(sent, results)


def as_condition(chosen: Sequence[ChosenRows]) -> str:
    """Return the rows in the words of a plan's conditions, cut to `LONGEST` characters.

    The file is named if there are several: a single one may have another name later.
    """
    is_one = len({entry.file for entry in chosen}) == 1
    texts = ((None if is_one else entry.file, entry.sheet, entry.rows) for entry in chosen)
    return "; ".join(": ".join(filter(None, parts)) for parts in texts)[:LONGEST]


def select_rows(
    workspace: Workspace,
    sheets: Sequence[CheckedSheet],
    reading: ReadOptions,
    selection: SelectionOptions,
    account: tuple[str, str],
    run: int | None = None,
) -> None:
    """Decide which rows are sent, by the ledger of an account (address, seller)."""
    memory, known = load().memory, accepted_rows(workspace, account, run)
    memory.withdraw(sheets, known)
    withhold_unchosen(sheets, selection.rows)
    if reading.purges:  # sent whole, also if little has changed
        selection = replace(selection, changed_only=False, prefer_update=False)

    def earlier(sheet: CheckedSheet) -> EarlierFile | None:
        files = workspace.ledger.earlier(*account, sheet.kind or "", run)
        return predecessor(sheet.file, ((file.path, file.run_id, file.size) for file in files))

    others = hold_guarded(
        sheets,
        selection,
        partial(workspace.ledger.sent_before, *account, run),
        partial(workspace.ledger.taken_before, *account, run),
        partial(workspace.ledger.doubtful_before, *account, run),
        partial(workspace.ledger.known_references, *account, run),
    )
    memory.select(others, known, selection, reading.dialect, earlier)


def accepted_rows(
    workspace: Workspace, account: tuple[str, str], run: int | None = None
) -> Accepted:
    """Open the rows that the service has accepted of an account, before `run`, if given."""
    memory, engine = load().memory, workspace.ledger.engine
    memory.project(engine, *account)
    cut_short = (  # killed before all of its rows were in the ledger
        other
        for other, options, files in workspace.ledger.begun(*account)
        if other != run and len(options.get("sheets", ())) > files and ABANDONED not in options
    )
    return memory.accepted(engine, *account, next(cut_short, 0))


def select_unknown(
    sheets: Sequence[CheckedSheet], reading: ReadOptions, selection: SelectionOptions
) -> None:
    """Decide which rows would be sent, without an account or its ledger."""
    withhold_unchosen(sheets, selection.rows)
    others = hold_guarded(sheets, selection)
    load().memory.select(others, None, selection, reading.dialect, lambda _: None)


# Pick rows of a sheet, with their ambiguous numbers settled by its other rows.


class PickedRow(NamedTuple):
    """A row of the sheet."""

    row: int
    cells: Mapping[int, Cell]
    """Cells by 0-based column, without blank ones."""


def pick_rows(
    sheet: Sheet, header: Header, rows: Collection[int], formats: "NumberFormats"
) -> Iterator[PickedRow]:
    """Yield the rows of these numbers, in their order, without columns that feedtool added."""
    for block in sheet.blocks(header.after):
        formats.collect(block)
        places = [place for place, row in enumerate(block.rows) if row in rows]
        if not places:
            continue
        cells = Cells(block)
        used = [index for index in block.used(0) if index not in header.own]
        for place in places:
            row_cells = {index: cells.at(place, index) for index in used}
            filled = {
                index: cell for index, cell in row_cells.items() if cell.kind is not Kind.BLANK
            }
            yield PickedRow(block.rows[place], filled)


def text_if_misformatted(cell: Cell, column: Column | None, context: Context) -> Cell:
    """Return the cell, or its text if its column does not take the format of the cell.

    Otherwise a number typed over a date or percentage would become one: 12 would be 1900-01-12.
    """
    is_formatted = cell.kind is Kind.DATE or cell.percent
    if column is None or not is_formatted:
        return cell
    text = Cell(Kind.TEXT, shown(cell))
    reader = ColumnReader(column.type, context)
    read = (reader.cell_type.read(written, reader) for written in (cell, text))
    is_refused = all(isinstance(value, InvalidValue) and value.is_refused for value in read)
    return text if is_refused else cell  # else an uncorrected text would be sent


class NumberFormats:
    """The number format of each column, from all rows of a sheet, for numbers such as `1,234`.

    A few rows alone do not settle the format, so the number itself is written in their place.
    """

    def __init__(self, header: Header, dialect: AccountSettings) -> None:
        self._dialect = dialect
        self._readers = {
            index: ColumnReader(column.type, Context(dialect))
            for index, column in header.columns.items()
            if isinstance(column.type, Number)
        }

    def collect(self, block: Block) -> None:
        for index, reader in self._readers.items():
            if index < block.width:
                reader.read(block.column(index), block.decode)

    def cell(self, index: int, cell: Cell) -> Cell:
        """Return the cell, or the number that it means by the format of its column."""
        reader = self._readers.get(index)
        if reader is None or cell.kind is not Kind.TEXT or not reader.is_ambiguous:
            return cell
        alone = self._read(cell, reader, None)
        is_ambiguous = isinstance(alone, InvalidValue) and any(
            fault.code is NUMBER_AMBIGUOUS for fault in alone.faults
        )
        if not is_ambiguous or len(reader.evidence) != 1:
            return cell
        number = self._read(cell, reader, next(iter(reader.evidence)))
        return Cell(Kind.NUMBER, f"{number:f}") if isinstance(number, int | Decimal) else cell

    def _read(self, cell: Cell, reader: ColumnReader, decimal: str | None) -> object:
        again = ColumnReader(reader.cell_type, Context(self._dialect), decimal, reader.evidence)
        return reader.cell_type.read(cell, again)
