"""Small invoices, PDFs, UBL documents and ZIPs of them, and orders for them."""

import io
import zipfile
from collections.abc import Mapping
from datetime import datetime
from sqlite3 import Connection

from feedtool.areas.orders.sandbox import shop

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"


def pdf(text: str = "an invoice") -> bytes:
    """Bytes that begin and end like a PDF."""
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


def place(
    db: Connection, seller: str, now: datetime, *orders: str, channel: str = "PRIMARY"
) -> None:
    """Put orders of these names into a sandbox's state."""
    for order in orders:
        made = shop.place(db, seller, now, channel=channel).order_id
        db.execute(
            "UPDATE orders SET order_id = ?, document = REPLACE(document, ?, ?),"
            " shown = REPLACE(shown, ?, ?) WHERE order_id = ?",
            (order, made, order, made, order, made),
        )
