"""Join the rows of a second sheet to the rows of the first, by keys."""

from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from fnmatch import fnmatchcase
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from feedtool.check.headers import SEARCHED
from feedtool.check.recipes.fields import REMEMBERED, Keys, RawValue
from feedtool.check.recipes.join_file import HOUR, JoinFile, JoinUnusable
from feedtool.check.recipes.recipe import SUM, Join
from feedtool.check.recipes.sheet import RecipeBlock
from feedtool.check.recipes.values import NumberText, UnclearText, UnreadableCell, number_text
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.text import identified, no_value
from feedtool.model.cells import BLANK, Block, Cell, Kind, folded, letters
from feedtool.model.errors import FileProblem, reason_of
from feedtool.model.nouns import Issue
from feedtool.model.settings import Context
from feedtool.model.text import MessageText, column_name, in_quotes, joined, tr
from feedtool.sheets import Sheet, Source, decode, open_source
from feedtool.sheets.read.source import HeadRow

MOST_ROWS = 1_000_000
"""The most rows of a joined sheet."""
ZERO = Cell(Kind.NUMBER, "0")

Key: TypeAlias = tuple[str, ...]


class JoinedTable(Struct):
    """A sheet whose rows are joined."""

    name: str
    """The name of its file or sheet, for messages."""
    is_text: bool
    """True if places are lines, as in a text file."""
    columns: Sequence[str]
    """The columns of `Join.take`, then the column of `Join.pick`, for messages."""
    numbers: ColumnReader
    """Reads the column of `Join.pick`."""

    def place(self, number: int, column: int | None = None) -> str:
        """Return the place of a line or row, and a column, for messages."""
        values = {"file": self.name, "row": number}
        if column is None and self.is_text:
            return tr("{file}, line {row}", **values)
        if column is None:
            return tr("{file}, row {row}", **values)
        if self.is_text:
            return tr("{file}, line {row}, column {column}", column=self.columns[column], **values)
        return tr("{file}, row {row}, column {column}", column=self.columns[column], **values)

    def fault(self, number: int, column: int, message: str, hint: str) -> InvalidValue:
        """Return the fault of a cell with its place."""
        text = joined((self.place(number, column), message), ": ")
        hint = tr("there: {hint}", hint=hint)
        return InvalidValue(None, (Issue(RECIPE_FAILED, text, hint),))


class JoinedRow(NamedTuple):
    """A row of a joined sheet."""

    cells: Sequence[Hashable]
    """The cells of `Join.take`, in order, or an InvalidValue; then the cell of `Join.pick`."""
    table: JoinedTable
    number: int
    """The number of its line or row."""


class RepeatedRows(Struct):
    """The rows whose key occurred before."""

    rows: dict[Key, list[JoinedRow]] = field(default_factory=dict)
    """All rows with such a key, if one of them is picked."""
    count: int = 0
    first: tuple[Key, JoinedRow] | None = None


