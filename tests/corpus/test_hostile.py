"""Files made to exhaust memory or time, or to mislead: what comes out of each, and what it takes.

Each is read, and annotated where it can be read, by the command that its user would run, in a
process of its own. Memory is bounded for all of them. Time is that of a processor, bounded by what
a file really holds: ten seconds for ten million cells, with some for Python's start and for a
busy machine.
"""

import io
import json
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from feedtool.model.cells import letters
from feedtool.model.limits import MIB
from tests.corpus.made import (
    GTIN,
    KEYS,
    MAIN,
    PACKAGE_RELS,
    REFERENCE,
    RELS,
    Content,
    Xml,
    book,
    csv,
    data,
    fields,
    header,
    offers,
    one,
    package,
    parts,
    relationships,
    row,
    several,
    strings,
    values,
    workbook,
)
from tests.corpus.measured import Figures, Measured

MOST_MIB = 200
START = 8.0
"""Seconds for any file, however small: each of many headers is compared with all known ones."""
SPEED = 1_000_000 / 4
"""Cells a second: a quarter of what is promised, since other tests run at the same time."""
PLAIN, PLAIN_SECONDS = 5_000, 0.08
"""Good offers, and their time on the machine for which these bounds were set."""
ANNOTATED = 4
"""Number of readings for a copy: checked, scanned, written, and the copy read."""

WIDEST = 16_384
LAST_ROW = 1_048_576
SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
NO_ROOM = 2
"""The exit code where no column is left for the annotation."""
UNREADABLE = 3
"""The exit code where a file cannot be read."""


@dataclass(frozen=True)
class Hostile:
    """A file, what must come out of it, and how much it really holds."""

    make: Callable[[], bytes | Iterator[str]]
    """The file, or the rows of its sheet."""
    error: str = ""
    """The code of what keeps it from being read."""
    valid: int = 0
    codes: Mapping[str, int] = field(default_factory=dict)
    """Problems by code."""
    cells: int = 0
    """Cells, rows and things said, where they are many."""
    name: str = "offers.xlsx"
    reading: str = ""
    """The profile's limits, where they are not the default ones."""
    is_full: bool = False
    """No column is left to annotate."""

    def write(self, folder: Path) -> None:
        """The file, and the settings beside it."""
        content = self.make()
        path = folder / self.name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            write_book(path, content)
        (folder / "feedtool.toml").write_text(f"[profile.own.reading]\n{self.reading}\n", "utf-8")


def write_book(path: Path, rows: Iterator[str]) -> None:
    """A workbook of which the sheet is written row by row."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts({"Offers": ""}).items():
            if name != SHEET:
                archive.writestr(name, content)
        with archive.open(SHEET, "w", force_zip64=True) as sheet:
            sheet.write(f'<worksheet xmlns="{MAIN}"><sheetData>'.encode())
            for chunk in rows:
                sheet.write(chunk.encode())
            sheet.write(b"</sheetData></worksheet>")


# Packages


def announced(changes: Mapping[int, tuple[str, int]], part: str = SHEET) -> bytes:
    """A workbook whose directory lies about a part: place in the entry → format and value."""
    content = bytearray(book(offers()))
    entry = content.index(b"PK\x01\x02")
    while content[entry + 46 : entry + 46 + len(part)] != part.encode():
        entry = content.index(b"PK\x01\x02", entry + 1)
    for place, (kind, value) in changes.items():
        struct.pack_into(kind, content, entry + place, value)
    return bytes(content)


def overlapping(count: int) -> bytes:
    """A zip whose many members share one stretch of the file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts({"Offers": offers()}).items():
            archive.writestr(name, content)
        archive.writestr("kernel", bytes(MIB))
        kernel = archive.getinfo("kernel")
        for number in range(count):
            again = zipfile.ZipInfo(f"more{number}")
            for name in ("CRC", "compress_size", "file_size", "header_offset", "compress_type"):
                setattr(again, name, getattr(kernel, name))
            archive.filelist.append(again)
    return buffer.getvalue()


def with_names(*names: str) -> bytes:
    """A workbook with members of these names besides."""
    buffer = io.BytesIO(book(offers()))
    with zipfile.ZipFile(buffer, "a") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), b"x")
    return buffer.getvalue()


def parts_beside(count: int) -> bytes:
    return with_names(*(f"more/{number}" for number in range(count)))


