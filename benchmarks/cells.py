"""Cells as programs write them: `python -m benchmarks.cells make PROGRAM ROWS PATH`, or `WAY PATH`.

Every program writes the same rows of 16 cells, none of them blank, as its own code or its files
show it, as far as we know them. `lxml` is the bare parse of the sheet and of the shared strings:
each row becomes elements, is counted and dropped. `feedtool` reads blocks, takes the keys of every
column, and decodes each that a column has not just had, as it does when rows are checked. Both
print the number of cells.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile

from benchmarks.corpus import (
    COLUMNS,
    DECLARATION,
    LETTERS,
    MAIN,
    OFFICE,
    SHEET,
    SMALL_PARTS,
    STYLES,
    offer,
)

ROWS_AT_A_TIME = 100
REMEMBERED = 4096
"""Different cells of a column, as many as where rows are checked."""
SHARED = '<c r="{place}"{style} t="s"><v>{value}</v></c>'
INLINE = '<c r="{place}"{style} t="inlineStr"><is><t>{value}</t></is></c>'
NUMBER = '<c r="{place}"{style}><v>{value}</v></c>'
NUMBER_TYPE = '<c r="{place}"{style} t="n"><v>{value}</v></c>'
SPANS = '<row r="{row}" spans="1:16">'
SPANS_AND_DESCENT = '<row r="{row}" spans="1:16" x14ac:dyDescent="0.25">'
PLAIN = '<row r="{row}">'


def shortest(number: float) -> str:
    """With as many digits as it takes: 20, 19.99."""
    return repr(number)


def decimal(number: float) -> str:
    """The same, with a point always: 20.0."""
    return repr(float(number))


def all_digits(number: float) -> str:
    """All that the binary number has: 20, 19.989999999999998."""
    return f"{number:.17g}"


class Program(NamedTuple):
    """How a program writes."""

    row: str = SPANS
    text: str = SHARED
    number: str = NUMBER
    digits: Callable[[float], str] = shortest
    string: str = "<si><t>{}</t></si>"
    line: str = ""
    """What stands after `<row …>` and `</row>`."""
    prefix: str = ""
    """What stands before the names of elements."""
    general: str = ""
    """The style of a cell without one."""


ZERO = ' s="0"'
PROGRAMS = {
    "Excel": Program(SPANS_AND_DESCENT, digits=all_digits),
    "LibreOffice": Program(
        '<row r="{row}" customFormat="false" ht="12.8" hidden="false" customHeight="false" '
        'outlineLevel="0" collapsed="false">',
        number=NUMBER_TYPE,
        string='<si><t xml:space="preserve">{}</t></si>',
        general=ZERO,
    ),
    "Google Sheets": Program(PLAIN, digits=decimal, general=ZERO),
    "openpyxl": Program(PLAIN, INLINE, NUMBER_TYPE),
    "XlsxWriter": Program(),
    "XlsxWriter, constant memory": Program(PLAIN, INLINE),
    "SheetJS": Program(PLAIN, '<c r="{place}" t="str"><v>{value}</v></c>'),
    "POI": Program(
        PLAIN,
        '<c r="{place}" t="s"{style}><v>{value}</v></c>',
        '<c r="{place}" t="n"{style}><v>{value}</v></c>',
        decimal,
    ),
    "POI, streaming": Program(PLAIN, INLINE, NUMBER_TYPE, decimal, line="\n"),
    "ClosedXML": Program(prefix="x:"),
    "EPPlus": Program('<row r="{row}" >', general=ZERO),
    "PhpSpreadsheet": Program(),
    "exceljs": Program(SPANS_AND_DESCENT),
    "exceljs, streaming": Program(
        SPANS_AND_DESCENT, '<c r="{place}"{style} t="str"><v>{value}</v></c>'
    ),
}
"""The ways of writing, by the program; of some, the second way that its documentation offers."""


def filled(number: int) -> dict[str, str | float]:
    """An offer of the corpus, with a text or a number in each column."""
    values = offer(number) | {
        "product.reference": f"AUC{number:09d}",
        "price.originPrice": 1300 + number % 490,
        "deliveryModes.ExpressHomeDelivery.cost": 9.9,
        "deliveryModes.ExpressHomeDelivery.additionalCost": 2.5,
    }
    return {key: value for key, value in values.items() if isinstance(value, str | int | float)}


def write(path: Path, program: Program, count: int) -> None:
    """Writes the workbook with so many rows below its header, in constant memory."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as strings,
        ZipFile(path, "w", ZIP_DEFLATED, compresslevel=1) as package,
    ):
        for name, content in SMALL_PARTS.items():
            package.writestr(name, DECLARATION + content)
        with package.open("xl/worksheets/sheet1.xml", "w", force_zip64=True) as part:
            for piece in sheet(program, count, strings.write):
                part.write(piece.encode())
        strings.seek(0)
        with package.open("xl/sharedStrings.xml", "w", force_zip64=True) as part:
            part.write((DECLARATION + prefixed(f'<sst xmlns="{MAIN}">', program)).encode())
            for piece in iter(lambda: strings.read(1 << 20), ""):
                part.write(piece.encode())
            part.write(prefixed("</sst>", program).encode())


