"""A second sheet that a recipe joins: found by keys, its cells beside the rows of the first."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from feedtool.check.recipes.recipe import Join
from feedtool.check.recipes.sheet import Keys, RecipeBlock
from feedtool.check.rules import RECIPE_FAILED
from feedtool.feeds.columns import InvalidValue
from feedtool.feeds.columns.text import identified, plain
from feedtool.model.cells import Block, Cell, Kind
from feedtool.model.errors import FileProblem
from feedtool.model.header import folded
from feedtool.model.nouns import Issue
from feedtool.model.settings import AccountSettings
from feedtool.sheets import Sheet, open_source
from feedtool.sheets.read.source import HeadRow

SEARCHED = 40
"""Rows among which the header of the joined sheet is looked for."""
ZERO = Cell(Kind.NUMBER, "0")


class JoinUnusable(FileProblem):
    """The file that a recipe joins cannot be used."""

    code = "join-unusable"


@dataclass
class JoinedSheet:
    """The rows of a joined sheet by their keys."""

    name: str
    join: Join
    path: Path
    rows: Mapping[tuple[str, ...], Sequence[Cell]]
    """Each with the cells of `Join.take`, in that order."""
    asked: int = 0
    found: int = 0
    _memory: dict[Hashable, Sequence[Hashable] | None] = field(default_factory=dict)

    def column(self, number: int, indexes: Sequence[int], block: RecipeBlock) -> Keys:
        """The joined cells of a block; None in a row that keeps its own."""
        keys = list(zip(*(block.source(index) for index in indexes), strict=True))
        cells = []
        for key in keys:
            if key not in self._memory:
                self._memory[key] = self.rows.get(tuple(_text(block.decode(part)) for part in key))
            row = self._memory[key]
            cells.append(row[number] if row else self._missing)
        if number == 0:
            self.asked += len(keys)
            self.found += sum(self._memory[key] is not None for key in keys)
        return cells

    @property
    def _missing(self) -> Hashable:
        match self.join.missing:
            case "keep":
                return None
            case "zero":
                return ZERO
        message = f"the row is not in {self.path.name} ([join.{self.name}])"
        return InvalidValue(None, (Issue(RECIPE_FAILED, message, "add it there"),))

    def outcome(self) -> str:
        """The share of rows that were found, for messages. JoinUnusable where it is too small."""
        share = self.found / self.asked if self.asked else 1.0
        if share < self.join.at_least:
            raise JoinUnusable(
                f"{share:.0%} of the rows are in {self.path.name}, and [join.{self.name}] needs"
                f" {self.join.at_least:.0%}",
                "see that it is the right file, or lower at_least in the recipe",
            )
        return f"{self.path.name}: {share:.0%} of the rows found"


def read_join(name: str, join: Join, path: Path, settings: AccountSettings) -> JoinedSheet:
    """A joined sheet. JoinUnusable where its headers are missing, or a key stands there twice."""
    wanted = [*join.key.values(), *join.take.values()]
    with open_source(path, limits=settings.reading, csv_fallback=settings.csv_fallback) as source:
        for entry in source.sheets:
            sheet = source.sheet(entry.name)
            for row in sheet.head(SEARCHED):
                indexes = _indexes(row, wanted)
                if len(indexes) == len(wanted):
                    rows = _rows(sheet, row.number, indexes, len(join.key), path)
                    return JoinedSheet(name, join, path, rows)
    raise JoinUnusable(
        f"{path.name} has no row with the headers {', '.join(wanted)}",
        f"correct [join.{name}] in the recipe, or the file",
    )


def _indexes(row: HeadRow, wanted: Sequence[str]) -> list[int]:
    """The columns of these headers in a row, without those that are not there."""
    headers = [folded(cell.text) for cell in row.cells]
    return [headers.index(folded(name)) for name in wanted if folded(name) in headers]


def _rows(
    sheet: Sheet, after: int, indexes: Sequence[int], of_key: int, path: Path
) -> dict[tuple[str, ...], Sequence[Cell]]:
    rows: dict[tuple[str, ...], Sequence[Cell]] = {}
    places: dict[tuple[str, ...], int] = {}
    for block in sheet.blocks(after):
        columns = [_cells(block, index) for index in indexes]
        for number, cells in zip(block.rows, zip(*columns, strict=True), strict=True):
            key = tuple(map(_text, cells[:of_key]))
            if not any(key):
                continue
            if key in rows:
                raise JoinUnusable(
                    f"{' '.join(key)} stands twice in {path.name}: in row {places[key]} and in row"
                    f" {number}",
                    "remove one of them",
                )
            rows[key], places[key] = cells[of_key:], number
    return rows


def _cells(block: Block, index: int) -> list[Cell]:
    if index >= block.width:
        return [Cell(Kind.BLANK, "")] * len(block.rows)
    decoded: dict[Hashable, Cell] = {}
    cells = []
    for key in block.column(index):
        if key not in decoded:
            decoded[key] = block.decode(key)
        cells.append(decoded[key])
    return cells


def _text(cell: Cell) -> str:
    """A key as it is compared."""
    text = identified(cell)
    return text if isinstance(text, str) else plain(cell.text)