def directory(size: int) -> bytes:
    """A workbook whose last record announces a directory of this size."""
    content = bytearray(book(offers()))
    struct.pack_into("<L", content, len(content) - 10, size)
    return bytes(content)


def in_part(name: str, content: Content) -> bytes:
    """A workbook of one offer, with one of its parts replaced."""
    return one({}, {name: content})


def bomb() -> bytes:
    return package({f"{number}.bin": bytes(MIB) for number in range(10)})


# Sheets


def sheet(rows: str) -> bytes:
    """A workbook of the header, an offer, and these rows."""
    return book(data(header() + row(2, values()) + rows))


def raw(xml: str | bytes) -> Callable[[], bytes]:
    return lambda: book(xml)


def single_quoted(changes: Mapping[str, str]) -> str:
    return data(header() + row(2, values(1, changes))).replace('"', "'")


GUIDE = '<rPh sb="0" eb="1"><t>g</t></rPh>'


def wide(
    count: int, *, value: str = "<v>1</v>", named: bool = False, step: int = 1
) -> Iterator[str]:
    """Offers in rows that reach to the last column of the grid, with a cell in each `step`-th."""
    indexes = range(WIDEST - 1, len(KEYS) - 1, -step)[::-1]
    names = [letters(index) for index in indexes]
    others = range(len(KEYS), WIDEST if named else 0)
    yield row(1, [*KEYS, *(f"x{letters(at)}" if at in indexes else None for at in others)])
    for number in range(2, count + 2):
        cells = "".join(f'<c r="{name}{number}" s="1">{value}</c>' for name in names)
        yield row(number, values(number)).replace("</row>", f"{cells}</row>")


def empty(first: int, last: int, cells: int = 0) -> Iterator[str]:
    """An offer, and below it rows that are formatted and empty."""
    yield header() + row(2, values())
    names = [letters(index) for index in range(cells)]
    for number in range(first, last + 1):
        inside = "".join(f'<c r="{name}{number}" s="1"/>' for name in names)
        yield f'<row r="{number}" s="1" customFormat="1">{inside}</row>'


def offers_of(changes: Mapping[str, str | None], count: int) -> Iterator[str]:
    """Many offers with the same changes."""
    yield header()
    for number in range(2, count + 2):
        yield row(number, values(number, changes))


BAD = {GTIN: "123", "condition": "Neww", "price.price": "abc", "taxes.VAT": "200", "quantity": "x"}
BAD_CODES = ("gtin-format", "enum-value", "number-format", "number-range", "number-format")


def bad(count: int) -> Iterator[str]:
    return offers_of(BAD, count)


def shared(count: int, text: str) -> Callable[[], bytes]:
    """A workbook with as many shared strings, of which the offer's reference is the first."""
    return lambda: one(
        {REFERENCE: Xml(' t="s"><v>0</v>')}, {STRINGS: strings(*[f"<t>{text}</t>"] * count)}
    )


def repeated(size: int, count: int) -> bytes:
    """One shared string of this length, and offers whose reference it is."""
    sheet = "".join(offers_of({REFERENCE: Xml(' t="s"><v>0</v>')}, count))
    return book(data(sheet), {STRINGS: strings(f"<t>{'a' * size}</t>")})


def index(value: str) -> Callable[[], bytes]:
    return lambda: one({REFERENCE: Xml(f' t="s"><v>{value}</v>')}, {STRINGS: strings("<t>a</t>")})


# Markup

LAUGHS = "".join(f'<!ENTITY l{n} "&l{n - 1};&l{n - 1};">' for n in range(1, 40))
DOCTYPE = f'<!DOCTYPE w [<!ENTITY l0 "lol">{LAUGHS}]>'
OUTSIDE = '<!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>'

MALFORMED: dict[str, Content] = {
    "an attribute without quotes": data(header() + "<row r=2/>"),
    "two roots": data(header()) + "<worksheet/>",
    "text behind the root": data(header()) + "x",
    "no XML": "PK",
    "nothing": "",
    "bytes that are no UTF-8": data(header() + row(2, ["\0"])).encode().replace(b"\0", b"\xff"),
    "a NUL": data(header() + row(2, ["\0"])),
    "an encoding that does not exist": f'<?xml version="1.0" encoding="x-no"?>{data("")}',
    "an end of CDATA": data(header() + '<row r="2"><c r="A2"><v>]]></v></c></row>'),
    "a comment left open": data(header() + "<!-- "),
}
"""Sheets that no parser may accept."""

