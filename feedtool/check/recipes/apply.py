"""A recipe, or defaults alone, applied to a sheet whose header row is known."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from feedtool.check.recipes.channels import SKIP, Truth
from feedtool.check.recipes.expressions import Expression
from feedtool.check.recipes.join import JoinedSheet, read_join
from feedtool.check.recipes.recipe import Constant, Recipe, did_you_mean
from feedtool.check.recipes.sheet import (
    Formula,
    Keys,
    Mapped,
    RecipeBlock,
    RecipeField,
    RecipeSheet,
    cell_of,
    described_inputs,
)
from feedtool.model.cells import Cell, index_of, letters
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Column, Header, folded
from feedtool.model.settings import Context
from feedtool.sheets import Sheet


class Applied(NamedTuple):
    """A sheet as a recipe, or defaults, make it."""

    header: Header
    sheet: RecipeSheet
    fields: Sequence[str]
    """The keys whose values come from it, and from no column alone."""
    joined: Sequence[JoinedSheet] = ()


def fits(recipe: Recipe, name: str, texts: Mapping[int, str]) -> bool:
    """True if a sheet of this name, with these headers, is of the recipe."""
    match = recipe.file.match
    headers = set(map(folded, texts.values()))
    is_called_so = match.sheet is None or fnmatchcase(name.casefold(), match.sheet.casefold())
    return is_called_so and headers.issuperset(map(folded, match.headers or recipe.file.columns))


def lacking(recipe: Recipe, texts: Mapping[int, str]) -> list[str]:
    """The headers of a recipe that a row lacks."""
    headers = set(map(folded, texts.values()))
    return [header for header in recipe.file.match.headers if folded(header) not in headers]


class _Application:
    """Builds the columns of a sheet from a recipe."""

    def __init__(
        self,
        recipe: Recipe,
        row: int,
        texts: Mapping[int, str],
        columns: Mapping[str, Column],
        sheet: RecipeSheet,
    ) -> None:
        self.recipe, self.row, self.texts, self.columns = recipe, row, texts, columns
        self.sheet = sheet
        self.by_index: dict[int, Column] = {}
        self.origins: dict[int, tuple[int, ...]] = {}
        self.used: set[int] = set()
        self.fields: list[str] = []

    def index(self, header: str, place: str) -> int | None:
        """The column of a header, or of `@C`; None where the sheet has none."""
        if header.startswith("@"):
            return index_of(header[1:].upper())
        exact = [at for at, text in self.texts.items() if text == " ".join(header.split())]
        same = exact or [at for at, text in self.texts.items() if folded(text) == folded(header)]
        if len(same) > 1:
            where = ", ".join(map(letters, same))
            raise UsageProblem(
                f"{place}: “{header}” is the header of columns {where}",
                f"name one of them by its letters: “@{letters(same[0])}”",
            )
        return same[0] if same else None

    def column(self, key: str, place: str) -> Column:
        """The column of a key of the kind."""
        if key not in self.columns:
            raise UsageProblem(f"{place}: there is no field {key}", did_you_mean(key, self.columns))
        return self.columns[key]

    def read_columns(self) -> None:
        """The fields of the sheet's own columns."""
        for header, key in self.recipe.file.columns.items():
            place = self.recipe.place("columns", header)
            index = self.index(header, place)
            if index is None:
                continue
            self.used.add(index)
            if isinstance(key, str):
                self.column(key, place)
                if key in self.sheet.fields:
                    raise UsageProblem(f"{place}: {key} has two columns", "remove one of them")
                self.sheet.fields[key] = RecipeField(key, index)

    def read_values(self) -> None:
        """Values and defaults of the fields."""
        file = self.recipe.file
        for key, default in file.default.items():
            self.column(key, self.recipe.place("default", key))
            self.sheet.fields.setdefault(key, RecipeField(key)).default = cell_of(default)
        for key, found in self.sheet.fields.items():
            mapping = file.values.get(key, {})
            if mapping or (key in file.default and found.source is not None):
                cells: dict[str, Cell] = {}
                for text, value in mapping.items():
                    cells[text.strip().casefold()] = cells[folded(text)] = cell_of(value)
                cells.pop("", None)
                found.mapped = Mapped(cells, found.default if key in file.default else None)

    def read_joins(self, joined: Callable[[str], Path], context: Context) -> list[JoinedSheet]:
        """The fields that other sheets give."""
        sheets = []
        for name, join in self.recipe.file.join.items():
            place = self.recipe.place(f"join.{name}")
            indexes = [self.needed_index(header, f"{place} key") for header in join.key]
            sheet = read_join(name, join, joined(name), context.settings)
            for number, key in enumerate(join.take):
                self.column(key, f"{place} take")
                found = self.sheet.fields.setdefault(key, RecipeField(key))
                found.joins.append(partial(sheet.column, number, indexes))
            sheets.append(sheet)
        return sheets

    def needed_index(self, header: str, place: str) -> int:
        """The column of a header that a rule of the recipe reads."""
        index = self.index(header, place)
        if index is None:
            raise UsageProblem(
                f"{place}: row {self.row} has no header “{header}”",
                did_you_mean(header, self.texts.values()),
            )
        self.used.add(index)
        return index

    def formula(self, key: str, expression: Expression, table: str) -> Formula:
        """An expression over the columns of this sheet."""
        place = self.recipe.place(table, key)
        inputs = []
        for name in expression.names:
            header = self.recipe.file.names.get(name)
            if header is None:
                inputs.append((name, True, -1))
                continue
            index = self.needed_index(header, place)
            inputs.append((name, False, index))
        formula = Formula(key, expression, inputs, f"correct the cell, or see {place}", "")
        formula.about = described_inputs(formula, self.texts)
        return formula

    def origins_of(self, key: str, formula: Formula | None) -> tuple[int, ...]:
        """The columns that a field's cells come from."""
        indexes: list[int] = []
        for name, is_key, index in formula.inputs if formula else [(key, True, -1)]:
            found = self.sheet.fields.get(name) if is_key else None
            if found and found.source is not None:
                indexes.append(found.source)
            elif not is_key:
                indexes.append(index)
        return tuple(dict.fromkeys(indexes))

    def add(
        self, column: Column, make: Callable[[RecipeBlock], Keys], origins: tuple[int, ...]
    ) -> None:
        """Adds a column that the sheet does not have."""
        at = self.sheet.add(make)
        self.by_index[at], self.origins[at] = column, origins
        self.fields.append(column.key)

    def add_columns(self) -> None:
        """All columns, those of the sheet where they are, the others behind them."""
        for key, expression in self.recipe.compute.items():
            self.column(key, self.recipe.place("compute", key))
            for name in expression.names:
                if name not in self.recipe.file.names:
                    self.sheet.fields.setdefault(name, RecipeField(name))
            self.sheet.formulas[key] = self.formula(key, expression, "compute")
            self.sheet.fields.setdefault(key, RecipeField(key))
        for key, found in self.sheet.fields.items():
            formula = self.sheet.formulas.get(key)
            is_plain = (
                found.source is not None and found.mapped is None and not (found.joins or formula)
            )
            if is_plain and found.source is not None:
                self.by_index[found.source] = self.columns[key]
            elif formula or found.source is not None or found.joins or found.default.text:
                self.add(self.columns[key], _maker(key), self.origins_of(key, formula))

    def add_rules(self) -> None:
        """Rows to skip, and further channels."""
        for reason, expression in self.recipe.skip.items():
            self.sheet.skips.append(self.formula(reason, expression, "skip"))
        for code, rules in self.recipe.channels.items():
            for key, expression in rules.items():
                formula = self.formula(key, expression, f"channels.{code}")
                if key == SKIP:
                    column = Column(f"{SKIP}[{code}]", Truth(), ("", "", ""), ("", "", ""))
                else:
                    base = self.column(key, self.recipe.place(f"channels.{code}", key))
                    column = replace(base, key=f"{key}[{code}]")
                self.add(column, _computer(formula), self.origins_of(key, formula))

    def header(self) -> Header:
        """The header row, as the recipe understands it."""
        unknown = tuple((at, None) for at in self.texts if at not in self.used)
        reasons = dict.fromkeys(self.by_index, f"recipe {self.recipe.name}")
        return Header(
            self.row,
            self.row,
            dict(sorted(self.by_index.items())),
            dict(self.texts),
            unknown,
            frozenset(),
            reasons,
            origins=self.origins,
        )


