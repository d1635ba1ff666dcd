"""Files made by their own code, part by part, and what must come out of them."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.cells import letters
from feedtool.model.nouns import Severity
from feedtool.model.sheet import CheckedSheet
from tests.conftest import gtin, offer

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
BOOK_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"

KEYS = tuple(offer())
"""The columns A to I of the files here."""
REFERENCE, GTIN, CONDITION, PRICE, VAT, COST, ADDITIONAL, DAYS, STOCK = KEYS

Content = str | bytes
Problem = tuple[int | None, str | None, str, str | None]
"""Row, column, code and value."""
Request = dict[str, Any]


# What must come out


def sent(number: int = 1, *, reference: str = "", condition: str = "New") -> Request:
    """The request of `offer(number)`, some of its values others."""
    return {
        "sellerExternalReference": reference or f"SKU-{number}",
        "product": {"gtin": gtin(number)},
        "condition": condition,
        "price": {
            "price": 19.99,
            "taxes": [
                {"code": "VAT", "value": 20},
                {"code": "EcoPart", "value": 0},
                {"code": "DEA", "value": 0},
            ],
        },
        "deliveryModes": [{"code": "TrackedHomeDelivery", "cost": 4.9, "additionalCost": 1.5}],
        "preparationTime": 2,
        "quantity": 7,
    }


@dataclass(frozen=True)
class Case:
    """A file, and all that must come out of it."""

    make: Callable[[], bytes]
    rows: Mapping[int, Request] = field(default_factory=dict)
    """The requests of the rows that are accepted, by their numbers."""
    problems: Sequence[Problem] = ()
    """Everything that is said, errors and warnings."""
    error: str = ""
    """The code of what keeps the file from being read."""
    says: Sequence[str] = ()
    """Phrases that stand in the messages or hints."""
    name: str = "offers.xlsx"
    sheet: str | None = None
    """`--sheet`."""

    def write(self, folder: Path) -> Path:
        """The file, in this folder."""
        path = folder / self.name
        path.write_bytes(self.make())
        return path


def judge(case: Case, folder: Path) -> CheckedSheet:
    """Reads a case's file, and asserts all that it must tell."""
    options = ReadOptions(sheets=[case.sheet] if case.sheet else ())
    (sheet,) = check([Input(case.name, case.write(folder))], options, load())
    assert (sheet.error.code if sheet.error else "") == case.error
    assert {item.row: json.loads(item.body) for item in sheet.valid_items()} == case.rows
    problems = [(each.row, each.column, each.code, each.value) for each in sheet.problems()]
    assert problems == list(case.problems)
    errors = {problem.row for problem in sheet.problems() if problem.severity is Severity.ERROR}
    counts = sheet.counts()
    assert (counts.valid, counts.invalid) == (len(case.rows), len(errors - {None}))
    told = [f"{problem.message} ({problem.hint})" for problem in sheet.problems()]
    if sheet.error:
        assert sheet.error.message
        assert sheet.error.hint
        told.append(f"{sheet.error.message} ({sheet.error.hint})")
    for phrase in case.says:
        assert phrase in "\n".join(told)
    return sheet


# Workbooks


def inline(text: str) -> str:
    """The content of a cell of this text, after its attributes."""
    return f"<is><t>{escape(text, quote=False)}</t></is>"


class Xml(str):
    """A cell's XML from after its reference to before its end: ` t="s"><v>0</v>`, or `/>`."""

    __slots__ = ()


def cell(place: str, value: str | None) -> str:
    """A cell of this text, or of this Xml; None is not a cell."""
    if value is None:
        return ""
    if isinstance(value, Xml):
        return f'<c r="{place}"{value}' + ("" if value.find(">") == len(value) - 1 else "</c>")
    return f'<c r="{place}" t="inlineStr">{inline(value)}</c>'


def number(text: str, style: int = 0) -> Xml:
    return Xml(f' s="{style}"><v>{text}</v>')


def row(number: int, values: Sequence[str | None], attributes: str = "") -> str:
    cells = "".join(cell(f"{letters(index)}{number}", value) for index, value in enumerate(values))
    return f'<row r="{number}"{attributes}>{cells}</row>'


def values(number: int = 1, changes: Mapping[str, str | None] | None = None) -> list[str | None]:
    """The cells of `offer(number)`, some of them changed."""
    return list({**offer(number), **(changes or {})}.values())


def header(at: int = 1) -> str:
    """The row of keys."""
    return row(at, KEYS)


def data(rows: str, *, before: str = "", after: str = "") -> str:
    return f'<worksheet xmlns="{MAIN}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def offers(changes: Mapping[str, str | None] | None = None) -> str:
    """A worksheet of one offer in row 2, some of its cells changed."""
    return data(header() + row(2, values(1, changes)))


