"""Read the only table of a gzip file or a zip, unpacked into a temporary folder."""

import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path, PurePosixPath
from typing import Self

from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.spool import temporary_folder
from feedtool.model.system_files import is_of_people
from feedtool.model.text import joined, tr
from feedtool.sheets.read.errors import COPY_AGAIN, CorruptZip, NotAWorkbook, ZipBomb
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.source import Sheet, Source
from feedtool.sheets.read.workbook import SheetEntry

GZIP = b"\x1f\x8b"
SHEET = "Sheet1"
"""The name of a CSV's table in the workbook of results."""
TABLES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".fods")
"""The endings of tables, for a zip that also has other files."""
_PIECE = 1 << 18


class PackedSource:
    """The unpacked table, open; a context manager."""

    def __init__(self, source: Source, opened: ExitStack) -> None:
        self._source, self._opened = source, opened
        self._is_csv = source.format == "csv"
        self.format = "packed" if self._is_csv else source.format
        self.properties: Mapping[str, str] = source.properties
        self.sheets: Sequence[SheetEntry] = source.sheets
        if self._is_csv:
            self.sheets = (SheetEntry(SHEET, ""),)

    def sheet(self, name: str) -> Sheet:
        sheet = self._source.sheet(name)
        sheet.name = name
        return sheet

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()


def open_packed(
    path: Path, limits: ReadingLimits, open_file: Callable[[Path], Source]
) -> PackedSource:
    """Open the only table of an archive.

    Raises CorruptZip, ZipBomb and NotAWorkbook, and the errors of opening the table.
    """
    with ExitStack() as stack:
        place = stack.enter_context(temporary_folder()) / "table"
        with path.open("rb") as file:
            is_gzip = file.read(len(GZIP)) == GZIP
        with place.open("wb") as target:
            target.writelines(inflated(path, limits) if is_gzip else only_table(path, limits))
        source = stack.enter_context(open_file(place))
        return PackedSource(source, stack.pop_all())


def inflated(path: Path, limits: ReadingLimits) -> Iterator[bytes]:
    """Yield the content of a gzip file in pieces."""
    size = 0
    try:
        with gzip.open(path) as file:
            while piece := file.read(_PIECE):
                size += len(piece)
                if size > limits.part:
                    most = f"{limits.part / MIB:,.0f} MiB"
                    reason = tr("The gzip file unpacks to more than {size}.", size=most)
                    raise ZipBomb(reason, tr("Have its sender make it anew, or unpack it."))
                yield piece
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise CorruptZip(tr("The gzip file is damaged or incomplete."), COPY_AGAIN) from error


def only_table(path: Path, limits: ReadingLimits) -> Iterable[bytes]:
    """Yield the content of a zip's only table in pieces."""
    with ZipPackage(path, limits) as package:
        paths = [PurePosixPath(name.replace("\\", "/")) for name in package.names]
        files = [path for path in paths if is_of_people(path)]
        tables = [
            str(path) for path in files if len(files) == 1 or path.suffix.casefold() in TABLES
        ]
        hint = tr("Unpack it and give the file inside.")
        if len(tables) > 1:
            shown = joined(tables[:10])
            raise NotAWorkbook(
                tr("The zip archive holds several tables: {names}.", names=shown),
                tr("Unpack it and give the one that is meant."),
            )
        if not tables:
            raise NotAWorkbook(tr("The file is a zip archive, not a workbook."), hint)
        yield from package.stream(tables[0], _PIECE)
