"""The columns of a file for the page: its reading, the proposal, and open questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, open_input
from feedtool.check.kinds import KindUnclear
from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.check.recipe_selection import Chosen
from feedtool.check.recipes.recipe import Recipe
from feedtool.check.rules import NOT_A_ROW
from feedtool.check.sheet_selection import choose, sheet_names
from feedtool.feeds.columns.choice import Choice
from feedtool.model.cells import Header, folded
from feedtool.model.errors import FeedtoolError, FileProblem
from feedtool.model.text import LANGUAGES, FieldName, Language, MessageText, joined, tr
from feedtool.page.grid import Grid, RowFilter, of_code
from feedtool.page.uploads import Choices
from feedtool.runs.mapping import (
    SURE,
    Answers,
    SheetProposal,
    is_accepted,
    propose_recipe,
    why_no_field,
    why_no_value,
    with_meaning,
)
from feedtool.runs.recipe_text import recipe_text
from feedtool.templates.contents import example_of

USELESS = "-"
"""The value of a column that is not used."""
DEFAULT = "default:"


def column_entry(index: int) -> str:
    return f"column:{index}"


def default_entry(key: str) -> str:
    """The form's entry for a field with one value for all rows."""
    return f"{DEFAULT}{key}"


class UnknownWord(NamedTuple):
    """A text in the cells of a column that its field does not know."""

    column: ColumnProposal
    text: str
    meant: str
    """The answer, a value of the field; blank without an answer."""
    near: str
    """The value that it probably means; blank if none."""

    @property
    def entry(self) -> str:
        """The form's entry: no text of the cell, since browsers change line ends."""
        digest = sha256(self.text.encode()).hexdigest()[:12]
        return f"word:{self.column.index}:{self.column.key}:{digest}"


class ColumnForm(Struct, frozen=True):
    """The values of a form by its entries; questions that were not asked are absent."""

    form: Mapping[str, str]

    def of_column(self, index: int) -> str:
        """The key of a field, `USELESS`, or blank for an open question."""
        return self.form.get(column_entry(index), "")

    @property
    def defaults(self) -> Mapping[str, str]:
        """The value for all rows, or blank, by the key of the field."""
        return {
            name.removeprefix(DEFAULT): value.strip()
            for name, value in self.form.items()
            if name.startswith(DEFAULT)
        }


class ProposedSheet(Struct, frozen=True, dict=True):
    """A sheet with its proposal.

    The form asks for the defaults of its recipe, too, so that they can be changed.
    """

    proposal: SheetProposal
    """Its recipe comes without defaults."""
    defaults: Mapping[str, str]
    """The defaults of the recipe."""

    def name_of(self, key: str) -> FieldName:
        known = self.proposal.known.get(key)
        return FieldName(key, known.labels if known else ())

    @cached_property
    def usual(self) -> ColumnForm:
        """The form before any answer: the columns that are sure."""
        form = {default_entry(key): value for key, value in self.defaults.items()}
        for column in self.proposal.accepted(SURE):
            form[column_entry(column.index)] = column.key or USELESS
            form |= {word.entry: word.meant for word in self.words_of(column)}
        return ColumnForm(form)

    def words_of(self, column: ColumnProposal) -> Iterator[UnknownWord]:
        """The words of a column that its field does not know, with their meaning in the recipe.

        A meaning that is only likely is a suggestion, and no answer.
        """
        base, key = self.proposal.base, column.key or ""
        meanings = base.file.values.get(key, {}) if base else {}
        for text in self.proposal.unknown_values(column):
            near = self.proposal.suggestion(key, text) or ""
            yield UnknownWord(column, text, str(meanings.get(text, "")), near)

    def missing(self, answers: Answers) -> list[str]:
        """The fields that nothing gives."""
        provided = (*answers.keys, *answers.defaults, *self.proposal.fields_of_base)
        return self.proposal.missing([*provided, *self.proposal.options.defaults])


