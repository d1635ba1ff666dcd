"""Workbooks made of raw XML, so that a test shows every byte that matters."""

import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import strategies as st

from feedtool.check import HEADINGS
from feedtool.model.cells import BLANK, Block, Cell
from feedtool.sheets import open_source
from feedtool.sheets.annotate import Finish, Note, SheetNotes, Summary, annotate
from tests.corpus.books import SHEET
from tests.corpus.made import MAIN, data, package, parts, relationships

Content = str | bytes | None
Make = Callable[..., Path]
Part = Callable[..., bytes]
Rows = dict[int, dict[int, Cell]]
"""Cells of a sheet by row number and 0-based column, without blank ones."""
Read = Callable[[Path], Rows]
Values = Callable[[Path], dict[tuple[int, int], str]]


@pytest.fixture
def make_package(tmp_path: Path) -> Make:
    """A package of a workbook's usual parts, some replaced, added, or (None) left out."""

    def make(others: dict[str, Content] | None = None, name: str = "made.xlsx") -> Path:
        path = tmp_path / name
        path.write_bytes(package({**parts({"Offers": ""}), SHEET: None, **(others or {})}))
        return path

    return make


@pytest.fixture
def make_sheet(make_package: Make) -> Make:
    """A workbook of one sheet, given its rows as XML, or the whole sheet."""

    def make(
        rows: str = "",
        *,
        sheet: Content = None,
        strings: str = "",
        styles: str = "",
        **around: str,
    ) -> Path:
        return make_package(
            {
                SHEET: data(rows, **around) if sheet is None else sheet,
                "xl/sharedStrings.xml": f'<sst xmlns="{MAIN}">{strings}</sst>' if strings else None,
                "xl/styles.xml": f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>'
                if styles
                else None,
            }
        )

    return make


@pytest.fixture(scope="session")
def book_of(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """A workbook of one sheet given as bytes, with other parts if wanted; for many examples."""
    path = tmp_path_factory.mktemp("book") / "book.xlsx"
    alone = relationships(("rId1", "worksheet", "worksheets/sheet1.xml"))

    def make(sheet: bytes, more: dict[str, Content] | None = None) -> Path:
        around = {**parts({"Offers": sheet}), "xl/_rels/workbook.xml.rels": alone}
        path.write_bytes(package({**around, **(more or {})}))
        return path

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


def damages(texts: Sequence[str], most: int = 2000) -> st.SearchStrategy[Callable[[str], str]]:
    """Functions that replace a few letters here and there by one of these texts."""

    def damaged(text: str, damage: list[tuple[int, int, str]]) -> str:
        for at, length, inserted in damage:
            place = at % (len(text) or 1)
            text = text[:place] + inserted + text[place + length :]
        return text

    place = st.tuples(st.integers(0, most), st.integers(0, 6), st.sampled_from(texts))
    return st.lists(place, max_size=3).map(lambda damage: lambda text: damaged(text, damage))


@pytest.fixture(scope="session")
def read() -> Read:
    """All cells of a file's first sheet."""

    def read_file(path: Path) -> Rows:
        with open_source(path) as source:
            return rows_of(source.sheet(source.sheets[0].name).blocks())

    return read_file


@pytest.fixture(scope="session")
def values(read: Read) -> Values:
    """The text of all cells of a file's first sheet by row and 0-based column."""

    def read_texts(path: Path) -> dict[tuple[int, int], str]:
        return {
            (row, column): cell.text
            for row, cells in read(path).items()
            for column, cell in cells.items()
            if cell.text
        }

    return read_texts


@pytest.fixture
def annotated(tmp_path: Path) -> Make:
    """Annotate a file; the copy's path."""

    def make(
        source: Path,
        notes: Iterable[Note] = (),
        *,
        sheet: str = "Offers",
        header_row: int = 1,
        last_header_row: int = 0,
        summary: Summary | None = None,
        name: str = "",
        finish: Finish = "full",
    ) -> Path:
        target = tmp_path / (name or f"{source.stem}.result{source.suffix}")
        of_sheet = SheetNotes(sheet, header_row, HEADINGS, notes, last_header_row=last_header_row)
        annotate(source, target, [of_sheet], summary, finish=finish)
        return target

    return make


@pytest.fixture
def part() -> Part:
    """The bytes of a package's part."""

    def read_part(path: Path, name: str = SHEET) -> bytes:
        with zipfile.ZipFile(path) as package:
            return package.read(name)

    return read_part
