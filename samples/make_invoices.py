"""Makes the invoices beside it anew: `python samples/make_invoices.py [FOLDER]`.

The orders are those that the embedded sandbox has from its first day. Equal input gives equal
bytes, and a test compares.
"""  # noqa: INP001 - a script, no package

import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="{UBL}Invoice-2" xmlns:cbc="{UBL}CommonBasicComponents-2">
  <cbc:UBLVersionID>2.1</cbc:UBLVersionID>
  <cbc:ID>2026-118</cbc:ID>
  <cbc:IssueDate>2026-11-20</cbc:IssueDate>
</Invoice>
"""
UNDATED = (1980, 1, 1, 0, 0, 0)


def pdf(text: str) -> bytes:
    """A PDF of one page with a line of text."""
    drawing = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources 6 0 R >>",
        f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Font << /F1 5 0 R >> >>",
    )
    body, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    end = f"trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return f"{body}xref\n0 {count}\n0000000000 65535 f \n{table}{end}".encode()


def write_invoices(target: Path) -> None:
    """Three good ones; a second download, which has a wrong name; one of a channel without any."""
    files = {
        "0148048802000012.pdf": pdf("Invoice 2026-114"),
        "26280984071000013.pdf": pdf("Invoice 2026-115"),
        "5503E014 (1).pdf": pdf("Invoice 2026-116"),
        "5503E014.pdf": pdf("Invoice 2026-116"),
        "8716E011.xml": XML.encode(),
    }
    with ZipFile(target, "w") as archive:
        for name, content in files.items():
            entry = ZipInfo(name, UNDATED)
            entry.compress_type, entry.create_system = ZIP_DEFLATED, 3
            archive.writestr(entry, content)


def write_all(folder: Path) -> None:
    """The only sample."""
    folder.mkdir(parents=True, exist_ok=True)
    write_invoices(folder / "invoices.zip")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
