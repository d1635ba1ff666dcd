"""Open a file of rows and columns by its content, regardless of its name."""

import re
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from feedtool.model.errors import FileProblem
from feedtool.model.limits import ReadingLimits
from feedtool.model.text import tr
from feedtool.sheets.read.csv_encoding import unicode_of
from feedtool.sheets.read.csv_source import CsvSource
from feedtool.sheets.read.errors import (
    SAVE_AS_XLSX,
    Archive,
    EmptyFile,
    Encrypted,
    HtmlAsXls,
    LegacyXls,
    NotAWorkbook,
    OdsUnsupported,
    XlsbUnsupported,
    Xml2003AsXls,
)
from feedtool.sheets.read.others.rows import GZIP, PackedSource, RowsSource, open_packed, refusing
from feedtool.sheets.read.package import DEFAULT_LIMITS, ZipPackage
from feedtool.sheets.read.xlsx import XlsxSource

_START = 1 << 12
_BLOCK, _PIECE = 1 << 20, 1 << 18
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The beginning of all files of old Microsoft Office, and of encrypted files of new ones."""
_OLD_BIFF = re.compile(rb"\x09[\x00\x02\x04\x08][\x04-\x10]\x00")
"""The first record of Excel 2.1 to 5.0 workbooks."""
_TAR, _TAR_PLACE = b"ustar", 257
_OTHERS = {
    b"%PDF": "a PDF",
    b"\x89PNG": tr("a picture (PNG)"),
    b"\xff\xd8\xff": tr("a picture (JPEG)"),
    b"GIF8": tr("a picture (GIF)"),
    GZIP: tr("a gzip archive"),
    _TAR: tr("a tar archive"),
    b"7z\xbc\xaf": tr("a 7-Zip archive"),
    b"Rar!": tr("a RAR archive"),
    b"{\\rtf": tr("a text document (RTF)"),
    b"SQLite format 3": tr("a database (SQLite)"),
}
_HTML = re.compile(
    r"\s*+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|meta|body|table|style|div|script)\b"
    r"|\s*mime-version:",
    re.IGNORECASE | re.DOTALL,
)
_MARKUP = re.compile(r"\s*<(?:\?xml\s|!--|[a-z_][\w:.-]*[\s/>].*</)", re.IGNORECASE | re.DOTALL)
_HINT = tr("Give the .xlsx, .xlsm or .csv file.")
_LOCK = 165
"""Bytes of the file `~$offers.xlsx` that Excel and PowerPoint put beside an open file."""
_LOCK_NAME = 55
"""The place of the user's name in UTF-16, after its length; blanks follow."""


OTHERS = (Archive, LegacyXls, HtmlAsXls, Xml2003AsXls, OdsUnsupported, XlsbUnsupported)
"""The formats with their own readers, which raise these errors for unreadable files."""


def open_source(
    path: Path,
    *,
    limits: ReadingLimits = DEFAULT_LIMITS,
    csv_fallback: str = "",
    is_unpacked: bool = False,
) -> XlsxSource | CsvSource | RowsSource | PackedSource:
    """Open a workbook or a text of rows and columns; use it as a context manager.

    `csv_fallback` is the encoding of a text that is not UTF-8; "" guesses it by the words. A file
    that `is_unpacked` comes from an archive, and must not be an archive itself. Raises FileProblem
    (`errors`) if it cannot be read, and OSError if it cannot be opened.
    """
    other = _other_format(path, limits)
    if isinstance(other, XlsxSource):
        return other
    if other is None:
        return CsvSource(path, csv_fallback)
    if isinstance(other, Archive):
        if is_unpacked:
            raise other
        open_file = partial(open_source, limits=limits, csv_fallback=csv_fallback, is_unpacked=True)
        return open_packed(path, limits, open_file)
    with refusing(type(other), other.message.rstrip(".")):
        return _open_other(other, path, limits, csv_fallback)


def is_other_format(path: Path) -> bool:
    """True for a spreadsheet that is neither .xlsx nor CSV. Raises as `open_source` does."""
    other = _other_format(path, DEFAULT_LIMITS)
    if isinstance(other, XlsxSource):
        other.package.close()
    return isinstance(other, FileProblem)


def _other_format(path: Path, limits: ReadingLimits) -> XlsxSource | FileProblem | None:
    """Return an .xlsx opened, another spreadsheet as its problem, None for a CSV."""
    with path.open("rb") as file:
        start = file.read(_START)
    if not start:
        raise EmptyFile(tr("The file is empty."), tr("Make the export again and look at its size."))
    if start.startswith(_ZIP):
        try:
            return XlsxSource(path, limits)
        except OTHERS as other:
            return other
    problem = _problem_of(path, start)
    if problem is not None and not isinstance(problem, OTHERS):
        raise problem
    return problem


