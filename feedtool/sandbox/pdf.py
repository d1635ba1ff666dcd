"""PDF documents of one page, like those of the service."""

from collections.abc import Iterable

FONT = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"


def pdf(lines: Iterable[str]) -> bytes:
    shown = " ".join(f"({_escaped(line)}) Tj T*" for line in lines)
    stream = f"BT /F1 12 Tf 14 TL 72 770 Td {shown} ET"
    parts = (
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources {FONT}>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
    )
    body = b"%PDF-1.4\n"
    places = []
    for number, part in enumerate(parts, 1):
        places.append(f"{len(body):010d} 00000 n \n")
        body += f"{number} 0 obj\n{part}\nendobj\n".encode("ascii")
    count = len(parts) + 1
    table = f"xref\n0 {count}\n0000000000 65535 f \n{''.join(places)}"
    trailer = f"trailer<</Size {count}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + (table + trailer).encode("ascii")


def _escaped(text: str) -> str:
    plain = text.encode("ascii", "replace").decode("ascii")
    return plain.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