class JoinedSheet(Struct):
    """The rows of joined sheets by their keys."""

    name: str
    join: Join
    files: Sequence[JoinFile]
    """Empty for another sheet of the same workbook."""
    sheet: str = ""
    """The name of that sheet."""
    rows: dict[Key, JoinedRow] = field(default_factory=dict)
    looked_up: int = 0
    matched: int = 0
    _last: int = 0
    _block: RecipeBlock | None = None
    _matches: Sequence[JoinedRow | None] = ()
    """The rows for that block."""
    _memory: dict[Hashable, JoinedRow | None] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The names of the files, or of the sheet, for messages."""
        if not self.files:
            return in_quotes(self.sheet)
        return joined(file.name for file in self.files)

    def count(self, indexes: Sequence[int], block: RecipeBlock) -> None:
        rows, numbers = self.rows_of(indexes, block), block.block.rows
        if numbers[0] <= self._last:  # the sheet is read again
            self.looked_up = self.matched = 0
        self._last = numbers[-1]
        self.looked_up += len(rows)
        self.matched += len(rows) - rows.count(None)

    def rows_of(self, indexes: Sequence[int], block: RecipeBlock) -> Sequence[JoinedRow | None]:
        """Return the joined row of each row of a block; `indexes` are the columns of the key."""
        if self._block is not block:
            keys = list(zip(*(block.source(index) for index in indexes), strict=True))
            if len(self._memory) > REMEMBERED:
                self._memory.clear()
            for key in set(keys).difference(self._memory):
                texts = _texts([block.decode(part) for part in key])
                self._memory[key] = None if texts is None else self.rows.get(texts)
            self._block, self._matches = block, [self._memory[key] for key in keys]
        return self._matches

    @property
    def missing(self) -> Hashable:
        """The cell of a row without a joined one; None where it keeps its own."""
        match self.join.missing:
            case "keep":
                return None
            case "zero":
                return ZERO
        message = tr(
            "{file} has no value for this row ([join.{name}])", file=self.source, name=self.name
        )
        hint = tr('add it there, or write missing = "keep" or "zero" in the recipe')
        return InvalidValue(None, (Issue(RECIPE_FAILED, message, hint),))

    def outcome(self) -> str:
        """Return the share of matched rows, for messages. JoinUnusable if it is too small."""
        text = tr(
            "{count:,} of {total:,} rows are in {file}",
            count=self.matched,
            total=self.looked_up,
            file=joined(file.aged for file in self.files) or self.source,
        )
        if self.matched < self.join.at_least * self.looked_up:
            raise JoinUnusable(
                tr(
                    "{text}, and [join.{name}] requires {share}",
                    text=text,
                    name=self.name,
                    share=f"{self.join.at_least:.0%}",
                ),
                tr("see that it is the right file, or lower at_least in the recipe"),
            )
        return text

    def as_json(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"name": self.name, "file": None, "hoursOld": None}
        if self.files:
            facts["file"] = joined(file.name for file in self.files)
            facts["hoursOld"] = round(max(file.age for file in self.files) / HOUR, 1)
        else:
            facts["sheet"] = self.sheet
        return {**facts, "rows": self.looked_up, "found": self.matched}


class JoinedColumn(NamedTuple):
    """A column of a joined sheet, and the columns with the keys."""

    sheet: JoinedSheet
    number: int
    indexes: Sequence[int]

    def cells(self, block: RecipeBlock) -> Keys:
        """Return the joined cells of a block; None for a row that keeps its own cell."""
        missing, rows = self.sheet.missing, self.sheet.rows_of(self.indexes, block)
        cells = [row.cells[self.number] if row else missing for row in rows]
        return [missing if cell is BLANK else cell for cell in cells]

    def place(self, block: RecipeBlock, position: int) -> str:
        """Return the place of a row's joined cell, for messages; empty without one."""
        key = _texts([block.decode(block.source(index)[position]) for index in self.indexes])
        row = self.sheet.rows.get(key) if key else None
        if row is None or row.cells[self.number] is BLANK:
            return ""
        return row.table.place(row.number, self.number)


def read_join(name: str, join: Join, files: Sequence[JoinFile], context: Context) -> JoinedSheet:
    """Read joined files: in each, the visible sheet with the headers.

    Raises JoinUnusable if no sheet or several sheets have them, if a header or a key is repeated,
    or if a file is too long.
    """
    limits, fallback = context.settings.reading, context.settings.csv_fallback
    result, repeated = JoinedSheet(name, join, files), RepeatedRows()
    for file in files:
        try:
            with open_source(file.path, limits=limits, csv_fallback=fallback) as source:
                add_rows(result, repeated, source, file.name, context)
        except JoinUnusable:
            raise
        except FileProblem as problem:
            place = f"{file.name}, [join.{name}]"
            raise JoinUnusable(joined((place, problem.message), ": "), problem.hint) from None
        except OSError as error:
            raise JoinUnusable(
                tr(
                    "{file}, [join.{name}], cannot be read: {reason}",
                    file=file.name,
                    name=name,
                    reason=reason_of(error),
                ),
                tr("look at its permissions"),
            ) from error
    return with_picked(result, repeated)


def join_own(name: str, join: Join, source: Source, without: str, context: Context) -> JoinedSheet:
    """Read another sheet of the same workbook. Raises as `read_join`."""
    if source.format == "csv":
        raise JoinUnusable(
            tr("[join.{name}] has a sheet and no file, and a CSV has no other sheet", name=name),
            tr("name the other file: file = …"),
        )
    result, repeated = JoinedSheet(name, join, ()), RepeatedRows()
    add_rows(result, repeated, source, "", context, without=without)
    return with_picked(result, repeated)


