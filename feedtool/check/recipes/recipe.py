"""A recipe: one TOML file that says how a merchant's own sheet becomes rows of a kind of feed."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import msgspec

from feedtool.check.recipes.expressions import Expression, ExpressionProblem, compile_expression
from feedtool.model.errors import UsageProblem
from feedtool.model.header import folded

Constant = str | int | float | bool
"""A value in a recipe; a number is taken as it is written."""

LONGEST_FILE = 1 << 20
"""Bytes of a recipe."""
LETTERS = "@"
"""The beginning of what stands for a column by its letters, `@C`, in the place of a header."""
PLACES = ("match", "columns", "names", "values", "default", "compute", "skip", "join", "channels")


class Match(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a sheet is known to be of this recipe."""

    kind: str
    """The kind of feed that its rows are."""
    headers: tuple[str, ...] = ()
    """The headers that the sheet must have."""
    sheet: str | None = None
    """The sheet's name; `*` stands for anything."""
    rows: Literal["until-blank"] | None = None
    """`until-blank`: what follows the first blank row is not read."""


class Join(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A second sheet, whose rows are found by a key."""

    file: str
    """Its name, `*` for anything: the newest that fits."""
    key: dict[str, str]
    """Header of this sheet → header of the other."""
    take: dict[str, str]
    """Key of a column → header of the other sheet."""
    too_old: str = ""
    """The age from which it is refused: `26h`, `3d`."""
    missing: Literal["keep", "zero", "hold"] = "keep"
    """What is done with a row that the other sheet does not have."""
    at_least: float = 0
    """The share of rows that must be found there; fewer hold the file."""


class RecipeFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tables of a recipe."""

    match: Match
    columns: dict[str, str | bool] = {}
    """Header, or `@` and a column's letters → key; false: known, and of no use."""
    names: dict[str, str] = {}
    """Name in expressions → header."""
    values: dict[str, dict[str, Constant]] = {}
    """Key → what stands in the cell → what is meant."""
    default: dict[str, Constant] = {}
    """Key → its value where the cell is blank or the column is absent."""
    compute: dict[str, str] = {}
    """Key → expression; it wins over a column."""
    skip: dict[str, str] = {}
    """Reason → condition of the rows that are left out."""
    join: dict[str, Join] = {}
    """A name → a second sheet whose rows are joined."""
    channels: dict[str, dict[str, str]] = {}
    """salesChannelId → key → expression; `skip` is a condition."""


@dataclass(frozen=True)
class Recipe:
    """A recipe that can be used."""

    name: str
    path: Path | None
    """Where it is; None for one that ships with feedtool."""
    text: str
    file: RecipeFile
    compute: Mapping[str, Expression]
    skip: Mapping[str, Expression]
    channels: Mapping[str, Mapping[str, Expression]]
    today: date
    """The day for `days_since`."""
    is_wanted: bool = False
    """True if it is of the account, or was named, so that it counts for every sheet it fits."""
    must_fit: bool = False
    """True if it was named for these files."""
    lines: Mapping[tuple[str, str], int] = field(default_factory=dict, repr=False)

    @property
    def sha256(self) -> str:
        """The digest of its text."""
        return sha256(self.text.encode()).hexdigest()

    @property
    def headers(self) -> Sequence[str]:
        """The headers that a sheet must have to be of it; a column's letters are none."""
        headers = self.file.match.headers or self.file.columns
        return [header for header in headers if not header.startswith(LETTERS)]

    def fits(self, sheet: str, texts: Iterable[str]) -> bool:
        """True if a sheet of this name, with these headers, is of it."""
        pattern = self.file.match.sheet
        is_called_so = pattern is None or fnmatchcase(sheet.casefold(), pattern.casefold())
        return is_called_so and not self.lacking(texts)

    def lacking(self, texts: Iterable[str]) -> list[str]:
        """Its headers that a row lacks."""
        there = set(map(folded, texts))
        return [header for header in self.headers if folded(header) not in there]

    @property
    def shown(self) -> str:
        """Where it is, for messages."""
        return str(self.path or f"preset:{self.name}")

    def place(self, table: str, key: str = "") -> str:
        """A place in the file, for messages."""
        line = self.lines.get((table, key)) or self.lines.get((table, ""))
        where = f"{self.shown}:{line}" if line else self.shown
        return f"{where}, [{table}]{f' {key}' if key else ''}"


def read_recipe(path: Path, today: date) -> Recipe:
    """The recipe in a file. UsageProblem, with the place, where it cannot be used."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1).decode("utf-8-sig")
    except OSError as error:
        raise UsageProblem(f"the recipe {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageProblem(f"the recipe {path} is not UTF-8", "save it as UTF-8") from error
    return parse_recipe(text, path.stem, path, today)


def parse_recipe(text: str, name: str, path: Path | None, today: date) -> Recipe:
    """The recipe of a text. UsageProblem, with the place, where it cannot be used."""
    shown = path or name
    if len(text) > LONGEST_FILE:
        raise UsageProblem(f"the recipe {shown} is longer than a MiB", "make it shorter")
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageProblem(f"the recipe {shown} is no TOML: {error}", "correct the line") from None
    lines = dict(_lines(text))
    try:
        file = msgspec.convert(tables, RecipeFile)
    except msgspec.ValidationError as error:
        raise _wrong(error, str(shown), lines) from None
    draft = Recipe(name, path, text, file, {}, {}, {}, today, lines=lines)
    return _compiled(draft)


def schema() -> dict[str, Any]:
    """The JSON Schema of recipes, for editors."""
    return msgspec.json.schema(RecipeFile)


def _compiled(recipe: Recipe) -> Recipe:
    file = recipe.file
    keys = {key for key in file.columns.values() if isinstance(key, str)}
    keys |= {*file.names, *file.default, *(key for join in file.join.values() for key in join.take)}
    made = keys | set(file.compute)

    def compiled(table: str, sources: Mapping[str, str], known: Iterable[str]) -> Any:
        result = {}
        for key, source in sources.items():
            try:
                result[key] = compile_expression(source, list(known), recipe.today)
            except ExpressionProblem as problem:
                at = f" at character {problem.at + 1}" if problem.at else ""
                raise UsageProblem(
                    f"{recipe.place(table, key)}: {problem.reason}{at}, in: {source[:80]}",
                    problem.hint or "correct the expression",
                ) from None
        return result

    for code, rules in file.channels.items():
        if "quantity" in rules:
            raise UsageProblem(
                f"{recipe.place(f'channels.{code}', 'quantity')}: all channels share one stock",
                "set the quantity in [compute]",
            )
    return replace(
        recipe,
        compute=compiled("compute", file.compute, keys),
        skip=compiled("skip", file.skip, made),
        channels={
            code: compiled(f"channels.{code}", rules, made) for code, rules in file.channels.items()
        },
    )


_TABLE = re.compile(r"^\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
_KEY = re.compile(r"""^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=""")
_REASON = re.compile(r"^(?P<reason>.*?)(?: - at `\$?(?P<path>[^`]*)`)?$")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")


def _lines(text: str) -> Iterator[tuple[tuple[str, str], int]]:
    """The table and key of each line that begins one, with its number."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if match := _TABLE.match(line):
            table = ".".join(part.strip().strip("\"'") for part in match[1].split(".", 1))
            yield (table, ""), number
        elif match := _KEY.match(line):
            yield (table, match[1].strip("\"'")), number


def _wrong(error: msgspec.ValidationError, shown: str, lines: Mapping[Any, int]) -> UsageProblem:
    """A fault of the file's structure as a message with its place."""
    match = _REASON.match(str(error))
    reason, path = (
        (match["reason"], (match["path"] or "").strip(".")) if match else (str(error), "")
    )
    if unknown := _UNKNOWN.match(reason):
        fields = {"": RecipeFile, "match": Match}.get(path, Join)
        line = lines.get((path, unknown[1])) or lines.get((unknown[1], ""))
        return UsageProblem(
            f"{shown}{f':{line}' if line else ''}: nobody knows “{unknown[1]}”"
            + (f" in [{path}]" if path else ""),
            did_you_mean(unknown[1], fields.__struct_fields__),
        )
    table = path.partition("[")[0].partition(".")[0]
    line = lines.get((table, ""))
    reason = reason.replace("Object missing required field", "it lacks").replace("`", "“", 1)
    reason = reason.replace("`", "”")
    place = f"{shown}{f':{line}' if line else ''}, [{path or table or 'match'}]"
    return UsageProblem(f"{place}: {reason}", "correct it in the file")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest of some words, or with all of them."""
    words = list(known)
    near = nearest(word, words)
    return f"did you mean {near}?" if near else f"use one of: {', '.join(words)}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The word that looks most alike, if any does."""
    from rapidfuzz import process, utils

    near = process.extractOne(word, list(known), processor=utils.default_process, score_cutoff=75)
    return near[0] if near else None