def proposed(file: Input, options: ReadOptions, header: Header | None) -> ProposedSheet:
    """Propose the columns of a sheet.

    Args:
        file: The file.
        options: The options of reading; with the sheet and the kind of the proposal.
        header: The sheet's header as the check understands it without a recipe.

    Raises:
        FileProblem: the file cannot be read, or no row of it looks like a header.
        UsageProblem: the options name several sheets.
    """
    proposal = propose_recipe(file, options, load())
    if header:
        proposal = replace(proposal, columns=[*_as_read(proposal.columns, header)])
    base = proposal.base
    if base is None:
        return ProposedSheet(proposal, {})
    defaults = {key: _written(value) for key, value in base.file.default.items()}
    bare = replace(base, file=msgspec.structs.replace(base.file, default={}))
    columns = [*_with_rules(proposal.columns, base)]
    return ProposedSheet(replace(proposal, base=bare, columns=columns), defaults)


def _with_rules(columns: Iterable[ColumnProposal], base: Recipe) -> Iterator[ColumnProposal]:
    """Yield the columns; those that a recipe's rules read are not useless."""
    read = set(map(folded, base.file.names.values()))
    for column in columns:
        if column.is_useless and folded(column.header) in read:
            reason = tr("the rules of the recipe read it")
            yield replace(column, is_useless=False, confidence=0, reason=reason)
        else:
            yield column


def _as_read(columns: Iterable[ColumnProposal], header: Header) -> Iterator[ColumnProposal]:
    """Yield the columns as the check understands them; other columns are not sure."""
    keys = {
        source: column.key
        for index, column in header.columns.items()
        for source in header.origins.get(index, (index,))
    }
    for column in columns:
        index = column.index
        if index in keys and column.header in {header.texts.get(index), header.labels.get(index)}:
            yield replace(with_meaning(column, keys[index]), reason=header.reasons.get(index, ""))
        elif column.key:
            is_free = column.key not in keys.values()
            confidence = min(column.confidence, SURE - 1) if is_free else 0
            yield replace(column, key=column.key if is_free else None, confidence=confidence)
        else:
            yield column


def _written(constant: object) -> str:
    return str(constant).lower() if isinstance(constant, bool) else str(constant)


class JudgedForm(Struct):
    """The answers for a sheet, their errors, and the questions that are still open."""

    sheet: ProposedSheet
    entered: ColumnForm
    answers: Answers = field(default_factory=lambda: Answers([]))
    words: list[UnknownWord] = field(default_factory=list)
    """The words that fields do not know."""
    errors: dict[str, MessageText] = field(default_factory=dict)
    """The errors by the form's entry."""
    missing: Sequence[str] = ()
    """The fields that nothing gives."""

    @property
    def is_whole(self) -> bool:
        """True if the answers make a recipe, and no question is open."""
        are_asked = all(word.entry in self.entered.form for word in self.words)
        return bool(self.answers.keys) and are_asked and not (self.errors or self.missing)

    @property
    def recipe_text(self) -> str:
        proposal, answers = self.sheet.proposal, self.answers
        if base := proposal.base:
            unknown = {(word.column.key, word.text) for word in self.words}
            values = {
                key: {text: value for text, value in table.items() if (key, text) not in unknown}
                for key, table in base.file.values.items()
            }
            file = msgspec.structs.replace(base.file, values=values)
            proposal = replace(proposal, base=replace(base, file=file))
        return recipe_text(proposal, answers.columns, answers.values, answers.defaults)

    def note_column(self, column: ColumnProposal) -> None:
        """Note the answer for a column."""
        meant, taken = self.entered.of_column(column.index), self.answers.keys
        if meant == USELESS:
            self.answers.columns.append(with_meaning(column, None))
        elif meant and (why := why_no_field(self.sheet.proposal, self.sheet.name_of(meant), taken)):
            self.errors[column_entry(column.index)] = why
        elif meant:
            self.answers.columns.append(with_meaning(column, meant))

    def note_word(self, word: UnknownWord) -> None:
        """Note the answer for a word."""
        meant = self.entered.form.get(word.entry, word.meant).strip()
        self.words.append(word._replace(meant=meant))
        key = self.sheet.name_of(word.column.key or "")
        if meant and (why := why_no_value(self.sheet.proposal, key, meant)):
            self.errors[word.entry] = why
        else:
            self.answers.note_value(str(key), word.text, meant)

    def note_default(self, key: str, value: str) -> None:
        """Note the answer for a field without a column."""
        proposal = self.sheet.proposal
        if not value or key not in proposal.known or key in self.answers.keys:
            return
        if proposal.differs_by_row(key):
            why: MessageText | None = tr("its values differ from row to row: choose its column")
        else:
            why = why_no_value(proposal, self.sheet.name_of(key), value)
        if why:
            self.errors[default_entry(key)] = why
        else:
            self.answers.defaults[key] = value


