"""Apply a recipe to a sheet whose header row is known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from feedtool.check.headers import HeaderNotFound
from feedtool.check.recipes.expressions import Expression
from feedtool.check.recipes.fields import (
    Formula,
    Keys,
    MappedCells,
    RecipeField,
    cell_of,
    constant_cell,
    described_inputs,
)
from feedtool.check.recipes.join import JoinedColumn, JoinedSheet, join_own, read_join
from feedtool.check.recipes.join_file import JoinFile
from feedtool.check.recipes.recipe import (
    LETTERS,
    OUT_OF_STOCK,
    SKIP,
    Recipe,
    Truth,
    channel_column,
    of_channel,
    refusal,
)
from feedtool.check.recipes.sheet import RecipeBlock, RecipeSheet, made_column
from feedtool.feeds.columns.number import Number
from feedtool.feeds.feed import Feed
from feedtool.model.cells import Cell, Column, Header, folded, index_of, letters
from feedtool.model.errors import UsageProblem
from feedtool.model.files import HEADINGS, ROW
from feedtool.model.settings import Constant, Context
from feedtool.model.text import did_you_mean, either, in_quotes, joined, tr
from feedtool.sheets import Sheet, Source
from feedtool.sheets.read.source import LAST_COLUMN

# The record of a sheet after a recipe, or defaults, were applied.


class Applied(NamedTuple):
    """A sheet after a recipe, or defaults, were applied."""

    header: Header
    sheet: Sheet
    fields: Sequence[str] = ()
    """The keys whose values the recipe or defaults make, and not one column."""
    defaults: Sequence[str] = ()
    """The keys among these that only have a default of the command or the account."""
    joined: Sequence[JoinedSheet] = ()


def column_index(header: str, texts: Mapping[int, str], place: str) -> int | None:
    """Return the column of a header, or of `@C`; None if the sheet does not have it.

    Raises UsageProblem if several columns have the header, or if the letters are invalid.
    """
    if header.startswith(LETTERS):
        name = header.removeprefix(LETTERS).upper()
        if name.isascii() and name.isalpha() and (index := index_of(name)) <= LAST_COLUMN:
            return index
        raise UsageProblem(
            tr("{place}: “{header}” names no column", place=place, header=header),
            tr("write its letters, as in “@C”"),
        )
    exact = [index for index, text in texts.items() if text == " ".join(header.split())]
    same = exact or [index for index, text in texts.items() if folded(text) == folded(header)]
    if len(same) > 1:
        raise UsageProblem(
            tr(
                "{place}: “{header}” is the header of columns {where}",
                place=place,
                header=header,
                where=joined(map(letters, same)),
            ),
            tr(
                "name one of them by its letters: “{column}”", column=f"{LETTERS}{letters(same[0])}"
            ),
        )
    return same[0] if same else None


OWN = frozenset(map(folded, (*HEADINGS, ROW)))
"""The headers of columns that feedtool adds to copies."""


class _Application:
    """Builds the columns of a sheet from a recipe."""

    def __init__(
        self,
        recipe: Recipe,
        row: int,
        texts: Mapping[int, str],
        feed: Feed,
        sheet: RecipeSheet,
        context: Context,
    ) -> None:
        self.recipe, self.row, self.texts, self.feed = recipe, row, texts, feed
        self.columns = {column.key: column for column in feed.sheet.understood(context.settings)}
        self.sheet, self.context = sheet, context
        shared = (key for key, column in self.columns.items() if column.is_shared)
        sheet.stock = next(shared, "")
        self.by_index: dict[int, Column] = {}
        self.origins: dict[int, tuple[int, ...]] = {}
        self.used: set[int] = set()
        self.in_columns: set[int] = set()
        self.fields: list[str] = []
        self.given: frozenset[str] = frozenset()
        """The keys of the defaults of the command or the account."""

    def column(self, key: str, place: str) -> Column:
        """Return the column of a key of the kind, or of a key on a channel."""
        on_channel = channel_column(key, self.columns)
        if on_channel and (reason := refusal(on_channel, self.feed)):
            raise UsageProblem(
                tr("{place}: {key} cannot be: {reason}", place=place, key=key, reason=reason),
                tr("take it out of the recipe"),
            )
        if on_channel is None and key not in self.columns:
            message = tr("{place}: there is no field {key}", place=place, key=key)
            raise UsageProblem(message, did_you_mean(key, self.columns))
        return on_channel or self.columns[key]

    def read_columns(self) -> None:
        """Make the fields of the sheet's own columns."""
        for header, key in self.recipe.file.columns.items():
            place = self.recipe.place("columns", header)
            if isinstance(key, str):
                self.column(key, place)
            index = column_index(header, self.texts, place)
            if index is None:
                continue
            self.used.add(index)
            self.in_columns.add(index)
            if isinstance(key, str):
                if key in self.sheet.fields:
                    raise UsageProblem(
                        tr("{place}: {key} has two columns", place=place, key=key),
                        tr("remove one of the two lines"),
                    )
                self.sheet.fields[key] = RecipeField(key, index)

    def read_values(self) -> None:
        """Read the values and defaults of the fields."""
        file = self.recipe.file
        for key, values in file.values.items():
            self.column(key, self.recipe.place(f"values.{key}"))
            for text, value in values.items():
                self.constant(key, value, self.recipe.place(f"values.{key}", text))
        for key, default in file.default.items():
            place = self.recipe.place("default", key)
            if key in self.given:
                place = tr("the default of {key}", key=key)
            cell = self.constant(key, default, place)
            self.sheet.fields.setdefault(key, RecipeField(key)).default = cell
        for key, field in self.sheet.fields.items():
            mapping = file.values.get(key, {})
            if mapping or (key in file.default and field.source is not None):
                cells: dict[str, Cell] = {}
                for text, value in mapping.items():
                    cells[text.strip().casefold()] = cells[folded(text)] = cell_of(value)
                cells.pop("", None)
                field.mapped = MappedCells(cells, field.default if key in file.default else None)

    def constant(self, key: str, value: Constant, place: str) -> Cell:
        """Return the cell of a value of the recipe; of any type if a formula reads it."""
        column = self.column(key, place)
        if key in self.recipe.compute:
            return cell_of(value)
        return constant_cell(value, column, self.context, place)

    def read_joins(
        self, source: Source, joined: Callable[[str], Sequence[JoinFile]], context: Context
    ) -> list[JoinedSheet]:
        """Add joined cells to fields; return the joined sheets."""
        sheets = []
        for name, join in self.recipe.file.join.items():
            place = self.recipe.place(f"join.{name}")
            for key in join.take:
                column = self.column(key, f"{place} take")
                if join.missing == "zero" and not isinstance(column.type, Number):
                    where = self.recipe.place(f"join.{name}", "missing")
                    raise UsageProblem(
                        tr("{where} = “zero”: {key} is not a number", where=where, key=key),
                        tr("write keep or hold instead"),
                    )
            indexes = [self.needed_index(header, f"{place} key") for header in join.key]
            if join.files:
                sheet = read_join(name, join, joined(name), context)
            else:
                sheet = join_own(name, join, source, self.sheet.name, context)
            for number, key in enumerate(join.take):
                field = self.sheet.fields.setdefault(key, RecipeField(key))
                field.joins.append(JoinedColumn(sheet, number, indexes))
                field.keyed_by += indexes
            self.sheet.counts.append(partial(sheet.count, indexes))
            sheets.append(sheet)
        return sheets

    def read_fill_down(self) -> None:
        """Find the columns whose blank cells get the content above them, for expressions."""
        for header, other in self.recipe.file.fill_down.items():
            place = self.recipe.place("fill_down", header)
            indexes = [column_index(text, self.texts, place) for text in (header, other)]
            if self.recipe.path is None and None in indexes:  # see `formula`
                continue
            index, by = (self.needed_index(text, place) for text in (header, other))
            self.sheet.fill_down[index] = by

    def needed_index(self, header: str, place: str) -> int:
        """Return the column of a header that the recipe needs."""
        index = column_index(header, self.texts, place)
        if index is None:
            values = {"place": place, "row": self.row, "header": header}
            raise HeaderNotFound(
                tr("{place}: row {row} has no header “{header}”", **values),
                did_you_mean(header, self.texts.values()),
            )
        self.used.add(index)
        return index

    def formula(self, key: str, expression: Expression, table: str) -> Formula:
        """Return an expression over the columns of this sheet."""
        place = self.recipe.place(table, key)
        inputs = []
        for name in expression.names:
            header = self.recipe.file.names.get(name)
            if header is None:
                if table == "compute" or name not in self.recipe.compute:
                    self.check_is_given(name, place)
                inputs.append((name, True, -1))
                continue
            if self.recipe.path is None and column_index(header, self.texts, place) is None:
                # A shipped recipe fits all versions of a program: a missing column is blank.
                self.sheet.fields.setdefault(name, RecipeField(name))
                inputs.append((name, True, -1))
                continue
            inputs.append(
                (name, False, self.needed_index(header, self.recipe.place("names", name)))
            )
        return Formula(key, expression, inputs, place, described_inputs(inputs, self.texts))

    def check_is_given(self, key: str, place: str) -> None:
        """Raise HeaderNotFound if an expression reads a key without a source."""
        field = self.sheet.fields.get(key)
        if field and (field.source is not None or field.joins or field.default.text):
            return
        headers = [header for header, meant in self.recipe.file.columns.items() if meant == key]
        if not headers:
            message = tr("{place}: {key} has no column here, and no default", place=place, key=key)
            raise HeaderNotFound(message, tr("give it a default"))
        raise HeaderNotFound(
            tr(
                "{place}: {key} has no column here: row {row} has no header {headers}",
                place=place,
                key=key,
                row=self.row,
                headers=either([in_quotes(header) for header in headers]),
            ),
            did_you_mean(headers[0], self.texts.values()),
        )

    def origins_of(self, key: str, formula: Formula | None) -> tuple[int, ...]:
        """Return the columns from which a field's cells are made."""
        indexes: list[int] = []
        for name, is_key, index in formula.inputs if formula else [(key, True, -1)]:
            field = self.sheet.fields.get(name) if is_key else None
            if field:
                indexes += field.keyed_by if field.source is None else (field.source,)
            if name != key and name in self.sheet.formulas:
                indexes += self.origins_of(name, self.sheet.formulas[name])
            if not is_key:
                indexes.append(index)
        return tuple(dict.fromkeys(indexes))

    def add(
        self, column: Column, make: Callable[[RecipeBlock], Keys], formula: Formula | None
    ) -> None:
        """Add a column that the sheet does not have."""
        origins = self.origins_of(column.key, formula)
        index = self.sheet.add(make)
        self.by_index[index], self.origins[index] = column, origins
        if formula:
            self.sheet.made_by[index] = formula
        if not column.key.startswith(f"{SKIP}["):
            self.fields.append(column.key)

    def add_columns(self) -> None:
        """Add all columns: the sheet's columns in their places, the others after them."""
        for key, expression in self.recipe.compute.items():
            self.column(key, self.recipe.place("compute", key))
            for name in expression.names:
                if name not in self.recipe.file.names:
                    self.sheet.fields.setdefault(name, RecipeField(name))
            self.sheet.formulas[key] = self.formula(key, expression, "compute")
            self.sheet.fields.setdefault(key, RecipeField(key))
        for key, field in self.sheet.fields.items():
            formula = self.sheet.formulas.get(key)
            is_emptied = bool(self.recipe.rules[OUT_OF_STOCK]) and key == self.sheet.stock
            is_made = field.mapped is not None or field.joins or formula or is_emptied
            if field.source is not None and not is_made:
                self.by_index[field.source] = self.column(key, "")
            elif formula or field.source is not None or field.joins or field.default.text:
                self.add(self.column(key, ""), made_column(key), formula)

    def add_rules(self) -> None:
        """Add the conditions of rows, and the formulas of other channels."""
        for table, rules in self.recipe.rules.items():
            for reason, expression in rules.items():
                formula = self.formula(reason, expression, table)
                self.sheet.rules.append((table, formula))
                if table == OUT_OF_STOCK:
                    continue
                formula.index = self.sheet.add(_computer(formula))
                self.sheet.made_by[formula.index] = formula
                self.origins[formula.index] = self.origins_of(reason, formula)
        for code, rules in self.recipe.channels.items():
            for key, expression in rules.items():
                formula = self.formula(key, expression, f"channels.{code}")
                full_key = of_channel(key, code)
                place = self.recipe.place(f"channels.{code}", key)
                if key == SKIP:
                    column = Column(full_key, Truth(), ("", "", ""), ("", "", ""))
                else:
                    column = self.column(full_key, place)
                if full_key in self.sheet.fields:
                    raise UsageProblem(
                        tr("{place}: {key} has a column, too", place=place, key=full_key),
                        tr("remove one of them"),
                    )
                self.sheet.on_channels[full_key] = formula
                self.add(column, _computer(formula), formula)

    def header(self) -> Header:
        """Return the header with the columns of the recipe."""
        texts = {index: folded(text) for index, text in self.texts.items()}
        added = frozenset(index for index, text in texts.items() if text in OWN)
        names = set(map(folded, self.recipe.file.names.values()))
        in_expressions = (
            frozenset(index for index, text in texts.items() if text in names) - self.in_columns
        )
        known = added | self.used | in_expressions
        unknown = tuple((index, None) for index in self.texts if index not in known)
        reasons = dict.fromkeys(self.by_index, tr("recipe {name}", name=self.recipe.name))
        return Header(
            self.row,
            self.row,
            dict(sorted(self.by_index.items())),
            dict(self.texts),
            unknown,
            added,
            reasons,
            origins=self.origins,
            in_expressions=in_expressions,
        )


