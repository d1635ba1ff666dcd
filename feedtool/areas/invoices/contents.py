"""The content of an invoice's file, and what is wrong with it: `content_of`, `document_of`.

Specification, part "Invoice import": accepted are PDF, XML in UBL 2.1, and ZIP of those. A ZIP is
unpacked here, so that each file in it is judged, sent and answered like any other.
"""

import re
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from feedtool.feeds.rule import Problems
from feedtool.model.errors import FileProblem, reason_of
from feedtool.model.limits import MIB, ReadingLimits
from feedtool.model.nouns import Code, Issue
from feedtool.model.settings import Locate, NotLocated, same_path
from feedtool.model.text import tr
from feedtool.sheets import CorruptXml, XmlDoctype, ZipPackage, hardened_parser

PROBLEMS = Problems("feedtool.areas.invoices")

FILE_EMPTY = PROBLEMS.error("file-empty")
FILE_NOT_FOUND = PROBLEMS.error("file-not-found")
FILE_SIZE = PROBLEMS.error("file-size")
INVOICE_REPLACES = PROBLEMS.error("invoice-replaces")
INVOICE_TYPE = PROBLEMS.error("invoice-type")
PDF_ENCRYPTED = PROBLEMS.error("pdf-encrypted")

FILE = "file"
"""The key of the column that names the file."""
LARGEST = 20 * MIB
"""Bytes of a file; the specification names no limit."""
ZIP = b"PK\x03\x04"
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
ROOTS = frozenset(f"{UBL}{name}-2 {name}" for name in ("Invoice", "CreditNote"))
VERSION = f"{UBL}CommonBasicComponents-2 UBLVersionID"
VERSIONS = ("", "2.1")
"""Versions of UBL; the empty one for a document that names none."""
_ENCRYPTED = re.compile(rb"/Encrypt\s*(?:<<|\d+\s+\d+\s+R)")
_EXPORT = tr("export the invoice as a PDF")


class DocumentType(NamedTuple):
    ending: str
    media_type: str


PDF = DocumentType(".pdf", "application/pdf")
XML = DocumentType(".xml", "application/xml")


def content_of(path: Path, limits: ReadingLimits, locate: Locate = same_path) -> bytes | Issue:
    """The content of a file, whose path may lead into a ZIP."""
    try:
        path = locate(path)
        archive = next((parent for parent in path.parents if parent.is_file()), None)
        if archive is None:
            with path.open("rb") as file:
                content = file.read(LARGEST + 1)
            if content.startswith(ZIP):
                names_in(path, limits)  # raises what is wrong with it
            return _sized(content)
        with ZipPackage(archive, limits) as package:
            member = package.part(path.relative_to(archive).as_posix())
            if member is None:
                return _issue(FILE_NOT_FOUND, tr("there is no such file in the ZIP"))
            is_small = member.file_size <= LARGEST
            pieces = package.stream(member.filename) if is_small else [bytes(LARGEST + 1)]
            return _sized(b"".join(pieces))
    except NotLocated as error:
        return _issue(FILE_NOT_FOUND, error.message, error.hint)
    except FileProblem as error:
        why = tr("the ZIP cannot be read: {why}", why=error.message)
        return _issue(INVOICE_TYPE, why, tr("send the files in it by themselves"))
    except (OSError, ValueError) as error:  # the latter for a path that no system has
        reason = reason_of(error) if isinstance(error, OSError) else tr("it is not a path")
        return _issue(FILE_NOT_FOUND, tr("the file cannot be read: {why}", why=reason))


def names_in(path: Path, limits: ReadingLimits) -> list[str]:
    """The names of the files in a ZIP; FileProblem if it is unreadable or unsafe."""
    with ZipPackage(path, limits) as package:
        return sorted(name.replace("\\", "/") for name in package.names)


def _sized(content: bytes) -> bytes | Issue:
    if not content:
        return _issue(FILE_EMPTY, tr("the file is empty"), tr("export or download it again"))
    if len(content) > LARGEST:
        message = tr("the file is larger than {most} MB", most=LARGEST // MIB)
        return _issue(FILE_SIZE, message, _EXPORT)
    return content


def document_of(content: bytes) -> DocumentType | Issue:
    if content.startswith(b"%PDF-"):
        if _ENCRYPTED.search(content):
            message = tr("the PDF is protected by a password")
            return _issue(PDF_ENCRYPTED, message, tr("export it without a password"))
        return PDF
    if content.startswith(ZIP):
        hint = tr("unpack it, or name a file in it, as in `march.zip/O-1.pdf`")
        return _issue(INVOICE_TYPE, tr("the file is a ZIP"), hint)
    start = content[:64].replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    if not start.lstrip(b"\xff\xfe \t\r\n").startswith(b"<"):
        return _issue(INVOICE_TYPE, tr("the file is neither a PDF nor an XML"), _EXPORT)
    why = _Ubl().fault(content)
    return _issue(INVOICE_TYPE, why, _EXPORT) if why else XML


class _Ubl:
    """The root and the version of a UBL document, while it is read."""

    def __init__(self) -> None:
        self._parser = hardened_parser("", " ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._open: list[str] = []
        self._root = self._version = ""

    def fault(self, content: bytes) -> str:
        """The reason why a document is no invoice; "" where it is one."""
        try:
            self._parser.Parse(content, True)
        except XmlDoctype:
            return tr("the XML declares a document type")
        except (CorruptXml, expat.ExpatError, ValueError, LookupError):
            return tr("the XML is malformed")
        if self._root not in ROOTS:
            root = self._root.rpartition(" ")[2][:60]
            return tr("the XML is not an invoice in UBL 2.1: its root is {root}", root=root)
        if self._version not in VERSIONS:
            return tr("the XML is in UBL {version}, not in UBL 2.1", version=self._version[:20])
        return ""

    def _start(self, name: str, _: dict[str, str]) -> None:
        self._root = self._root or name
        self._open.append(name)

    def _end(self, _: str) -> None:
        self._open.pop()

    def _characters(self, text: str) -> None:
        if self._open[1:] == [VERSION]:
            self._version = (self._version + text).strip()


def _issue(code: Code, message: str, hint: str = "") -> Issue:
    return Issue(code, message, hint or tr("look at the path"), FILE)
