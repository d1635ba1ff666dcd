"""Harmful files are refused in the format's words, and never read."""

import struct
import tempfile
import zipfile
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.areas.legacy.reader import OffersXml, is_legacy
from feedtool.areas.legacy.source import OffersSource
from feedtool.areas.legacy.writer import OFFERS
from feedtool.model.errors import FileProblem
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.settings import AccountSettings
from tests.areas.legacy.conftest import HONEST, OFFER, Put, members_with, package_of, with_, zipped
from tests.conftest import checked

DECLARED = '<?xml version="1.0" encoding="utf-8"?>\n'
BILLION = """<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n"""
XML = {
    "a document type": (with_((DECLARED, f"{DECLARED}<!DOCTYPE OfferPackage>")), "xml-doctype"),
    "a billion laughs": (with_((DECLARED, DECLARED + BILLION)), "xml-doctype"),
    "another file": (
        with_((DECLARED, f'{DECLARED}<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>')),
        "xml-doctype",
    ),
    "an end that is missing": (HONEST[:-200], "corrupt-xml"),
    "something after the end": (f"{HONEST}<a/>", "corrupt-xml"),
    "a tag that is never closed": (with_(("</OfferCollection>", "")), "corrupt-xml"),
    "an ampersand": (with_(("SKU-1", "SKU & 1")), "corrupt-xml"),
    "an unknown entity": (with_(("SKU-1", "&eacute;")), "corrupt-xml"),
    "a control character": (with_(("SKU-1", "SKU\x00")), "corrupt-xml"),
    "the number of one": (with_(("SKU-1", "&#11;")), "corrupt-xml"),
    "an attribute twice": (with_((' Stock="7"', ' Stock="7" Stock="8"')), "corrupt-xml"),
    "an unknown encoding": (with_(('"utf-8"', '"utf-99"')), "corrupt-xml"),
    "an offer in an offer": (
        with_(("<Offer.Ship", '<Offer SellerProductId="2"/><Offer.Ship')),
        "corrupt-xml",
    ),
    "a package in a package": (with_(("<Offer Seller", "<OfferPackage/><Offer S")), "corrupt-xml"),
    "another root": ("<Catalogue/>", "corrupt-xml"),
    "a part as the root": ("<OfferCollection/>", "corrupt-xml"),
    "nothing": ("", "corrupt-xml"),
    "tags without end": (with_(("<Offer.Ship", "<a>" * 200 + "<Offer.Ship")), "zip-bomb"),
    "a comment without end": (with_(('Comment=""', f'Comment="{"a" * 3 * MIB}"')), "zip-bomb"),
    "blanks without end": (with_(("<Offer.Ship", " " * 3 * MIB + "<Offer.Ship")), "zip-bomb"),
}
SMALL = ReadingLimits(part=8 * MIB, total=16 * MIB, text=1 * MIB)


def refusal(path_of: Put, content: str | bytes) -> FileProblem:
    with pytest.raises(FileProblem) as caught:
        list(OffersXml(path_of(content), SMALL).read())
    told = f"{caught.value.message} {caught.value.hint}"
    assert "workbook" not in told
    assert "spreadsheet" not in told
    return caught.value


@pytest.mark.parametrize(("text", "code"), XML.values(), ids=XML)
def test_xml(put: Put, text: str, code: str) -> None:
    assert refusal(put, text).code == code
    assert refusal(put, package_of(members_with(text.encode()))).code == code


def test_a_malformed_place_is_named(put: Put) -> None:
    assert "line 5, column 36" in refusal(put, with_(("SKU-1", "SKU & 1"))).message


def twice() -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        package.writestr(OFFERS, HONEST)
        with pytest.warns(UserWarning, match="Duplicate"):
            package.writestr(OFFERS, HONEST)
    return target.getvalue()


def patched(mark: bytes, after: int, instead: bytes) -> bytes:
    """A zip with some bytes, so far after a mark, exchanged."""
    data = package_of({OFFERS: HONEST.encode()})
    place = data.index(mark) + after
    return data[:place] + instead + data[place + len(instead) :]


DIRECTORY = b"PK\x01\x02"
SIZE = 24
"""The offset of the unpacked size in a directory's entry."""


ZIPS = {
    "cut off": (zipped([OFFER])[:-30], "corrupt-zip"),
    "damaged": (patched(b"Content/Offers.xml", 40, b"\xff" * 8), "corrupt-zip"),
    "no Offers.xml": (package_of({"a.xml": b""}), "corrupt-zip"),
    "two that could be meant": (
        package_of({"a/Offers.xml": b"", "b/Offers.xml": b""}),
        "corrupt-zip",
    ),
    "a name that leads out": (
        package_of(members_with(HONEST.encode()) | {"../../evil.xml": b""}),
        "zip-bad-name",
    ),
    "a member twice": (twice(), "zip-duplicate-member"),
    "a member in two cases": (
        package_of(members_with(HONEST.encode()) | {OFFERS.upper(): HONEST.encode()}),
        "zip-duplicate-member",
    ),
    "a bomb": (package_of({OFFERS: b" " * 9 * MIB}), "zip-bomb"),
    "one that says so": (patched(DIRECTORY, SIZE, struct.pack("<L", 1 << 31)), "zip-bomb"),
    "one that says less": (patched(DIRECTORY, SIZE, struct.pack("<L", 100)), "corrupt-zip"),
    "encrypted": (patched(DIRECTORY, 8, b"\1"), "encrypted"),
    "another checksum": (patched(DIRECTORY, 16, bytes(4)), "corrupt-zip"),
}


@pytest.mark.parametrize("name", ["a name that leads out", "a member in two cases", "encrypted"])
def test_a_harmful_zip_is_refused_as_an_offers_zip(put: Put, name: str) -> None:
    """The error does not take it for a workbook to be saved by a spreadsheet program."""
    content, code = ZIPS[name]
    [sheet] = checked(put(content))
    assert sheet.error is not None
    assert sheet.error.code == code
    assert "spreadsheet" not in (sheet.error.hint or "")


@pytest.mark.parametrize(("content", "code"), ZIPS.values(), ids=ZIPS)
def test_zips(put: Put, content: bytes, code: str) -> None:
    assert refusal(put, content).code == code


SOUND = (HONEST.encode(), zipped([OFFER]))
DAMAGE = st.lists(
    st.tuples(
        st.integers(0, len(HONEST)),
        st.integers(0, 30),
        st.sampled_from((b"", b"<", b">", b'"', b"&", b"/", b"\0", b"\xff", b"<a>", b"Offer")),
    ),
    max_size=4,
)


@given(st.sampled_from(SOUND), DAMAGE)
def test_any_damaged_file_is_read_or_refused(
    content: bytes, damage: list[tuple[int, int, bytes]]
) -> None:
    for place, length, instead in damage:
        content = content[:place] + instead + content[place + length :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "offers"
        path.write_bytes(content)
        is_legacy(path)
        with suppress(FileProblem):
            for block in OffersSource(path, AccountSettings(reading=SMALL)).sheet().blocks():
                assert all(
                    len(list(block.column(i))) == len(block.rows) for i in range(block.width)
                )
