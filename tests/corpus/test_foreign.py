"""Files that are no workbooks: the error names the format and the remedy; exit code 3."""

import gzip
import io
import json
import struct
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from feedtool.cli import run
from tests.corpus.made import TYPES, Case, book, csv, fields, judge, offers, package, parts, sent

SECTOR = 512
SAVE = "save it as"
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound(*streams: str, filler: int = 0) -> bytes:
    """An OLE container of empty streams: header, allocation table, directory, and some sectors."""
    entries = b"".join(
        name.encode("utf-16-le").ljust(64, b"\0")
        + struct.pack("<HBBLLL", 2 * len(name) + 2, kind, 1, FREE, FREE, child)
        + bytes(36)
        + struct.pack("<LQ", END, 0)
        for name, kind, child in (("Root Entry", 5, 1), *((name, 2, FREE) for name in streams))
    )
    directory = entries + bytes(-len(entries) % SECTOR)
    first = 1 + filler
    sectors = [FAT, *[END] * filler, *range(first + 1, first + len(directory) // SECTOR), END]
    table = struct.pack("<128L", *sectors, *[FREE] * (128 - len(sectors)))
    start = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
        + bytes(6)
        + struct.pack("<9L", 0, 1, first, 0, 4096, END, 0, END, 0)
        + struct.pack("<109L", 0, *[FREE] * 108)
    )
    return start + table + b"\xab" * SECTOR * filler + directory


def biff(version: int) -> bytes:
    """The first record of a bare workbook of Excel 2 to 5, and 200 more bytes."""
    return struct.pack("<HHHH", 0x0009 | version << 8, 4, 0, 0x10) + bytes(200)


def lock(user: str, codec: str = "cp1252") -> bytes:
    """The content of `~$offers.xlsx` while Excel has offers.xlsx open."""
    name = user.encode(codec)
    wide = bytes((len(user), 0)) + user.ljust(54).encode("utf-16-le")
    return (bytes((len(name),)) + name).ljust(55) + wide


def office(kind: str, *names: str) -> Callable[[], bytes]:
    """A package of another office program, or of another kind of workbook."""
    types = (
        f'<Types xmlns="{TYPES}"><Override PartName="/{names[0]}" ContentType="{kind}"/></Types>'
    )
    return lambda: package({"[Content_Types].xml": types, **dict.fromkeys(names, "<x/>")})


def opendocument(kind: str) -> Callable[[], bytes]:
    """A package of LibreOffice."""
    return lambda: package(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": "<office:document-content/>",
            "META-INF/manifest.xml": "<manifest:manifest/>",
        }
    )


def text(content: str, encoding: str = "utf-8") -> Callable[[], bytes]:
    return lambda: content.encode(encoding)


def whole() -> bytes:
    """A good workbook, large enough to be damaged in many places."""
    return book(offers(), {"docProps/thumbnail.bin": bytes(range(256)) * 40})


def damaged(part: str) -> bytes:
    """A workbook with one byte of a part's compressed data another: its checksum is wrong."""
    content = bytearray(package(parts({"Offers": offers()}), zipfile.ZIP_STORED))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        start = archive.getinfo(part).header_offset
    names, extra = struct.unpack_from("<HH", content, start + 26)
    content[start + 30 + names + extra + 60] ^= 1
    return bytes(content)


def nuls(first: float, last: float = 1) -> bytes:
    """A workbook of which a stretch is NULs, as a disk that failed leaves it."""
    content = whole()
    start, end = (round(len(content) * at) for at in (first, last))
    return content[:start] + bytes(end - start) + content[end:]


PAGE = "<html><head><title>Export</title></head><body><p>gtin</p></body>"
BARE = '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"><Worksheet></Workbook>'
SPREADSHEETML = f'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n{BARE}'
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
BINARY = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"

