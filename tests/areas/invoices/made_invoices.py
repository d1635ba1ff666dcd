"""Small invoices: PDFs, UBL documents and ZIPs of them."""

import io
import zipfile
from collections.abc import Mapping

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"


def pdf(text: str = "an invoice") -> bytes:
    """What begins, and ends, as a PDF does."""
    return f"%PDF-1.7\n% {text}\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF\n".encode()


def ubl(root: str = "Invoice", version: str = "2.1", *, space: str = "", before: str = "") -> bytes:
    """A UBL document; without a version it names none."""
    basic = f"{UBL}CommonBasicComponents-2"
    inner = f'<b:UBLVersionID xmlns:b="{basic}">{version}</b:UBLVersionID>' if version else ""
    space = space or f"{UBL}{root}-2"
    return f'<?xml version="1.0"?>{before}<{root} xmlns="{space}">{inner}</{root}>'.encode()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """A ZIP of these files."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()
