"""Files that may be replaced; and no file is left behind after a fault."""

import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED

import pytest

from feedtool.check import HEADINGS
from feedtool.model.errors import Exit, FeedtoolError, UsageProblem
from feedtool.sheets import NotAsWritten
from feedtool.sheets.annotate import Note, SheetNotes, Summary, annotate
from feedtool.sheets.annotate.cell_formats import COLOURS, LOOKS, FormatIndexes
from feedtool.sheets.annotate.sheet_plan import SheetPlan, plan_sheet
from feedtool.sheets.annotate.workbook_copy import check_package
from feedtool.sheets.annotate.workbook_parts import BookParts
from feedtool.sheets.annotate.zip_copy import Repack
from feedtool.sheets.read.errors import CorruptZip
from feedtool.sheets.read.package import ZipPackage
from feedtool.sheets.read.workbook import read_workbook
from tests.corpus.books import SHEET
from tests.corpus.made import data
from tests.corpus.made import package as package_of
from tests.sheets.conftest import Make

ROWS = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2"><c r="A2"><v>1</v></c></row>'
SUMMARY = Summary("feedtool summary", [["done"]])


@pytest.fixture(params=["workbook", "csv"])
def source(request: pytest.FixtureRequest, make_sheet: Make, tmp_path: Path) -> Path:
    if request.param == "workbook":
        return make_sheet(ROWS)
    path = tmp_path / "offers.csv"
    path.write_bytes(b"sku,gtin\r\nA,1\r\n")
    return path


def run(source: Path, target: Path, *, status: str = "Valid", overwrite: bool = False) -> None:
    notes = SheetNotes("Offers", 1, HEADINGS, [Note(2, status, "", "")])
    annotate(source, target, [notes], SUMMARY, overwrite=overwrite)


def test_an_earlier_result_is_replaced(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "result"
    run(source, target)
    first = target.read_bytes()
    run(source, target, status="Invalid")
    assert target.read_bytes() != first
    run(source, target)
    assert target.read_bytes() == first


def test_a_result_without_a_summary_is_recognised_by_its_headings(
    make_sheet: Make, tmp_path: Path
) -> None:
    target = tmp_path / "result.xlsx"
    sheets = [SheetNotes("Offers", 1, HEADINGS, [])]
    annotate(make_sheet(ROWS), target, sheets)
    annotate(make_sheet(ROWS), target, sheets)
    with pytest.raises(UsageProblem):
        annotate(make_sheet(ROWS), target, [SheetNotes("Offers", 2, HEADINGS, [])])


@pytest.mark.parametrize("content", [b"", b"my notes", b"PK\3\4 no zip", b"sku,gtin\nA,1\n"])
def test_anything_else_is_left_alone(source: Path, tmp_path: Path, content: bytes) -> None:
    target = tmp_path / "result"
    target.write_bytes(content)
    with pytest.raises(UsageProblem, match="not a result of feedtool") as caught:
        run(source, target)
    assert (caught.value.exit, target.read_bytes()) == (Exit.USAGE, content)
    run(source, target, overwrite=True)
    assert target.read_bytes() != content


def test_the_input_is_replaced_only_on_request(source: Path) -> None:
    before = source.read_bytes()
    with pytest.raises(UsageProblem, match="the input itself"):
        run(source, source)
    assert source.read_bytes() == before
    run(source, source, overwrite=True)
    assert source.read_bytes() != before
    once = source.read_bytes()
    run(source, source, overwrite=True)
    assert source.read_bytes() == once


def test_a_replaced_file_keeps_its_permissions_and_links_to_it(
    source: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(source)
    source.chmod(0o640)
    before = source.read_bytes()
    run(link, link, overwrite=True)
    assert link.is_symlink()
    assert source.read_bytes() != before
    assert stat.S_IMODE(source.stat().st_mode) == 0o640


def test_a_failure_in_the_middle_leaves_no_file(source: Path, tmp_path: Path) -> None:
    def notes() -> Iterator[Note]:
        yield Note(2, "Valid", "", "")
        raise KeyError("a bug in the caller")

    target = tmp_path / "result"
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyError):
        annotate(source, target, [SheetNotes("Offers", 1, HEADINGS, notes())])
    assert sorted(tmp_path.iterdir()) == before


def test_a_damaged_workbook_leaves_no_copy(make_sheet: Make, tmp_path: Path) -> None:
    source = make_sheet(ROWS)
    data = bytearray(source.read_bytes())
    place = data.index(b"xl/worksheets/sheet1.xml") + 40
    data[place : place + 4] = b"\0\0\0\0"
    source.write_bytes(data)
    with pytest.raises(CorruptZip):
        run(source, tmp_path / "result")
    assert list(tmp_path.iterdir()) == [source]


def test_a_full_disk(source: Path, tmp_path: Path) -> None:
    """Stood in for by a limit on the size of files, which the system refuses in the same way."""
    resource = pytest.importorskip("resource", reason="only where the system has such limits")
    if source.suffix == ".csv":
        source.write_bytes(source.read_bytes() + b"A,1\r\n" * 9000)
    before = source.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
    try:
        with pytest.raises(UsageProblem, match="disk is full") as caught:
            run(source, tmp_path / "result")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == [source]
    assert source.read_bytes() == before


def test_a_folder_that_is_not_there(source: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="there is no folder"):
        run(source, tmp_path / "nowhere" / "result")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o500)
    with pytest.raises(UsageProblem, match="Permission denied"):
        run(source, folder / "result")