NAMES = ("offers.xls", "offers.xlsx", "offers.csv")
CASES: dict[str, tuple[Callable[[], bytes], str, tuple[str, ...]]] = {
    "a password": (
        lambda: compound("EncryptionInfo", "EncryptedPackage"),
        "encrypted",
        ("protected by a password", "remove the password", "save it again"),
    ),
    "a password, the directory far down": (
        lambda: compound("EncryptionInfo", "EncryptedPackage", filler=100),
        "encrypted",
        ("password",),
    ),
    "Excel 97-2003": (
        lambda: compound("Workbook", "\x05SummaryInformation"),
        "legacy-xls",
        ("Excel 97-2003", SAVE, ".xlsx"),
    ),
    "Excel 5": (lambda: compound("Book"), "legacy-xls", ("(.xls)", SAVE)),
    "Excel 2": (lambda: biff(0), "legacy-xls", (SAVE,)),
    "Excel 97-2003, in capitals": (lambda: compound("WORKBOOK"), "legacy-xls", ()),
    "Excel's lock file": (lambda: lock("Ana Ruiz"), "not-a-workbook", ("lock file", "~$")),
    "another's lock file": (lambda: lock("李四", "gbk"), "not-a-workbook", ()),
    "Word 97": (lambda: compound("WordDocument", "1Table"), "not-a-workbook", ("old Office",)),
    "a mail of Outlook": (lambda: compound("__properties_version1.0"), "not-a-workbook", ()),
    "OpenDocument": (
        opendocument("spreadsheet"),
        "ods-unsupported",
        ("OpenDocument spreadsheet", SAVE, ".xlsx"),
    ),
    "an OpenDocument text": (opendocument("text"), "not-a-workbook", ("OpenDocument text",)),
    "flat OpenDocument": (
        text(
            '<?xml version="1.0"?><office:document office:version="1.2" '
            'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"></office:document>'
        ),
        "ods-unsupported",
        (SAVE,),
    ),
    "a binary workbook": (
        office(BINARY, "xl/workbook.bin"),
        "xlsb-unsupported",
        ("binary workbook", SAVE),
    ),
    "a web page": (text(PAGE), "html-as-xls", ("web page (HTML)", SAVE)),
    "a web page in UTF-16": (text(PAGE, "utf-16"), "html-as-xls", ("web page",)),
    "a web page of Windows-1252": (text(f"<!-- café -->{PAGE}", "cp1252"), "html-as-xls", ()),
    "a web page of Excel's": (
        text(
            '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><!--[if gte mso 9]><xml>'
            "<x:ExcelWorkbook/></xml><![endif]--><table/></html>"
        ),
        "html-as-xls",
        (SAVE,),
    ),
    "a web archive": (text("MIME-Version: 1.0\r\nX-Document-Type: Workbook"), "html-as-xls", ()),
    "a login page": (text("<!DOCTYPE html>\n<html><body>Sign in"), "html-as-xls", ()),
    "Excel 2003 XML": (text(SPREADSHEETML), "xml2003-as-xls", ("Excel 2003", SAVE, ".xlsx")),
    "Excel 2003 XML in UTF-16": (
        text(SPREADSHEETML.replace("?>", ' encoding="utf-16"?>', 1), "utf-16"),
        "xml2003-as-xls",
        (SAVE,),
    ),
    "Excel 2003 XML, bare": (text(BARE), "xml2003-as-xls", ()),
    "XHTML": (text('<?xml version="1.0"?>\n<html xmlns="x">'), "html-as-xls", ()),
    "other XML": (text('<?xml version="1.0"?>\n<offers/>'), "not-a-workbook", ("XML",)),
    "a Word document": (office(WORD, "word/document.xml"), "not-a-workbook", ("Word document",)),
    "a zip of two tables": (
        lambda: package({"offers.csv": csv(fields()), "more.csv": csv(fields())}),
        "not-a-workbook",
        ("zip archive", "Unpack it"),
    ),
    **{
        f"a document of Numbers, by {part}": (
            partial(package, {part: "x", "Metadata/Properties.plist": ""}),
            "not-a-workbook",
            ("Numbers", "File > Export To > Excel"),
        )
        for part in ("Index/Document.iwa", "Index.zip", "buildVersionHistory.plist")
    },
    "an empty zip": (lambda: package({}), "not-a-workbook", ("zip archive",)),
    "RTF": (text("{\\rtf1\\ansi offers}"), "not-a-workbook", ("RTF", ".xlsx")),
    "PDF": (text("%PDF-1.7\n%âãÏÓ\n", "latin-1"), "not-a-workbook", ("a PDF",)),
    "a picture": (lambda: b"\x89PNG\r\n\x1a\n" + bytes(20), "not-a-workbook", ("a picture",)),
    "gzip": (lambda: b"\x1f\x8b\x08" + bytes(20), "corrupt-zip", ("gzip",)),
    "nothing": (lambda: b"", "empty-file", ("empty", "export again")),
    "blanks": (text(" \r\n\r\n"), "empty-file", ()),
    "only a byte order mark": (text("\ufeff"), "empty-file", ()),
    "only Ctrl-Z": (text("\x1a"), "empty-file", ()),
    "nothing but NULs": (lambda: bytes(9000), "csv-nul", ("NUL", "export again")),
    "a download that broke off early": (
        lambda: whole()[:300],
        "corrupt-zip",
        ("damaged or incomplete", "download it again"),
    ),
    "a download that broke off in the middle": (
        lambda: whole()[: len(whole()) // 2],
        "corrupt-zip",
        ("download it again",),
    ),
    "a download whose last byte is missing": (lambda: whole()[:-1], "corrupt-zip", ()),
    "NULs at the end": (lambda: nuls(0.5), "corrupt-zip", ("download it again",)),
    "NULs in the middle": (lambda: nuls(0.03, 0.05), "corrupt-zip", ()),
    "a wrong checksum of the sheet": (
        lambda: damaged("xl/worksheets/sheet1.xml"),
        "corrupt-zip",
        ("xl/worksheets/sheet1.xml", "damaged", "download it again"),
    ),
    "a wrong checksum of the workbook": (
        lambda: damaged("xl/workbook.xml"),
        "corrupt-zip",
        ("xl/workbook.xml",),
    ),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("what", CASES)
def test_errors_name_the_format_of_the_file(tmp_path: Path, what: str, name: str) -> None:
    make, error, says = CASES[what]
    judge(Case(make, error=error, says=says, name=name), tmp_path)


@pytest.mark.parametrize("what", ["a password", "Excel 97-2003", "a web page", "NULs at the end"])
def test_the_command_ends_with_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], what: str
) -> None:
    make, error, says = CASES[what]
    bad, good = tmp_path / "bad.xlsx", tmp_path / "good.csv"
    bad.write_bytes(make())
    good.write_bytes(csv(fields()))
    assert run(["validate", str(bad), str(good), "--format", "json"]) == 3
    refused, read = json.loads(capsys.readouterr().out)
    assert refused["error"]["code"] == error
    assert says[0] in " ".join((refused["error"]["message"], refused["error"]["hint"]))
    assert (refused["rows"], refused["problems"]) == (0, [])
    assert (read["error"], read["valid"]) == (None, 1)


@pytest.mark.parametrize(
    "make",
    [
        whole,
        lambda: csv(fields(), separator=";"),
        lambda: package({"offers.csv": csv(fields())}),
        lambda: gzip.compress(csv(fields())),
    ],
)
@pytest.mark.parametrize("name", ["offers.csv", "offers.xls", "offers.xlsx", "offers"])
def test_a_file_may_be_called_anything(
    tmp_path: Path, make: Callable[[], bytes], name: str
) -> None:
    judge(Case(make, {2: sent()}, name=name), tmp_path)