def _open_other(
    problem: FileProblem, path: Path, limits: ReadingLimits, csv_fallback: str
) -> RowsSource:
    """Open a spreadsheet of another format with its reader; each reader is slow to import."""

    def pieces() -> Iterator[bytes]:
        with path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece

    match problem:
        case LegacyXls():
            from feedtool.sheets.read.others.xls import open_xls

            return open_xls(path)
        case HtmlAsXls():
            from feedtool.sheets.read.others.web_page import open_html

            return open_html(path, csv_fallback)
        case Xml2003AsXls():
            from feedtool.sheets.read.others.xml_2003 import open_xml_2003

            return open_xml_2003(pieces)
    from feedtool.sheets.read.others.ods import open_fods, open_ods
    from feedtool.sheets.read.others.xlsb import open_xlsb

    if not zipfile.is_zipfile(path):
        return open_fods(pieces)
    package = ZipPackage(path, limits)
    try:
        return (open_xlsb if isinstance(problem, XlsbUnsupported) else open_ods)(package)
    except BaseException:
        package.close()
        raise


def _is_lock(start: bytes) -> bool:
    """True if a file is a lock file: its size, two lengths, two names, and blanks to the end."""
    if len(start) != _LOCK:
        return False
    lengths, end = (start[0], start[_LOCK_NAME]), _LOCK_NAME + 2 + 2 * start[_LOCK_NAME]
    has_lengths = all(0 < length < _LOCK_NAME for length in lengths) and not start[_LOCK_NAME + 1]
    return has_lengths and not start[end:].strip(b" \0")


def _problem_of(path: Path, start: bytes) -> FileProblem | None:
    """Return the problem of a file that is neither a zip nor a CSV, or None."""
    if _is_lock(start):
        return NotAWorkbook(
            tr("The file is Excel's lock file: it only says that the workbook is open in Excel."),
            tr("Give the workbook itself, the file without ~$ in front of its name."),
        )
    is_compound = start.startswith(_COMPOUND)
    if is_compound and _has_stream(path, "EncryptedPackage"):
        return Encrypted(
            tr("The workbook is protected by a password."),
            tr("Open it, remove the password to open (File > Info), and save it again."),
        )
    is_workbook = is_compound and (_has_stream(path, "Workbook") or _has_stream(path, "Book"))
    if is_workbook or _OLD_BIFF.match(start):
        return LegacyXls(
            tr("The file is a workbook of Excel 97-2003 or older (.xls)."), SAVE_AS_XLSX
        )
    if is_compound:
        return NotAWorkbook(tr("The file is an old Office document, not a workbook."), _HINT)
    for magic, name in _OTHERS.items():
        if start.startswith(magic, _TAR_PLACE if magic == _TAR else 0):
            problem = Archive if magic == GZIP else NotAWorkbook
            return problem(tr("The file is {name}, not a workbook.", name=name), _HINT)
    mark, name = unicode_of(start)
    return _markup_problem(
        start[len(mark) :].decode(name if b"\0" in start else "latin-1", "replace")
    )


def _markup_problem(text: str) -> FileProblem | None:
    """Return the problem of a file whose beginning looks like HTML or XML, or None."""
    if _HTML.match(text):
        return HtmlAsXls(
            tr("The file is a web page (HTML) that carries a spreadsheet's name."), SAVE_AS_XLSX
        )
    if not _MARKUP.match(text):
        return None
    if "urn:schemas-microsoft-com:office:spreadsheet" in text or "Excel.Sheet" in text:
        return Xml2003AsXls(tr("The file is an XML spreadsheet of Excel 2003."), SAVE_AS_XLSX)
    if "urn:oasis:names:tc:opendocument" in text:
        return OdsUnsupported(tr("The file is a flat OpenDocument file (.fods)."), SAVE_AS_XLSX)
    if re.search(r"<html\b", text, re.IGNORECASE):
        return HtmlAsXls(tr("The file is a web page (XHTML)."), SAVE_AS_XLSX)
    return NotAWorkbook(tr("The file is XML, not a workbook."), _HINT)


def _has_stream(path: Path, stream: str) -> bool:
    """True if a container has a stream of this name; its directory may be anywhere in the file.

    Names are compared without case: some programs write them in capitals.
    """
    name = b"\0\0" + f"{stream}\0".encode("utf-16-le")
    if stream == "EncryptedPackage":
        name = stream.encode("utf-16-le")
    name, previous = name.upper(), b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK).upper():
            if name in previous + block:
                return True
            previous = block[-len(name) :]
    return False