def test_a_folder_is_no_place_for_a_file(source: Path, tmp_path: Path) -> None:
    with pytest.raises(FeedtoolError):
        run(source, tmp_path, overwrite=True)
    assert list(tmp_path.iterdir()) == [source]


def test_a_sheet_can_be_annotated_only_once_in_one_go(source: Path, tmp_path: Path) -> None:
    notes = SheetNotes("Offers", 1, HEADINGS, [])
    for sheets in ([], [notes, notes]):
        with pytest.raises(ValueError, match="each of them once"):
            annotate(source, tmp_path / "result", sheets)


STYLES = FormatIndexes(dict.fromkeys(LOOKS, 0), dict.fromkeys(COLOURS, 0))
Tamper = Callable[[dict[str, bytes]], object]


def written(package: ZipPackage, target: Path) -> tuple[list[SheetPlan], BookParts]:
    """The package with only its sheet annotated."""
    book = read_workbook(package)
    parts = BookParts(package, book)
    notes = SheetNotes("Offers", 1, HEADINGS, [Note(2, "Invalid", "a & b", "x", ((0, "error"),))])
    plan = plan_sheet(package, book, book.sheets[0], notes)
    with target.open("wb") as out, package.path.open("rb") as file:
        repack = Repack(out)
        for info in package.infos:
            if info.filename == SHEET:
                repack.write(info, plan.patched(package, parts, STYLES, None))
            else:
                repack.copy(info, file)
        repack.finish(b"")
    return [plan], parts


def tampered(path: Path, change: Tamper, method: int) -> None:
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    change(parts)
    path.write_bytes(package_of(parts, method))


def replaced(part: str, old: bytes, new: bytes) -> Tamper:
    def change(parts: dict[str, bytes]) -> None:
        assert old in parts[part]
        parts[part] = parts[part].replace(old, new)

    return change


DAMAGE: dict[str, Tamper] = {
    "a status": replaced(SHEET, b">Invalid<", b">Valid<"),
    "a text in the wrong row": replaced(SHEET, b'r="D2"', b'r="D1"'),
    "a text in the wrong column": replaced(SHEET, b'r="D2"', b'r="E2"'),
    "a text that is gone": replaced(SHEET, b"<is><t>x</t></is>", b"<is><t/></is>"),
    "a text twice": replaced(
        SHEET,
        b"</c></row><row",
        b'</c><c r="B1" s="0" t="inlineStr"><is><t>feedtool status</t></is></c></row><row',
    ),
    "a tag": replaced(SHEET, b"</formula>", b"</formulas>"),
    "a reference": replaced(SHEET, b"a &amp; b", b"a & b"),
    "another part": replaced("xl/media/image1.png", b"png", b"gnp"),
    "a part that is gone": lambda parts: parts.pop("xl/media/image1.png"),
    "other compression": lambda _: None,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("comment", ["", "<!-- -->"])
def test_damage_is_noticed(book_of: Make, tmp_path: Path, damage: Tamper, comment: str) -> None:
    sheet = data(ROWS + comment)
    target = tmp_path / "copy.xlsx"
    with ZipPackage(book_of(sheet.encode(), {"xl/media/image1.png": b"a png"})) as package:
        plans, parts = written(package, target)
        check_package(target, package, plans, parts)
        tampered(
            target, damage, ZIP_STORED if damage is DAMAGE["other compression"] else ZIP_DEFLATED
        )
        with pytest.raises(NotAsWritten, match="not kept"):
            check_package(target, package, plans, parts)
