"""Invoices' files: what they are by their content, and what is wrong with them."""

import zipfile
from pathlib import Path

import pytest

from feedtool.areas.invoices import contents
from feedtool.areas.invoices.contents import LARGEST, PDF, XML, content_of, document_of
from feedtool.model.limits import ReadingLimits
from feedtool.model.nouns import Issue
from tests.areas.invoices.made_invoices import pdf, ubl, zipped

LIMITS = ReadingLimits()
PASSES = [
    (pdf(), PDF),
    (pdf("/EncryptMetadata true, and the word /Encrypt in a text"), PDF),
    (ubl(), XML),
    (ubl("CreditNote"), XML),
    (ubl(version=""), XML),
    (ubl(version=" 2.1\n"), XML),
    (b"\xef\xbb\xbf" + ubl(), XML),
    (b"\n" + ubl().partition(b"?>")[2], XML),
    (ubl().decode().encode("utf-16"), XML),
]
FAILS = [
    (pdf("/Encrypt 5 0 R"), "pdf-encrypted", "password"),
    (pdf("/Encrypt<</Filter /Standard>>"), "pdf-encrypted", "password"),
    (b"GIF89a", "invoice-type", "neither a PDF nor an XML"),
    (b" " + pdf(), "invoice-type", "neither"),
    (zipped({"O-1.pdf": pdf()}), "invoice-type", "a ZIP"),
    (ubl("Order"), "invoice-type", "its root is Order"),
    (ubl(space="urn:other"), "invoice-type", "its root is Invoice"),
    (ubl(space="x") + b"<", "invoice-type", "malformed"),
    (ubl(version="2.0"), "invoice-type", "UBL 2.0"),
    (ubl(version="3"), "invoice-type", "UBL 3"),
    (ubl()[:-4], "invoice-type", "malformed"),
    (ubl(before="<!DOCTYPE Invoice>"), "invoice-type", "document type"),
    (ubl(before='<!DOCTYPE a [<!ENTITY b "c">]>'), "invoice-type", "document type"),
    (ubl().replace(b"1.0", b'1.0" encoding="none'), "invoice-type", "malformed"),
    (b"<html><body>Sign in</body></html>", "invoice-type", "its root is html"),
]


@pytest.mark.parametrize(("content", "expected"), PASSES)
def test_an_invoice_is_known_by_its_content(content: bytes, expected: object) -> None:
    assert document_of(content) == expected


@pytest.mark.parametrize(("content", "code", "message"), FAILS)
def test_files_that_are_no_invoices_are_reported(content: bytes, code: str, message: str) -> None:
    found = document_of(content)
    assert isinstance(found, Issue)
    assert (found.code.name, found.field) == (code, "file")
    assert message in found.message
    assert found.hint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "O-1.pdf").write_bytes(pdf("one"))
    (tmp_path / "empty.pdf").touch()
    inner = {"O-2.pdf": pdf("two"), "empty.pdf": b"", "large.pdf": bytes(2000), "a/O-3.pdf": pdf()}
    (tmp_path / "march.zip").write_bytes(zipped(inner))
    (tmp_path / "damaged.zip").write_bytes(zipped(inner)[:-30])
    with zipfile.ZipFile(tmp_path / "names.zip", "w") as archive:
        archive.writestr("../O-1.pdf", pdf())
    locked = zipped({"O-1.pdf": pdf()}).replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )
    (tmp_path / "locked.zip").write_bytes(locked)
    (tmp_path / "large.pdf").write_bytes(bytes(2000))
    (tmp_path / "inner").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [("O-1.pdf", pdf("one")), ("march.zip/O-2.pdf", pdf("two")), ("march.zip/a/O-3.pdf", pdf())],
)
def test_a_path_may_lead_into_a_zip(folder: Path, name: str, expected: bytes) -> None:
    assert content_of(folder / name, LIMITS) == expected


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        ("O-9.pdf", "file-not-found", "No such file"),
        ("inner", "file-not-found", "directory"),
        ("O-1.pdf\0", "file-not-found", "not a path"),
        ("O" * 300, "file-not-found", "too long"),
        ("empty.pdf", "file-empty", "empty"),
        ("large.pdf", "file-size", "larger than"),
        ("march.zip/O-9.pdf", "file-not-found", "in the ZIP"),
        ("march.zip/empty.pdf", "file-empty", "empty"),
        ("march.zip/large.pdf", "file-size", "larger than"),
        ("O-1.pdf/O-2.pdf", "invoice-type", "the ZIP cannot be read"),
        ("damaged.zip/O-2.pdf", "invoice-type", "the ZIP cannot be read"),
        ("names.zip/O-1.pdf", "invoice-type", "the ZIP cannot be read"),
        ("locked.zip/O-1.pdf", "invoice-type", "is encrypted"),
    ],
)
def test_an_unreadable_file_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str, message: str
) -> None:
    monkeypatch.setattr(contents, "LARGEST", 1000)
    found = content_of(folder / name, LIMITS)
    assert isinstance(found, Issue)
    assert (found.code.name, message in found.message, bool(found.hint)) == (code, True, True), (
        found
    )


def test_a_zip_bomb_is_not_unpacked(folder: Path) -> None:
    found = content_of(folder / "march.zip/O-2.pdf", ReadingLimits(total=1000))
    assert isinstance(found, Issue)
    assert "unpacks to" in found.message


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "O-1.pdf").write_bytes(bytes(LARGEST))
    assert content_of(tmp_path / "O-1.pdf", LIMITS) == bytes(LARGEST)
