"""A second sheet that a recipe joins: found by keys, its cells beside the rows of the first."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct, field

from feedtool.check.headers import SEARCHED
from feedtool.check.recipes.fields import REMEMBERED, Keys
from feedtool.check.recipes.join_file import HOUR, JoinFile, JoinUnusable
from feedtool.check.recipes.recipe_file import Join
from feedtool.check.recipes.sheet import RecipeBlock
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import InvalidValue
from feedtool.feeds.columns.text import identified, no_value
from feedtool.model.cells import BLANK, Block, Cell, Kind, letters
from feedtool.model.errors import FileProblem, reason_of
from feedtool.model.header import folded
from feedtool.model.nouns import Issue
from feedtool.model.settings import AccountSettings
from feedtool.model.text import MessageText, column_name, in_quotes, joined, tr
from feedtool.sheets import Sheet, Source, open_source
from feedtool.sheets.read.source import HeadRow

MOST_ROWS = 1_000_000
"""Rows of a joined sheet."""
ZERO = Cell(Kind.NUMBER, "0")

Key: TypeAlias = tuple[str, ...]


class JoinedSheet(Struct):
    """The rows of a joined sheet by their keys."""

    name: str
    join: Join
    file: JoinFile
    rows: dict[Key, Sequence[Hashable]]
    """Each with the cells of `Join.take`, in that order, or an InvalidValue."""
    places: dict[Key, int]
    """The line of each, or its row."""
    is_text: bool
    """True if its places are lines."""
    columns: Sequence[str]
    """The columns of `Join.take`, for messages."""
    looked_up: int = 0
    matched: int = 0
    _last: int = 0
    _block: RecipeBlock | None = None
    _found: Sequence[Sequence[Hashable] | None] = ()
    """Of that block."""
    _memory: dict[Hashable, Sequence[Hashable] | None] = field(default_factory=dict)

    def column(self, number: int, indexes: Sequence[int], block: RecipeBlock) -> Keys:
        """The joined cells of a block; None in a row that keeps its own."""
        missing = self._missing
        cells = [row[number] if row else missing for row in self._rows_of(indexes, block)]
        return [missing if cell is BLANK else cell for cell in cells]

    def place(self, number: int, indexes: Sequence[int], block: RecipeBlock, position: int) -> str:
        """Where the joined cell of a row stands, for messages; empty where there is none."""
        key = _texts([block.decode(block.source(index)[position]) for index in indexes])
        if key is None or key not in self.rows or self.rows[key][number] is BLANK:
            return ""
        return self.place_of(self.places[key], self.columns[number])

    def place_of(self, number: int, column: str) -> str:
        """The place of a line or row, and a column."""
        values = {"file": self.file.name, "row": number, "column": column}
        if self.is_text:
            return tr("{file}, line {row}, column {column}", **values)
        return tr("{file}, row {row}, column {column}", **values)

    def count(self, indexes: Sequence[int], block: RecipeBlock) -> None:
        """Count the rows of a block, whatever is read of them."""
        rows, numbers = self._rows_of(indexes, block), block.block.rows
        if numbers[0] <= self._last:  # the sheet is read once more
            self.looked_up = self.matched = 0
        self._last = numbers[-1]
        self.looked_up += len(rows)
        self.matched += len(rows) - rows.count(None)

    def _rows_of(
        self, indexes: Sequence[int], block: RecipeBlock
    ) -> Sequence[Sequence[Hashable] | None]:
        if self._block is not block:
            keys = list(zip(*(block.source(index) for index in indexes), strict=True))
            if len(self._memory) > REMEMBERED:
                self._memory.clear()
            for key in set(keys).difference(self._memory):
                self._memory[key] = self._row([block.decode(part) for part in key])
            self._block, self._found = block, [self._memory[key] for key in keys]
        return self._found

    def _row(self, key: Sequence[Cell]) -> Sequence[Hashable] | None:
        texts = _texts(key)
        return None if texts is None else self.rows.get(texts)

    @property
    def _missing(self) -> Hashable:
        match self.join.missing:
            case "keep":
                return None
            case "zero":
                return ZERO
        message = tr(
            "{file} has no value for this row ([join.{name}])", file=self.file.name, name=self.name
        )
        hint = tr('add it there, or write missing = "keep" or "zero" in the recipe')
        return InvalidValue(None, (Issue(RECIPE_FAILED, message, hint),))

    def outcome(self) -> str:
        """The share of rows that were found, for messages. JoinUnusable where it is too small."""
        text = tr(
            "{count:,} of {total:,} rows are in {file}",
            count=self.matched,
            total=self.looked_up,
            file=self.file.aged,
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
        """The same for scripts."""
        hours = round(self.file.age / HOUR, 1)
        facts = {"name": self.name, "file": self.file.name, "hoursOld": hours}
        return {**facts, "rows": self.looked_up, "found": self.matched}


class JoinedColumn(NamedTuple):
    """A column of a joined sheet, beside the rows that have its keys in some columns."""

    sheet: JoinedSheet
    number: int
    indexes: Sequence[int]

    @property
    def file(self) -> str:
        """The name of its file."""
        return self.sheet.file.name

    def cells(self, block: RecipeBlock) -> Keys:
        """The joined cells of a block, None where a row has none."""
        return self.sheet.column(self.number, self.indexes, block)

    def place(self, block: RecipeBlock, position: int) -> str:
        """Where the joined cell of a row stands, for messages; empty where there is none."""
        return self.sheet.place(self.number, self.indexes, block, position)


def read_join(name: str, join: Join, file: JoinFile, settings: AccountSettings) -> JoinedSheet:
    """A joined sheet: the visible one that has the headers.

    JoinUnusable where none has, or several; where a header or a key stands there twice; where it is
    too long.
    """
    limits, fallback = settings.reading, settings.csv_fallback
    try:
        with open_source(file.path, limits=limits, csv_fallback=fallback) as source:
            sheet, row = _sheet(source, name, join, file.name)
            wanted = [*join.key.values(), *join.take.values()]
            indexes = [_index(row, header, file.name) for header in wanted]
            columns = list(map(column_name, map(letters, indexes), wanted))
            is_text = row.line is not None
            result = JoinedSheet(name, join, file, {}, {}, is_text, columns[len(join.key) :])
            _read_rows(result, sheet, row.number, indexes)
            return result
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


def _sheet(source: Source, name: str, join: Join, file: str) -> tuple[Sheet, HeadRow]:
    """The visible sheet that has the headers of a join, and the row of them."""
    headers = [*join.key.values(), *join.take.values()]
    wanted, listed = set(map(folded, headers)), joined(map(in_quotes, headers))
    fitting, nearly = [], dict[int, tuple[int, MessageText]]()
    for entry in source.sheets:
        sheet = source.sheet(entry.name)
        for row in () if entry.hidden else sheet.head(SEARCHED):
            lacks = wanted - {folded(cell.text) for cell in row.cells}
            if not lacks:
                fitting.append((sheet, row))
                break
            names = joined(in_quotes(header) for header in headers if folded(header) in lacks)
            nearly.setdefault(len(lacks), (row.number, names))
    if not fitting:
        reason = tr("{file} has no row with the headers {headers}", file=file, headers=listed)
        if min(nearly, default=len(wanted)) < len(wanted):
            number, names = nearly[min(nearly)]
            reason = tr(
                "{text}: row {row} has all but {headers}", text=reason, row=number, headers=names
            )
        hint = tr("correct [join.{name}] in the recipe, or the file", name=name)
        if any(entry.hidden for entry in source.sheets):
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
            tr("hide those that are not meant, or take them out of the file"),
        )
    return fitting[0]


def _index(row: HeadRow, header: str, file: str) -> int:
    """The column of a header that is in a row."""
    texts = [" ".join(cell.text.split()) for cell in row.cells]
    exact = [at for at, text in enumerate(texts) if text == " ".join(header.split())]
    same = exact or [at for at, text in enumerate(texts) if folded(text) == folded(header)]
    if len(same) > 1:
        where = joined(map(letters, same))
        raise JoinUnusable(
            tr(
                "{place}: “{header}” is the header of columns {where}",
                place=file,
                header=header,
                where=where,
            ),
            tr("rename there those that are not meant"),
        )
    return same[0]


def _read_rows(result: JoinedSheet, sheet: Sheet, after: int, indexes: Sequence[int]) -> None:
    """Fill a joined sheet with the rows after its header."""
    rows, places, file = result.rows, result.places, result.file.name
    of_key, twice = len(result.join.key), list[tuple[str, int, int]]()
    for block in sheet.blocks(after):
        columns = [_cells(block, index) for index in indexes]
        numbers = block.lines or block.rows
        for number, cells in zip(numbers, zip(*columns, strict=True), strict=True):
            key = _texts(cells[:of_key])
            if key is None:
                continue
            if len(rows) + len(twice) >= MOST_ROWS:
                raise JoinUnusable(
                    tr("{file} has more than {count:,} rows", file=file, count=MOST_ROWS),
                    tr("leave those out that nobody needs"),
                )
            if key in rows:
                twice.append((" ".join(key), places[key], number))
            places[key] = number
            rows[key] = [
                _taken(cell, result, number, column)
                for cell, column in zip(cells[of_key:], result.columns, strict=True)
            ]
    if twice:
        text, first, second = twice[0]
        values = {"file": file, "key": text, "first": first, "second": second}
        reason = (
            tr("{file} has a key twice: {key} (lines {first} and {second})", **values)
            if result.is_text
            else tr("{file} has a key twice: {key} (rows {first} and {second})", **values)
        )
        if len(twice) > 1:
            reason = tr("{text}, and {count:,} more", text=reason, count=len(twice) - 1)
        raise JoinUnusable(reason, tr("leave one row of each key there"))


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


def _taken(cell: Cell, sheet: JoinedSheet, number: int, column: str) -> Hashable:
    """A cell, or what is wrong with it, by its place."""
    flaw = None if cell.kind in {Kind.DATE, Kind.BOOLEAN} else no_value(cell)
    if flaw is None:
        return cell
    issue = flaw.faults[0]
    message = joined((sheet.place_of(number, column), issue.message), ": ")
    hint = tr("there: {hint}", hint=issue.hint)
    return InvalidValue(None, (Issue(RECIPE_FAILED, message, hint),))


def _texts(cells: Sequence[Cell]) -> Key | None:
    """A key as it is compared; None where it is blank, or nobody knows what stands there."""
    texts = [text for text in map(identified, cells) if isinstance(text, str)]
    return tuple(texts) if len(texts) == len(cells) else None
