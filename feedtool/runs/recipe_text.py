"""A recipe as it is written, and its place."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.check.recipes.expressions import Expression
from feedtool.check.recipes.recipe import Recipe
from feedtool.check.recipes.recipe_file import Constant
from feedtool.model.errors import UsageProblem
from feedtool.model.header import folded
from feedtool.runs.mapping import SheetProposal
from feedtool.runs.recipes import FOLDER

Table = Mapping[str, Constant]


def recipe_text(
    proposal: SheetProposal,
    columns: Sequence[ColumnProposal],
    values: Mapping[str, Mapping[str, str]],
    defaults: Table,
) -> str:
    """The recipe of some columns, as TOML; what its base has beside columns is in it, too."""
    named = [column for column in columns if column.key]
    folds = [folded(column.header) for column in proposal.columns]

    def name(column: ColumnProposal) -> str:
        is_double = folds.count(folded(column.header)) > 1
        return f"@{column.column}" if is_double else column.header

    tables: dict[str, Table] = {
        "columns": {name(column): column.key or False for column in [*named, *_useless(columns)]},
        **_of_base(proposal, {column.key or "" for column in named}),
    }
    for key, meanings in values.items():
        title = f"values.{quoted(key)}"
        tables[title] = {**tables.get(title, {}), **meanings}
    tables["default"] = {**tables.get("default", {}), **defaults}
    lines = [
        "# How this sheet becomes rows: see docs/own-sheets.md.",
        "[match]",
        f"kind = {quoted(proposal.feed.kind)}",
        "headers = [",
        *(f"  {quoted(column.header)}," for column in named),
        "]",
    ]
    for title, table in tables.items():
        if table:
            lines += ["", f"[{title}]"]
            lines += [f"{quoted(key)} = {_constant(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def _useless(columns: Sequence[ColumnProposal]) -> list[ColumnProposal]:
    return [column for column in columns if not column.key]


def _of_base(proposal: SheetProposal, keys: set[str]) -> dict[str, Table]:
    """The tables of the base, but for what needs a column that the sheet does not have."""
    base: Recipe | None = proposal.base
    if base is None:
        return {}
    headers = {folded(column.header) for column in proposal.columns}
    names = {name: text for name, text in base.file.names.items() if folded(text) in headers}

    def usable(table: Mapping[str, str], formulas: Mapping[str, Expression]) -> Table:
        known = {*names, *keys, *base.file.default, *base.file.compute}
        return {
            key: source for key, source in table.items() if known.issuperset(formulas[key].names)
        }

    values = {
        f"values.{quoted(key)}": table for key, table in base.file.values.items() if key in keys
    }
    return {
        "names": names,
        **values,
        "default": base.file.default,
        "compute": usable(base.file.compute, base.compute),
        "skip": usable(base.file.skip, base.skip),
    }


def quoted(text: str) -> str:
    """A text as TOML has it."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _constant(value: Constant) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return quoted(value) if isinstance(value, str) else str(value)


def recipe_place(file: Path, out: Path | None) -> Path:
    """Where a recipe for a file is written: never over another one.

    Raises:
        UsageProblem: the place that was asked for is taken.
    """
    if out:
        if out.exists():
            raise UsageProblem(f"{out} is there already", "name another place with --out")
        return out
    stem = re.sub(r"[\W\d_]+$", "", file.stem) or "recipe"
    folder = file.parent / FOLDER
    names = (f"{stem}.toml", *(f"{stem}-{number}.toml" for number in range(2, 1000)))
    return next(folder / name for name in names if not (folder / name).exists())
