"""Workbooks of offers as Excel writes them, made by code: the same rows give the same bytes.

Sixteen columns: identifiers and titles that are all different, as text; some 2,500 different
prices, with all the digits that Excel stores (19.99 is 19.989999999999998); optional cells blank;
one column that no feed knows. Every hundredth row is odd, each time in another way (`ODDITIES`).
"""

import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

COLUMNS = (
    "sellerExternalReference",
    "product.gtin",
    "product.reference",
    "condition",
    "price.price",
    "price.originPrice",
    "taxes.VAT",
    "taxes.EcoPart",
    "taxes.DEA",
    "deliveryModes.TrackedHomeDelivery.cost",
    "deliveryModes.TrackedHomeDelivery.additionalCost",
    "deliveryModes.ExpressHomeDelivery.cost",
    "deliveryModes.ExpressHomeDelivery.additionalCost",
    "preparationTime",
    "quantity",
    "Title",
)
LETTERS = "ABCDEFGHIJKLMNOP"
SHEET = "Offers"
EVERY = 100
"""Every so many rows one is odd."""

GENERAL, TEXT, MONEY, PERCENT, DATE, HEADING = range(6)
STYLES = dict.fromkeys(COLUMNS, GENERAL) | {
    "sellerExternalReference": TEXT,
    "product.gtin": TEXT,
    "product.reference": TEXT,
    "price.price": MONEY,
    "price.originPrice": MONEY,
    "taxes.EcoPart": MONEY,
}


class Styled(NamedTuple):
    """A number in another format than its column's."""

    number: float
    style: int


class Odd(NamedTuple):
    """A cell that shows an error (type `e`) or a truth value (type `b`)."""

    type: str
    value: str


Value = str | float | Styled | Odd | None
Values = dict[str, Value]


def check_digit(body: str) -> str:
    """The last digit of a GTIN."""
    total = sum(int(digit) * (1 if place % 2 else 3) for place, digit in enumerate(reversed(body)))
    return str(-total % 10)


def gtin(number: int) -> str:
    """A GTIN-13 of its own for every number."""
    body = f"{300_000_000_000 + number:012d}"
    return body + check_digit(body)


