"""A copy that is not what it should be is noticed before it takes its place."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.model.errors import FeedtoolError
from feedtool.sheets import NotAsWritten
from feedtool.sheets.annotate import Note, SheetNotes
from feedtool.sheets.annotate.cell_formats import FormatIndexes
from feedtool.sheets.annotate.workbook_copy import SheetPlan, check_package, plan_sheet
from feedtool.sheets.annotate.zip_copy import Repack
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.workbook import read_workbook

HEADINGS = ("feedtool status", "feedtool message", "feedtool code")
SHEET = "xl/worksheets/sheet1.xml"
STYLES = FormatIndexes(text=0, heading=0, prose=0, number=0, link=0, error=0, warning=0)
ROWS = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>'
Make = Callable[..., Path]
Tamper = Callable[[dict[str, bytes]], object]


def written(package: ZipPackage, target: Path) -> list[SheetPlan]:
    """The package with only its sheet annotated."""
    book = read_workbook(package)
    notes = SheetNotes("Offers", 1, HEADINGS, [Note(2, "Invalid", "a & b", "x", ((0, "error"),))])
    plan = plan_sheet(package, book, book.sheets[0], notes)
    with target.open("wb") as out, package.path.open("rb") as file:
        repack = Repack(out)
        for info in package.infos:
            if info.filename == SHEET:
                repack.write(info, plan.patched(package, STYLES))
            else:
                repack.copy(info, file)
        repack.finish(b"")
    return [plan]


def tampered(path: Path, change: Tamper) -> None:
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    change(parts)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)


def replaced(part: str, old: bytes, new: bytes) -> Tamper:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[part]
        parts[part] = parts[part].replace(old, new)

    return change


def removed(parts: dict[str, bytes]) -> None:
    del parts["xl/media/image1.png"]


DAMAGE: dict[str, Tamper] = {
    "a status": replaced(SHEET, b">Invalid<", b">Valid<"),
    "a text in the wrong row": replaced(SHEET, b'r="D2"', b'r="D1"'),
    "a text that is gone": replaced(SHEET, b"<is><t>x</t></is>", b"<is><t/></is>"),
    "a text twice": replaced(
        SHEET,
        b"</c></row><row",
        b'</c><c r="B1" s="0" t="inlineStr"><is><t>feedtool status</t></is></c></row><row',
    ),
    "a tag": replaced(SHEET, b"</formula>", b"</formulas>"),
    "a reference": replaced(SHEET, b"a &amp; b", b"a & b"),
    "another part": replaced("xl/media/image1.png", b"png", b"gnp"),
    "a part that is gone": removed,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("comment", ["", "<!-- -->"])
def test_damage_is_noticed(book_of: Make, tmp_path: Path, damage: Tamper, comment: str) -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData>{ROWS}{comment}</sheetData></worksheet>'
    target = tmp_path / "copy.xlsx"
    with ZipPackage(book_of(sheet.encode(), {"xl/media/image1.png": b"a png"})) as package:
        plans = written(package, target)
        check_package(target, package, plans, ())
        tampered(target, damage)
        with pytest.raises(FeedtoolError):
            check_package(target, package, plans, ())


def test_a_copy_compressed_otherwise_is_no_copy(book_of: Make, tmp_path: Path) -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    sheet = f'<worksheet xmlns="{main}"><sheetData>{ROWS}</sheetData></worksheet>'
    target = tmp_path / "copy.xlsx"
    with ZipPackage(book_of(sheet.encode(), {"xl/x.bin": b"x" * 1000})) as package:
        plans = written(package, target)
        with zipfile.ZipFile(target) as old:
            parts = {name: old.read(name) for name in old.namelist()}
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as new:
            for name, content in parts.items():
                new.writestr(name, content)
        with pytest.raises(NotAsWritten, match="not kept"):
            check_package(target, package, plans, ())
