"""The rows to correct of one sheet: their cells, their columns, and the messages about them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import ROW, ReadOptions
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.export import KeyedRow
from feedtool.feeds.feed import ACTION, CHANNEL, Feed
from feedtool.feeds.template import (
    FIRST_ROW,
    KEY_ROW,
    LABEL_ROW,
    Basis,
    CellEntry,
    Contents,
    Field,
)
from feedtool.model.cells import STAMP_LANGUAGE, Cell, Header, Value, index_of, letters
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Problem, RowResult, Status
from feedtool.model.settings import Context
from feedtool.model.sheet import INVALID, VALID, CheckedSheet, ProblemSpool, RefusedRow
from feedtool.model.text import LANGUAGES, Language, MessageText, Translator, tr
from feedtool.report.sheet_result import SheetResult
from feedtool.runs import row_notes
from feedtool.runs.selection import NumberFormats, PickedRow, pick_rows, text_if_misformatted
from feedtool.sheets import Source
from feedtool.templates.contents import contents_of, plain_contents

ROW_WIDTH, FURTHER_WIDTH = 14, 20
NO_HEADER = " "
"""The header above cells without one: their row is refused for that, as in the sent file."""


class Columns(Struct, frozen=True):
    """The columns of the workbook for the rows of a sheet."""

    contents: Contents
    places: Mapping[int, int]
    """The 0-based column in the workbook, for each column of the sheet."""
    header: Header
    """The header that a later reading of the workbook finds."""


def basis_of(
    header: Header,
    context: Context,
    language: Language,
    filled: Collection[int],
    common_keys: Collection[str],
) -> Basis:
    """Return the basis of the workbook of a sheet, in the language of its stamp, if any.

    `filled` are the columns in which one of the rows holds something, or is to; `common_keys` are
    the keys of further columns that are filled in.
    """
    stamped = header.stamp.get(STAMP_LANGUAGE)
    keys = {column.key for index, column in header.columns.items() if index in filled}
    language = stamped if stamped in LANGUAGES else language
    return Basis(language, context, keys=frozenset(keys.union(common_keys)))


def columns_of(
    file: str,
    feed: Feed,
    header: Header,
    filled: Collection[int],
    basis: Basis,
    run: str | None,
    say: Translator,
) -> Columns:
    """Return the columns for some rows of a sheet that was sent in `run`, or checked."""
    try:
        contents = contents_of(feed, basis)
    except UsageProblem:  # no row has an available category
        catalog = basis.context.catalog(basis.language)
        spoken = cast("Language", catalog.language) if catalog else basis.language
        contents = plain_contents(feed, basis._replace(language=spoken))
    of_keys = {column.key: index for index, column in header.columns.items()}
    fields = [*contents.fields]
    places = {
        of_keys[field.key]: place for place, field in enumerate(fields) if field.key in of_keys
    }
    _ = say.message
    keys = {field.key for field in fields}
    note = _("A column of {file}, as it was there.").format(file=file)
    for index in sorted(set(filled) - places.keys() - header.own):
        places[index] = len(fields)
        text = header.texts.get(index, "")
        column = header.columns.get(index)
        key = column.key if column else text or NO_HEADER
        while key in keys:  # a reader ignores blanks at the end
            key += " "
        keys.add(key)
        fields.append(Field(key, text, note, CellEntry("General", FURTHER_WIDTH)))
    note = _("The row of {file} that this one corrects: leave it as it is.").format(file=file)
    fields.append(Field(ROW, ROW, note, CellEntry("0", ROW_WIDTH)))
    how = _(
        "What is wrong stands on the right, in the three last columns, and the cells to look at"
        " are coloured. Correct them, delete the rows that are not to be sent, and send this"
        " workbook as it is: nothing else of {file} is sent again."
    )
    fact = _("To correct"), f"{_origin(file, run, say)}\n{how.format(file=file)}"
    guide = replace(contents.guide, facts=(fact, *contents.guide.facts))
    contents = replace(contents, fields=tuple(fields), guide=guide)
    columns = {places[index]: known for index, known in header.columns.items() if index in places}
    texts = {index: field.key for index, field in enumerate(fields)}
    labels = {index: field.label for index, field in enumerate(fields)}
    stamp = {STAMP_LANGUAGE: contents.language}
    result_header = Header(
        KEY_ROW, KEY_ROW, columns, texts, (), frozenset(), {}, LABEL_ROW, labels, stamp
    )
    return Columns(contents, places, result_header)


def recipe_columns(
    checked: CheckedSheet,
    feed: Feed,
    header: Header,
    recipe: str,
    basis: Basis,
    run: str | None,
    say: Translator,
) -> Columns:
    """Return the columns for rows that a recipe read: those of the sheet, so it fits again."""
    contents, file = plain_contents(feed, basis), checked.file
    _ = say.message
    note = _("A column of {file}, as it was there.").format(file=file)
    last = max(header.texts.keys() - header.own)
    fields: list[Field] = []
    for index in range(last + 1):
        key = header.texts.get(index) or NO_HEADER
        while key in {field.key for field in fields}:  # a reader ignores blanks at the end
            key += " "
        fields.append(Field(key, "", note, CellEntry("General", FURTHER_WIDTH)))
    note = _("The row of {file} that this one corrects: leave it as it is.").format(file=file)
    fields.append(Field(ROW, "", note, CellEntry("0", ROW_WIDTH)))
    how = _(
        "What is wrong stands on the right, and the cells to look at are coloured. Correct them,"
        " delete the rows that are not to be sent, and send this workbook from beside {file}, with"
        " the options of run {run}: the recipe {recipe} reads it, too."
    )
    if run is None:
        how = _(
            "What is wrong stands on the right, and the cells to look at are coloured. Correct"
            " them, delete the rows that are not to be sent, and send this workbook as {file} would"
            " be sent: the recipe {recipe} reads it, too."
        )
    fact = f"{_origin(file, run, say)}\n{how.format(file=file, run=run, recipe=recipe)}"
    guide = replace(contents.guide, facts=((_("To correct"), fact),), steps=())
    sheet = checked.sheet or contents.sheet
    contents = replace(contents, sheet=sheet, fields=tuple(fields), guide=guide, legend={})
    texts = {index: field.key for index, field in enumerate(fields) if field.key.strip()}
    result_header = replace(
        header, row=KEY_ROW, after=KEY_ROW, headings=0, texts=texts, own=frozenset(), stamp={}
    )
    return Columns(contents, {index: index for index in range(last + 1)}, result_header)


def _origin(file: str, run: str | None, say: Translator) -> str:
    """Return the sentence that names the origin of the rows."""
    _ = say.message
    if run is None:
        return _("The rows of {file} that cannot be sent as they are.").format(file=file)
    origin = _("The rows of {file} that were not taken in run {run}, as they were sent.")
    return origin.format(file=file, run=run)


def without_defaults(header: Header) -> Header:
    """Return a header whose columns with a default are those of the sheet itself, if it has any."""
    by_origins = {
        header.origins.get(index, (index,)): column for index, column in header.columns.items()
    }
    columns = {origins[0]: column for origins, column in by_origins.items() if origins}
    return replace(header, columns=dict(sorted(columns.items())), origins={})


class SheetToCorrect:
    """The rows to correct of one sheet, as a sheet of the workbook.

    `say` translates the messages about its rows, and labels if the sheet's template names no
    language. If `is_first` the workbook's stamp states the kind; else each row does.
    """

    def __init__(
        self,
        sheet: SheetResult,
        rows: Sequence[int],
        source: Source,
        reading: ReadOptions,
        say: Translator,
        *,
        is_first: bool,
    ) -> None:
        checked = self.checked = sheet.checked
        self._sheet = sheet
        header, feed = checked.header, load().feeds[str(checked.kind)]
        if header is None:
            raise ValueError("only a sheet with a header has rows")
        recipe = str((checked.recipe or {}).get("name") or "")
        header = header if recipe else without_defaults(header)
        self._formats = NumberFormats(header, reading.dialect)
        self._picked: Spool[PickedRow] = Spool(PickedRow)
        self._common_values = _common_values(feed, checked, header, reading, is_first=is_first)
        context = reading.context
        if feed.template.contents:  # with the catalogue that the sheet was judged by
            catalog = context.catalog(header.stamp.get(STAMP_LANGUAGE))
            context = context._replace(catalog=lambda _: catalog)
        numbers = frozenset(rows)
        filled: set[int] = set()
        of_file = source.sheet(checked.sheet or source.sheets[0].name)
        for row in pick_rows(of_file, header, numbers, self._formats):
            self._picked.append(row)
            filled.update(row.cells)
        columns = (problem.column for problem in checked.problems() if problem.row in numbers)
        guilty = {index_of(column) for column in columns if column}
        filled |= header.columns.keys() & guilty
        basis = basis_of(header, context, say.language, filled, self._common_values)
        basis = basis._replace(categories=_categories(feed, header, context, self._picked))
        self._header, self._context = header, context
        self._columns: Columns = (
            recipe_columns(checked, feed, header, recipe, basis, sheet.run, say)
            if recipe
            else columns_of(checked.file, feed, header, filled, basis, sheet.run, say)
        )
        is_stamped = checked.is_kind_certain and not recipe
        self.contents: Contents = replace(self._columns.contents, is_stamped=is_stamped)

    columns: Collection[str] = ()
    """Empty: columns are folded already, except those that a row fills."""

    def __len__(self) -> int:
        return len(self._picked)

    def __iter__(self) -> Iterator[KeyedRow]:
        places, fields = self._columns.places, self.contents.fields
        keys = {field.key for field in fields}
        common: dict[str, Value] = {
            key: value for key, value in self._common_values.items() if key in keys
        }
        for row in self._picked:
            cells = {
                fields[places[index]].key: self._cell(index, cell)
                for index, cell in row.cells.items()
            }
            yield {**common, **cells, ROW: row.row}

    def _cell(self, index: int, cell: Cell) -> Cell:
        column = self._header.columns.get(index)
        return self._formats.cell(index, text_if_misformatted(cell, column, self._context))

    def result(self, file: str, name: str) -> SheetResult:
        """Return the results of the rows, as rows of the sheet `name` of the workbook `file`."""
        new_rows = {picked.row: row for row, picked in enumerate(self._picked, start=FIRST_ROW)}
        kind, header = self.checked.kind, self._columns.header
        checked = CheckedSheet(file, name, kind, header, labels=self.checked.labels)
        problems = ProblemSpool()
        for problem in self.checked.problems():
            if problem.row in new_rows:
                problems.append(self._problem_in_workbook(problem, new_rows))
        checked.rows.problems_by_source.append(problems)
        others: Spool[RowResult] = Spool(RowResult)
        for result in self._sheet.every_verdict():
            row = new_rows.get(result.row)
            if row is None:
                continue
            # A row that became Invalid only in a later run has no problems here.
            is_refused_here = self.checked.rows.marks[result.row] == INVALID
            is_invalid = is_refused_here and result.status is Status.INVALID
            checked.rows.marks[row] = INVALID if is_invalid else VALID
            if is_invalid:
                checked.rows.refused.append(RefusedRow(row, result.reference))
            else:
                messages = (
                    message._replace(text=self._with_new_rows(message.text, new_rows))
                    for message in result.messages
                )
                others.append(result._replace(row=row, messages=tuple(messages)))
        every = partial(row_notes.all_results, checked, others)
        return SheetResult(checked, self._sheet.run, is_submitted=True, verdicts=every)

    def _problem_in_workbook(self, problem: Problem, new_rows: Mapping[int, int]) -> Problem:
        """Return a problem at its place in the workbook; `new_rows` are by rows of the sheet."""
        index = index_of(problem.column) if problem.column else None
        place = self._columns.places.get(index) if index is not None else None
        column = None if place is None else letters(place)
        return problem._replace(
            row=new_rows[problem.row] if problem.row else None,
            line=None,
            column=column,
            message=self._with_new_rows(problem.message, new_rows),
            hint=self._with_new_rows(problem.hint, new_rows),
        )

    def _with_new_rows(self, text: str, new_rows: Mapping[int, int]) -> str:
        """Return a message with rows of the workbook; other rows are named with their file."""
        if not isinstance(text, MessageText):
            return text
        values = {
            name: self._with_new_rows(value, new_rows) if isinstance(value, str) else value
            for name, value in text.values.items()
        }
        for name in {"row", "range"} & values.keys() if "sheet" not in values else ():
            place: Any = values[name]
            if not isinstance(place, MessageText):  # such a text names its row itself
                elsewhere = tr("{row} of {file}", row=place, file=self.checked.file)
                values[name] = new_rows.get(place, elsewhere)
        return MessageText(text.forms, values)


def _common_values(
    feed: Feed, checked: CheckedSheet, header: Header, reading: ReadOptions, *, is_first: bool
) -> Mapping[str, str]:
    """Return the values of the command or the sheet for all rows that have none themselves."""
    values = {}
    if feed.sheet.has_channel and reading.channel != reading.dialect.primary_channel:
        values[CHANNEL] = reading.channel
    keys = {column.key for column in feed.sheet.columns(reading.dialect)}
    values |= {key: str(value) for key, value in reading.defaults.items() if key in keys}
    if ACTION in keys and checked.is_kind_certain and not is_first:
        values[ACTION] = str(feed.travel.package_type)
    by_category = feed.sheet.by_category
    return {**values, **by_category.stamped(header.stamp)} if by_category else values


def _categories(
    feed: Feed, header: Header, context: Context, rows: Iterable[PickedRow]
) -> tuple[str, ...]:
    """Return the codes of the rows' categories, in the order of the rows."""
    codes: dict[str, None] = {}
    by_category = feed.sheet.by_category
    if by_category is None:
        return ()
    if stamped := by_category.stamped(header.stamp).get(by_category.key):
        codes[stamped] = None
    index = header.index_of(by_category.key)
    if index is not None:
        reader = ColumnReader(header.columns[index].type, context)
        for row in rows:
            if cell := row.cells.get(index):
                read = reader.cell_type.read(cell, reader)
                code = read.value if isinstance(read, InvalidValue) else read
                if isinstance(code, str):
                    codes[code] = None
    return tuple(codes)
