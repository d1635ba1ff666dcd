"""The rows to correct of one sheet: their cells, and what is told of them."""

from collections.abc import Collection, Iterator
from functools import partial

from feedtool.areas.offers.feeds import common as offers
from feedtool.areas.products.columns import common as products
from feedtool.areas.products.columns.category import CategoryCode
from feedtool.areas.products.columns.properties import only_category
from feedtool.areas.products.feeds import STAMP_LANGUAGE
from feedtool.areas.registry import load
from feedtool.check import Asked
from feedtool.feeds.columns import ColumnReader, Flawed
from feedtool.model.cells import index_of, letters
from feedtool.model.header import Header
from feedtool.model.nouns import Problem, Status, Verdict
from feedtool.model.settings import Context
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, ProblemSpool, Refused
from feedtool.model.spool import Spool
from feedtool.report import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.corrections.picked import Picked, Settled, pick
from feedtool.runs.corrections.shape import Shape, shape_of
from feedtool.sheets import Source
from feedtool.sheets.filled import Value
from feedtool.templates import PRODUCTS, Language
from feedtool.templates.workbook import FIRST_ROW


class Part:
    """The rows to correct of one sheet, and what is told of them.

    Args:
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
        outcome: SheetResult,
        rows: Collection[int],
        source: Source,
        asked: Asked,
        language: Language,
        run: int,
        *,
        is_first: bool,
    ) -> None:
        checked = outcome.checked
        header = checked.header
        if header is None:
            raise ValueError("only a sheet with a header has rows")
        self.title = ""
        """Of its sheet in the workbook."""
        self.checked, self._outcome, self._rows = checked, outcome, rows
        self._settled = Settled(header, asked.dialect)
        self._picked: Spool[Picked] = Spool(Picked)
        self._given = _given(checked, header, asked, is_first=is_first)
        codes = _Codes(header, asked.context)
        filled: set[int] = set()
        sheet = source.sheet(checked.sheet or source.sheets[0].name)
        for one in pick(sheet, header, rows, self._settled):
            self._picked.append(one)
            filled.update(one.cells)
            codes.see(one)
        guilty = (one.column for one in checked.problems() if one.row in rows and one.column)
        filled.update(header.columns.keys() & set(map(index_of, guilty)))
        self.shape: Shape = shape_of(
            checked, filled, asked, list(codes.found), self._given, language, run
        )

    def __len__(self) -> int:
        return len(self._picked)

    def values(self) -> Iterator[list[Value]]:
        """The rows of the workbook."""
        shape = self.shape
        places = {field.key: place for place, field in enumerate(shape.contents.fields)}
        for one in self._picked:
            row: list[Value] = [None] * len(shape.contents.fields)
            for index, cell in one.cells.items():
                row[shape.places[index]] = self._settled.cell(index, cell)
            for key, value in self._given.items():
                place = places.get(key)
                if place is not None and row[place] is None:
                    row[place] = value
            row[shape.row_column] = one.row
            yield row

    def outcome(self, file: str) -> SheetResult:
        """What is told of the rows, as rows of the workbook `file`."""
        now_at = {one.row: row for row, one in enumerate(self._picked, start=FIRST_ROW)}
        told = CheckedSheet(file, self.title, self.checked.kind, self.shape.header)
        problems = ProblemSpool()
        for problem in self.checked.problems():
            if problem.row in now_at:
                problems.append(self._moved(problem, now_at[problem.row]))
        told.problems_by_source.append(problems)
        others: Spool[Verdict] = Spool(Verdict)
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
        place = self.shape.places.get(index) if index is not None else None
        column = None if place is None else letters(place)
        return problem._replace(row=row, line=None, column=column)


def _given(
    checked: CheckedSheet, header: Header, asked: Asked, *, is_first: bool
) -> dict[str, str]:
    """What the command, or the sheet, said of all rows that do not say it themselves."""
    feed = load().feeds[str(checked.kind)]
    found = {}
    if feed.has_channel and asked.channel != asked.dialect.primary_channel:
        found[offers.CHANNEL] = asked.channel
    if (
        offers.ACTION in {one.key for one in feed.columns(asked.dialect)}
        and checked.is_kind_certain
        and not is_first
    ):
        found[offers.ACTION] = str(feed.package_type)
    if feed.kind == PRODUCTS and (category := only_category(header.stamp)):
        found[products.CATEGORY] = category
    return found


class _Codes:
    """The categories of products, as they are met."""

    def __init__(self, header: Header, context: Context) -> None:
        self.found: dict[str, None] = {}
        self._index = next(
            (at for at, column in header.columns.items() if column.key == products.CATEGORY), None
        )
        self._reader = ColumnReader(CategoryCode(), _in_language(header, context))
        if category := only_category(header.stamp):
            self.found[category] = None

    def see(self, one: Picked) -> None:
        cell = one.cells.get(self._index) if self._index is not None else None
        if cell is None:
            return
        read = self._reader.cell_type.read(cell, self._reader)
        code = read.value if isinstance(read, Flawed) else read
        if isinstance(code, str):
            self.found[code] = None


def _in_language(header: Header, context: Context) -> Context:
    """With the catalogue that the sheet was judged by."""
    catalog = context.catalog(header.stamp.get(STAMP_LANGUAGE))
    return context._replace(catalog=lambda _: catalog)
