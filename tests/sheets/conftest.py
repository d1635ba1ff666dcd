"""Workbooks made of raw XML, so that a test shows every byte that matters."""

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import pytest

from feedtool.model.cells import BLANK, Block, Cell
from feedtool.sheets import open_source

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"

PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Override PartName="/xl/workbook.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="rId1" '
    f'Type="{RELS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{RELS}"><sheets>'
    '<sheet name="Offers" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE_RELS}">'
    f'<Relationship Id="rId1" Type="{RELS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{RELS}/sharedStrings" Target="sharedStrings.xml"/>'
    f'<Relationship Id="rId3" Type="{RELS}/styles" Target="styles.xml"/></Relationships>',
}

Content = str | bytes | None


class MakePackage(Protocol):
    def __call__(self, parts: dict[str, Content] | None = None, name: str = ...) -> Path: ...


class MakeSheet(Protocol):
    def __call__(
        self,
        rows: str = "",
        *,
        sheet: str | bytes | None = None,
        strings: str | None = None,
        styles: str | None = None,
        after: str = "",
        before: str = "",
    ) -> Path: ...


Rows = dict[int, dict[int, Cell]]
"""What a sheet holds: by row number and 0-based column, blank cells left out."""


@pytest.fixture
def make_package(tmp_path: Path) -> MakePackage:
    """A package of a workbook's usual parts, some replaced, added, or (None) left out."""

    def make(parts: dict[str, Content] | None = None, name: str = "made.xlsx") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
            for part, content in {**PARTS, **(parts or {})}.items():
                if content is not None:
                    package.writestr(part, content)
        return path

    return make


@pytest.fixture
def make_sheet(make_package: MakePackage) -> MakeSheet:
    """A workbook of one sheet, given its rows as XML, or the whole sheet."""

    def make(
        rows: str = "",
        *,
        sheet: str | bytes | None = None,
        strings: str | None = None,
        styles: str | None = None,
        after: str = "",
        before: str = "",
    ) -> Path:
        if sheet is None:
            data = f"<sheetData>{rows}</sheetData>"
            sheet = f'<worksheet xmlns="{MAIN}">{before}{data}{after}</worksheet>'
        table = strings and f'<sst xmlns="{MAIN}">{strings}</sst>'
        sheet_styles = styles and f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'
        return make_package(
            {
                "xl/worksheets/sheet1.xml": sheet,
                "xl/sharedStrings.xml": table,
                "xl/styles.xml": sheet_styles,
            }
        )

    return make


def rows_of(blocks: Iterable[Block]) -> Rows:
    rows: Rows = {}
    for block in blocks:
        assert not rows or block.rows[0] > max(rows)
        for index in range(block.width):
            keys = list(block.column(index))
            cells = {key: block.decode(key) for key in set(keys)}
            for row, key in zip(block.rows, keys, strict=True):
                if cells[key] != BLANK:
                    rows.setdefault(row, {})[index] = cells[key]
    return rows


@pytest.fixture
def read() -> Callable[[Path], Rows]:
    """All cells of a file's first sheet."""

    def read_file(path: Path) -> Rows:
        with open_source(path) as source:
            return rows_of(source.sheet(source.sheets[0].name).blocks())

    return read_file


@pytest.fixture
def collect() -> Callable[[Iterable[Block]], Rows]:
    """All cells of some blocks."""
    return rows_of
