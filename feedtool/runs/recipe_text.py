"""Write the text of a recipe, and find its place."""

import json
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from feedtool.check.mapping.proposal import ColumnProposal
from feedtool.check.recipes.expressions import Expression
from feedtool.check.recipes.functions import is_name
from feedtool.check.recipes.recipe import NOT_FOR_SALE, RULES
from feedtool.model.cells import folded
from feedtool.model.errors import UsageProblem
from feedtool.model.settings import Constant
from feedtool.model.text import tr
from feedtool.runs.mapping import SheetForm, SheetProposal, renamed
from feedtool.runs.recipes import FOLDER
from feedtool.sheets.atomic_write import atomic_write, cannot_write

Table = Mapping[str, Any]
"""Key → a constant, or a table of texts."""


def recipe_text(form: SheetForm) -> str:
    """Return the recipe of a sheet, as TOML, with all of its base but its columns."""
    proposal, columns = form.proposal, form.columns
    with_field = [column for column in columns if column.key]
    folds = [folded(column.header) for column in proposal.columns]

    def name(column: ColumnProposal) -> str:
        is_double = folds.count(folded(column.header)) > 1
        return f"@{column.column}" if is_double else column.header

    of_base, left_out = _of_base(form)
    read = set(map(folded, of_base.get("names", {}).values()))  # by expressions
    marks = [
        column for column in columns if column.not_for_sale and folded(column.header) not in read
    ]
    for column in marks:
        short = folded(column.header)
        is_free = is_name(short) and short not in {*of_base.get("names", {}), *proposal.known}
        short = short if is_free else f"column_{column.column}"
        words = ", ".join(map(quoted, column.not_for_sale))
        of_base["names"] = {**of_base.get("names", {}), short: name(column)}
        rule = {f"{column.header}: not for sale": f"says({short}, {words})"}
        of_base[NOT_FOR_SALE] = {**of_base.get(NOT_FOR_SALE, {}), **rule}
    read = set(map(folded, of_base.get("names", {}).values()))  # by expressions
    useless = [
        column
        for column in columns
        if not (column.key or column.replaces or column in marks)
        and folded(column.header) not in read
    ]
    of_columns = {name(column): column.key or False for column in [*with_field, *useless]}
    tables: dict[str, Table] = {"columns": {**of_columns, **of_base.pop("columns", {})}, **of_base}
    for key, meanings in form.values.items():
        title = f"values.{quoted(key)}"
        tables[title] = {**tables.get(title, {}), **meanings}
    tables["default"] = {**tables.get("default", {}), **form.defaults}
    lines = [
        "# How this sheet becomes rows: see docs/own-sheets.md.",
        "[match]",
        f"kind = {quoted(proposal.feed.kind)}",
        "headers = [",
        *(f"  {quoted(column.header)}," for column in columns if column.key or column.replaces),
        "]",
        *(f"{key} = {_constant(value)}" for key, value in _match(proposal).items()),
    ]
    for title, table in tables.items():
        if table:
            lines += ["", f"[{title}]"]
            lines += [f"{quoted(key)} = {_constant(value)}" for key, value in table.items()]
    if left_out:
        lines += ["", f"# Left out, as the sheet has no column for it: {', '.join(left_out)}"]
    return "\n".join(lines) + "\n"


def _match(proposal: SheetProposal) -> Table:
    """Return the pattern of the sheet, if the user named it, and the other texts of the base."""
    match = proposal.base.file.match if proposal.base else None
    lines = {"sheet": match.sheet, "rows": match.rows} if match else {}
    sheet, pattern = proposal.sheet or "", lines.get("sheet")
    is_other = pattern and not fnmatchcase(sheet.casefold(), pattern.casefold())
    if sheet and (proposal.options.sheets or is_other):
        lines["sheet"] = escape(sheet)
    return {key: text for key, text in lines.items() if text}


def _of_base(form: SheetForm) -> tuple[dict[str, Table], list[str]]:
    """Return the tables of the base, and the names of entries that need a missing column.

    All entries of a named base stay, also headers that no column has now.
    """
    proposal, renames = form.proposal, form.renames
    if proposal.base is None:
        return {}, []
    base = renamed(proposal.base, renames)
    unknown = {
        header: key for header, key in proposal.missing_headers.items() if header not in renames
    }
    keys = {*form.keys, *unknown.values()}
    left_out: list[str] = []
    headers = {folded(text) for text in (*(item.header for item in proposal.columns), *unknown)}
    names = {name: text for name, text in base.file.names.items() if folded(text) in headers}

    joins = {}
    for name, join in base.file.join.items():
        if headers.issuperset(map(folded, join.key)):
            joins[name] = {key: value for key, value in to_builtins(join).items() if value}
        else:
            left_out.append(f"[join.{name}]")
    taken = {key for name in joins for key in base.file.join[name].take}
    known = {*names, *keys, *taken, *base.file.default, *base.file.compute}

    def usable(title: str, table: Mapping[str, str], formulas: Mapping[str, Expression]) -> Table:
        fit = {key: text for key, text in table.items() if known.issuperset(formulas[key].names)}
        left_out.extend(f"[{title}] {key}" for key in table if key not in fit)
        return fit

    values = {
        f"values.{quoted(key)}": table
        for key, table in base.file.values.items()
        if key in keys or base.must_fit
    }
    tables: dict[str, Table] = {
        "columns": {header: key for header, key in unknown.items() if key},
        "names": names,
        **values,
        "default": base.file.default,
        "compute": usable("compute", base.file.compute, base.compute),
        "fill_down": {
            header: by
            for header, by in base.file.fill_down.items()
            if {folded(header), folded(by)} <= headers
        },
        **{table: usable(table, getattr(base.file, table), base.rules[table]) for table in RULES},
        **{f"join.{quoted(name)}": join for name, join in joins.items()},
    }
    for code, rules in base.file.channels.items():
        tables[f"channels.{quoted(code)}"] = usable(f"channels.{code}", rules, base.channels[code])
    return tables, left_out


def quoted(text: str | Sequence[str]) -> str:
    """Return a text, or a list of texts, in TOML."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _constant(value: Constant | Mapping[str, str]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return (
            f"{{ {', '.join(f'{quoted(key)} = {quoted(text)}' for key, text in value.items())} }}"
        )
    return str(value) if isinstance(value, int | float) else quoted(value)


def recipe_place(file: Path, out: Path | None) -> Path:
    """Return the place for a new recipe of a file; it never replaces another.

    Raises:
        UsageProblem: the place `out` is taken.
    """
    if out:
        if out.exists():
            raise UsageProblem(
                tr("{path} exists already", path=str(out)), tr("name another place with --out")
            )
        return out
    return free_place(file.parent / FOLDER, file)


def free_place(folder: Path, file: Path) -> Path:
    stem = re.sub(r"[\W\d_]+$", "", file.stem) or "recipe"
    names = (f"{stem}.toml", *(f"{stem}-{number}.toml" for number in range(2, 1000)))
    return next(folder / name for name in names if not (folder / name).exists())


def write_recipe(place: Path, text: str) -> None:
    """Write a recipe, and make its folder; CannotWrite if that fails."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(place, error) from error
    with atomic_write(place) as temporary:
        temporary.write_text(text, "utf-8")
