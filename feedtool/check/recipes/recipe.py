"""Read a recipe: a TOML file that turns a merchant's own sheet into rows of a kind of feed."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from feedtool.check.recipes.channels import SKIP
from feedtool.check.recipes.expressions import Expression, compile_expression
from feedtool.check.recipes.recipe_file import (
    LONGEST_FILE,
    OUT_OF_STOCK,
    RULES,
    RecipeFile,
    parse_tables,
    place_of,
)
from feedtool.check.recipes.syntax import ExpressionProblem
from feedtool.model.errors import UsageProblem, reason_of
from feedtool.model.header import folded
from feedtool.model.text import tr

LETTERS = "@"
"""The sign before a column's letters, `@C`, instead of a header."""


class Recipe(Struct, frozen=True):
    """A recipe that can be used."""

    name: str
    path: Path | None
    """The file; None for a recipe that ships with feedtool."""
    text: str
    file: RecipeFile
    compute: Mapping[str, Expression]
    rules: Mapping[str, Mapping[str, Expression]]
    """Conditions by the tables of RULES."""
    channels: Mapping[str, Mapping[str, Expression]]
    today: date
    """The day for `days_since`."""
    is_wanted: bool = False
    """True if the account or the user chose it, so that it applies to every sheet that it fits."""
    must_fit: bool = False
    """True if the user chose it for these files."""
    lines: Mapping[tuple[str, str], int] = field(default_factory=dict)

    @property
    def sha256(self) -> str:
        return sha256(self.text.encode()).hexdigest()

    @property
    def headers(self) -> Sequence[str]:
        """The headers that a sheet must have to fit, without columns by letters."""
        columns = self.file.columns.items()
        headers = self.file.match.headers or [header for header, key in columns if key]
        return [header for header in headers if not header.startswith(LETTERS)]

    def fits(self, sheet: str, texts: Iterable[str]) -> bool:
        """Return True if the recipe fits a sheet with this name and these headers.

        A recipe without headers fits only files for which the user chose it.
        """
        pattern = self.file.match.sheet
        is_called_so = pattern is None or fnmatchcase(sheet.casefold(), pattern.casefold())
        can_fit = self.must_fit or bool(self.headers)
        return is_called_so and can_fit and not self.lacking(texts)

    def lacking(self, texts: Iterable[str]) -> list[str]:
        present = set(map(folded, texts))
        return [header for header in self.headers if folded(header) not in present]

    @property
    def shown(self) -> str:
        return str(self.path or f"preset:{self.name}")

    def place(self, table: str, key: str = "") -> str:
        return place_of(self.shown, self.lines, table, key)


def read_recipe(path: Path, today: date) -> Recipe:
    """Return the recipe in a file. Raises UsageProblem with the place of a fault."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1).decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(
            tr("the recipe {path} cannot be read: {reason}", path=path, reason=reason_of(error))
        ) from error
    except UnicodeDecodeError as error:
        raise UsageProblem(
            tr("the recipe {path} is not UTF-8", path=path), tr("save it as UTF-8")
        ) from error
    return parse_recipe(text, path.stem, path, today)


def parse_recipe(text: str, name: str, path: Path | None, today: date) -> Recipe:
    """Return the recipe in a text. Raises UsageProblem with the place of a fault."""
    file, lines = parse_tables(text, str(path or name))
    return _compiled(Recipe(name, path, text, file, {}, {}, {}, today, lines=lines))


def _compiled(recipe: Recipe) -> Recipe:
    file = recipe.file
    keys = {key for key in file.columns.values() if isinstance(key, str)}
    keys |= {*file.names, *file.default, *(key for join in file.join.values() for key in join.take)}
    made = keys | set(file.compute)

    def compiled(table: str, sources: Mapping[str, str], known: Iterable[str]) -> Any:
        result = {}
        for key, source in sources.items():
            try:
                is_condition = table in RULES or key == SKIP
                result[key] = compile_expression(
                    source, list(known), recipe.today, is_condition=is_condition
                )
            except ExpressionProblem as problem:
                values = {
                    "place": recipe.place(table, key),
                    "reason": problem.reason,
                    "source": source[:80],
                }
                raise UsageProblem(
                    tr(
                        "{place}: {reason} at character {number}, in: {source}",
                        number=problem.position + 1,
                        **values,
                    )
                    if problem.position
                    else tr("{place}: {reason}, in: {source}", **values),
                    problem.hint or tr("correct the expression"),
                ) from None
        return result

    return replace(
        recipe,
        compute=compiled("compute", file.compute, keys),
        rules={
            table: compiled(table, getattr(file, table), keys if table == OUT_OF_STOCK else made)
            for table in RULES
        },
        channels={
            code: compiled(f"channels.{code}", rules, made) for code, rules in file.channels.items()
        },
    )