def offer(number: int) -> Values:
    """An offer with nothing wrong in it."""
    price = 900 + number * 7919 % 490 * 100 + (99, 90, 95, 0, 49)[number // 490 % 5]
    has_express = number % 2 == 0
    return {
        "sellerExternalReference": f"SKU-{number:07d}",
        "product.gtin": gtin(number),
        "product.reference": f"AUC{number:09d}" if number % 3 == 0 else None,
        "condition": ("New", "New", "New", "UsedLikeNew", "RefurbishedLikeNew")[number % 5],
        "price.price": price / 100,
        "price.originPrice": (price + price // 5) / 100 if number % 5 < 2 else None,
        "taxes.VAT": (20, 20, 5.5, 10)[number % 4],
        "taxes.EcoPart": number % 60 / 100,
        "taxes.DEA": 0,
        "deliveryModes.TrackedHomeDelivery.cost": 3.9 + number % 8 / 2,
        "deliveryModes.TrackedHomeDelivery.additionalCost": 1.5,
        "deliveryModes.ExpressHomeDelivery.cost": 9.9 if has_express else None,
        "deliveryModes.ExpressHomeDelivery.additionalCost": 2.5 if has_express else None,
        "preparationTime": 1 + number % 4,
        "quantity": number * 31 % 500,
        "Title": f"Table lamp no. {number}, oak & linen",
    }


ODDITIES: tuple[Callable[[int], Values], ...] = (
    lambda number: {"product.gtin": gtin(number)[:-1] + str((int(gtin(number)[-1]) + 1) % 10)},
    lambda _: {"price.price": None},
    lambda _: {"price.price": 24.99, "price.originPrice": 19.99},
    lambda _: {"quantity": 2.5},
    lambda _: {"condition": "As new"},
    lambda _: {"price.price": 19.995},
    lambda number: {"sellerExternalReference": f"SKU-{number - 1:07d}"},
    lambda _: {"deliveryModes.TrackedHomeDelivery.cost": -1},
    lambda _: {
        "deliveryModes.ExpressHomeDelivery.cost": 9.9,
        "deliveryModes.ExpressHomeDelivery.additionalCost": None,
    },
    lambda number: {
        "product.gtin": gtin(number - 1),
        "condition": offer(number - 1)["condition"],
        "quantity": 501,
    },
    lambda number: {"sellerExternalReference": f" SKU-{number:07d}\u00a0"},
    lambda number: {"product.gtin": int(f"36{number:08d}" + check_digit(f"36{number:08d}"))},
    lambda _: {"price.price": "1 299,90 €", "price.originPrice": None},
    lambda _: {"price.originPrice": Odd("e", "#N/A")},
    lambda _: {"quantity": Odd("b", "1")},
    lambda _: {"price.price": 1, "taxes.EcoPart": 1.2, "price.originPrice": None},
    lambda _: {"quantity": Styled(45_789, DATE)},
    lambda number: {"sellerExternalReference": f"{'LONG-' * 10}{number}"},
    lambda _: {"price.price": "approx. 20"},
    lambda _: {"taxes.VAT": Styled(0.2, PERCENT)},
    lambda number: {"sellerExternalReference": f"SKU|{number}"},
    lambda number: {"product.reference": f"REF_{number}/b"},
    lambda _: {"taxes.VAT": 200},
)


def rows(count: int) -> Iterator[Values]:
    """The offers of a corpus, every hundredth of them odd in its turn."""
    for number in range(1, count + 1):
        values = offer(number)
        if number % EVERY == 0:
            values |= ODDITIES[number // EVERY % len(ODDITIES)](number)
        yield values


class Strings:
    """The shared strings, written as they come; only those that repeat are remembered."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("w+", encoding="utf-8", newline="")
        self.count = 0
        self.used = 0
        self._repeating: dict[str, int] = {}

    def index(self, text: str, key: str) -> int:
        """The number of a string."""
        self.used += 1
        if text in self._repeating:
            return self._repeating[text]
        space = ' xml:space="preserve"' if text != text.strip() else ""
        self.file.write(f"<si><t{space}>{escape(text)}</t></si>")
        if key == "condition":
            self._repeating[text] = self.count
        self.count += 1
        return self.count - 1


def cell(place: str, key: str, value: Value, strings: Strings) -> str:
    """One cell in Excel's writing; blank ones are there where they have a format."""
    style = STYLES[key]
    match value:
        case None:
            return f'<c r="{place}" s="{style}"/>' if style == MONEY else ""
        case Styled(number, own):
            return f'<c r="{place}" s="{own}"><v>{number:.17g}</v></c>'
        case Odd(kind, text):
            return f'<c r="{place}" t="{kind}"><v>{text}</v></c>'
        case str():
            mark = f' s="{style}"' if style else ""
            return f'<c r="{place}"{mark} t="s"><v>{strings.index(value, key)}</v></c>'
        case _:
            mark = f' s="{style}"' if style and style != TEXT else ""
            return f'<c r="{place}"{mark}><v>{value:.17g}</v></c>'


def sheet(count: int, strings: Strings) -> Iterator[str]:
    """The sheet's part, row by row."""
    yield (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n<worksheet '
        'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        f'<dimension ref="A1:P{count + 1}"/><sheetViews><sheetView tabSelected="1" '
        'workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" '
        'state="frozen"/></sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>'
        '<cols><col min="1" max="16" width="14.7109375" customWidth="1"/></cols><sheetData>'
    )
    heads = "".join(
        f'<c r="{letter}1" s="{HEADING}" t="s"><v>{strings.index(key, key)}</v></c>'
        for letter, key in zip(LETTERS, COLUMNS, strict=True)
    )
    yield f'<row r="1" spans="1:16">{heads}</row>'
    for number, values in enumerate(rows(count), start=2):
        cells = "".join(
            cell(f"{letter}{number}", key, values[key], strings)
            for letter, key in zip(LETTERS, COLUMNS, strict=True)
        )
        yield f'<row r="{number}" spans="1:16">{cells}</row>'
    yield (
        '</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" '
        'footer="0.3"/></worksheet>'
    )


DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
SMALL_PARTS = {
    "[Content_Types].xml": (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{SPREADSHEET}.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{SPREADSHEET}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{SPREADSHEET}.styles+xml"/>'
        '<Override PartName="/xl/sharedStrings.xml" '
        f'ContentType="{SPREADSHEET}.sharedStrings+xml"/></Types>'
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{RELATIONSHIPS}"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><workbookPr/><bookViews>'
        '<workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="12300"/>'
        f'</bookViews><sheets><sheet name="{SHEET}" sheetId="1" r:id="rId1"/></sheets>'
        '<calcPr calcId="191029"/></workbook>'
    ),
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{RELATIONSHIPS}">'
        f'<Relationship Id="rId1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="rId3" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
        "</Relationships>"
    ),
    "xl/styles.xml": (
        f'<styleSheet xmlns="{MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/>'
        '</font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2">'
        '<fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/>'
        '</fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/>'
        '</border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" '
        'borderId="0"/></cellStyleXfs><cellXfs count="6">'
        + "".join(
            f'<xf numFmtId="{number_format}" fontId="{font}" fillId="0" borderId="0" xfId="0" '
            'applyNumberFormat="1"/>'
            for number_format, font in ((0, 0), (49, 0), (2, 0), (9, 0), (14, 0), (0, 1))
        )
        + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
        "</cellStyles></styleSheet>"
    ),
}


def write(path: Path, count: int) -> None:
    """Writes the workbook with so many rows, in constant memory."""
    unfinished = path.with_suffix(".part")
    with tempfile.TemporaryDirectory() as folder, ZipFile(unfinished, "w") as package:
        strings = Strings(Path(folder) / "strings.xml")
        for name, text in SMALL_PARTS.items():
            _part(package, name, iter((DECLARATION, text)))
        _part(package, "xl/worksheets/sheet1.xml", sheet(count, strings))
        head = (
            f'{DECLARATION}<sst xmlns="{MAIN}" count="{strings.used}" '
            f'uniqueCount="{strings.count}">'
        )
        strings.file.seek(0)
        blocks = iter(lambda: strings.file.read(1 << 20), "")
        _part(package, "xl/sharedStrings.xml", iter((head, *blocks, "</sst>")))
        strings.file.close()
    unfinished.replace(path)


def _part(package: ZipFile, name: str, pieces: Iterator[str]) -> None:
    entry = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = ZIP_DEFLATED
    with package.open(entry, "w", force_zip64=True) as part:
        for piece in pieces:
            part.write(piece.encode())


def cached(count: int) -> Path:
    """The workbook with so many rows; made once, and again when this file has changed."""
    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    folder = Path(tempfile.gettempdir()) / "feedtool-benchmarks"
    folder.mkdir(exist_ok=True)
    path = folder / f"offers-{count}-{version}.xlsx"
    if not path.exists():
        write(path, count)
    return path


if __name__ == "__main__":
    print(cached(int(sys.argv[1])))
