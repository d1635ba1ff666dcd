"""Packages that are damaged or made to do damage, besides those of `tests/corpus` and `fuzz`."""

import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem
from feedtool.sheets import ReadingLimits, ZipPackage
from tests.sheets.conftest import Make


def code_of(action: Callable[[], object]) -> str:
    with pytest.raises(FileProblem) as caught:
        action()
    assert caught.value.message
    assert caught.value.hint
    return caught.value.code


def read_all(path: Path, limits: ReadingLimits | None = None) -> None:
    with ZipPackage(path, limits or ReadingLimits()) as package:
        for name in package.names:
            package.read(name)


@pytest.mark.parametrize(
    "name", ["xl/workbook.xml", "/xl/workbook.xml", "XL/WorkBook.xml", "xl\\workbook.xml"]
)
def test_a_part_is_found_by_any_form_of_its_name(make_package: Make, name: str) -> None:
    with ZipPackage(make_package()) as package:
        info = package.part(name)
        assert info is not None
        assert info.filename == "xl/workbook.xml"
        assert package.read(name).startswith(b"<workbook")
        assert package.part("xl/other.xml") is None
        assert code_of(lambda: package.read("xl/other.xml")) == "corrupt-zip"


def test_a_stream_comes_in_blocks(make_package: Make) -> None:
    path = make_package({"big": b"0123456789" * 1000})
    with ZipPackage(path) as package:
        blocks = list(package.stream("big", 4096))
    assert list(map(len, blocks)) == [4096, 4096, 1808]


def test_a_dot_is_no_climbing(make_package: Make) -> None:
    read_all(make_package({"xl/a..b.xml": "x", "xl/folder/": "", "xl/.x": "x"}))


def test_every_truncation(make_package: Make) -> None:
    path = make_package()
    data = path.read_bytes()
    codes = set()
    for length in range(4, len(data), 7):
        path.write_bytes(data[:length])
        codes.add(code_of(lambda: read_all(path)))
    assert codes == {"corrupt-zip"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions(make_package: Make, method: int) -> None:
    path = make_package()
    with zipfile.ZipFile(path, "a", method) as package:
        package.writestr("more", b"x" * 100)
    assert code_of(lambda: read_all(path)) == "corrupt-zip"


def test_an_encrypted_part(make_package: Make) -> None:
    path = make_package({"a": "b"})
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x01\x02")
    data[place + 8] |= 1
    path.write_bytes(data)
    assert code_of(lambda: read_all(path)) == "encrypted"


def test_a_directory_without_end_in_zip64(tmp_path: Path) -> None:
    path = tmp_path / "made.xlsx"
    record = b"PK\x06\x06" + struct.pack("<QHHLLQQQQ", 44, 45, 45, 0, 0, 9, 9, 1 << 40, 0)
    locator = b"PK\x06\x07" + struct.pack("<LQL", 0, 4, 1)
    end = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 9, 9, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    path.write_bytes(b"PK\x03\x04" + record + locator + end)
    assert code_of(lambda: read_all(path)) == "zip-bomb"