def add_rows(
    result: JoinedSheet,
    repeated: RepeatedRows,
    source: Source,
    file: str,
    context: Context,
    without: str = "",
) -> None:
    """Add the rows of a file, from a sheet with another name than `without`."""
    join = result.join
    headers = [*join.key.values(), *join.take.values(), *filter(None, [join.picked[1]])]
    sheet, row = _sheet(source, result.name, join, file, headers, without)
    result.sheet = sheet.name
    shown = file or result.source
    indexes = [_index(row, header, shown) for header in headers]
    columns = list(map(column_name, map(letters, indexes), headers))[len(join.key) :]
    numbers = ColumnReader(RawValue(), context)
    table = JoinedTable(shown, row.line is not None, columns, numbers)
    _read_rows(result, repeated, table, sheet.blocks(row.number), indexes)
    if numbers.is_ambiguous and len(numbers.evidence) == 1:
        (decimal,) = numbers.evidence
        table.numbers = ColumnReader(RawValue(), context, decimal, numbers.evidence)


def _sheet(
    source: Source, name: str, join: Join, file: str, headers: Sequence[str], without: str
) -> tuple[Sheet, HeadRow]:
    """Return the sheet with the headers of a join, and its header row."""
    required, listed = set(map(folded, headers)), joined(map(in_quotes, headers))
    file = file or tr("the workbook")
    entries = [entry for entry in source.sheets if entry.name != without or not without]
    pattern = join.sheet.casefold() or "*"
    meant = [
        entry
        for entry in entries
        if any(fnmatchcase(name.casefold(), pattern) for name in (entry.name, entry.full_name))
        or source.format == "csv"  # its table has no name
    ]
    if not meant:
        raise JoinUnusable(
            tr("“{sheet}” is the sheet that is read, not another one to join", sheet=without)
            if without.casefold() == pattern
            else tr("{file} has no sheet “{name}” to join", file=file, name=join.sheet),
            tr("choose one of: {sheets}", sheets=joined(entry.name for entry in entries)),
        )
    fitting, nearly = [], dict[int, tuple[int, MessageText]]()
    for entry in meant:
        sheet = source.sheet(entry.name)
        is_meant = not entry.hidden or entry.name.casefold() == pattern
        for row in sheet.head(SEARCHED) if is_meant else ():
            lacks = required - {folded(cell.text) for cell in row.cells}
            if not lacks:
                fitting.append((sheet, row))
                break
            names = joined(in_quotes(header) for header in headers if folded(header) in lacks)
            nearly.setdefault(len(lacks), (row.number, names))
    if not fitting:
        reason = tr("{file} has no row with the headers {headers}", file=file, headers=listed)
        if min(nearly, default=len(required)) < len(required):
            number, names = nearly[min(nearly)]
            reason = tr(
                "{text}: row {row} has all but {headers}", text=reason, row=number, headers=names
            )
        hint = tr("correct [join.{name}] in the recipe, or the file", name=name)
        if any(entry.hidden for entry in meant) and not join.sheet:
            hint = tr("{text}; its hidden sheets do not count", text=hint)
        raise JoinUnusable(reason, hint)
    if len(fitting) > 1:
        names = joined(in_quotes(sheet.name) for sheet, _ in fitting)
        raise JoinUnusable(
            tr(
                "{file} has several sheets with the headers {headers}: {names}",
                file=file,
                headers=listed,
                names=names,
            ),
            tr('name the one that is meant in [join.{name}]: sheet = "Stock"', name=name),
        )
    return fitting[0]


def _index(row: HeadRow, header: str, file: str) -> int:
    texts = [" ".join(cell.text.split()) for cell in row.cells]
    exact = [index for index, text in enumerate(texts) if text == " ".join(header.split())]
    same = exact or [index for index, text in enumerate(texts) if folded(text) == folded(header)]
    if len(same) > 1:
        where = joined(map(letters, same))
        raise JoinUnusable(
            tr(
                "{place}: “{header}” is the header of columns {where}",
                place=file,
                header=header,
                where=where,
            ),
            tr("rename the others there"),
        )
    return same[0]