def _computer(formula: Formula) -> Callable[[RecipeBlock], Keys]:
    return lambda block: block.computed(formula, block.made)


def apply(
    recipe: Recipe,
    row: int,
    texts: Mapping[int, str],
    feed: Feed,
    sheet: Sheet,
    context: Context,
    defaults: Mapping[str, Constant],
    source: Source,
    joined: Callable[[str], Sequence[JoinFile]],
) -> Applied:
    """Apply a recipe to a sheet, whose header is in `row` and has `texts` by 0-based column.

    `feed` is of the recipe's kind or of its family. The `defaults` of the command and the account
    win over those of the recipe. `source` is the file of the sheet; `joined` returns the files of
    a join by its name.

    Raises:
        UsageProblem: the recipe names an unknown field.
        HeaderNotFound: the sheet lacks a header that the recipe needs.
        JoinUnusable: a joined file cannot be used.
    """
    made = RecipeSheet(sheet, context)
    made.is_until_blank = recipe.file.match.rows == "until-blank"
    known = {column.key for column in feed.sheet.understood(context.settings)}
    applicable = {key: value for key, value in defaults.items() if key in known}
    file = replace(recipe.file, default={**recipe.file.default, **applicable})
    of_recipe = recipe.file.default.keys() | recipe.file.values.keys() | recipe.compute.keys()
    recipe = replace(recipe, file=file)
    application = _Application(recipe, row, texts, feed, made, context)
    application.given = frozenset(applicable)
    application.read_columns()
    application.read_values()
    application.read_fill_down()
    sheets = application.read_joins(source, joined, context)
    application.add_columns()
    application.add_rules()
    of_recipe |= {key for join in recipe.file.join.values() for key in join.take}
    only = [key for key in application.fields if key in applicable.keys() - of_recipe]
    return Applied(application.header(), made, application.fields, only, sheets)


