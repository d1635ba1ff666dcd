"""A workbook and its annotated copy compared: what must be the same, byte by byte or by meaning.

A sheet's XML is looked at by lxml, its cells by openpyxl too, which share nothing with our writer.
"""

import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

from lxml import etree

from feedtool.check import HEADINGS
from feedtool.model.cells import index_of, letters
from feedtool.model.errors import FileProblem
from feedtool.sheets import ZipPackage
from feedtool.sheets.annotate import Note, SheetNotes, Summary, annotate
from feedtool.sheets.annotate.sheet_plan import MARK
from feedtool.sheets.annotate.workbook_parts import relations_of
from feedtool.sheets.read.workbook import WorkbookParts, read_workbook
from tests.corpus.reading import (
    Place,
    Theirs,
    both_read,
    differing,
    explanation,
    ours,
    pairs,
    theirs,
)
from tests.fuzz.trial import judge

SUMMARY = "feedtool summary"
BACK = f"'{SUMMARY}'!A1"
STYLE_LISTS = ("fonts", "fills", "borders", "cellXfs", "dxfs")

Books = Mapping[str, Mapping[Place, Theirs]]
Element = etree._Element  # noqa: SLF001  # it has no other name


class Plan(NamedTuple):
    """The sheet and rows to annotate in a workbook."""

    sheet: str
    header_row: int
    rows: tuple[int, ...]


def plan_of(path: Path) -> Plan | None:
    """The first sheet with rows: each after the header row gets a note.

    The header row is that of feedtool's headings, if the file is a copy, or the first.
    """
    for name, cells in ours(path).items():
        if cells and name != SUMMARY:
            rows = sorted({row for row, _ in cells})[:3000]
            headings = (row for (row, _), cell in cells.items() if cell.text.strip() in HEADINGS)
            header = next(headings, rows[0])
            return Plan(name, header, tuple(row for row in rows if row > header))
    return None


def annotated(source: Path, target: Path, plan: Plan) -> None:
    """Write the copy: a note for each row, of all kinds."""
    notes = (
        Note(
            row,
            ("Valid", "Invalid")[row % 2],
            ("", "=1+1", "a & <b>", "É\n“É”")[row % 4],
            ("", "gtin-format")[row % 2],
            ((0, "error"),) if row % 2 else ((1, "warning"),),
            outcome=("good", "bad")[row % 2],
            comments=((0, "wrong & <b>\nÉ"),) if row % 2 else (),
        )
        for row in plan.rows
    )
    summary = Summary(SUMMARY, [("Rows", len(plan.rows)), ("Text", "=1+1")])
    annotate(source, target, [SheetNotes(plan.sheet, plan.header_row, HEADINGS, notes)], summary)


def assert_only_ours_differs(source: Path, copy: Path, plan: Plan) -> None:
    """The copy differs from its source in nothing but the parts of the design's section 4."""
    with ZipPackage(source) as package:
        book = read_workbook(package)
        sheet = book.worksheet(plan.sheet).part
        related = package.part(relations_of(book.workbook))
        assert related
        small = [book.content_types, book.workbook, related.filename]
        folder, _, name = sheet.rpartition("/")
        relations = f"{folder}/_rels/{name}.rels"
        small += [relations] if package.part(relations) else []
        summary = [entry.part for entry in book.sheets if entry.name == SUMMARY]
    may_change = {sheet, *small, book.styles, *summary}
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(copy) as new:
        names = [info.filename for info in old.infolist()]
        copied = [info.filename for info in new.infolist()]
        if any("comments" in name and b"feedtool: " in old.read(name) for name in names):
            own = {relations, *(name for name in names if NOTES.search(name))}
            may_change |= own
            small = [name for name in small if name not in {relations, book.content_types}]
            names = [name for name in names if name in copied or name not in own]
        assert copied[: len(names)] == names
        assert new.comment == old.comment
        added = copied[len(names) :]
        assert not [name for name in added if not OURS.search(name)]
        for name in names:
            if name not in may_change:
                assert old.read(name) == new.read(name), name
        columns = our_columns(copy, plan) | our_columns(source, plan)
        before, after = (
            _without_ours(package.read(sheet), columns, _ours_around(package, book, relations))
            for package in (old, new)
        )
        assert before == after
        if book.styles:
            _assert_styles_kept(_parsed(old, book.styles), _parsed(new, book.styles))
        for name in small:
            _assert_children_kept(_parsed(old, name), _parsed(new, name))


