"""A big sheet takes no more memory than a small one."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ROWS = 300_000
MOST = 80
"""MiB of the whole process, Python and its libraries included."""
PROGRAM = """
import resource, sys
from pathlib import Path
from feedtool.sheets.annotate import Note, SheetNotes, annotate

def notes():
    for row in range(2, int(sys.argv[3]) + 1):
        guilty = ((row % 7, "error"),) if row % 2 else ()
        yield Note(row, "Invalid", f"row {row} has something wrong", "code", guilty)

annotate(Path(sys.argv[1]), Path(sys.argv[2]), [SheetNotes("Offers", 1, ("s", "m", "c"), notes())])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
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
    command = [sys.executable, "-c", PROGRAM, str(source), str(tmp_path / "copy.xlsx"), str(ROWS)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 — ours
    assert int(run.stdout) < MOST
