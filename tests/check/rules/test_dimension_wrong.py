import re
import zipfile

import pytest

from tests.conftest import Files, checked, offer, told

CODE = "dimension-wrong"

PASSES = {"as large as the sheet": "A1:I4", "none": None}
FAILS = {"one cell": "A1", "too few rows": "A1:I2", "too few columns": "A1:C4"}


def announce(files: Files, reference: str | None) -> None:
    """A workbook of three offers whose sheet says that it is as large as this."""
    path = files.book({"Offers": [offer(1), offer(2), offer(3)]})
    note = b"" if reference is None else f'<dimension ref="{reference}"/>'.encode()
    with zipfile.ZipFile(path) as package:
        parts = {info.filename: package.read(info) for info in package.infolist()}
    with zipfile.ZipFile(path, "w") as package:
        for name, data in parts.items():
            changed = data
            if name.endswith("sheet1.xml"):
                changed = re.sub(rb"<dimension[^>]*/>", note, data)
            package.writestr(name, changed)


@pytest.mark.parametrize("reference", PASSES.values(), ids=PASSES)
def test_passes(files: Files, reference: str | None) -> None:
    announce(files, reference)
    (sheet,) = checked(files.folder / "offers.xlsx")
    assert told(sheet, CODE) == []


@pytest.mark.parametrize("reference", FAILS.values(), ids=FAILS)
def test_fails_and_every_cell_is_read(files: Files, reference: str) -> None:
    announce(files, reference)
    (sheet,) = checked(files.folder / "offers.xlsx")
    (problem,) = told(sheet, CODE)
    assert (problem.row, problem.severity) == (None, "warning")
    assert sheet.counts().valid == 3
