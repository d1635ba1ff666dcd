"""The files of an upload, and what they are: part "Order invoices" of the specification.

Accepted are PDF, XML in UBL 2.1, and ZIP of those ("Invoice import").
"""

import io
import zipfile
from email import policy
from email.message import Message
from email.parser import BytesParser
from typing import NamedTuple

from lxml import etree

from feedtool.sandbox.exchange import HttpRequest, RequestRefused, bad_request

FORM = "multipart/form-data"
ZIP = b"PK\x03\x04"
PDF = b"%PDF-"
UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
ROOTS = {f"{{{UBL}{name}-2}}{name}" for name in ("Invoice", "CreditNote")}
LARGEST = 1 << 26
"""Bytes of all that a ZIP may unpack to."""


class UploadedFile(NamedTuple):
    """One file of an upload."""

    name: str
    content: bytes

    @property
    def stem(self) -> str:
        """Its name without the folder and the ending: in bulk the order's identifier."""
        name = self.name.rpartition("/")[2]
        return name.rpartition(".")[0] or name


def uploaded_files(request: HttpRequest) -> list[UploadedFile]:
    """The files of a form: 415 for another media type, 400 without files, or for an empty one."""
    kind = request.headers.get("content-type", "")
    if kind.partition(";")[0].strip().lower() != FORM:
        raise RequestRefused(415, f"The media type {kind!r} is not supported; send {FORM}.")
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    form = BytesParser(policy=policy.compat32).parsebytes(head + request.body)
    parts = form.get_payload() if form.is_multipart() and not form.defects else []
    files = [_file(part) for part in parts if isinstance(part, Message)]
    if not files:
        raise bad_request("body", "The body holds no file.")
    for file in files:
        if not file.name or not file.content:
            raise bad_request(file.name or "filename", "A file has no name, or no content.")
    return files


def _file(part: Message) -> UploadedFile:
    content = part.get_payload(decode=True)
    return UploadedFile(part.get_filename() or "", content if isinstance(content, bytes) else b"")


def is_zip(content: bytes) -> bool:
    """True if a file is a ZIP by its content."""
    return content.startswith(ZIP)


def unpacked(content: bytes) -> list[UploadedFile]:
    """The inner files of a ZIP; none if it is damaged, locked or too large."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            inner = [info for info in archive.infolist() if not info.is_dir()]
            if sum(info.file_size for info in inner) > LARGEST:
                return []
            return [UploadedFile(info.filename, archive.read(info)) for info in inner]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError):
        return []


def is_invoice(content: bytes) -> bool:
    """True for a PDF, and for XML whose root is a UBL 2 Invoice or CreditNote."""
    return content.startswith(PDF) or _root(content) in ROOTS


def _root(content: bytes) -> str:
    """The tag of an XML document's root; "" for other content, or with a document type."""
    if b"<!DOCTYPE" in content:
        return ""
    try:
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        return str(etree.fromstring(content, parser).tag)
    except etree.XMLSyntaxError:
        return ""
