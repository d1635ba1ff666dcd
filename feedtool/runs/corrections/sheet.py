"""The rows to correct of one sheet: their cells, and what is told of them."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial

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
    """The rows to correct of one sheet, and what is told of them.

    Args:
        feed: What its rows are.
        outcome: What is told of the sheet.
        rows: The numbers of its rows that are to be corrected.
        source: The file that it is in.
        asked: How it was read.
        language: Of the labels, where the workbook does not say.
        run: In which it was sent.
        is_first: Whether the workbook's stamp says what it is; else each of its rows does.
    """

    def __init__(
        self,
        feed: Feed,
        outcome: SheetResult,
        rows: Collection[int],
        source: Source,
        asked: ReadOptions,
        language: Language,
        run: int,
        *,
        is_first: bool,
    ) -> None:
        checked = outcome.checked
        header = checked.header
        if header is None:
            raise ValueError("only a sheet with a header has rows")
        self.feed, self.checked, self._outcome = feed, checked, outcome
        self._formats = NumberFormats(header, asked.dialect)
        self._picked: Spool[PickedRow] = Spool(PickedRow)
        self._given = _given(feed, checked, header, asked, is_first=is_first)
        context = _judged_by(header, asked.context) if feed.template else asked.context
        categories = _Categories(feed, header, context)
        filled: set[int] = set()
        sheet = source.sheet(checked.sheet or source.sheets[0].name)
        for row in pick(sheet, header, rows, self._formats):
            self._picked.append(row)
            filled.update(row.cells)
            categories.see(row)
        guilty = (one.column for one in checked.problems() if one.row in rows and one.column)
        filled.update(header.columns.keys() & set(map(index_of, guilty)))
        basis = basis_of(header, context, language, filled)
        basis = basis._replace(categories=tuple(categories.codes))
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

    def outcome(self, file: str) -> SheetResult:
        """What is told of the rows, as rows of the workbook `file`."""
        now_at = {one.row: row for row, one in enumerate(self._picked, start=FIRST_ROW)}
        told = CheckedSheet(file, self.contents.sheet, self.checked.kind, self._columns.header)
        problems = ProblemSpool()
        for problem in self.checked.problems():
            if problem.row in now_at:
                problems.append(self._moved(problem, now_at[problem.row]))
        told.problems_by_source.append(problems)
        others: Spool[RowResult] = Spool(RowResult)
        for verdict in self._outcome.every_verdict():
            row = now_at.get(verdict.row)
            if row is None:
                continue
            # What is Invalid in a later run alone has no problems of its own here.
            is_refused_here = self.checked.marks[verdict.row] == INVALID
            is_invalid = is_refused_here and verdict.status is Status.INVALID
            told.marks[row] = INVALID if is_invalid else VALID
            if is_invalid:
                told.refused.append(Refused(row, verdict.reference))
            else:
                others.append(verdict._replace(row=row))
        every = partial(row_notes.every_row, told, others)
        return SheetResult(told, self._outcome.run, is_submitted=True, verdicts=every)

    def _moved(self, problem: Problem, row: int) -> Problem:
        """A problem in its place in the workbook."""
        index = index_of(problem.column) if problem.column else None
        place = self._columns.places.get(index) if index is not None else None
        column = None if place is None else letters(place)
        return problem._replace(row=row, line=None, column=column)


def _given(
    feed: Feed, checked: CheckedSheet, header: Header, asked: ReadOptions, *, is_first: bool
) -> Mapping[str, str]:
    """What the command, or the sheet, said of all rows that do not say it themselves."""
    given = {}
    if feed.has_channel and asked.channel != asked.dialect.primary_channel:
        given[CHANNEL] = asked.channel
    keys = {column.key for column in feed.columns(asked.dialect)}
    if ACTION in keys and checked.is_kind_certain and not is_first:
        given[ACTION] = str(feed.package_type)
    return {**given, **feed.stamped(header.stamp)}


class _Categories:
    """The codes of the rows' categories, as they are met."""

    def __init__(self, feed: Feed, header: Header, context: Context) -> None:
        key = feed.category_key
        self.codes: dict[str, None] = {}
        if key and (stamped := feed.stamped(header.stamp).get(key)):
            self.codes[stamped] = None
        own = (at for at, column in header.columns.items() if column.key == key)
        self._index = next(own, None)
        if self._index is not None:
            self._reader = ColumnReader(header.columns[self._index].type, context)

    def see(self, row: PickedRow) -> None:
        cell = row.cells.get(self._index) if self._index is not None else None
        if cell is None:
            return
        read = self._reader.cell_type.read(cell, self._reader)
        code = read.value if isinstance(read, InvalidValue) else read
        if isinstance(code, str):
            self.codes[code] = None


def _judged_by(header: Header, context: Context) -> Context:
    """With the catalogue that the sheet was judged by."""
    catalog = context.catalog(header.stamp.get(STAMP_LANGUAGE))
    return context._replace(catalog=lambda _: catalog)
