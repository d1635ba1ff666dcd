"""Folders, ZIPs and single files as rows."""

from pathlib import Path

import pytest

from feedtool.areas.invoices.folders import may_take, order_of, rows, takes
from feedtool.model.settings import AccountSettings
from tests.areas.invoices.made_invoices import pdf, ubl, zipped

FILES = {
    "all/O-1.pdf": pdf(),
    "all/.DS_Store": b"",
    "all/Thumbs.db": b"",
    "all/inner/O-3.XML": ubl(),
    "all/march.zip": zipped({"O-4.pdf": pdf(), "__MACOSX/O-4.pdf": b"", "a/O-2.pdf": pdf()}),
    "mixed/O-1.pdf": pdf(),
    "mixed/notes.txt": b"",
    "empty.zip": zipped({}),
    "damaged.zip": b"PK\x03\x04",
    "other.zip": zipped({"O-1.pdf": pdf(), "notes.txt": b""}),
    "O-1.pdf": b"",
    "O-1.xml": ubl(),
    "Offers.xml": b"<OfferPackage/>",
    "sheet.xlsx": b"",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "nothing").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("all", (True, True)), ("all/march.zip", (True, True)), ("O-1.pdf", (True, True))),
        *(("O-1.xml", (True, True)), ("mixed", (False, True)), ("nothing", (False, True))),
        *(
            ("empty.zip", (False, True)),
            ("damaged.zip", (False, True)),
            ("other.zip", (False, True)),
        ),
        *(("Offers.xml", (False, True)), ("sheet.xlsx", (False, False))),
    ],
)
def test_files_and_folders_of_invoices(
    folder: Path, name: str, expected: tuple[bool, bool]
) -> None:
    assert (takes(folder / name), may_take(folder / name)) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (
            ["all"],
            [
                *(("O-1", "all/O-1.pdf"), ("O-3", "all/inner/O-3.XML")),
                *(("O-4", "all/march.zip/O-4.pdf"), ("O-2", "all/march.zip/a/O-2.pdf")),
            ],
        ),
        (["O-1.pdf", "mixed/O-1.pdf"], [("O-1", "O-1.pdf"), ("O-1", "mixed/O-1.pdf")]),
        (["damaged.zip", "empty.zip"], [("damaged", "damaged.zip"), ("empty", "empty.zip")]),
        (["nothing"], []),
    ],
)
def test_each_file_is_a_row(
    folder: Path, names: list[str], expected: list[tuple[str, str]]
) -> None:
    listed = rows([folder / name for name in names], folder, AccountSettings())
    assert [(row["orderId"], row["file"]) for row in listed] == expected


@pytest.mark.parametrize(
    ("name", "pattern", "order"),
    [
        *(("O-1.pdf", "", "O-1"), ("a/b/O-1.pdf", "", "O-1"), ("O-1", "", "O-1")),
        *(("O.1.pdf", "", "O.1"), (".pdf", "", ".pdf"), ("O-1 (1).pdf", "", "O-1 (1)")),
        *(("2026_O-1.pdf", r".*_([^_]+)[.]pdf", "O-1"), ("O-1.pdf", r".*_([^_]+)[.]pdf", "")),
        ("2026_O-1.pdf", r".*_(?P<orderId>[^_]+)\.pdf", "O-1"),
    ],
)
def test_the_name_of_a_file_is_its_order(name: str, pattern: str, order: str) -> None:
    assert order_of(name, pattern) == order
