"""A gzip file, or a zip, with one table: it is read as the table inside, or told what is wrong."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook

from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
from feedtool.sheets import is_other_format, open_source
from feedtool.sheets.fill import write_as_workbook

CSV = "Réf;Qté\nA-1;0012\n\nA-2;7\n".encode()
ROWS = [["Réf", "Qté"], ["A-1", "0012"], ["A-2", "7"]]


def book() -> bytes:
    """A workbook of these rows."""
    made = Workbook()
    for row in (ROWS[0], ROWS[1], [], ROWS[2]):
        made.worksheets[0].append(row)
    content = io.BytesIO()
    made.save(content)
    return content.getvalue()


def zipped(members: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def tarred() -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        entry = tarfile.TarInfo("a.csv")
        entry.size = len(CSV)
        archive.addfile(entry, io.BytesIO(CSV))
    return content.getvalue()


READ = {
    "gzip of a CSV": gzip.compress(CSV),
    "gzip in two members": gzip.compress(CSV[:9]) + gzip.compress(CSV[9:]),
    "gzip of a workbook": gzip.compress(book()),
    "zip of a CSV": zipped({"export/list.csv": CSV}),
    "zip of a workbook": zipped({"list.xlsx": book()}),
    "zip of one file without an ending": zipped({"LIST": CSV}),
    "zip with what systems add": zipped(
        {"a/": b"", "a/list.CSV": CSV, "__MACOSX/a/._list.CSV": b"x", "a/.DS_Store": b"y"}
    ),
    "zip with something else": zipped({"read me.txt": b"hello", "list.tsv": CSV, "a.pdf": b"%PDF"}),
}


@pytest.mark.parametrize("name", READ)
def test_the_table_inside_is_read(tmp_path: Path, name: str) -> None:
    path, target = tmp_path / "list", tmp_path / "list.xlsx"
    path.write_bytes(READ[name])
    assert is_other_format(path)
    with open_source(path) as source:
        (entry,) = source.sheets
        sheet = source.sheet(entry.name)
        for _ in range(2):
            rows = [[cell.text for cell in row.cells] for row in sheet.head(9)]
            assert (rows, sheet.name) == (ROWS, entry.name)
    write_as_workbook(path, target)
    written = load_workbook(target)[entry.name]
    assert [row for row in written.iter_rows(values_only=True) if any(row)] == [*map(tuple, ROWS)]
    assert written["B4"].value == "7"  # in the row that it has in the file


REFUSED = {
    "zip of two tables": (
        zipped({"a.csv": CSV, "b.csv": CSV}),
        "not-a-workbook",
        "The zip archive holds several tables: a.csv, b.csv.",
    ),
    "zip of no table": (
        zipped({"a.pdf": b"%PDF", "b.txt": b"b"}),
        "not-a-workbook",
        "The file is a zip archive, not a workbook.",
    ),
    "zip of a picture": (
        zipped({"a.png": b"\x89PNG"}),
        "not-a-workbook",
        "The file is a picture (PNG), not a workbook.",
    ),
    "zip in a zip": (
        zipped({"a.zip": zipped({"a.csv": CSV})}),
        "not-a-workbook",
        "The file is a zip archive, not a workbook.",
    ),
    "gzip in a gzip": (
        gzip.compress(gzip.compress(CSV)),
        "not-a-workbook",
        "The file is a gzip archive, not a workbook.",
    ),
    "gzip of a tar": (tarred(), "not-a-workbook", "The file is a tar archive, not a workbook."),
    "gzip that is cut off": (
        gzip.compress(CSV)[:-9],
        "corrupt-zip",
        "The gzip file is damaged or incomplete.",
    ),
    "gzip that is damaged": (
        gzip.compress(CSV)[:-8] + bytes(8),
        "corrupt-zip",
        "The gzip file is damaged or incomplete.",
    ),
    "gzip of nothing": (gzip.compress(b""), "empty-file", "The file is empty."),
    "a bomb": (
        gzip.compress(bytes(1 << 20)),
        "zip-bomb",
        "The gzip file unpacks to more than 0 MiB.",
    ),
    "a path out of the zip": (
        zipped({"../a.csv": CSV}),
        "zip-bad-name",
        "The package holds a part named '../a.csv'.",
    ),
}


@pytest.mark.parametrize(("content", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_an_archive_without_a_table_is_refused(
    tmp_path: Path, content: bytes, code: str, message: str
) -> None:
    path = tmp_path / "list"
    path.write_bytes(content)
    with pytest.raises(FileProblem) as caught:
        open_source(path, limits=ReadingLimits(part=1 << 16))
    assert (caught.value.code, caught.value.message) == (code, message)