TEXTS = (
    *("=1+1", "@SUM(A1)", '=HYPERLINK("http://x/","y")', "=cmd|' /C calc'!A0", "<b>&amp;</b>"),
    *("<script>alert(1)</script>", "{{ 7*7 }}", "{% raw %}", "${x}", "%s%n", "{0.__class__}"),
)
"""Texts that another program might interpret."""


def texts_everywhere() -> bytes:
    """An offer in a sheet, and under headers and beside cells, that are all of these texts."""
    rows = row(1, [*KEYS, *TEXTS]) + row(2, [*values(1, {REFERENCE: TEXTS[0]}), *TEXTS])
    name = "{{7*7}} =1+1 &lt;b&gt;&amp;"
    return several({name: data(rows)})


def text_records() -> bytes:
    """Records with this text, for a CSV."""
    named = [f'"{text.replace(chr(34), chr(34) * 2)}"' for text in TEXTS]
    lines = [",".join([*KEYS, *named]), ",".join([*fields(1, {REFERENCE: named[0]}), *named])]
    return "\n".join(lines).encode()


EXTERNAL = (
    f'<Relationships xmlns="{PACKAGE_RELS}"><Relationship Id="rId1" Type="{RELS}/worksheet" '
    'Target="file:///etc/passwd" TargetMode="External"/></Relationships>'
)


def same_reference(count: int) -> Hostile:
    """Offers that share one reference."""
    make = partial(offers_of, {REFERENCE: "SKU"}, count)
    return Hostile(make, codes={"duplicate-reference": count}, cells=count * 10)


def bad_rows(count: int) -> Hostile:
    """Offers that are wrong in several cells."""
    codes = Counter({code: count * times for code, times in Counter(BAD_CODES).items()})
    return Hostile(partial(bad, count), codes=codes, cells=count * (9 + 5))


def long_line(count: int) -> Hostile:
    """An offer, and behind it as many empty fields."""

    def make() -> bytes:
        return csv([*fields(), *[""] * count])

    return Hostile(make, valid=1, cells=count, name="offers.csv")


def open_quote(count: int) -> Hostile:
    """A quote that takes in as many lines."""

    def make() -> bytes:
        return csv(fields(), ['"' + "3,4 and more\n" * count])

    return Hostile(make, error="csv-unterminated-quote", cells=count, name="offers.csv")


def wide_headers(count: int, step: int = 1) -> Hostile:
    """A header as wide as the grid, named in each `step`-th column, and as many offers."""
    make = partial(wide, count, named=True, step=step)
    unknown = {"unknown-column": 1}
    cells = (count + 1) * WIDEST // step
    return Hostile(make, valid=count, codes=unknown, cells=cells, is_full=True)