def _maker(key: str) -> Callable[[RecipeBlock], Keys]:
    return lambda block: block.made(key)


def _computer(formula: Formula) -> Callable[[RecipeBlock], Keys]:
    return lambda block: block.computed(formula, block.made)


def apply(
    recipe: Recipe,
    row: int,
    texts: Mapping[int, str],
    columns: Iterable[Column],
    sheet: Sheet,
    context: Context,
    defaults: Mapping[str, Constant],
    joined: Callable[[str], Path],
) -> Applied:
    """The sheet as a recipe makes it.

    Args:
        recipe: What is applied.
        row: The number of the header's row.
        texts: Its headers by 0-based column.
        columns: Those of the recipe's kind.
        sheet: The sheet.
        context: The settings.
        defaults: Those of the command and the account, which win over the recipe's.
        joined: Gives the file of a join.

    Raises:
        UsageProblem: the recipe names a field or a header that is not there.
        JoinUnusable: a file that it joins cannot be used.
    """
    made = RecipeSheet(sheet, context)
    made.is_until_blank = recipe.file.match.rows == "until-blank"
    file = msgspec.structs.replace(recipe.file, default={**recipe.file.default, **defaults})
    recipe = replace(recipe, file=file)
    application = _Application(recipe, row, texts, {column.key: column for column in columns}, made)
    application.read_columns()
    application.read_values()
    sheets = application.read_joins(joined, context)
    application.add_columns()
    application.add_rules()
    return Applied(application.header(), made, application.fields, sheets)


def with_defaults(
    header: Header,
    columns: Iterable[Column],
    defaults: Mapping[str, Constant],
    sheet: Sheet,
    context: Context,
) -> tuple[Header, Sheet]:
    """A sheet whose blank and absent cells have the defaults of a command or an account."""
    known = {column.key: column for column in columns if column.key in defaults}
    if not known:
        return header, sheet
    made = RecipeSheet(sheet, context)
    indexes = dict(header.columns)
    origins = dict(header.origins)
    for key, column in known.items():
        source = header.index_of(key)
        cell = cell_of(defaults[key])
        mapped = None if source is None else Mapped({}, cell)
        made.fields[key] = RecipeField(key, source, mapped, cell)
        at = made.add(_maker(key))
        indexes[at], origins[at] = column, () if source is None else (source,)
        indexes.pop(source, None) if source is not None else None
    return replace(header, columns=dict(sorted(indexes.items())), origins=origins), made
