"""Makes the pictures of these pages: `python -m docs.pictures [FOLDER [LANGUAGE]]`.

With a folder they go there. A sample with a few mistakes is submitted to the sandbox. LibreOffice
draws the workbooks and Chromium the report. Debian and Ubuntu:
`apt install libreoffice-calc-nogui poppler-utils chromium`.
"""

import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from openpyxl import load_workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.page import PageMargins
from openpyxl.worksheet.properties import PageSetupProperties

from tests.browser import chromium, opened_browser

HERE = Path(__file__).resolve().parent
FEEDTOOL = Path(sysconfig.get_path("scripts")) / "feedtool"
SAMPLES = HERE.parent / "samples"
TEMPLATES = HERE.parent / "templates"
SOME_REJECTED = 1
"""feedtool's exit code, as it is to be."""

ROWS = (3, 4, 5, 6, 7, 8, 12, 17, 18, 20, 23, 40)
"""The rows of the sample that are kept."""
MISTAKES = {"B5": "3760452701059", "E7": None, "F12": "approx. 90", "Y20": "two"}
"""Cells of the sample, and what is put there."""
SHOWN = ("A", "B", "E", "F", "Y", "AB", "AC", "AD", "AE")
"""The columns of the copies that are shown; the last one is that of the failed rows alone."""
SCREENS = {"report": (1280, 1000), "report-phone": (390, 1000)}
"""Width and height in pixels."""
DOTS_PER_INCH = 130


def main(folder: Path = HERE, language: str = "en") -> int:
    """Makes the pictures, or says what is missing."""
    missing = [name for name in ("soffice", "pdftoppm") if not shutil.which(name)]
    missing += [] if chromium() else ["chromium"]
    if missing:
        print(
            f"pictures: {' and '.join(missing)} not found:"
            " apt install libreoffice-calc-nogui poppler-utils chromium",
            file=sys.stderr,
        )
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name:
        room = Path(name)
        submit(room, language)
        template = TEMPLATES / f"offers-upsert.{language}.xlsx"
        guide, _, offers, *_ = load_workbook(template).sheetnames
        drawings = {
            "annotated": (room / "offers.result.xlsx", "Offers", SHOWN),
            "summary": (room / "offers.result.xlsx", "feedtool summary", ()),
            "failed": (room / "offers.failed.xlsx", "Offers", SHOWN),
            "guide": (template, guide, ()),
            "template": (template, offers, ()),
        }
        for drawing, (workbook, sheet, columns) in drawings.items():
            page = one_page(workbook, sheet, columns, room / f"{drawing}.xlsx")
            (folder / f"{drawing}.png").write_bytes(drawn(page))
        photograph(room / "report.html", folder)
    print(*sorted(folder.glob("*.png")), sep="\n")
    return 0


def submit(folder: Path, language: str) -> None:
    """Submits the sample's rows and their mistakes; leaves the copies and the report there."""
    workbook = load_workbook(SAMPLES / "offers-upsert.xlsx")
    sheet = workbook["Offers"]
    for cell, value in MISTAKES.items():
        sheet[cell] = value
    for row in range(sheet.max_row, 2, -1):
        if row not in ROWS:
            sheet.delete_rows(row)
    workbook.save(folder / "offers.xlsx")
    command = [str(FEEDTOOL), "submit", "offers.xlsx", "--sandbox", "--language", language]
    command += ["--report", "report.html", "--home", "home"]
    done = subprocess.run(command, check=False, cwd=folder, stdout=subprocess.DEVNULL)
    if done.returncode != SOME_REJECTED:
        done.check_returncode()


def one_page(workbook: Path, name: str, columns: Iterable[str], path: Path) -> Path:
    """A copy that prints one sheet of the workbook, or some of its columns, on one page."""
    book = load_workbook(workbook)
    for other in book.worksheets:
        other.sheet_state = "visible" if other.title == name else "hidden"
    sheet = book[name]
    book.active = sheet
    for letter in map(get_column_letter, range(1, sheet.max_column + 1)) if columns else ():
        sheet.column_dimensions[letter].hidden = letter not in columns
    sheet.print_options.headings = sheet.print_options.gridLines = bool(columns)
    sheet.page_margins = PageMargins(0.2, 0.2, 0.2, 0.2, 0, 0)
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.fitToHeight = sheet.page_setup.fitToWidth = 1
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    book.save(path)
    return path


def drawn(workbook: Path) -> bytes:
    """The workbook as a PNG without the page's empty edges."""
    # By way of its own format: on a screen, and there, LibreOffice fits rows to their texts.
    for source, kind in ((workbook, "ods"), (workbook.with_suffix(".ods"), "pdf")):
        convert(source, kind)
    draw = ["pdftoppm", "-singlefile", "-r", str(DOTS_PER_INCH), str(workbook.with_suffix(".pdf"))]
    page = subprocess.run(draw, check=True, capture_output=True).stdout
    left, top, width, height = map(str, filled(page))
    crop = ["-png", "-x", left, "-y", top, "-W", width, "-H", height]
    return subprocess.run([*draw, *crop], check=True, capture_output=True).stdout


def convert(file: Path, kind: str) -> None:
    """Writes a file in another format beside it."""
    profile = f"-env:UserInstallation={(file.parent / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(file.parent)]
    subprocess.run([*command, str(file)], check=True, capture_output=True)


def filled(page: bytes) -> tuple[int, int, int, int]:
    """Left, top, width and height of what is not white in a picture (PPM)."""
    _, size, _, pixels = page.split(b"\n", 3)
    length = int(size.split()[0]) * 3
    rows = [pixels[start : start + length] for start in range(0, len(pixels), length)]
    inked = [number for number, row in enumerate(rows) if row.strip(b"\xff")]
    left = min(length - len(rows[number].lstrip(b"\xff")) for number in inked) // 3
    right = max(len(rows[number].rstrip(b"\xff")) for number in inked) // 3
    return left, inked[0], right - left + 1, inked[-1] - inked[0] + 1


def photograph(report: Path, folder: Path) -> None:
    """Takes the report on each screen: its beginning for these pages, else all of it."""
    with opened_browser() as browser:
        for name, (width, height) in SCREENS.items():
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(report.as_uri())
            page.screenshot(path=folder / f"{name}.png", full_page=folder != HERE)


if __name__ == "__main__":
    folder, language = [*sys.argv[1:], None, None][:2]
    sys.exit(main(Path(folder or HERE), language or "en"))
