"""A big sheet takes no more memory than a small one, nor do styles that nobody uses."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.corpus.made import MAIN, data, relationships
from tests.sheets.conftest import Make

RELATED = relationships(
    ("rId1", "worksheet", "worksheets/sheet1.xml"), ("rId2", "styles", "styles.xml")
)
ROWS = 300_000
MOST = 80
"""MiB of the whole process, Python and its libraries included."""
MOST_FOR_STYLES = 47
"""MiB likewise for a sheet of two rows; without a style it takes 25, with 15,000 of them 33."""
PROGRAM = """
import sys
from pathlib import Path
from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, annotate
from tests.corpus.measured import peak_mib

with open_source(Path(sys.argv[1])) as book:
    book.sheet("Offers").head(1)

def notes():
    for row in range(2, int(sys.argv[3]) + 1):
        guilty = ((row % 7, "error"),) if row % 2 else ()
        yield Note(row, "Invalid", f"row {row} has something wrong", "code", guilty)

annotate(Path(sys.argv[1]), Path(sys.argv[2]), [SheetNotes("Offers", 1, ("s", "m", "c"), notes())])
print(peak_mib())
"""


@pytest.mark.long
def test_a_big_sheet_is_annotated_in_little_memory(book_of: Make, tmp_path: Path) -> None:
    def rows() -> Iterator[str]:
        for row in range(1, ROWS + 1):
            cells = "".join(f'<c r="{name}{row}"><v>{row}.5</v></c>' for name in "ABCDEFGHIJ")
            yield f'<row r="{row}">{cells}</row>'

    source = book_of(data("".join(rows())).encode())
    assert memory_of(source, tmp_path / "copy.xlsx", ROWS) < MOST


def memory_of(source: Path, copy: Path, rows: int) -> float:
    """MiB that annotating so many rows takes."""
    command = [sys.executable, "-c", PROGRAM, str(source), str(copy), str(rows)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 — ours
    return float(run.stdout)


def test_styles_that_no_cell_has_take_little_memory(book_of: Make, tmp_path: Path) -> None:
    xf = '<xf numFmtId="0" fontId="{0}" fillId="0" borderId="{0}" applyFont="1">{1}</xf>'
    align = '<alignment horizontal="center" vertical="top" wrapText="1"/>'
    formats = "".join(xf.format(number, align) for number in range(15_000))
    row = '<row r="{0}"><c r="A{0}" s="1"><v>{0}</v></c></row>'
    source = book_of(
        data(row.format(1) + row.format(2)).encode(),
        {
            "xl/_rels/workbook.xml.rels": RELATED,
            "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs>{formats}</cellXfs>'
            "</styleSheet>",
        },
    )
    assert memory_of(source, tmp_path / "copy.xlsx", 2) < MOST_FOR_STYLES