def our_columns(path: Path, plan: Plan) -> frozenset[int]:
    """The columns of feedtool's headings; empty in a file that was never annotated."""
    return frozenset(
        column
        for (row, column), cell in ours(path)[plan.sheet].items()
        if row == plan.header_row and cell.text.strip() in HEADINGS
    )


OURS = re.compile(r"sheet|styles|/_rels/|/comments\d+\.xml|/vmlDrawing\d+\.vml")
"""Names of the parts that we add."""


NOTES = re.compile(r"/comments?\d+\.xml|/(vml|comments)Drawing\d+\.vml")
"""Parts with notes, as feedtool or openpyxl names them; another annotation replaces ours."""


def _ours_around(package: zipfile.ZipFile, book: WorkbookParts, relations: str) -> set[str]:
    """The elements around a sheet's rows that are ours."""
    ours = {"dimension"}
    if b"_feedtool_filter" in package.read(book.workbook):
        ours.add("autoFilter")
    if relations in package.namelist() and b"comments" in package.read(relations):
        texts = [package.read(name) for name in package.namelist() if "comments" in name]
        if any(b"feedtool: " in text for text in texts):
            ours.add("legacyDrawing")
    return ours


def _without_ours(part: bytes, ours: frozenset[int], around: set[str]) -> list[object]:
    """All that a sheet holds, but our columns, our colours, and what says how large it is."""
    root = etree.fromstring(part, etree.XMLParser(huge_tree=True))
    found: list[object] = []
    for child in root:
        name = _name(child)
        if name == "sheetData":
            found += _rows(child, ours)
        elif name == "cols":
            found += _columns(child, ours)
        elif name == "conditionalFormatting":
            found += [_written(rule) for rule in child if "feedtool" not in _text(rule)]
        elif name == "hyperlinks":
            found += [_written(link) for link in child if link.get("location") != BACK]
        elif name not in around:
            found.append(_written(child))
    return found


def _name(element: Element) -> str:
    """The name without its namespace; empty for a comment."""
    tag = str(element.tag)
    return "" if tag.startswith("<") else tag.rpartition("}")[2]


def _rows(data: Element, ours: frozenset[int]) -> Iterator[object]:
    """Each row's attributes without a height of feedtool's, and its cells by column."""
    number = 0
    for row in data.iterchildren("{*}row"):
        number = int(row.get("r", number + 1))
        kept = sorted((key, value) for key, value in row.items() if key != "spans")
        yield number, [(key, value) for key, value in kept if (key, value[-3:]) != ("ht", ".01")]
        column = -1
        for cell in row:
            if _name(cell) == "c":
                name = (cell.get("r") or letters(column + 1)).rstrip("0123456789")
                column = index_of(name)
                if column not in ours:
                    yield number, column, _written(cell)
            else:
                yield number, _written(cell)


def _columns(group: Element, ours: frozenset[int]) -> Iterator[object]:
    """The attributes of each column, without feedtool's columns."""
    for col in group:
        first, last = int(col.get("min", "1")) - 1, int(col.get("max", "1")) - 1
        kept = sorted((key, value) for key, value in col.items() if key not in {"min", "max"})
        for column in range(first, last + 1):
            if column not in ours:
                yield column, kept


def _written(element: Element) -> object:
    """An element as it means, comments and all."""
    return (
        str(element.tag),
        sorted((str(key), str(value)) for key, value in element.items()),
        element.text,
        [(_written(child), child.tail) for child in element],
    )


def _text(element: Element) -> str:
    return "".join(str(text) for text in element.itertext())


def _assert_styles_kept(before: Element, after: Element) -> None:
    """Ours are appended to the lists of formats; nothing else changes.

    A list that ours refer to has one entry where it had none.
    """
    kept = {etree.QName(child).localname: child for child in before}
    for child in after:
        name = etree.QName(child).localname
        theirs = list(kept[name]) if name in kept else []
        assert [_written(one) for one in list(child)[: len(theirs)]] == list(map(_written, theirs))
        assert name in STYLE_LISTS or not theirs or len(child) == len(theirs)


