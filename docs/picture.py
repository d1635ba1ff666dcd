"""Makes the pictures of an annotated workbook: `python docs/picture.py`.

A sample with a few mistakes is submitted to the sandbox, and the annotated sheet (in README) and
the summary sheet are drawn by LibreOffice. Debian and Ubuntu:
`apt install libreoffice-calc-nogui poppler-utils`.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory

from openpyxl import load_workbook
from openpyxl.styles import Alignment, Border, Side
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties

HERE = Path(__file__).resolve().parent
FEEDTOOL = Path(sysconfig.get_path("scripts")) / "feedtool"
SAMPLE = HERE.parent / "samples" / "offers-upsert.xlsx"
PICTURE, SUMMARY_PICTURE = HERE / "annotated.png", HERE / "summary.png"
NEEDED = ("soffice", "pdftoppm")
SOME_REJECTED = 1
"""feedtool's exit code, as it is to be."""

SHEET, SUMMARY = "Offers", "feedtool summary"
ROWS = (3, 4, 5, 6, 7, 8, 12, 17, 18, 20, 23, 40)
"""The rows of the sample that are kept."""
MISTAKES = {"B5": "3760452701059", "E7": None, "F12": "approx. 90", "Y20": "two"}
"""Cells of the sample, and what is put there."""
WIDTHS = {"A": 26, "B": 16, "E": 14, "F": 13, "Y": 9, "AB": 18, "AC": 64, "AD": 17}
"""The columns that are shown. In characters."""
OURS = 3
"""Columns that feedtool adds."""
LENGTH, LINE = 80, 13
"""Of a line of text: characters and points."""
GRID = Side(style="thin", color="D9D9D9")
DOTS_PER_INCH = 130


def main() -> int:
    """Makes the pictures, or says what is missing."""
    missing = [name for name in NEEDED if not shutil.which(name)]
    if missing:
        print(
            f"picture: {' and '.join(missing)} not found:"
            " apt install libreoffice-calc-nogui poppler-utils",
            file=sys.stderr,
        )
        return 1
    with TemporaryDirectory() as name:
        folder = Path(name)
        workbook = annotated(folder)
        summary = folder / "summary.xlsx"
        shutil.copy(workbook, summary)
        arrange(workbook)
        PICTURE.write_bytes(drawn(workbook, folder))
        show_only(summary, SUMMARY)
        SUMMARY_PICTURE.write_bytes(drawn(summary, folder))
    print(PICTURE, SUMMARY_PICTURE, sep="\n")
    return 0


def annotated(folder: Path) -> Path:
    """The annotated copy of the sample's rows and their mistakes."""
    offers, result = folder / "offers.xlsx", folder / "result.xlsx"
    workbook = load_workbook(SAMPLE)
    sheet = workbook[SHEET]
    for cell, value in MISTAKES.items():
        sheet[cell] = value
    for row in range(sheet.max_row, 2, -1):
        if row not in ROWS:
            sheet.delete_rows(row)
    workbook.save(offers)
    submit = [str(FEEDTOOL), "submit", offers.name, "--sandbox"]
    where = ["--out", str(result), "--home", str(folder / "home")]
    done = subprocess.run([*submit, *where], check=False, cwd=folder, stdout=subprocess.DEVNULL)
    if done.returncode != SOME_REJECTED:
        done.check_returncode()
    return result


def show_only(path: Path, name: str) -> None:
    """Hides all sheets but one."""
    workbook = load_workbook(path)
    for other in workbook.worksheets:
        other.sheet_state = "visible" if other.title == name else "hidden"
    workbook.active = workbook[name]
    workbook.save(path)


def arrange(path: Path) -> None:
    """Sets the workbook up so that the sheet's interesting columns are one printed page."""
    show_only(path, SHEET)
    workbook = load_workbook(path)
    sheet = workbook[SHEET]
    for letter in map(get_column_letter, range(1, sheet.max_column + 1)):
        sheet.column_dimensions[letter].hidden = letter not in WIDTHS
        sheet.column_dimensions[letter].width = WIDTHS.get(letter, 1)
    for number, row in enumerate(sheet.iter_rows(min_row=2), 2):
        for cell in row:
            cell.border = Border(GRID, GRID, GRID, GRID)
            cell.alignment = Alignment(vertical="center")
        for cell in row[-OURS:]:
            cell.alignment = Alignment("left", "center", indent=1, wrap_text=True)
        longest = max(len(str(cell.value)) for cell in row)
        sheet.row_dimensions[number].height = LINE * (1 + longest // LENGTH) + 5
    sheet.print_options.headings = True
    sheet.page_margins = PageMargins(0.2, 0.2, 0.2, 0.2, 0, 0)
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = sheet.page_setup.fitToWidth = 1
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    workbook.save(path)


def drawn(workbook: Path, folder: Path) -> bytes:
    """The workbook as a PNG without the page's empty edges."""
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    convert = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder)]
    subprocess.run([*convert, str(workbook)], check=True, capture_output=True)
    draw = ["pdftoppm", "-singlefile", "-r", str(DOTS_PER_INCH), str(workbook.with_suffix(".pdf"))]
    page = subprocess.run(draw, check=True, capture_output=True).stdout
    left, top, width, height = map(str, filled(page))
    crop = ["-png", "-x", left, "-y", top, "-W", width, "-H", height]
    return subprocess.run([*draw, *crop], check=True, capture_output=True).stdout


def filled(page: bytes) -> tuple[int, int, int, int]:
    """Left, top, width and height of what is not white in a picture (PPM)."""
    _, size, _, pixels = page.split(b"\n", 3)
    length = int(size.split()[0]) * 3
    rows = [pixels[start : start + length] for start in range(0, len(pixels), length)]
    inked = [number for number, row in enumerate(rows) if row.strip(b"\xff")]
    left = min(length - len(rows[number].lstrip(b"\xff")) for number in inked) // 3
    right = max(len(rows[number].rstrip(b"\xff")) for number in inked) // 3
    return left, inked[0], right - left + 1, inked[-1] - inked[0] + 1


if __name__ == "__main__":
    sys.exit(main())
