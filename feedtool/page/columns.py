"""What the page shows of the columns of a file: how it is read, what is proposed, what is open."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from msgspec import Struct

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, open_input
from feedtool.check.kinds import KindUnclear
from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.check.recipe_selection import Chosen
from feedtool.check.recipes.recipe import Recipe
from feedtool.check.rules import NOT_A_ROW
from feedtool.check.sheet_selection import choose, sheet_names
from feedtool.feeds.columns.choice import Choice
from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.header import Header
from feedtool.model.text import LANGUAGES, FieldName, Language, MessageText, joined, tr
from feedtool.page.grid import Grid, RowFilter, of_code
from feedtool.page.mapping import USELESS, JudgedForm, UnknownWord, column_entry, default_entry
from feedtool.page.shelf import Choices
from feedtool.runs.mapping import SURE, is_accepted
from feedtool.templates.contents import example_of

HELPED = frozenset(
    ("header-not-found", "header-missing", "header-duplicate", "kind-unclear", "sheet-ambiguous")
)
"""The errors of files that are read once somebody says what their columns are."""
LISTED = 100
"""Rows that look like totals and are asked for."""


class FileReading(NamedTuple):
    """How a file is read as things are."""

    sheets: Sequence[str]
    """The names of those that are visible."""
    chosen: Sequence[Chosen]
    trouble: FeedtoolError | None
    """Why it cannot be read."""

    @property
    def recipe(self) -> Recipe | None:
        """The recipe by which it is read."""
        return next((item.recipe for item in self.chosen if item.recipe), None)

    @property
    def is_new(self) -> bool:
        """True if nothing else is wrong but that nobody has said yet what its columns are."""
        code = self.trouble.code if isinstance(self.trouble, FileProblem) else ""
        return code in {"header-missing", "header-not-found", "kind-unclear"}

    @property
    def unclear_kinds(self) -> Sequence[str]:
        """The kinds between which somebody has to choose."""
        return self.trouble.kinds if isinstance(self.trouble, KindUnclear) else ()

    def header_of(self, sheet: str | None, kind: str | None) -> Header | None:
        """The header of a sheet of a kind that is understood without a recipe."""
        items = (item for item in self.chosen if not item.recipe and item.feed.kind == kind)
        return next((item.header for item in items if sheet in {None, item.sheet.name}), None)

    def kind_of(self, sheet: str | None) -> str | None:
        """The kind of a sheet, or of the first one; None where that is not known."""
        kinds = (item.feed.kind for item in self.chosen if sheet in {None, item.sheet.name})
        return next(kinds, None)


def reading_of(file: Input, options: ReadOptions) -> FileReading:
    """How a file is read."""
    areas, sheets = load(), list[str]()
    try:
        with open_input(file, options, areas) as source:
            sheets = sheet_names(source, ()) if source.format != "csv" else []
            return FileReading(sheets, choose(source, options, areas, file.name), None)
    except FeedtoolError as error:
        return FileReading(sheets, (), error)


def needs_columns(grid: Grid, choices: Choices) -> bool:
    """True if nobody has chosen yet how a file is read that cannot be read otherwise."""
    is_chosen = choices.kind or choices.sheets or choices.has_recipe or choices.as_in
    errors = (sheet.error.code for sheet in grid.sheets if sheet.error)
    return not is_chosen and not HELPED.isdisjoint(errors)


def left_out(grid: Grid, choices: Choices) -> list[int]:
    """The rows that are left out since they look like totals, and those that were taken back."""
    code = of_code(NOT_A_ROW.name)
    rows = (grid.rows_of(RowFilter(sheet.number, which=code)) for sheet in grid.sheets)
    return sorted({*choices.as_rows, *chain.from_iterable(rows)})[:LISTED]


class ValueOption(NamedTuple):
    """A value that can be chosen."""

    value: str
    text: str


class FieldLine(NamedTuple):
    """A field that a column may be."""

    key: str
    name: FieldName
    help: str
    example: str
    is_required: bool


class ColumnLine(NamedTuple):
    """A column of the sheet."""

    name: str
    column: ColumnProposal
    meant: str
    """As in a form: a key, `USELESS`, or blank."""
    field: FieldLine | None
    """The one that is meant."""
    near: Sequence[FieldLine]
    """What it may be, where that is not sure."""
    why: str
    error: str | None


class ValueLine(NamedTuple):
    """A field that has no column: one value for all rows may do."""

    name: str
    field: FieldLine
    value: str
    options: Sequence[ValueOption]
    """The values that it can have, if these are a list."""
    is_of_row: bool
    """True if no two rows share it."""
    error: str | None


class WordLine(NamedTuple):
    """A word in the cells of a column that its field does not know."""

    name: str
    text: str
    header: str
    value: str
    near: Sequence[ValueOption]
    """The likely meaning; empty where nothing is likely."""
    options: Sequence[ValueOption]
    error: str | None


class ColumnsView(Struct, frozen=True, dict=True):
    """What was said of the columns of a sheet, as the page shows it."""

    judged: JudgedForm
    language: Language
    is_said: bool = False
    """True if somebody has said something, and it is not all."""

    @property
    def fields(self) -> Sequence[FieldLine]:
        """All fields of the kind, as the user calls them."""
        return [*self._by_key.values()]

    @property
    def lines(self) -> Sequence[ColumnLine]:
        """The columns of the sheet, those first of which nobody is sure."""
        columns = self.judged.sheet.proposal.columns
        return [self._line(item) for item in sorted(columns, key=_is_sure)]

    @property
    def values(self) -> Sequence[ValueLine]:
        """The fields that have no column: what is missing, and what has one value for all rows."""
        judged, said = self.judged, self.judged.entered.defaults
        asked = {*judged.missing, *said}.difference(judged.answers.keys)
        return [self._value(key, said.get(key, "")) for key in self._by_key if key in asked]

    @property
    def words(self) -> Sequence[WordLine]:
        """The words that fields do not know."""
        return list(map(self._word, self.judged.words))

    @property
    def problems(self) -> Sequence[MessageText]:
        """What keeps it from being a recipe."""
        judged, proposal = self.judged, self.judged.sheet.proposal
        problems = []
        if not judged.answers.keys:
            problems.append(tr("no column is read as a field"))
        if judged.missing:
            fields = joined(map(judged.sheet.name_of, judged.missing))
            kind = proposal.feed.kind
            problems.append(tr("Still missing for {kind}: {fields}", kind=kind, fields=fields))
        if judged.errors:
            problems.append(tr("correct what is marked below"))
        return problems or [tr("say what the words below mean, or leave them blank")]

    @property
    def other_kinds(self) -> Sequence[str]:
        """The kinds that lack nothing, where the one at hand does."""
        answers = self.judged.answers
        keys = [*answers.keys, *answers.defaults, *self.judged.sheet.proposal.fields_of_base]
        return self.judged.sheet.proposal.others(keys) if self.judged.missing else ()

    @cached_property
    def _by_key(self) -> Mapping[str, FieldLine]:
        sheet, at = self.judged.sheet, LANGUAGES.index(self.language)
        required = set(sheet.proposal.missing(()))
        known = sheet.proposal.known.items()
        return {
            key: FieldLine(
                key,
                sheet.name_of(key),
                it.help[at],
                example_of(it, self.language),
                key in required,
            )
            for key, it in known
        }

    def _line(self, column: ColumnProposal) -> ColumnLine:
        name, judged = column_entry(column.index), self.judged
        meant = judged.entered.of_column(column.index)
        known, taken = self._by_key, judged.answers.keys
        near = [] if _is_sure(column) else [column.key, *column.alternatives]
        fields = [known[key] for key in near if key and key in known and key not in taken]
        is_own = meant in {"", column.key or USELESS}
        why = _why(column, judged.sheet.name_of(column.key or "")) if is_own else ""
        error = judged.errors.get(name)
        return ColumnLine(name, column, meant, known.get(meant), fields, why, error)

    def _value(self, key: str, value: str) -> ValueLine:
        name, proposal = default_entry(key), self.judged.sheet.proposal
        return ValueLine(
            name,
            self._by_key[key],
            value,
            self._options(key),
            proposal.differs_by_row(key),
            self.judged.errors.get(name),
        )

    def _word(self, word: UnknownWord) -> WordLine:
        options = self._options(word.column.key or "")
        return WordLine(
            word.entry,
            word.text,
            word.column.header,
            word.meant,
            [option for option in options if option.value == word.near],
            options,
            self.judged.errors.get(word.entry),
        )

    def _options(self, key: str) -> Sequence[ValueOption]:
        proposal = self.judged.sheet.proposal
        kind, at = proposal.known[key].type, LANGUAGES.index(self.language)
        if not isinstance(kind, Choice):
            return ()
        labels = ((value, kind.label(value).labels) for value in proposal.choices(key))
        return [ValueOption(value, texts[at] if texts else value) for value, texts in labels]


def _is_sure(column: ColumnProposal) -> bool:
    return is_accepted(column, SURE)


def _why(column: ColumnProposal, field: FieldName) -> str:
    """Why a column was understood so, and how sure that is."""
    if _is_sure(column):
        return tr("{share} %: {reason}", share=column.confidence, reason=column.reason)
    if not column.key and not column.is_useless:
        return column.reason
    return tr(
        "perhaps {field} ({share} %, {reason})",
        field=field if column.key else tr("of no use"),
        share=column.confidence,
        reason=column.reason,
    )