def _assert_children_kept(before: Element, after: Element) -> None:
    """Assert that a small part keeps its elements; an earlier filter of feedtool's may go."""
    ours = {name.text for name in before.iter("{*}definedName") if name.get("name") == MARK}
    gone = [element for element in before.iter("{*}definedName") if element.text in ours]
    gone += [names for names in before.iter("{*}definedNames") if all(it in gone for it in names)]
    kept = [element for element in before.iter("*") if element not in gone]
    rest = iter([_own(element) for element in after.iter("*")])
    assert all(_own(element) in rest for element in kept)


def _own(element: Element) -> tuple[str, list[tuple[str, str]], str]:
    attributes = sorted((str(key), str(value)) for key, value in element.items())
    return str(element.tag), attributes, (element.text or "").strip()


def _parsed(package: zipfile.ZipFile, name: str) -> Element:
    return etree.fromstring(package.read(name))


Cell = TypeVar("Cell")

NO_ROOM = "rows, no copy: NoRoom"
"""The sheet's last columns are used."""


def annotate_and_compare(source: Path, folder: Path) -> bool:
    """True if there was something to annotate in a file, and it was done well, twice."""
    plan = plan_of(source)
    if plan is None:
        return False
    folder.mkdir(exist_ok=True)
    copy, again = folder / f"copy{source.suffix}", folder / f"again{source.suffix}"
    for target in (copy, again):
        target.unlink(missing_ok=True)
    annotated(source, copy, plan)
    earlier, columns = our_columns(source, plan), our_columns(copy, plan)
    before, after = ours(source), ours(copy)
    columns |= earlier
    assert without(after, plan.sheet, columns) == without(before, plan.sheet, columns)
    annotated(copy, again, plan)
    assert again.read_bytes() == copy.read_bytes()
    if source.read_bytes().startswith(b"PK"):
        _compare_workbooks(source, copy, plan, columns)
        return True
    written = [cell.text for place, cell in after[""].items() if place[1] in columns]
    assert not any(text.startswith(("=", "+", "-", "@", "\t", "\r")) for text in written)
    if not earlier:
        rest = iter(copy.read_bytes())
        assert all(byte in rest for byte in source.read_bytes())
    return True


def _compare_workbooks(source: Path, copy: Path, plan: Plan, columns: frozenset[int]) -> None:
    assert_only_ours_differs(source, copy, plan)
    if not both_read(source):
        return
    assert both_read(copy)
    before, after = (_looks_kept(theirs(path), source) for path in (source, copy))
    assert without(_common(after, before), plan.sheet, columns) == without(
        _common(before, after), plan.sheet, columns
    )
    assert [pair for pair in differing(copy) if explanation(pair) is None] == []
    written = [
        pair
        for pair in pairs(copy)
        if pair.sheet == SUMMARY or (pair.sheet == plan.sheet and pair.place[1] in columns)
    ]
    assert written
    assert not any(pair.theirs.formula for pair in written)


def _common(cells: Books, others: Books) -> Books:
    """The cells without the blank ones that only this book has: to openpyxl a note makes a cell."""
    return {
        sheet: {
            at: cell
            for at, cell in found.items()
            if cell.value is not None or at in others.get(sheet, {})
        }
        for sheet, found in cells.items()
    }


def _looks_kept(cells: Books, source: Path) -> Books:
    """The cells, without their looks if the source has no font: programs then choose their own."""
    with zipfile.ZipFile(source) as package:
        if any(b"<fonts" in package.read(name) for name in package.namelist()):
            return cells
    return {
        sheet: {place: cell._replace(look="") for place, cell in found.items()}
        for sheet, found in cells.items()
    }


def without(
    cells: Mapping[str, Mapping[Place, Cell]], sheet: str, columns: frozenset[int]
) -> dict[str, dict[Place, Cell]]:
    """The cells of a workbook but those of our columns and of the summary."""
    return {
        name: {
            place: cell for place, cell in found.items() if name != sheet or place[1] not in columns
        }
        for name, found in cells.items()
        if name != SUMMARY
    }


def assert_copied(file: Path, folder: Path, sheet: str | None = None) -> str:
    """Annotates a file twice: with a note on every row of any sheet, and with what checking says.

    Returns:
        `rows`, NO_ROOM, or the code of the error that checking the file ends in.
    """
    folder.mkdir()
    outcome = judge(file, folder, sheet)
    if outcome == NO_ROOM:
        return outcome
    with suppress(FileProblem):
        annotate_and_compare(file, folder)
    return outcome
