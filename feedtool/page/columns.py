"""The columns of a file for the page: its reading, the proposal, and open questions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from itertools import chain
from typing import NamedTuple

from msgspec import Struct
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
from feedtool.model.text import LANGUAGES, FieldName, Language, MessageText, tr
from feedtool.page.grid import Grid, RowFilter, of_code
from feedtool.page.uploads import Choices
from feedtool.runs.mapping import (
    SURE,
    SheetForm,
    SheetProposal,
    UnknownWord,
    is_accepted,
    propose_recipe,
    with_meaning,
)
from feedtool.runs.recipe_text import recipe_text
from feedtool.templates.contents import example_of

USELESS = "-"
"""The value of a column that is not used."""
MARK = "!"
"""The value of a column whose words say which rows are not for sale."""
DEFAULT = "default:"


def column_entry(index: int) -> str:
    return f"column:{index}"


def column_value(column: ColumnProposal) -> str:
    return column.key or (MARK if column.not_for_sale else USELESS)


def word_entry(word: UnknownWord) -> str:
    """The form's entry for a word: no text of the cell, since browsers change line ends."""
    digest = sha256(word.text.encode()).hexdigest()[:12]
    return f"word:{word.column.index}:{word.key}:{digest}"


def default_entry(key: str) -> str:
    return f"{DEFAULT}{key}"


def default_answers(entered: Mapping[str, str]) -> dict[str, str]:
    """The value for all rows, or blank, by the key of the field."""
    return {
        name.removeprefix(DEFAULT): value.strip()
        for name, value in entered.items()
        if name.startswith(DEFAULT)
    }


class ProposedSheet(Struct, frozen=True):
    """A sheet with its proposal.

    The form asks for the defaults of its recipe, too, so that they can be changed.
    """

    proposal: SheetProposal
    """Its recipe comes without defaults."""
    defaults: Mapping[str, str]
    """The defaults of the recipe."""

    @property
    def usual(self) -> dict[str, str]:
        """The values of the form before any answer: the columns that are sure."""
        form = SheetForm(self.proposal, self.proposal.accepted(SURE))
        columns = {column_entry(item.index): column_value(item) for item in form.columns}
        words = {word_entry(word): self.meaning(word) for word in form.words}
        defaults = {default_entry(key): value for key, value in self.defaults.items()}
        return {**defaults, **columns, **words}

    def meaning(self, word: UnknownWord) -> str:
        """The meaning of a word in the recipe; one that is only likely is no answer."""
        base = self.proposal.base
        return str(base.file.values.get(word.key, {}).get(word.text, "")) if base else ""


def proposed(file: Input, options: ReadOptions, header: Header | None) -> ProposedSheet:
    """Propose the columns of the sheet, and for the kind, that the options name.

    `header` is the sheet's as the check understands it without a recipe.

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
    defaults = {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in base.file.default.items()
    }
    bare = replace(base, file=replace(base.file, default={}))
    read, reason = set(map(folded, base.file.names.values())), tr("the rules of the recipe read it")
    columns = [
        replace(column, is_useless=False, confidence=0, reason=reason)
        if column.is_useless and folded(column.header) in read
        else column
        for column in proposal.columns
    ]
    return ProposedSheet(replace(proposal, base=bare, columns=columns), defaults)


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


class JudgedForm(NamedTuple):
    """The answers for a sheet, their errors, and the questions that are still open."""

    entered: Mapping[str, str]
    """The values of the form by its entries; questions that were not asked are absent."""
    answers: SheetForm
    words: Mapping[UnknownWord, str]
    """The words that fields do not know, each with its meaning, or blank."""
    errors: Mapping[str, MessageText]
    """The errors by the form's entry."""
    missing: Sequence[str]
    """The fields that nothing gives."""

    @property
    def is_whole(self) -> bool:
        are_asked = all(word_entry(word) in self.entered for word in self.words)
        return bool(self.answers.keys) and are_asked and not (self.errors or self.missing)

    @property
    def recipe_text(self) -> str:
        answers, base = self.answers, self.answers.proposal.base
        if base is None:
            return recipe_text(answers)
        in_form = {(word.key, word.text) for word in self.words}
        values = {
            key: {text: value for text, value in table.items() if (key, text) not in in_form}
            for key, table in base.file.values.items()
        }
        base = replace(base, file=replace(base.file, values=values))
        return recipe_text(replace(answers, proposal=replace(answers.proposal, base=base)))