def judge(sheet: ProposedSheet, entered: ColumnForm) -> JudgedForm:
    """Judge all answers for a sheet."""
    judged = JudgedForm(sheet, entered)
    for column in sheet.proposal.columns:
        judged.note_column(column)
    for column in judged.answers.columns:
        for word in sheet.words_of(column):
            judged.note_word(word)
    for key, value in entered.defaults.items():
        judged.note_default(key, value)
    missing = sheet.missing(judged.answers)
    judged.missing = [key for key in missing if default_entry(key) not in judged.errors]
    return judged


HELPED = frozenset(
    ("header-not-found", "header-missing", "header-duplicate", "kind-unclear", "sheet-ambiguous")
)
"""The errors that the user solves by naming the columns."""
LISTED = 100
"""Most rows that look like totals and are listed."""


class FileReading(NamedTuple):
    """The sheets, kinds and recipe by which a file is read now."""

    sheets: Sequence[str]
    """The names of the visible sheets."""
    chosen: Sequence[Chosen]
    trouble: FeedtoolError | None
    """The error if it cannot be read."""

    @property
    def recipe(self) -> Recipe | None:
        """The recipe of the first sheet that has one."""
        return next((item.recipe for item in self.chosen if item.recipe), None)

    @property
    def is_new(self) -> bool:
        """True if the file only lacks the meaning of its columns."""
        code = self.trouble.code if isinstance(self.trouble, FileProblem) else ""
        return code in {"header-missing", "header-not-found", "kind-unclear"}

    @property
    def unclear_kinds(self) -> Sequence[str]:
        """The kinds between which the user has to choose."""
        return self.trouble.kinds if isinstance(self.trouble, KindUnclear) else ()

    def header_of(self, sheet: str | None, kind: str | None) -> Header | None:
        """The header of a sheet of a kind that is understood without a recipe."""
        items = (item for item in self.chosen if not item.recipe and item.feed.kind == kind)
        return next((item.header for item in items if sheet in {None, item.sheet.name}), None)

    def kind_of(self, sheet: str | None) -> str | None:
        """The kind of a sheet, or of the first one; None if unknown."""
        kinds = (item.feed.kind for item in self.chosen if sheet in {None, item.sheet.name})
        return next(kinds, None)


def reading_of(file: Input, options: ReadOptions) -> FileReading:
    """Find out how a file is read."""
    areas, sheets = load(), list[str]()
    try:
        with open_input(file, options, areas) as source:
            sheets = sheet_names(source, ()) if source.format != "csv" else []
            return FileReading(sheets, choose(source, options, areas, file.name), None)
    except FeedtoolError as error:
        return FileReading(sheets, (), error)


def needs_columns(grid: Grid, choices: Choices) -> bool:
    """True if a file cannot be read without choices, and none were made yet."""
    is_chosen = choices.kind or choices.sheets or choices.has_recipe or choices.as_in
    errors = (sheet.error.code for sheet in grid.sheets if sheet.error)
    return not is_chosen and not HELPED.isdisjoint(errors)


