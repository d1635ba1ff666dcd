"""What the page shows of the columns of a file: how it is read, what is proposed, what is open."""

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
"""In the place of a field: the column is of no use."""
DEFAULT = "default:"


def column_entry(index: int) -> str:
    """The name of a column in the form."""
    return f"column:{index}"


def default_entry(key: str) -> str:
    """The name of a field that may have one value for all rows."""
    return f"{DEFAULT}{key}"


class UnknownWord(NamedTuple):
    """A text in the cells of a column that its field does not know."""

    column: ColumnProposal
    text: str
    meant: str
    """A value of the field; blank where nobody says."""
    near: str
    """The value that it seems to mean; blank where nobody can say."""

    @property
    def entry(self) -> str:
        """Its name in the form: not the text itself, whose line ends browsers change."""
        digest = sha256(self.text.encode()).hexdigest()[:12]
        return f"word:{self.column.index}:{self.column.key}:{digest}"


class ColumnForm(Struct, frozen=True):
    """What a form says by its names; what nobody was asked is absent."""

    form: Mapping[str, str]

    def of_column(self, index: int) -> str:
        """The key of a field, `USELESS`, or blank where nobody knows."""
        return self.form.get(column_entry(index), "")

    @property
    def defaults(self) -> Mapping[str, str]:
        """Key → the value for all rows that was said of it, or blank."""
        return {
            name.removeprefix(DEFAULT): value.strip()
            for name, value in self.form.items()
            if name.startswith(DEFAULT)
        }


class ProposedSheet(Struct, frozen=True, dict=True):
    """A sheet with what is proposed for it.

    What its recipe has for all rows is asked for, too, so that it can be changed.
    """

    proposal: SheetProposal
    """Its recipe has no defaults."""
    defaults: Mapping[str, str]
    """Those of the recipe."""

    def name_of(self, key: str) -> FieldName:
        """A field as people call it."""
        known = self.proposal.known.get(key)
        return FieldName(key, known.labels if known else ())

    @cached_property
    def usual(self) -> ColumnForm:
        """What is said before anybody was asked: what is sure."""
        form = {default_entry(key): value for key, value in self.defaults.items()}
        for column in self.proposal.accepted(SURE):
            form[column_entry(column.index)] = column.key or USELESS
            form |= {word.entry: word.meant for word in self.words_of(column)}
        return ColumnForm(form)

    def words_of(self, column: ColumnProposal) -> Iterator[UnknownWord]:
        """The words of a column that its field does not know, and what was said that each means.

        Nothing is said where a meaning is only likely: that is a suggestion.
        """
        base, key = self.proposal.base, column.key or ""
        said = base.file.values.get(key, {}) if base else {}
        for text in self.proposal.unknown_values(column):
            near = self.proposal.suggestion(key, text) or ""
            yield UnknownWord(column, text, str(said.get(text, "")), near)

    def missing(self, answers: Answers) -> list[str]:
        """The fields that nothing gives."""
        given = (*answers.keys, *answers.defaults, *self.proposal.fields_of_base)
        return self.proposal.missing([*given, *self.proposal.options.defaults])


def proposed(file: Input, options: ReadOptions, header: Header | None) -> ProposedSheet:
    """The proposal for a sheet of a file.

    Args:
        file: The file.
        options: How it is read; the sheet and the kind that the proposal is for.
        header: The sheet's as the check understands it, if no recipe does.

    Raises:
        FileProblem: the file cannot be read, or no row of it looks like a header.
        UsageProblem: several of its sheets are named.
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
    """The columns, of which those are not of no use that the rules of a recipe read."""
    read = set(map(folded, base.file.names.values()))
    for column in columns:
        if column.is_useless and folded(column.header) in read:
            reason = tr("the rules of the recipe read it")
            yield replace(column, is_useless=False, confidence=0, reason=reason)
        else:
            yield column


def _as_read(columns: Iterable[ColumnProposal], header: Header) -> Iterator[ColumnProposal]:
    """The columns as the check understands them; of others nobody is sure that they are a field."""
    keys = {
        source: column.key
        for at, column in header.columns.items()
        for source in header.origins.get(at, (at,))
    }
    for column in columns:
        at = column.index
        if at in keys and column.header in {header.texts.get(at), header.labels.get(at)}:
            yield replace(with_meaning(column, keys[at]), reason=header.reasons.get(at, ""))
        elif column.key:
            is_free = column.key not in keys.values()
            confidence = min(column.confidence, SURE - 1) if is_free else 0
            yield replace(column, key=column.key if is_free else None, confidence=confidence)
        else:
            yield column


def _written(constant: object) -> str:
    return str(constant).lower() if isinstance(constant, bool) else str(constant)


class JudgedForm(Struct):
    """What was said of a sheet, what is wrong with it, and what is still open."""

    sheet: ProposedSheet
    entered: ColumnForm
    answers: Answers = field(default_factory=lambda: Answers([]))
    words: list[UnknownWord] = field(default_factory=list)
    """The words that fields do not know."""
    errors: dict[str, MessageText] = field(default_factory=dict)
    """By the name in the form."""
    missing: Sequence[str] = ()
    """The fields that nothing gives."""

    @property
    def is_whole(self) -> bool:
        """True if it makes a recipe, and nobody is to be asked any more."""
        are_asked = all(word.entry in self.entered.form for word in self.words)
        return bool(self.answers.keys) and are_asked and not (self.errors or self.missing)

    @property
    def recipe_text(self) -> str:
        """The recipe."""
        proposal, answers = self.sheet.proposal, self.answers
        if base := proposal.base:
            asked = {(word.column.key, word.text) for word in self.words}
            values = {
                key: {text: value for text, value in table.items() if (key, text) not in asked}
                for key, table in base.file.values.items()
            }
            file = msgspec.structs.replace(base.file, values=values)
            proposal = replace(proposal, base=replace(base, file=file))
        return recipe_text(proposal, answers.columns, answers.values, answers.defaults)

    def note_column(self, column: ColumnProposal) -> None:
        """Takes what was said of a column."""
        meant, taken = self.entered.of_column(column.index), self.answers.keys
        if meant == USELESS:
            self.answers.columns.append(with_meaning(column, None))
        elif meant and (why := why_no_field(self.sheet.proposal, self.sheet.name_of(meant), taken)):
            self.errors[column_entry(column.index)] = why
        elif meant:
            self.answers.columns.append(with_meaning(column, meant))

    def note_word(self, word: UnknownWord) -> None:
        """Takes what was said of a word."""
        meant = self.entered.form.get(word.entry, word.meant).strip()
        self.words.append(word._replace(meant=meant))
        key = self.sheet.name_of(word.column.key or "")
        if meant and (why := why_no_value(self.sheet.proposal, key, meant)):
            self.errors[word.entry] = why
        else:
            self.answers.note_value(str(key), word.text, meant)

    def note_default(self, key: str, value: str) -> None:
        """Takes what was said of a field that has no column."""
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


def judge(sheet: ProposedSheet, said: ColumnForm) -> JudgedForm:
    """What was said of a sheet, part by part."""
    judged = JudgedForm(sheet, said)
    for column in sheet.proposal.columns:
        judged.note_column(column)
    for column in judged.answers.columns:
        for word in sheet.words_of(column):
            judged.note_word(word)
    for key, value in said.defaults.items():
        judged.note_default(key, value)
    missing = sheet.missing(judged.answers)
    judged.missing = [key for key in missing if default_entry(key) not in judged.errors]
    return judged


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