def judge(sheet: ProposedSheet, entered: Mapping[str, str]) -> JudgedForm:
    form = SheetForm(sheet.proposal, name_of=sheet.proposal.field_name)
    refusals: dict[str, MessageText | None] = {}
    for column in sheet.proposal.columns:
        meant = entered.get(entry := column_entry(column.index))
        if meant == MARK and column.not_for_sale:
            form.note_proposed(column)
        elif meant:
            refusals[entry] = form.note_column(column, None if meant == USELESS else meant)
    words = {
        word: entered.get(word_entry(word), sheet.meaning(word)).strip() for word in form.words
    }
    for word, meant in words.items():
        refusals[word_entry(word)] = form.note_word(word, meant)
    for key, value in default_answers(entered).items():
        refusals[default_entry(key)] = form.note_default(key, value)
    errors = {entry: refusal for entry, refusal in refusals.items() if refusal}
    missing = [key for key in form.missing if default_entry(key) not in errors]
    return JudgedForm(entered, form, words, errors, missing)


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
        return next((item.recipe for item in self.chosen if item.recipe), None)

    @property
    def is_new(self) -> bool:
        """True if the file only lacks the meaning of its columns."""
        code = self.trouble.code if isinstance(self.trouble, FileProblem) else ""
        return code in {"header-missing", "header-not-found", "kind-unclear"}

    @property
    def unclear_kinds(self) -> Sequence[str]:
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
    """Its entry in the form."""
    column: ColumnProposal
    meant: str
    """The form's value: a key, `USELESS`, `MARK`, or blank."""
    field: FieldLine | None
    """The field of `meant`."""
    near: Sequence[FieldLine]
    """The likely fields of a column that is not sure."""
    why: str
    error: str | None


class ValueLine(NamedTuple):
    """A value of a field that is asked for: for all rows, or for a word that it does not know."""

    name: str
    """Its entry in the form."""
    field: FieldLine
    value: str
    options: Sequence[ValueOption]
    """The possible values, if the field has a list of them."""
    error: str | None
    word: UnknownWord | None = None
    near: Sequence[ValueOption] = ()
    """The likely meaning of the word; empty without one."""


class ColumnsView(Struct, frozen=True, dict=True):
    """The answers about the columns of a sheet, for the page."""

    judged: JudgedForm
    language: Language
    is_said: bool = False
    """True if the user has answered, but not everything."""

    @property
    def proposal(self) -> SheetProposal:
        return self.judged.answers.proposal

    @property
    def fields(self) -> Sequence[FieldLine]:
        return [*self._by_key.values()]

    @property
    def lines(self) -> Sequence[ColumnLine]:
        """The columns of the sheet; the unsure ones first."""
        return [self._line(item) for item in sorted(self.proposal.columns, key=_is_sure)]

    @property
    def values(self) -> Sequence[ValueLine]:
        """The fields without a column: missing ones, and those with one value for all rows."""
        judged, entered = self.judged, default_answers(self.judged.entered)
        keys = {*judged.missing, *entered}.difference(judged.answers.keys)
        return [
            self._value(default_entry(key), key, entered.get(key, ""))
            for key in self._by_key
            if key in keys
        ]

    @property
    def words(self) -> Sequence[ValueLine]:
        lines = []
        for word, meant in self.judged.words.items():
            line = self._value(word_entry(word), word.key, meant)
            near = self.proposal.suggestion(word.key, word.text)
            suggested = [option for option in line.options if option.value == near]
            lines.append(line._replace(word=word, near=suggested))
        return lines

    @property
    def problems(self) -> Sequence[MessageText]:
        problems = []
        if not self.judged.answers.keys:
            problems.append(tr("no column is read as a field"))
        if self.judged.missing:
            problems.append(self.proposal.missing_text(self.judged.missing))
        if self.judged.errors:
            problems.append(tr("correct what is marked below"))
        return problems or [tr("say what the words below mean, or leave them blank")]

    @property
    def other_kinds(self) -> Sequence[str]:
        """Other kinds that lack no field, if the present one does."""
        answers = self.judged.answers
        keys = [*answers.keys, *answers.defaults, *self.proposal.fields_of_base]
        return self.proposal.others(keys) if self.judged.missing else ()

    @cached_property
    def _by_key(self) -> Mapping[str, FieldLine]:
        language = LANGUAGES.index(self.language)
        required = set(self.proposal.missing(()))
        return {
            key: FieldLine(
                key,
                self.proposal.field_name(key),
                column.help[language],
                example_of(column, self.language),
                key in required,
            )
            for key, column in self.proposal.known.items()
        }

    def _line(self, column: ColumnProposal) -> ColumnLine:
        name, known = column_entry(column.index), self._by_key
        meant = self.judged.entered.get(name, "")
        near = [] if _is_sure(column) else self.judged.answers.likely_keys(column)
        fields = [known[key] for key in near if key in known]
        is_proposed = meant in {"", column_value(column)}
        why = _why(column, self.proposal.field_name(column.key or "")) if is_proposed else ""
        error = self.judged.errors.get(name)
        return ColumnLine(name, column, meant, known.get(meant), fields, why, error)

    def _value(self, name: str, key: str, value: str) -> ValueLine:
        kind, language = self.proposal.known[key].type, LANGUAGES.index(self.language)
        options = []
        if isinstance(kind, Choice):
            labels = ((item, kind.label(item).labels) for item in self.proposal.choices(key))
            options = [ValueOption(item, text[language] if text else item) for item, text in labels]
        return ValueLine(name, self._by_key[key], value, options, self.judged.errors.get(name))


def _is_sure(column: ColumnProposal) -> bool:
    return is_accepted(column, SURE)


def _why(column: ColumnProposal, field: FieldName) -> str:
    """The reason why a column was understood so, with its certainty in percent."""
    if _is_sure(column):
        return tr("{share} %: {reason}", share=column.confidence, reason=column.reason)
    if not column.key and not column.is_useless:
        return column.reason
    return column.perhaps(field if column.key else tr("of no use"))
