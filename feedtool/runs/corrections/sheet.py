"""The rows to correct of one sheet: their cells, and the messages about them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from feedtool.areas.registry import load
from feedtool.check import ROW, ReadOptions
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.export import KeyedRow
from feedtool.feeds.feed import ACTION, CHANNEL, Feed
from feedtool.feeds.template import Contents, Language
from feedtool.model.cells import Value, index_of, letters
from feedtool.model.header import Header
from feedtool.model.nouns import Problem, RowResult, Status
from feedtool.model.settings import Context
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, ProblemSpool, Refused
from feedtool.model.spool import Spool
from feedtool.report import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.corrections.columns import STAMP_LANGUAGE, Columns, basis_of, columns_of
from feedtool.runs.corrections.rows import NumberFormats, PickedRow, pick
from feedtool.sheets import Source
from feedtool.templates.workbook import FIRST_ROW


class SheetToCorrect:
    """The rows to correct of one sheet, as a sheet of the workbook.

    Args:
        sheet: The result of the sheet.
        rows: The numbers of its rows that are to be corrected.
        source: The file that it is in.
        reading: How it was read.
        language: Of the labels, where the workbook does not say.
        run: In which it was sent.
        is_first: Whether the workbook's stamp says what it is; else each of its rows does.
    """

    def __init__(
        self,
        sheet: SheetResult,
        rows: Sequence[int],
        source: Source,
        reading: ReadOptions,
        language: Language,
        run: int,
        *,
        is_first: bool,
    ) -> None:
        checked = self.checked = sheet.checked
        self._sheet = sheet
        header, feed = checked.header, load().feeds[str(checked.kind)]
        if header is None:
            raise ValueError("only a sheet with a header has rows")
        self._formats = NumberFormats(header, reading.dialect)
        self._picked: Spool[PickedRow] = Spool(PickedRow)
        self._given = _given(feed, checked, header, reading, is_first=is_first)
        context = reading.context
        if feed.template:  # with the catalogue that the sheet was judged by
            catalog = context.catalog(header.stamp.get(STAMP_LANGUAGE))
            context = context._replace(catalog=lambda _: catalog)
        numbers = frozenset(rows)
        filled: set[int] = set()
        of_file = source.sheet(checked.sheet or source.sheets[0].name)
        for row in pick(of_file, header, numbers, self._formats):
            self._picked.append(row)
            filled.update(row.cells)
        columns = (problem.column for problem in checked.problems() if problem.row in numbers)
        guilty = {index_of(column) for column in columns if column}
        filled |= header.columns.keys() & guilty
        basis = basis_of(header, context, language, filled)
        basis = basis._replace(categories=_categories(feed, header, context, self._picked))
        self._columns: Columns = columns_of(
            checked.file, feed, header, filled, self._given, basis, run
        )
        self.contents: Contents = replace(
            self._columns.contents, is_stamped=checked.is_kind_certain
        )

    columns: Collection[str] = ()
    """No column is folded that a row fills."""

    def __len__(self) -> int:
        return len(self._picked)

    def __iter__(self) -> Iterator[KeyedRow]:
        """The rows of the workbook."""
        places, fields = self._columns.places, self.contents.fields
        keys = {field.key for field in fields}
        given: dict[str, Value] = {key: it for key, it in self._given.items() if key in keys}
        for row in self._picked:
            cells = {
                fields[places[index]].key: self._formats.cell(index, cell)
                for index, cell in row.cells.items()
            }
            yield {**given, **cells, ROW: row.row}

    def result(self, file: str) -> SheetResult:
        """The results of the rows, as rows of the workbook `file`."""
        now_at = {picked.row: row for row, picked in enumerate(self._picked, start=FIRST_ROW)}
        checked = CheckedSheet(file, self.contents.sheet, self.checked.kind, self._columns.header)
        problems = ProblemSpool()
        for problem in self.checked.problems():
            if problem.row in now_at:
                problems.append(self._moved(problem, now_at[problem.row]))
        checked.problems_by_source.append(problems)
        others: Spool[RowResult] = Spool(RowResult)
        for result in self._sheet.every_verdict():
            row = now_at.get(result.row)
            if row is None:
                continue
            # What is Invalid in a later run alone has no problems of its own here.
            is_refused_here = self.checked.marks[result.row] == INVALID
            is_invalid = is_refused_here and result.status is Status.INVALID
            checked.marks[row] = INVALID if is_invalid else VALID
            if is_invalid:
                checked.refused.append(Refused(row, result.reference))
            else:
                others.append(result._replace(row=row))
        every = partial(row_notes.every_row, checked, others)
        return SheetResult(checked, self._sheet.run, is_submitted=True, verdicts=every)

    def _moved(self, problem: Problem, row: int) -> Problem:
        """A problem in its place in the workbook."""
        index = index_of(problem.column) if problem.column else None
        place = self._columns.places.get(index) if index is not None else None
        column = None if place is None else letters(place)
        return problem._replace(row=row, line=None, column=column)


def _given(
    feed: Feed, checked: CheckedSheet, header: Header, reading: ReadOptions, *, is_first: bool
) -> Mapping[str, str]:
    """The values that the command, or the sheet, gives all rows that have none of their own."""
    given = {}
    if feed.has_channel and reading.channel != reading.dialect.primary_channel:
        given[CHANNEL] = reading.channel
    keys = {column.key for column in feed.columns(reading.dialect)}
    if ACTION in keys and checked.is_kind_certain and not is_first:
        given[ACTION] = str(feed.package_type)
    return {**given, **feed.stamped(header.stamp)}


def _categories(
    feed: Feed, header: Header, context: Context, rows: Iterable[PickedRow]
) -> tuple[str, ...]:
    """The codes of the rows' categories, as they are met."""
    codes: dict[str, None] = {}
    key = feed.category_key
    if key and (stamped := feed.stamped(header.stamp).get(key)):
        codes[stamped] = None
    index = header.index_of(key) if key else None
    if index is not None:
        reader = ColumnReader(header.columns[index].type, context)
        for row in rows:
            if cell := row.cells.get(index):
                read = reader.cell_type.read(cell, reader)
                code = read.value if isinstance(read, InvalidValue) else read
                if isinstance(code, str):
                    codes[code] = None
    return tuple(codes)
