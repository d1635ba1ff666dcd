"""Apply defaults of a command or an account without a recipe."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from feedtool.check.recipes.applied import Applied
from feedtool.check.recipes.fields import MappedCells, RecipeField, cell_of, constant_cell
from feedtool.check.recipes.sheet import RecipeSheet, made_column
from feedtool.model.header import Column, Header
from feedtool.model.settings import Constant, Context
from feedtool.model.text import tr
from feedtool.sheets import Sheet


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
