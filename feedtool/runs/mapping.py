"""A recipe proposed for a merchant's own sheet, and written."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from feedtool.check import Input, ReadOptions, open_input
from feedtool.check.headers import header_texts
from feedtool.check.kinds import sheet_columns
from feedtool.check.mapping.evidence import SheetColumn
from feedtool.check.mapping.own_sheet import OwnSheet, likeliest_sheet, no_header, read_columns
from feedtool.check.mapping.proposal import ColumnProposal, KnownMeaning, propose
from feedtool.check.mapping.words import words_of
from feedtool.check.recipes.recipe import Recipe
from feedtool.check.recipes.recipe_file import Constant
from feedtool.feeds.area import Areas
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import Choice
from feedtool.feeds.feed import Feed
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Column, Header
from feedtool.runs.recipes import preset, presets

MOST_VALUES = 30
"""Different values of a column that are worth a table."""


@dataclass(frozen=True)
class SheetProposal:
    """What the columns of a sheet seem to be."""

    file: str
    sheet: str | None
    """None in a CSV."""
    header_row: int
    """Its number; in a CSV the line."""
    feed: Feed
    columns: Sequence[ColumnProposal]
    known: Mapping[str, Column]
    cells: Mapping[int, SheetColumn]
    options: ReadOptions
    recipe: Recipe | None
    """The recipe that fits it already."""
    preset: Recipe | None
    """The recipe that ships, and fits it."""

    def accepted(self, least: int) -> "list[ColumnProposal]":
        """The columns that are at least so sure."""
        return [column for column in self.columns if is_accepted(column, least)]

    def missing(self, keys: Collection[str]) -> list[str]:
        """The fields that the kind cannot do without, and that are not among some."""
        columns = {at: self.known[key] for at, key in enumerate(keys) if key in self.known}
        header = Header(self.header_row, self.header_row, columns, {}, (), frozenset())
        return self.feed.missing(sheet_columns(header, self.feed, self.options.context))

    def choices(self, column: ColumnProposal) -> Sequence[str]:
        """The values of the field of a column, where it is a list."""
        kind = self.known[column.key].type if column.key else None
        return kind.allowed(self._reader(kind)) if isinstance(kind, Choice) else ()

    def _reader(self, kind: Choice) -> ColumnReader:
        return ColumnReader(kind, self.options.context)

    def unknown_values(self, column: ColumnProposal) -> list[str]:
        """The values of a column that its field does not know, where it is a list."""
        kind = self.known[column.key].type if column.key else None
        if not isinstance(kind, Choice):
            return []
        reader = self._reader(kind)
        cells = dict.fromkeys(self.cells[column.index].cells)
        return [
            cell.text.strip()
            for cell in cells
            if isinstance(value := kind.read(cell, reader), InvalidValue) and value.is_refused
        ][:MOST_VALUES]


def is_accepted(column: ColumnProposal, least: int) -> bool:
    """True if a proposal is sure enough to be taken without asking."""
    return column.confidence >= least and (column.key is not None or column.is_useless)


def propose_recipe(file: Input, options: ReadOptions, areas: Areas) -> SheetProposal:
    """The proposal for the likeliest sheet of a file, as the first kind of all if none is named.

    Raises:
        FileProblem: the file cannot be read, or no row of it looks like a header.
    """
    feed = areas.feeds[options.kind] if options.kind else areas.areas[0].feeds[0]
    with open_input(file, options, areas) as source:
        own = likeliest_sheet(source, options.sheet)
        if own is None:
            raise no_header(source, file.name)
        cells = read_columns(source, own)
    known = {column.key: column for column in feed.understood(options.dialect)}
    texts = header_texts(own.row.cells)
    recipes = options.recipes.recipes(Path(file.name))
    fitting = next((recipe for recipe in recipes if recipe.fits(own.name, texts.values())), None)
    preset = None if fitting else _preset(own, texts, feed.kind)
    earlier = _earlier([*recipes, *filter(None, [preset])], feed.kind)
    return SheetProposal(
        file.name,
        None if source.format == "csv" else own.name,
        own.row.line or own.row.number,
        feed,
        propose(cells, known, earlier, own.above),
        known,
        {column.index: column for column in cells},
        options,
        fitting,
        preset,
    )


def _preset(own: OwnSheet, texts: Mapping[int, str], kind: str) -> Recipe | None:
    """The recipe that ships whose headers a sheet has; the one with the most of them."""
    fitting = [
        recipe
        for recipe in (preset(name, datetime.now(UTC).date()) for name in presets())
        if recipe.file.match.kind == kind and recipe.fits(own.name, texts.values())
    ]
    return max(fitting, key=lambda recipe: len(recipe.file.match.headers), default=None)


def _earlier(recipes: Iterable[Recipe], kind: str) -> dict[str, KnownMeaning]:
    """What the headers of other recipes of the kind mean."""
    return {
        words_of(header).text: KnownMeaning(
            key if isinstance(key, str) else None,
            f"{'recipe' if recipe.path else 'preset'} {recipe.name}",
        )
        for recipe in recipes
        if recipe.file.match.kind == kind
        for header, key in recipe.file.columns.items()
        if not header.startswith("@")
    }


def chosen_as(column: ColumnProposal, key: str | None) -> ColumnProposal:
    """A column as somebody has said what it is; None is of no use."""
    return replace(column, key=key, confidence=100, is_useless=key is None)


def recipe_text(
    proposal: SheetProposal,
    columns: Sequence[ColumnProposal],
    values: Mapping[str, Mapping[str, str]],
    defaults: Mapping[str, Constant],
) -> str:
    """The recipe of some columns, as TOML."""
    named = [column for column in columns if column.key]
    ambiguous = {
        column.header
        for column in columns
        if sum(other.header.casefold() == column.header.casefold() for other in columns) > 1
    }

    def name(column: ColumnProposal) -> str:
        return f"@{column.column}" if column.header in ambiguous else column.header

    lines = [
        "# How this sheet becomes rows; see `feedtool map --help`.",
        "[match]",
        f"kind = {_quoted(proposal.feed.kind)}",
        "headers = [",
        *(f"  {_quoted(column.header)}," for column in named),
        "]",
        "",
        "[columns]",
        *(f"{_quoted(name(column))} = {_quoted(column.key or '')}" for column in named),
        *(f"{_quoted(name(column))} = false" for column in columns if not column.key),
    ]
    for key, table in values.items():
        lines += ["", f"[values.{_quoted(key)}]"]
        lines += [f"{_quoted(text)} = {_quoted(meant)}" for text, meant in table.items()]
    if defaults:
        lines += ["", "[default]"]
        lines += [f"{_quoted(key)} = {_constant(value)}" for key, value in defaults.items()]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _constant(value: Constant) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return _quoted(value) if isinstance(value, str) else str(value)


def place_of(file: str, out: Path | None) -> Path:
    """Where a recipe for a file is written: never over another one.

    Raises:
        UsageProblem: the place that was asked for is taken.
    """
    if out:
        if out.exists():
            raise UsageProblem(f"{out} is there already", "name another place with --out")
        return out
    stem = re.sub(r"[\W\d_]+$", "", Path(file).stem) or "recipe"
    folder = Path(file).parent / "recipes"
    names = (f"{stem}.toml", *(f"{stem}-{number}.toml" for number in range(2, 1000)))
    return next(folder / name for name in names if not (folder / name).exists())