# Apply defaults of a command or an account without a recipe.


def with_defaults(
    header: Header,
    columns: Iterable[Column],
    defaults: Mapping[str, Constant],
    sheet: Sheet,
    context: Context,
) -> Applied:
    """Fill blank and absent cells of a sheet with defaults, before these are checked."""
    known = {column.key: column for column in columns if column.key in defaults}
    if not known:
        return Applied(header, sheet, ())
    made = RecipeSheet(sheet, context)
    indexes = dict(header.columns)
    origins = dict(header.origins)
    for key, column in known.items():
        source = header.index_of(key)
        cell = cell_of(defaults[key])
        mapped = None if source is None else MappedCells({}, cell)
        made.fields[key] = RecipeField(key, source, mapped, cell)
        index = made.add(made_column(key))
        indexes[index], origins[index] = column, () if source is None else (source,)
        if source is not None:
            del indexes[source]
    header = replace(header, columns=dict(sorted(indexes.items())), origins=origins)
    return Applied(header, made, list(known), list(known))


def check_defaults(
    columns: Iterable[Column], defaults: Mapping[str, Constant], context: Context
) -> None:
    """Raise UsageProblem for a default that its field cannot have; the kind is known now."""
    for column in columns:
        if column.key in defaults:
            value = defaults[column.key]
            constant_cell(value, column, context, tr("the default of {key}", key=column.key))