def sheet(program: Program, count: int, add: Callable[[str], object]) -> Iterator[str]:
    """The sheet's part; `add` takes the shared strings."""
    head = (
        f'<worksheet xmlns="{MAIN}" xmlns:r="{OFFICE}" xmlns:x14ac="http://schemas.microsoft.com/'
        f'office/spreadsheetml/2009/9/ac"><dimension ref="A1:P{count + 1}"/><sheetData>'
    )
    yield DECLARATION + prefixed(head, program)
    index = indexer(program, add)
    yield shape(program, {key: key for key in COLUMNS}).format(*map(index, COLUMNS), row=1)
    usual = shape(program, filled(1))
    pieces = []
    for number in range(1, count + 1):
        written = (
            index(value) if isinstance(value, str) else program.digits(value)
            for value in filled(number).values()
        )
        pieces.append(usual.format(*written, row=number + 1))
        if not number % ROWS_AT_A_TIME:
            yield "".join(pieces)
            pieces.clear()
    yield "".join(pieces) + prefixed("</sheetData></worksheet>", program)


def shape(program: Program, values: Mapping[str, object]) -> str:
    """The format string of a row of such values."""
    cells = [
        (program.text if isinstance(values[key], str) else program.number)
        .replace("{place}", f"{letter}{{row}}")
        .replace("{style}", f' s="{STYLES[key]}"' if STYLES[key] else program.general)
        .replace("{value}", "{}")
        for letter, key in zip(LETTERS, COLUMNS, strict=True)
    ]
    row = program.row + program.line + "".join(cells) + "</row>" + program.line
    return prefixed(row, program)


def indexer(program: Program, add: Callable[[str], object]) -> Callable[[str], str]:
    """What stands in the cell of a text: itself, or its place among the shared strings."""
    if 't="s"' not in program.text:
        return escape
    string = prefixed(program.string, program)
    known: dict[str, str] = {}
    repeating = {"New", "UsedLikeNew", "RefurbishedLikeNew"}
    count = 0

    def index(text: str) -> str:
        nonlocal count
        if text in known:
            return known[text]
        add(string.format(escape(text)))
        count += 1
        if text in repeating:
            known[text] = str(count - 1)
        return str(count - 1)

    return index


def prefixed(xml: str, program: Program) -> str:
    """The same with the program's prefix before the names of elements."""
    if not program.prefix:
        return xml
    xml = xml.replace(" xmlns=", f" xmlns:{program.prefix[:-1]}=")
    return re.sub(r"<(/?)(?=\w)", rf"<\1{program.prefix}", xml)


def with_lxml(path: Path) -> int:
    """The bare parse; the number of cells."""
    from lxml import etree

    def counted(package: ZipFile, name: str, tag: str) -> int:
        count = 0
        with package.open(name) as part:
            for _, element in etree.iterparse(part, tag=f"{{{MAIN}}}{tag}"):
                count += len(element)
                element.clear()
                while element.getprevious() is not None:
                    del element.getparent()[0]
        return count

    with ZipFile(path) as package:
        counted(package, "xl/sharedStrings.xml", "si")
        return counted(package, "xl/worksheets/sheet1.xml", "row")


def with_feedtool(path: Path) -> int:
    """Every cell of every block; the number of those that are not blank."""
    from feedtool.sheets import open_source

    class Known(dict[Hashable, object]):
        """The cells of a column by their keys."""

        def __missing__(self, key: Hashable) -> object:
            cell = self[key] = decode(key)
            return cell

    known = [Known() for _ in COLUMNS]
    count = 0
    with open_source(path) as source:
        for block in source.sheet(SHEET).blocks():
            decode = block.decode
            for index in block.used(0):
                keys = tuple(block.column(index))
                count += len(keys) - keys.count("")
                if len(known[index]) > REMEMBERED:
                    known[index].clear()
                list(map(known[index].__getitem__, keys))
    return count


WAYS = {"lxml": with_lxml, "feedtool": with_feedtool}

if __name__ == "__main__":
    if sys.argv[1] == "make":
        write(Path(sys.argv[4]), PROGRAMS[sys.argv[2]], int(sys.argv[3]))
    else:
        print(WAYS[sys.argv[1]](Path(sys.argv[2])))
