"""What somebody says in a form of the columns of a sheet, judged as `feedtool map` judges it.

`ColumnForm` is the form, `ProposedSheet` the sheet with what is proposed for it, `JudgedForm` both
together: what is wrong and what is still open, or the recipe.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.check.recipes.recipe import Recipe
from feedtool.model.header import Header, folded
from feedtool.model.text import FieldName, MessageText, tr
from feedtool.runs.map_answers import Answers, why_no_field, why_no_value
from feedtool.runs.mapping import SURE, SheetProposal, propose_recipe, with_meaning
from feedtool.runs.recipe_text import recipe_text

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
