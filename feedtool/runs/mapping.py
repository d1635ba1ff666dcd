"""A recipe proposed for a merchant's own sheet, and written."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from feedtool.check import Input, ReadOptions, open_input
from feedtool.check.headers import HeaderNotFound
from feedtool.check.kinds import sheet_columns
from feedtool.check.mapping.evidence import SheetColumn
from feedtool.check.mapping.proposal import ColumnProposal, header_row, propose
from feedtool.check.mapping.words import words_of
from feedtool.check.recipes.recipe import Constant, Recipe
from feedtool.feeds.area import Areas
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.columns.choice import Choice
from feedtool.feeds.feed import Feed
from feedtool.model.cells import BLANK, Cell
from feedtool.model.errors import UsageProblem
from feedtool.model.header import Column, Header
from feedtool.sheets import Source
from feedtool.sheets.read.source import HeadRow

SEARCHED = 60
"""Rows among which the header is looked for."""
SAMPLED = 2_000
"""Rows whose cells speak for or against a field."""
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
        name, head, at = _likeliest_sheet(source, options.sheet, file.name)
        row = head[at]
        cells = _columns(source, name, row)
    known = {column.key: column for column in feed.understood(options.dialect)}
    earlier = _earlier(options.recipes.recipes(Path(file.name)), feed.kind)
    proposals = propose(cells, known, earlier)
    return SheetProposal(
        file.name,
        None if source.format == "csv" else name,
        row.line or row.number,
        feed,
        proposals,
        known,
        {column.index: column for column in cells},
        options,
    )


def _likeliest_sheet(
    source: Source, wanted: str | None, file: str
) -> tuple[str, list[HeadRow], int]:
    """The sheet whose header is the likeliest, its first rows, and which of them that is."""
    best: tuple[float, str, list[HeadRow], int] | None = None
    for entry in source.sheets:
        if entry.hidden or (wanted and entry.name.casefold() != wanted.casefold()):
            continue
        head = source.sheet(entry.name).head(SEARCHED)
        score, at = header_row([(row.number, row.cells) for row in head])
        if score > 0 and (best is None or score > best[0]):
            best = score, entry.name, head, at
    if best is None:
        raise HeaderNotFound(
            f"no row of {file} looks like a header", "give each column a name in one row"
        )
    return best[1:]


def _columns(source: Source, name: str, row: HeadRow) -> list[SheetColumn]:
    """The columns below a header row, each with its first cells."""
    texts = {at: " ".join(cell.text.split()) for at, cell in enumerate(row.cells)}
    texts = {at: text for at, text in texts.items() if text}
    cells: dict[int, list[Cell]] = {at: [] for at in texts}
    count = 0
    for block in source.sheet(name).blocks(row.number):
        for at, column in cells.items():
            keys = block.column(at) if at < block.width else [None] * len(block.rows)
            column += [BLANK if key is None else block.decode(key) for key in islice(keys, SAMPLED)]
        count += len(block.rows)
        if count >= SAMPLED:
            break
    return [SheetColumn(at, texts[at], column) for at, column in cells.items()]


def _earlier(recipes: Iterable[Recipe], kind: str) -> dict[str, str | None]:
    """What the headers of other recipes of the kind mean."""
    return {
        words_of(header).text: key if isinstance(key, str) else None
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