def left_out(grid: Grid, choices: Choices) -> list[int]:
    """The rows that are left out as totals, and those that the user took back in."""
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
    """The form's value: a key, `USELESS`, or blank."""
    field: FieldLine | None
    """The field of `meant`."""
    near: Sequence[FieldLine]
    """The likely fields of a column that is not sure."""
    why: str
    error: str | None


class ValueLine(NamedTuple):
    """A field without a column: it may get one value for all rows."""

    name: str
    field: FieldLine
    value: str
    options: Sequence[ValueOption]
    """The possible values, if the field has a list of them."""
    is_of_row: bool
    """True if its values differ from row to row."""
    error: str | None


class WordLine(NamedTuple):
    """A word in the cells of a column that its field does not know."""

    name: str
    text: str
    header: str
    value: str
    near: Sequence[ValueOption]
    """The likely meaning; empty without one."""
    options: Sequence[ValueOption]
    error: str | None


class ColumnsView(Struct, frozen=True, dict=True):
    """The answers about the columns of a sheet, for the page."""

    judged: JudgedForm
    language: Language
    is_said: bool = False
    """True if the user has answered, but not everything."""

    @property
    def fields(self) -> Sequence[FieldLine]:
        """All fields of the kind, by the user's names."""
        return [*self._by_key.values()]

    @property
    def lines(self) -> Sequence[ColumnLine]:
        """The columns of the sheet; the unsure ones first."""
        columns = self.judged.sheet.proposal.columns
        return [self._line(item) for item in sorted(columns, key=_is_sure)]

    @property
    def values(self) -> Sequence[ValueLine]:
        """The fields without a column: missing ones, and those with one value for all rows."""
        judged, defaults = self.judged, self.judged.entered.defaults
        keys = {*judged.missing, *defaults}.difference(judged.answers.keys)
        return [self._value(key, defaults.get(key, "")) for key in self._by_key if key in keys]

    @property
    def words(self) -> Sequence[WordLine]:
        """The words that fields do not know."""
        return list(map(self._word, self.judged.words))

    @property
    def problems(self) -> Sequence[MessageText]:
        """The problems that keep the answers from being a recipe."""
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
        """Other kinds that lack no field, if the present one does."""
        answers = self.judged.answers
        keys = [*answers.keys, *answers.defaults, *self.judged.sheet.proposal.fields_of_base]
        return self.judged.sheet.proposal.others(keys) if self.judged.missing else ()

    @cached_property
    def _by_key(self) -> Mapping[str, FieldLine]:
        sheet, language = self.judged.sheet, LANGUAGES.index(self.language)
        required = set(sheet.proposal.missing(()))
        known = sheet.proposal.known.items()
        return {
            key: FieldLine(
                key,
                sheet.name_of(key),
                column.help[language],
                example_of(column, self.language),
                key in required,
            )
            for key, column in known
        }

    def _line(self, column: ColumnProposal) -> ColumnLine:
        name, judged = column_entry(column.index), self.judged
        meant = judged.entered.of_column(column.index)
        known, taken = self._by_key, judged.answers.keys
        near = [] if _is_sure(column) else [column.key, *column.alternatives]
        fields = [known[key] for key in near if key and key in known and key not in taken]
        is_proposed = meant in {"", column.key or USELESS}
        why = _why(column, judged.sheet.name_of(column.key or "")) if is_proposed else ""
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
        kind, language = proposal.known[key].type, LANGUAGES.index(self.language)
        if not isinstance(kind, Choice):
            return ()
        labels = ((value, kind.label(value).labels) for value in proposal.choices(key))
        return [ValueOption(value, texts[language] if texts else value) for value, texts in labels]


def _is_sure(column: ColumnProposal) -> bool:
    return is_accepted(column, SURE)


def _why(column: ColumnProposal, field: FieldName) -> str:
    """The reason why a column was understood so, with its certainty in percent."""
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
