"""Read the sheets of a workbook, and their rows in blocks."""

from collections.abc import Callable, Generator, Hashable, Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Self

from feedtool.model.cells import Block, letters
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.read.cell_decoder import Decoder, SharedStrings, read_styles
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage
from feedtool.sheets.read.sheet_rows import (
    DATA,
    RowMatcher,
    Scan,
    SheetParser,
    SheetRow,
    last_row_of,
    pattern_width,
)
from feedtool.sheets.read.source import CellRange, Sheet, rows_after
from feedtool.sheets.read.workbook import SheetEntry, WorkbookParts, read_workbook
from feedtool.sheets.read.xml_parser import chunks, normalize_xml


class XlsxSource:
    """An open workbook; a context manager.

    Opening raises the errors of `ZipPackage` and `read_workbook`.
    """

    format = "xlsx"

    def __init__(self, path: Path, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self.package = ZipPackage(path, limits)
        try:
            self.parts: WorkbookParts = read_workbook(self.package)
        except BaseException:
            self.package.close()
            raise
        self.sheets = self.parts.worksheets
        self.properties = self.parts.properties

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.package.close()

    def sheet(self, name: str) -> "XlsxSheet":
        return XlsxSheet(self.package, self.parts.worksheet(name), self.decode)

    @cached_property
    def decode(self) -> Decoder:
        styles = read_styles(self.package, self.parts.styles)
        return Decoder(cache(self._strings), styles, date1904=self.parts.date1904)

    def _strings(self) -> SharedStrings:
        part = self.parts.shared_strings
        if part is None:
            return SharedStrings()
        return SharedStrings.read(self.package.stream(part), part, self.package.limits)


class XlsxSheet(Sheet):
    """A worksheet. It may be read several times; each reading inflates it anew."""

    def __init__(
        self,
        package: ZipPackage,
        entry: SheetEntry,
        decode: Decoder,
        first: int = 0,
        width: int = 0,
    ) -> None:
        """Read the columns from `first` on; earlier ones may be returned blank.

        `width` is the known number of columns; 0 lets the parser find it.
        """
        super().__init__()
        self._first = first
        self._width = width
        self.entry = entry
        self.name = entry.name
        self._package = package
        self._decode = decode

    @property
    def size(self) -> int:
        info = self._package.part(self.entry.part)
        return info.file_size if info else 0

    def reopen(self) -> None:
        """Open the package again, so that other processes do not move its place in the file."""
        self._package.reopen()

    def _read(self) -> Generator[Block, None, None]:
        return (block for block in self._pieces(lambda _: True) if block)

    def _pieces(self, is_mine: Callable[[int], bool]) -> Generator[Block | None, None, None]:
        """Yield the block of each chunk, read by a pattern if that is proven to be safe."""
        reader = SheetParser(self.entry.part, self._package.limits)
        matcher = RowMatcher(reader.declared, self._first)
        width = self._width
        is_checked = False
        for number, chunk in enumerate(chunks(self._package.stream(self.entry.part))):
            scan = None
            if reader.is_right_inside(DATA, chunk.prefix):
                if not is_mine(number) and (last := last_row_of(chunk)) > reader.last_row:
                    reader.last_row = last
                    yield None
                    continue
                text = normalize_xml(chunk.data, chunk.prefix or "")
                scan = text and matcher.read(text, width, reader.last_row)
            if scan:
                reader.last_row = scan.rows[-1]
                block = self._block_of_scan(scan)
            else:
                rows = reader.rows(chunk.data)
                width = max(width, pattern_width(rows))
                block = self._block_of_rows(rows)
            is_checked = is_checked or (
                block is not None and self._check_dimension(block, reader.dimension)
            )
            yield block
        reader.finish()
        self._merged = reader.merged

    def _block_of_scan(self, scan: Scan) -> Block | None:
        columns = scan.columns
        while columns and not any(columns[-1]):
            columns.pop()
        if not columns:
            return None
        hidden = frozenset(
            row
            for index, row in enumerate(scan.rows)
            if row in scan.hidden and any(column[index] for column in columns)
        )
        return Block(scan.rows, None, hidden, len(columns), columns.__getitem__, self._decode)

    def _block_of_rows(self, rows: list[SheetRow]) -> Block | None:
        if not rows:
            return None
        occupied = frozenset[int]().union(*(row.cells for row in rows))
        last = max(occupied)
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

    def _check_dimension(self, block: Block, announced: CellRange | None) -> bool:
        """Warn if the sheet has more than it states; True if no other block has to be checked."""
        if announced is None:
            return True
        if block.width - 1 <= announced.last_column and (
            block.rows[-1] <= announced.last_row or not rows_after(block, announced.last_row).rows
        ):
            return False
        end = f"{letters(announced.last_column)}{announced.last_row}"
        text = tr(
            "Sheet {name} says that it ends at {end}, and has more; all of it is read.",
            name=self.name,
            end=end,
        )
        self._notice("dimension-wrong", text)
        return True
