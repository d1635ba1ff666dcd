"""A workbook, open: its sheets, and their rows in blocks."""

from collections.abc import Generator, Hashable, Iterable, Iterator
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Self

from feedtool.model.cells import Block, letters
from feedtool.model.errors import UsageProblem
from feedtool.model.limits import Limits
from feedtool.sheets.blocks import first_rows, rows_after
from feedtool.sheets.cut import Grammar, Piece, pieces
from feedtool.sheets.decode import Decoder
from feedtool.sheets.events import Row, SheetEvents
from feedtool.sheets.package import DEFAULT_LIMITS, Package
from feedtool.sheets.plain import Writings, as_utf8
from feedtool.sheets.scanner import CellScan, Scan, Scanner, pattern_width
from feedtool.sheets.source import HeadRow, Merge, Notice, by_code
from feedtool.sheets.strings import SharedStrings
from feedtool.sheets.styles import read_styles
from feedtool.sheets.workbook import SheetEntry, WorkbookParts, read_workbook

_GRAMMAR = Grammar(b"sheetData", b"row")


class XlsxSource:
    """An open workbook; a context manager.

    Raises on opening what `Package` and `read_workbook` raise.
    """

    format = "xlsx"

    def __init__(self, path: Path, limits: Limits = DEFAULT_LIMITS) -> None:
        self.package = Package(path, limits)
        try:
            self.parts: WorkbookParts = read_workbook(self.package)
        except BaseException:
            self.package.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.package.close()

    @property
    def sheets(self) -> tuple[SheetEntry, ...]:
        """The worksheets in the order of the tabs, hidden ones included."""
        return tuple(entry for entry in self.parts.sheets if entry.is_worksheet)

    @property
    def properties(self) -> dict[str, str]:
        """The custom document properties."""
        return self.parts.properties

    def sheet(self, name: str) -> "XlsxSheet":
        """The worksheet of this name. Raises UsageProblem if there is none."""
        entry = next((entry for entry in self.sheets if entry.name == name), None)
        if entry is None:
            raise UsageProblem(
                f"The workbook has no sheet “{name}”.",
                "It has " + ", ".join(repr(entry.name) for entry in self.sheets) + ".",
            )
        return XlsxSheet(self.package, entry, self.decode)

    @cached_property
    def decode(self) -> Decoder:
        """The decoder of this workbook's cells."""
        styles = read_styles(self.package, self.parts.styles)
        return Decoder(lambda: self._strings, styles, date1904=self.parts.date1904)

    @cached_property
    def _strings(self) -> SharedStrings:
        part = self.parts.shared_strings
        if part is None:
            return SharedStrings()
        return SharedStrings.read(self.package.stream(part), part, self.package.limits)


class XlsxSheet:
    """One worksheet. It may be read several times; each reading inflates it anew."""

    def __init__(self, package: Package, entry: SheetEntry, decode: Decoder) -> None:
        self.entry = entry
        self.name = entry.name
        self.last_column = -1
        """The 0-based last column with a value or a formula seen so far; -1: none."""
        self.warnings: list[Notice] = []
        self._package = package
        self._decode = decode
        self._merges: list[Merge] | None = None

    @property
    def merges(self) -> list[Merge]:
        """The merged areas. They stand behind the rows, so the sheet is gone through for them."""
        if self._merges is None:
            events = SheetEvents(self.entry.part, self._package.limits)
            for piece in self._pieces():
                if piece.prefix is None or not events.expects_rows(piece.prefix):
                    events.feed(piece.data)
            events.finish()
            self._merges = events.merges
        return self._merges

    @property
    def notices(self) -> dict[str, list[str]]:
        """The texts of the warnings by code."""
        return by_code(self.warnings)

    def head(self, count: int) -> list[HeadRow]:
        """The first rows that are not blank, at most `count`."""
        with closing(self._read()) as blocks:
            return first_rows(blocks, count)

    def blocks(self, after_row: int = 0) -> Iterator[Block]:
        """The rows after a row, in blocks; blocks without any value are left out.

        Raises as it goes: CorruptXml, CorruptZip, XmlDoctype, GridOutOfRange, ZipBomb.
        """
        for block in self._read():
            rest = rows_after(block, after_row)
            if rest.rows:
                yield rest

    def _read(self) -> Generator[Block, None, None]:
        """All blocks that have a value: by pattern where that is proven to be safe."""
        events = SheetEvents(self.entry.part, self._package.limits)
        scanner = Scanner(events.prefixes)
        width = 0
        warned = False

        def take(text: str) -> Scan | CellScan | None:
            after = events.last_row
            return scanner.read(text, width, after) or scanner.read_cells(text, after)

        writings: Writings[Scan | CellScan] = Writings(take)
        for piece in self._pieces():
            scan = None
            if piece.prefix is not None and events.expects_rows(piece.prefix):
                scan = writings.offer(piece.data, piece.prefix)
            if scan is not None:
                events.last_row = scan.last_row
            if isinstance(scan, Scan):
                block = self._of_scan(scan)
            else:
                found = scan.rows if scan else events.feed(piece.data)
                width = max(width, pattern_width(found))
                block = self._of_rows(found)
            if block is None:
                continue
            warned = warned or self._warn(block, events)
            yield block
        events.finish()
        self._merges = events.merges

    def _pieces(self) -> Iterator[Piece]:
        part = self.entry.part
        return pieces(as_utf8(self._package.stream(part), part), _GRAMMAR)

    def _of_scan(self, scan: Scan) -> Block | None:
        columns = scan.columns
        while columns and not any(columns[-1]):
            columns.pop()
        if not columns:
            return None
        self.last_column = max(self.last_column, len(columns) - 1)
        hidden = frozenset(
            row
            for index, row in enumerate(scan.rows)
            if row in scan.hidden and any(column[index] for column in columns)
        )
        return Block(scan.rows, None, hidden, len(columns), columns.__getitem__, self._decode)

    def _of_rows(self, rows: list[Row]) -> Block | None:
        if not rows:
            return None
        occupied = frozenset[int]().union(*(row.cells for row in rows))
        last = max(occupied)
        self.last_column = max(self.last_column, last)
        nothing = [""] * len(rows)

        def column(index: int) -> Iterable[Hashable]:
            return [row.cells.get(index, "") for row in rows] if index in occupied else nothing

        return Block(
            [row.number for row in rows],
            None,
            frozenset(row.number for row in rows if row.hidden),
            last + 1,
            column,
            self._decode,
            occupied,
        )

    def _warn(self, block: Block, events: SheetEvents) -> bool:
        """Tell once that the sheet announces less than it has: others would read only that."""
        announced = events.dimension
        if announced is None:
            return True
        if block.width - 1 <= announced.last_column and (
            block.rows[-1] <= announced.last_row or not rows_after(block, announced.last_row).rows
        ):
            return False
        self.warnings.append(
            Notice(
                "dimension-wrong",
                f"Sheet {self.name} says that it ends at {letters(announced.last_column)}"
                f"{announced.last_row}, and has more; all of it is read.",
            )
        )
        return True