def _read_rows(
    result: JoinedSheet,
    repeated: RepeatedRows,
    table: JoinedTable,
    blocks: Iterable[Block],
    indexes: Sequence[int],
) -> None:
    """Add the rows after the header to a joined sheet."""
    rows, of_key = result.rows, len(result.join.key)
    last = of_key + len(result.join.take)
    for block in blocks:
        columns = [_cells(block, index) for index in indexes]
        for column in columns[last:]:
            table.numbers.read(column, decode)
        numbers = block.lines or block.rows
        for number, cells in zip(numbers, zip(*columns, strict=True), strict=True):
            key = _texts(cells[:of_key])
            if key is None:
                continue
            if len(rows) + repeated.count >= MOST_ROWS:
                raise JoinUnusable(
                    tr("{file} has more than {count:,} rows", file=table.name, count=MOST_ROWS),
                    tr("leave out the ones that nobody needs"),
                )
            values = list[Hashable](cells[of_key:])
            for position, cell in enumerate(cells[of_key:last]):
                flaw = None if cell.kind in {Kind.DATE, Kind.BOOLEAN} else no_value(cell)
                if flaw is not None:
                    values[position] = table.fault(number, position, *flaw.faults[0][1:3])
            row = JoinedRow(values, table, number)
            before = rows.setdefault(key, row)
            if before is row:
                continue
            repeated.count += 1
            repeated.first = repeated.first or (key, row)
            if result.join.pick:
                repeated.rows.setdefault(key, [before]).append(row)


def with_picked(result: JoinedSheet, repeated: RepeatedRows) -> JoinedSheet:
    """Return a joined sheet with one row for each key; JoinUnusable if no rule picks one."""
    if repeated.first and not result.join.pick:
        key, row = repeated.first
        first, text = result.rows[key], " ".join(key)
        values = {"key": text, "first": first.number, "second": row.number}
        if first.table is not row.table:
            values |= {"first": first.table.place(first.number)}
            values |= {"second": row.table.place(row.number)}
            reason = tr("two files have the key {key}: {first} and {second}", **values)
        elif row.table.is_text:
            values["file"] = row.table.name
            reason = tr("{file} has a key twice: {key} (lines {first} and {second})", **values)
        else:
            values["file"] = row.table.name
            reason = tr("{file} has a key twice: {key} (rows {first} and {second})", **values)
        if repeated.count > 1:
            reason = tr("{text}, and {count:,} more", text=reason, count=repeated.count - 1)
        hint = tr('leave one row of each key there, or say which counts: pick = "sum qty"')
        raise JoinUnusable(reason, hint)
    result.rows |= {key: picked(rows, result.join) for key, rows in repeated.rows.items()}
    return result


def picked(rows: Sequence[JoinedRow], join: Join) -> JoinedRow:
    """Return the picked row of several with one key; rows with a blank cell are ignored."""
    how, header = join.picked
    numbers, pick_index = list[tuple[Decimal, JoinedRow]](), len(join.take)
    for row in rows:
        (value,) = row.table.numbers.read([row.cells[pick_index]], decode)
        match value:
            case None:
                continue
            case Decimal():
                numbers.append((value, row))
                continue
            case NumberText():
                numbers.append((value.number, row))
                continue
            case UnclearText() | UnreadableCell():
                reason = value.reason
            case _:
                reason = tr("“{text}” is not a number", text=str(value)[:60])
        flaw = row.table.fault(row.number, pick_index, reason, tr("correct the number"))
        return row._replace(cells=[flaw] * pick_index)
    if not numbers:
        return rows[0]
    if how != SUM:
        choose = min if how == "min" else max
        return choose(numbers, key=itemgetter(0))[1]
    total = Cell(Kind.NUMBER, number_text(sum((number for number, _ in numbers), Decimal())))
    cells = [
        total if folded(text) == folded(header) else cell
        for text, cell in zip(join.take.values(), numbers[0][1].cells, strict=False)
    ]
    return numbers[0][1]._replace(cells=cells)


def _cells(block: Block, index: int) -> list[Cell]:
    if index >= block.width:
        return [BLANK] * len(block.rows)
    decoded: dict[Hashable, Cell] = {}
    cells = []
    for key in block.column(index):
        if key not in decoded:
            cell = block.decode(key)
            is_blank = cell.kind in {Kind.BLANK, Kind.TEXT} and not cell.text.strip()
            decoded[key] = BLANK if is_blank else cell
        cells.append(decoded[key])
    return cells


def _texts(cells: Sequence[Cell]) -> Key | None:
    """Return a key for comparison; None if a part is blank or unreadable."""
    texts = [text for text in map(identified, cells) if isinstance(text, str)]
    return tuple(texts) if len(texts) == len(cells) else None