FILES: dict[str, Hostile] = {
    # Packages
    "a part that announces 3 GiB": Hostile(
        partial(announced, {24: ("<L", 3 << 30)}), error="zip-bomb"
    ),
    "parts that announce 5 GiB together": Hostile(
        lambda: package({**parts({"Offers": offers()}), "a": bytes(3 * MIB), "b": bytes(3 * MIB)}),
        error="zip-bomb",
        reading=f"total = {5 * MIB}",
    ),
    "a part that announces less than it holds": Hostile(
        partial(announced, {24: ("<L", 100)}), error="corrupt-zip"
    ),
    "a part that announces more than it holds": Hostile(
        partial(announced, {24: ("<L", 100_000)}), error="corrupt-zip"
    ),
    "a small part of 2 MiB, where 1 is allowed": Hostile(
        lambda: in_part("xl/styles.xml", b" " * 2 * MIB),
        error="zip-bomb",
        reading=f"small = {MIB}",
    ),
    "a sheet of 12 MiB of blanks": Hostile(lambda: book(b" " * 12 * MIB), error="zip-bomb"),
    "210 parts, where 200 are allowed": Hostile(
        partial(parts_beside, 210), error="zip-bomb", reading="parts = 200"
    ),
    "overlapping members": Hostile(partial(overlapping, 2000), error="zip-bomb"),
    "a directory of a GiB": Hostile(partial(directory, 1 << 30), error="zip-bomb"),
    "a directory that is too short": Hostile(partial(directory, 50), error="corrupt-zip"),
    "a bomb among the parts": Hostile(lambda: in_part("xl/embeddings/bomb.zip", bomb()), valid=1),
    "a bomb inside a zip": Hostile(lambda: package({"bomb.zip": bomb()}), error="not-a-workbook"),
    "a part twice": Hostile(partial(with_names, "a.bin", "A.BIN"), error="zip-duplicate-member"),
    "a sheet twice, with backslashes": Hostile(
        partial(with_names, SHEET.replace("/", "\\")), error="zip-duplicate-member"
    ),
    "a climbing name": Hostile(partial(with_names, "../../etc/cron.d/x"), error="zip-bad-name"),
    "a climbing name with backslashes": Hostile(
        partial(with_names, "xl\\..\\..\\x"), error="zip-bad-name"
    ),
    "a name with a drive": Hostile(partial(with_names, "C:/x"), error="zip-bad-name"),
    # Document types and what is outside
    "entities in the sheet": Hostile(raw(DOCTYPE + data(header())), error="xml-doctype"),
    "entities in the workbook": Hostile(
        lambda: in_part("xl/workbook.xml", DOCTYPE + workbook("Offers")), error="xml-doctype"
    ),
    "entities in UTF-16": Hostile(
        lambda: in_part(
            "xl/workbook.xml",
            f'<?xml version="1.0" encoding="utf-16"?>{DOCTYPE}<w>&l39;</w>'.encode("utf-16"),
        ),
        error="xml-doctype",
    ),
    "an entity that is a file": Hostile(
        lambda: one(
            {REFERENCE: Xml(' t="s"><v>0</v>')}, {STRINGS: OUTSIDE + strings("<t>&e;</t>")}
        ),
        error="xml-doctype",
    ),
    "a sheet that is elsewhere": Hostile(
        lambda: in_part("xl/_rels/workbook.xml.rels", EXTERNAL), error="corrupt-xml"
    ),
    "a sheet outside of the package": Hostile(
        lambda: in_part(
            "xl/_rels/workbook.xml.rels",
            relationships(("rId1", "worksheet", "../../../../etc/passwd")),
        ),
        error="corrupt-xml",
    ),
    # Shared strings
    **{
        f"shared string {value[:9]}": Hostile(index(value), error="corrupt-xml")
        for value in ("1", "-1", "x", "9" * 5000, "0.5")
    },
    "a shared string of 9 MiB": Hostile(shared(1, "a" * 9 * MIB), error="zip-bomb"),
    "shared strings of 3 MiB, where 2 are allowed": Hostile(
        shared(3000, "a" * 1024), error="zip-bomb", reading=f"strings = {2 * MIB}"
    ),
    "a text of 4 MiB in 60 cells": Hostile(
        lambda: repeated(4 * MIB, 60), codes={"text-too-long": 60, "duplicate-reference": 60}
    ),
    "100,000 shared strings": Hostile(shared(100_000, "a"), valid=1, cells=100_000),
    # Sheets
    **{name: Hostile(raw(xml), error="corrupt-xml") for name, xml in MALFORMED.items()},
    "an endless row": Hostile(
        lambda: sheet(f'<row r="3">{"<c><v>1</v></c>" * (WIDEST + 1)}</row>'),
        error="grid-out-of-range",
    ),
    "rows inside rows, without end": Hostile(lambda: sheet("<row>" * 100_000), error="zip-bomb"),
    "other tags inside each other": Hostile(lambda: sheet("<x>" * 100_000), error="zip-bomb"),
    "tags inside each other in the workbook": Hostile(
        lambda: in_part("xl/workbook.xml", "<x>" * 100_000), error="corrupt-xml"
    ),
    "an attribute of 12 MiB": Hostile(
        lambda: sheet(f'<row r="3" spans="{"1" * 12 * MIB}"/>'), error="zip-bomb"
    ),
    "a comment of 12 MiB": Hostile(lambda: sheet(f"<!--{'x' * 12 * MIB}-->"), error="zip-bomb"),
    "a cell of 12 MiB": Hostile(
        lambda: sheet(f'<row r="3"><c r="A3" t="str"><v>{"a" * 12 * MIB}</v></c></row>'),
        error="zip-bomb",
    ),
    "a cell of a MiB": Hostile(lambda: one({REFERENCE: "a" * MIB}), codes={"text-too-long": 1}),
    "a cell of a MiB of ends, in single quotes": Hostile(
        lambda: book(single_quoted({REFERENCE: Xml(f' t="str"><v>{">" * MIB}</v>')})),
        codes={"text-too-long": 1},
    ),
    "a cell of 9,000 phonetic guides": Hostile(
        lambda: one(
            {REFERENCE: Xml(f' t="inlineStr"><is><t>a</t>{GUIDE * 9_000}<r><t/></r></is>')}
        ),
        valid=1,
    ),
    "a lone cell in the last corner": Hostile(
        lambda: sheet(f'<row r="{LAST_ROW}"><c r="XFD{LAST_ROW}"><v>1</v></c></row>'),
        valid=1,
        is_full=True,
    ),
    "empty rows at the end of the grid": Hostile(
        partial(empty, LAST_ROW - 10_000, LAST_ROW), valid=1, cells=10_000
    ),
    "empty cells in many rows": Hostile(partial(empty, 3, 2_000, 16), valid=1, cells=16 * 2_000),
    "rows as wide as the grid": Hostile(
        partial(wide, 1, step=16),
        codes={"too-many-columns": -(-(WIDEST - len(KEYS)) // 16)},
        cells=WIDEST // 16,
        is_full=True,
    ),
    "headers as wide as the grid": wide_headers(2, step=32),
    "empty cells as wide as the grid": Hostile(
        partial(wide, 2, value=""), valid=2, cells=2 * WIDEST
    ),
    # Many rows
    "the same reference 100 times": same_reference(100),
    "100 bad rows": bad_rows(100),
    # Texts
    "a field of a MiB": Hostile(
        lambda: csv(fields(1, {REFERENCE: "a" * MIB})),
        codes={"text-too-long": 1},
        name="offers.csv",
    ),
    "a line of 18 MiB": Hostile(
        lambda: csv(fields(1, {REFERENCE: "a" * 18 * MIB})),
        error="not-a-workbook",
        name="offers.csv",
    ),
    "a quote that is left open": open_quote(200_000),
    "separators without end": long_line(100_000),
    "more fields than columns": Hostile(
        lambda: csv([*fields(), *["1"] * WIDEST]), error="grid-out-of-range", name="offers.csv"
    ),
    # What is more than a text elsewhere
    "markup, formulas and templates": Hostile(
        texts_everywhere, valid=1, codes={"unknown-column": 1}
    ),
    "markup, formulas and templates in a text": Hostile(
        text_records, valid=1, codes={"unknown-column": 1}, name="offers.csv"
    ),
}

SIMILAR = {
    # A stretch without a tag, like a sheet of 12 MiB of blanks.
    *("an attribute of 12 MiB", "a comment of 12 MiB", "a cell of 12 MiB"),
    *("a shared string of 9 MiB", "100,000 shared strings", "a bomb among the parts"),
    *("a cell of a MiB", "a field of a MiB", "separators without end"),
    *("empty cells as wide as the grid", "rows as wide as the grid"),
    *("empty rows at the end of the grid", "100 bad rows"),
}
"""Files that take long, and come out as others of the usual run, after the same steps."""

LONG: dict[str, Hostile] = {
    "a small part of 80 MiB": Hostile(
        lambda: in_part("xl/styles.xml", b" " * 80 * MIB), error="zip-bomb"
    ),
    "a sheet of 100 MiB of blanks": Hostile(lambda: book(b" " * 100 * MIB), error="zip-bomb"),
    "21,000 parts": Hostile(partial(parts_beside, 21_000), error="zip-bomb"),
    "400,000 shared strings": Hostile(shared(400_000, "a"), valid=1, cells=400_000),
    "a million shared strings": Hostile(shared(1_000_000, "a"), valid=1, cells=1_000_000),
    "a million separators": long_line(1_000_000),
    "a cell in each column of the grid": Hostile(
        partial(wide, 1),
        codes={"too-many-columns": WIDEST - len(KEYS)},
        cells=2 * WIDEST,
        is_full=True,
    ),
    "a header in each column of the grid": wide_headers(2),
    "12 rows of empty cells as wide as the grid": Hostile(
        partial(wide, 12, value=""), valid=12, cells=12 * WIDEST
    ),
    "empty rows down to the end of the grid": Hostile(
        partial(empty, 3, LAST_ROW), valid=1, cells=LAST_ROW
    ),
    "17 million shared strings": Hostile(
        shared(17_000_000, ""), error="zip-bomb", cells=17_000_000
    ),
    "shared strings of 520 MiB": Hostile(
        shared(520 * 128, "a" * 8192), error="zip-bomb", cells=10_000_000
    ),
    "16 million empty cells": Hostile(partial(empty, 3, 1_000_000, 16), valid=1, cells=16_000_000),
    "many rows as wide as the grid": wide_headers(100),
    "the same reference 100,000 times": same_reference(100_000),
    "a quote that is left open for 110 MB": open_quote(8_500_000),
}


@pytest.fixture(scope="module")
def measured() -> Iterator[Measured]:
    with Measured() as process:
        yield process


@pytest.fixture(scope="module")
def slowness(measured: Measured, tmp_path_factory: pytest.TempPathFactory) -> float:
    """The time of good offers on this machine, as a multiple of PLAIN_SECONDS; at least 1."""
    folder = tmp_path_factory.mktemp("plain")
    plain = Hostile(partial(offers_of, {}, PLAIN), valid=PLAIN)
    plain.write(folder)
    return max(1.0, validated(plain, measured, folder)[0].seconds / PLAIN_SECONDS)


def assert_withstood(
    one: Hostile, measured: Measured, slowness: float, folder: Path, *options: str
) -> None:
    """Validates a file with some options, and asserts what comes out and what it takes."""
    figures, told = validated(one, measured, folder, *options)
    is_annotated = bool(options) and not one.error
    assert (told["error"] or {}).get("code", "") == one.error
    assert told["valid"] == one.valid
    assert Counter(problem["code"] for problem in told["problems"]) == Counter(one.codes)
    assert bool(told["annotated"]) is (is_annotated and not one.is_full)
    assert (figures.code == NO_ROOM) is (is_annotated and one.is_full)
    assert (figures.code == UNREADABLE) is bool(one.error)
    assert figures.mib < MOST_MIB
    readings = ANNOTATED if is_annotated else 1
    assert figures.seconds < slowness * (START + readings * one.cells / SPEED)


def validated(
    one: Hostile, measured: Measured, folder: Path, *options: str
) -> tuple[Figures, dict[str, Any]]:
    """Run `validate` on a file and return its figures and report."""
    out = folder / "told.json"
    settings = ["--config", str(folder / "feedtool.toml"), "--profile", "own"]
    command = ["validate", str(folder / one.name), "--format", "json", *settings, *options]
    figures = measured.run(command, out)
    (told,) = json.loads(out.read_bytes())
    return figures, told


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.long) if name in SIMILAR else name for name in FILES],
)
def test_a_hostile_file_is_checked_and_annotated(
    name: str, measured: Measured, slowness: float, tmp_path: Path
) -> None:
    FILES[name].write(tmp_path)
    assert_withstood(FILES[name], measured, slowness, tmp_path, "--annotate")


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in FILES if not FILES[name].error])
def test_a_hostile_file_is_only_checked(
    name: str, measured: Measured, slowness: float, tmp_path: Path
) -> None:
    FILES[name].write(tmp_path)
    assert_withstood(FILES[name], measured, slowness, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_a_large_hostile_file(
    name: str, measured: Measured, slowness: float, tmp_path: Path
) -> None:
    LONG[name].write(tmp_path)
    assert_withstood(LONG[name], measured, slowness, tmp_path)
    if not LONG[name].error:
        assert_withstood(LONG[name], measured, slowness, tmp_path, "--annotate")


@pytest.mark.long
def test_a_million_bad_rows(measured: Measured, tmp_path: Path) -> None:
    """Problems go to disk one by one; they are counted line by line, as they are written."""
    rows = 1_000_000
    write_book(tmp_path / "offers.xlsx", bad(rows))
    out = tmp_path / "told.json"
    figures = measured.run(["validate", str(tmp_path / "offers.xlsx"), "--format", "json"], out)
    said: Counter[str] = Counter()
    numbers = set()
    with out.open(encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('      {"row": '):
                problem = json.loads(line.rstrip().rstrip(","))
                said[problem["code"]] += 1
                numbers.add(problem["row"])
    assert figures.code == 1
    assert figures.mib < 250
    assert said == {code: count * rows for code, count in Counter(BAD_CODES).items()}
    assert numbers == set(range(2, rows + 2))
