"""A package is written anew around members that are copied as they are compressed."""

import io
import struct
import zipfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from feedtool.sheets.annotate.zip_copy import Repack, compressed, new_member
from feedtool.sheets.read.errors import CorruptZip

TEXT = b"all work and no play makes a dull text. " * 50


def member(name: str, method: int = ZIP_DEFLATED) -> ZipInfo:
    info = ZipInfo(name, (2024, 2, 29, 13, 37, 58))
    info.compress_type = method
    info.external_attr = 0o644 << 16
    info.create_system = 3
    info.comment = b"said of " + name.encode()
    return info


class Unseekable(io.RawIOBase):
    """Makes zipfile put the sizes behind the data, as many programs do."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # only bytes come here
        self.data += data
        return len(data)


def repacked(path: Path) -> ZipFile:
    """Every member copied."""
    out = io.BytesIO()
    repack = Repack(out)
    with ZipFile(path) as old, path.open("rb") as file:
        for info in old.infolist():
            repack.copy(info, file)
        repack.finish(old.comment)
    return ZipFile(out)


def facts(info: ZipInfo) -> tuple[object, ...]:
    """All that is known of a member but where it is."""
    return (
        info.orig_filename,
        info.date_time,
        info.compress_type,
        info.comment,
        info.extra,
        info.create_system,
        info.create_version,
        info.external_attr,
        info.internal_attr,
        info.CRC,
        info.compress_size,
        info.file_size,
    )


def assert_same(path: Path) -> None:
    with ZipFile(path) as old, repacked(path) as new:
        assert new.testzip() is None
        assert [facts(info) for info in new.infolist()] == [facts(i) for i in old.infolist()]
        assert [new.read(i) for i in new.infolist()] == [old.read(i) for i in old.infolist()]
        assert new.comment == old.comment


def test_members_keep_their_bytes_times_and_attributes(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as package:
        package.writestr(member("deflated.xml"), TEXT, compresslevel=9)
        package.writestr(member("stored.bin", ZIP_STORED), TEXT)
        package.writestr(member("empty"), b"")
        package.writestr(member("folder/"), b"")
        package.writestr(member("é/東京.xml"), TEXT)
        package.comment = b"a comment"
    assert_same(path)


def test_sizes_behind_the_data_come_in_front_of_it(tmp_path: Path) -> None:
    out = Unseekable()
    with ZipFile(out, "w") as package:
        package.writestr(member("a.xml"), TEXT)
        package.writestr(member("b.xml"), TEXT)
    path = tmp_path / "a.zip"
    path.write_bytes(out.data)
    assert_same(path)
    with repacked(path) as new:
        assert {info.flag_bits & 0x08 for info in new.infolist()} == {0}


def test_fields_of_64_bits_go_and_other_extra_fields_stay(tmp_path: Path) -> None:
    growth = struct.pack("<HH", 0xA220, 4) + b"hint"
    info = member("a.xml")
    info.extra = growth
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as package, package.open(info, "w", force_zip64=True) as file:
        file.write(TEXT)
    with ZipFile(path) as old, repacked(path) as new:
        assert b"\1\0\x10\0" in path.read_bytes()[:80]
        assert new.read("a.xml") == old.read("a.xml")
        assert new.fp is not None
        new.fp.seek(0)
        assert growth in new.fp.read(30 + 5 + len(growth))


def test_names_of_old_programs(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as package:
        package.writestr(member("aX.xml"), TEXT)
    path.write_bytes(path.read_bytes().replace(b"aX.xml", b"a\x82.xml"))
    assert_same(path)
    assert b"a\x82.xml" in path.read_bytes()


def test_new_content_under_an_old_name() -> None:
    out = io.BytesIO()
    repack = Repack(out)
    repack.write(member("a.xml"), (TEXT, TEXT))
    repack.write(new_member("new/é.xml", member("a.xml")), iter([b""]), is_sheet=True)
    repack.finish(b"")
    with ZipFile(out) as package:
        assert package.testzip() is None
        assert package.namelist() == ["a.xml", "new/é.xml"]
        assert package.read("a.xml") == TEXT * 2
        assert {info.date_time for info in package.infolist()} == {(2024, 2, 29, 13, 37, 58)}


def test_a_member_that_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with ZipFile(path, "w") as package:
        package.writestr(member("a.xml"), TEXT)
    with ZipFile(path) as package:
        info = package.getinfo("a.xml")
    with pytest.raises(CorruptZip, match="cut off"):
        list(compressed(info, io.BytesIO(path.read_bytes()[:50])))
    info.header_offset = 3
    with path.open("rb") as file, pytest.raises(CorruptZip, match="not where"):
        list(compressed(info, file))


def test_members_are_written_as_by_zipfile() -> None:
    ours, theirs = io.BytesIO(), io.BytesIO()
    repack = Repack(ours)
    repack.write(member("a.xml"), (TEXT,))
    repack.finish(b"")
    with ZipFile(theirs, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(member("a.xml"), TEXT)
    assert ours.getvalue() == theirs.getvalue()
