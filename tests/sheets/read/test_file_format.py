"""A file is what it contains, not what it is called."""

import gzip
from pathlib import Path

import pytest

from feedtool.model.errors import FileProblem
from feedtool.sheets import open_source

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
XML = b'<?xml version="1.0"?>\n'


def directory(*names: str) -> bytes:
    """Entries of a compound file's directory: 64 bytes of name, then the rest."""
    return b"".join(name.encode("utf-16-le").ljust(64, b"\0") + bytes(64) for name in names)


def lock(user: str, codec: str = "cp1252") -> bytes:
    """What Excel writes into `~$offers.xlsx` while offers.xlsx is open."""
    name = user.encode(codec)
    wide = bytes((len(user), 0)) + user.ljust(54).encode("utf-16-le")
    return (bytes((len(name),)) + name).ljust(55) + wide


FILES = {
    "nothing": (b"", "empty-file"),
    "blanks": (b" \r\n\n\t", "empty-file"),
    "only a byte order mark": (b"\xef\xbb\xbf", "empty-file"),
    "only Ctrl-Z": (b"\x1a", "empty-file"),
    "old workbook": (COMPOUND + directory("Root Entry", "Workbook"), "legacy-xls"),
    "older workbook": (COMPOUND + directory("Root Entry", "Book"), "legacy-xls"),
    "old workbook, in capitals": (COMPOUND + directory("Root Entry", "WORKBOOK"), "legacy-xls"),
    "older workbook, in capitals": (COMPOUND + directory("Root Entry", "BOOK"), "legacy-xls"),
    "oldest workbook": (b"\x09\x08\x10\x00\x00\x06\x05\x00", "legacy-xls"),
    "old Word": (COMPOUND + directory("Root Entry", "WordDocument"), "not-a-workbook"),
    "encrypted": (
        COMPOUND + directory("Root Entry", "EncryptionInfo", "EncryptedPackage"),
        "encrypted",
    ),
    "web page": (b"<html><body><table><tr><td>gtin", "html-as-xls"),
    "web page with a doctype": (b"\xef\xbb\xbf\n<!DOCTYPE HTML PUBLIC>\n<HTML>", "html-as-xls"),
    "web page in UTF-16": ("<html>".encode("utf-16"), "html-as-xls"),
    "bare table": (b"  <table border=1>", "html-as-xls"),
    "comment, then web page": (b"<!-- x --> <html>", "html-as-xls"),
    "XHTML": (XML + b'<html xmlns="http://www.w3.org/1999/xhtml">', "html-as-xls"),
    "mail archive": (b"MIME-Version: 1.0\r\nContent-Type: multipart/related", "html-as-xls"),
    "Excel 2003": (XML + b'<?mso-application progid="Excel.Sheet"?>', "xml2003-as-xls"),
    "Excel 2003, bare": (
        b'<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"></Workbook>',
        "xml2003-as-xls",
    ),
    "flat OpenDocument": (
        XML + b'<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0">',
        "ods-unsupported",
    ),
    "other XML": (XML + b"<offers/>", "not-a-workbook"),
    "Excel's lock file": (lock("Ana Ruiz"), "not-a-workbook"),
    "another's lock file": (lock("李四", "gbk"), "not-a-workbook"),
    "PDF": (b"%PDF-1.7", "not-a-workbook"),
    "picture": (b"\x89PNG\r\n\x1a\n", "not-a-workbook"),
    "gzip": (gzip.compress(b"a,b"), "not-a-workbook"),
    "empty zip": (b"PK\x05\x06" + bytes(18), "not-a-workbook"),
    "beginning of a zip": (b"PK\x03\x04" + bytes(100), "corrupt-zip"),
    "zeros": (bytes(100), "csv-nul"),
}


@pytest.mark.parametrize("name", ["a.xlsx", "a.csv", "a"])
@pytest.mark.parametrize("case", FILES)
def test_refused(tmp_path: Path, case: str, name: str) -> None:
    content, code = FILES[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileProblem) as caught, open_source(path):
        pass
    assert caught.value.code == code
    assert caught.value.message
    assert caught.value.hint


def test_a_lock_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "~$offers.xlsx"
    path.write_bytes(lock("Ana Ruiz"))
    with pytest.raises(FileProblem, match="Excel's lock file") as caught:
        open_source(path)
    assert "~$" in caught.value.hint


@pytest.mark.parametrize(
    "content", [b"a,b\n1,2\n", b"<a>,b\n1,2\n", b"GTIN;b\n1;2\n", "é\tb\n1\t2".encode("utf-16")]
)
def test_a_text_called_a_workbook_is_a_text(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "offers.xlsx"
    path.write_bytes(content)
    with open_source(path) as source:
        assert source.format == "csv"
        assert [entry.name for entry in source.sheets] == [""]
        assert dict(source.properties) == {}
        assert [cell.text for cell in source.sheet("").head(1)[0].cells][1] == "b"


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_source(tmp_path / "none.xlsx")
