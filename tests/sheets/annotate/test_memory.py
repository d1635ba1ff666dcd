"""A big sheet takes no more memory than a small one, nor do styles that nobody uses."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.corpus.made import MAIN

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATED = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="rId1" Type="{RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{RELATIONS}/styles" Target="styles.xml"/></Relationships>'
)
ROWS = 300_000
MOST = 80
"""MiB of the whole process, Python and its libraries included."""
PROGRAM = """
import sys
from pathlib import Path
from feedtool.sheets import open_source
from feedtool.sheets.annotate import Note, SheetNotes, annotate

with open_source(Path(sys.argv[1])) as book:
    book.sheet("Offers").head(1)

def notes():
    for row in range(2, int(sys.argv[3]) + 1):
        guilty = ((row % 7, "error"),) if row % 2 else ()
        yield Note(row, "Invalid", f"row {row} has something wrong", "code", guilty)

annotate(Path(sys.argv[1]), Path(sys.argv[2]), [SheetNotes("Offers", 1, ("s", "m", "c"), notes())])
# Not by getrusage, whose peak begins with that of the process that forked.
lines = Path("/proc/self/status").read_text().splitlines()
print(next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")))
"""


@pytest.mark.long
def test_a_big_sheet_is_annotated_in_little_memory(
    book_of: Callable[..., Path], tmp_path: Path
) -> None:
    source = tmp_path / "big.xlsx"
    small = book_of(b"")
    with zipfile.ZipFile(small) as old, zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist()[:-1]:
            new.writestr(name, old.read(name))
        with new.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as sheet:
            sheet.write(f'<worksheet xmlns="{MAIN}"><sheetData>'.encode())
            for row in range(1, ROWS + 1):
                cells = "".join(f'<c r="{name}{row}"><v>{row}.5</v></c>' for name in "ABCDEFGHIJ")
                sheet.write(f'<row r="{row}">{cells}</row>'.encode())
            sheet.write(b"</sheetData></worksheet>")
    assert memory_of(source, tmp_path / "copy.xlsx", ROWS) < MOST


def memory_of(source: Path, copy: Path, rows: int) -> int:
    """MiB that annotating so many rows takes."""
    command = [sys.executable, "-c", PROGRAM, str(source), str(copy), str(rows)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 — ours
    return int(run.stdout)


def test_styles_that_no_cell_has_take_little_memory(
    book_of: Callable[..., Path], tmp_path: Path
) -> None:
    xf = '<xf numFmtId="0" fontId="{0}" fillId="0" borderId="{0}" applyFont="1">{1}</xf>'
    align = '<alignment horizontal="center" vertical="top" wrapText="1"/>'
    formats = "".join(xf.format(number, align) for number in range(60_000))
    row = '<row r="{0}"><c r="A{0}" s="1"><v>{0}</v></c></row>'
    source = book_of(
        f'<worksheet xmlns="{MAIN}"><sheetData>{row.format(1)}{row.format(2)}</sheetData>'
        "</worksheet>".encode(),
        {
            "xl/_rels/workbook.xml.rels": RELATED,
            "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs>{formats}</cellXfs>'
            "</styleSheet>",
        },
    )
    assert memory_of(source, tmp_path / "copy.xlsx", 2) < MOST