def relationships(*lines: tuple[str, str, str], base: str = RELS, more: str = "") -> str:
    """A `.rels` part: each line an id, the last word of a type, and a target."""
    inner = "".join(
        f'<Relationship Id="{name}" Type="{base}/{kind}" Target="{target}"/>'
        for name, kind, target in lines
    )
    return f'<Relationships xmlns="{PACKAGE_RELS}">{inner}{more}</Relationships>'


def workbook(*sheets: str, before: str = "", after: str = "") -> str:
    """The workbook part; a sheet is `Name`, or `Name" state="hidden`."""
    tabs = "".join(
        f'<sheet name="{name}" sheetId="{index}" r:id="rId{index}"/>'
        for index, name in enumerate(sheets, 1)
    )
    inner = f"{before}<sheets>{tabs}</sheets>{after}"
    return f'<workbook xmlns="{MAIN}" xmlns:r="{RELS}">{inner}</workbook>'


def strings(*items: str) -> str:
    """The shared strings, each as XML inside its `<si>`."""
    return f'<sst xmlns="{MAIN}">{"".join(f"<si>{item}</si>" for item in items)}</sst>'


def styles(*formats: str) -> str:
    """Styles 1, 2 … of these format codes; 0 is the general one."""
    codes = "".join(
        f'<numFmt numFmtId="{number}" formatCode="{escape(code)}"/>'
        for number, code in enumerate(formats, 164)
    )
    cells = "".join(f'<xf numFmtId="{number + 164}"/>' for number in range(len(formats)))
    return (
        f'<styleSheet xmlns="{MAIN}"><numFmts>{codes}</numFmts>'
        f'<cellXfs><xf numFmtId="0"/>{cells}</cellXfs></styleSheet>'
    )


def parts(sheets: Mapping[str, Content], before: str = "", after: str = "") -> dict[str, Content]:
    """The parts of a workbook of these sheets."""
    count = len(sheets)
    return {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}"><Override PartName="/xl/workbook.xml" '
        f'ContentType="{BOOK_TYPE}"/></Types>',
        "_rels/.rels": relationships(("rId1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": workbook(*sheets, before=before, after=after),
        "xl/_rels/workbook.xml.rels": relationships(
            *(
                (f"rId{number}", "worksheet", f"worksheets/sheet{number}.xml")
                for number in range(1, count + 1)
            ),
            ("rId901", "sharedStrings", "sharedStrings.xml"),
            ("rId902", "styles", "styles.xml"),
        ),
        **{
            f"xl/worksheets/sheet{number}.xml": content
            for number, content in enumerate(sheets.values(), 1)
        },
    }


def package(
    members: Mapping[str, Content | None],
    method: int = zipfile.ZIP_DEFLATED,
    comment: bytes = b"",
) -> bytes:
    """A zip of these members; None leaves one out."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in _declared(members).items():
            if content is not None:
                archive.writestr(zipfile.ZipInfo(name), content, method)
        archive.comment = comment
    return buffer.getvalue()


SHARED = {
    f"xl/{kind}.xml": BOOK_TYPE.replace("sheet.main", kind) for kind in ("sharedStrings", "styles")
}
"""Parts that other readers find by their content type alone."""


def _declared(members: Mapping[str, Content | None]) -> Mapping[str, Content | None]:
    """The parts with the declared types of those that exist."""
    types = members.get("[Content_Types].xml")
    if not isinstance(types, str):
        return members
    more = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>'
        for name, kind in SHARED.items()
        if members.get(name) and name not in types
    )
    return {**members, "[Content_Types].xml": types.replace("</Types>", f"{more}</Types>")}


def book(sheet: Content, more: Mapping[str, Content | None] | None = None) -> bytes:
    """A workbook of one sheet, some of its parts replaced."""
    return package({**parts({"Offers": sheet}), **(more or {})})


def several(sheets: Mapping[str, Content]) -> bytes:
    return package(parts(sheets))


def one(
    changes: Mapping[str, str | None], more: Mapping[str, Content | None] | None = None
) -> bytes:
    """A workbook of one offer, some of its cells changed."""
    return book(offers(changes), more)


# Texts


def csv(
    *records: Sequence[str],
    separator: str = ",",
    end: str = "\n",
    encoding: str = "utf-8",
    before: str = "",
) -> bytes:
    """A text of the keys and these records, each field written unchanged."""
    lines = [separator.join(fields) for fields in (KEYS, *records)]
    return (before + end.join(lines) + end).encode(encoding)


def fields(number: int = 1, changes: Mapping[str, str] | None = None) -> list[str]:
    """The fields of `offer(number)`, some of them changed."""
    return list({**offer(number), **(changes or {})}.values())
