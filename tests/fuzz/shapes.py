"""Workbooks and CSVs that Hypothesis makes up: offers as people have them, written in odd ways."""

import csv
import io
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

from hypothesis import strategies as st

from feedtool.model.cells import letters
from tests.corpus.books import (
    SHEET,
    STRICT,
    STRICT_RELS,
    STRINGS,
    around,
)
from tests.corpus.made import MAIN, RELS, data, package

KNOWN = (
    *("sellerExternalReference", "product.gtin", "condition", "price.price", "taxes.VAT"),
    *("deliveryModes.TrackedHomeDelivery.cost", "preparationTime", "quantity", "price.originPrice"),
    *("deliveryModes.TrackedHomeDelivery.additionalCost", "action", "product.reference"),
    *("taxes.EcoPart", "salesChannelId"),
)
ALIASES = ("SKU", "ean", "Prix (TTC)", "Stock", "vat", "État", "comment", "price", "gtin", "x")

PLAIN = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"))
TEXT = st.text(PLAIN | st.sampled_from('\t\n\r"<>&=+-@;,|\x01\x1b\u202e_x0041_'), max_size=12)
VALUE = st.one_of(
    st.sampled_from(("", "SKU-1", "SKU-2", "3760452703306", "New", "19.99", "20", "7", "Update")),
    st.sampled_from(("1,234", "19,99 €", "20 %", "TRUE", "#N/A", "8,8E+12", "=1+1", " ", "\xa0")),
    st.decimals(-1000, 10**7, places=2).map(str),
    st.integers(-10, 10**15).map(str),
    TEXT,
)
HEADER = st.one_of(
    st.permutations(KNOWN).map(lambda names: list(names[:12])),
    st.just(list(KNOWN[:10])),
    st.lists(st.sampled_from((*KNOWN, *ALIASES)), min_size=1, max_size=8, unique=True),
    st.just(["sku", "price", "quantity"]),
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """A header, titles above it, records of any length below it."""
    header = draw(HEADER)
    titles = draw(st.lists(st.lists(TEXT, max_size=3), max_size=2))
    width = len(header)
    row = st.lists(VALUE, min_size=0, max_size=width + draw(st.sampled_from((0, 0, 0, 2))))
    offer = st.tuples(*(_value(name) for name in header)).map(list)
    rows = draw(st.lists(st.one_of(offer, offer, row), max_size=8))
    return [*titles, header, *rows]


def _value(name: str) -> st.SearchStrategy[str]:
    """A value, mostly one that fits its header."""
    good = {
        "sellerExternalReference": st.integers(1, 40).map(lambda number: f"SKU-{number}"),
        "product.gtin": st.just("3760452703306"),
        "condition": st.sampled_from(("New", "neuf", "Refurbished")),
        "action": st.sampled_from(("Upsert", "Update", "delete")),
        "quantity": st.integers(0, 99).map(str),
        "preparationTime": st.integers(1, 9).map(str),
        "salesChannelId": st.just("PRIMARY"),
        "product.reference": st.just("REF-1"),
    }
    price = st.decimals(1, 99, places=2).map(str)
    return st.one_of(good.get(name, price), good.get(name, price), good.get(name, price), VALUE)


@st.composite
def csv_files(draw: st.DrawFn) -> bytes:
    """A CSV in some dialect, more or less well written."""
    table = draw(tables())
    separator = draw(st.sampled_from(",;\t|"))
    end = draw(st.sampled_from(("\r\n", "\n", "\r")))
    out = io.StringIO()
    if draw(st.booleans()):
        csv.writer(out, delimiter=separator, lineterminator=end).writerows(table)
    else:
        every = csv.writer(out, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL)
        every.writerows(table)
    text = draw(st.sampled_from(("", "", "", f"sep={separator}{end}", end))) + out.getvalue()
    if draw(st.integers(0, 9)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(('"', "\ufeff", "\0", "\x1a", end * 3))) + text[at:]
    codec = draw(
        st.sampled_from(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252", "latin-1"))
    )
    return text.encode(codec, "replace") + draw(
        st.sampled_from((b"", b"", b"\x1a", b"\xef\xbb\xbf"))
    )


@st.composite
def workbooks(draw: st.DrawFn) -> bytes:
    """A workbook of a table, each cell written in one of the ways that programs know."""
    table = draw(tables())
    strings: list[str] = []
    is_canonical = draw(st.booleans())
    number = 0
    rows = []
    for record in table:
        number += draw(st.sampled_from((1, 1, 1, 1, 2, 100)))
        cells = [draw(_cell(index, number, text, strings)) for index, text in enumerate(record)]
        if not is_canonical and draw(st.integers(0, 5)) == 0:
            draw(st.randoms(use_true_random=False)).shuffle(cells)
        gap = "" if is_canonical else draw(st.sampled_from(("", "", "\n ", "<!-- -->")))
        attributes = draw(st.sampled_from(("", "", f' spans="1:{len(record) + 1}"', ' hidden="1"')))
        rows.append(f'<row r="{number}"{attributes}>{gap}{"".join(cells)}</row>{gap}')
    sheet = _sheet("".join(rows), draw)
    notes = draw(st.sampled_from(({}, {}, {"Notes": data("")})))
    parts = around({"Offers": sheet, **notes}, *strings)
    return package({name: _written(content) for name, content in draw(_dressed(parts)).items()})


_RULE = (
    '<conditionalFormatting sqref="A1"><cfRule type="expression" priority="1">'
    "<formula>1</formula></cfRule></conditionalFormatting>"
)


def _sheet(rows: str, draw: st.DrawFn) -> str:
    """The sheet around its rows."""
    before = draw(
        st.sampled_from(("", "", '<dimension ref="A1:C3"/>', '<cols><col min="1" max="9"/></cols>'))
    )
    after = draw(
        st.sampled_from(
            (
                *("", "", '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>'),
                '<autoFilter ref="A1:P9"/>',
                _RULE,
                '<extLst><ext uri="u"/></extLst>',
            )
        )
    )
    sheet = data(rows, before=before, after=after)
    return sheet.replace(" xmlns=", ' xmlns:y="urn:y" xmlns=', 1)


_Cell = Callable[[str, str], str]


@st.composite
def _cell(  # noqa: PLR0911  # one for each way
    draw: st.DrawFn, index: int, row: int, text: str, strings: list[str]
) -> str:
    """A cell in one of its forms."""
    place = f"{letters(index)}{row}"
    style = draw(st.sampled_from(("", "", "", ' s="1"', ' s="3"', ' s="4"', ' s="9"', ' s="99"')))
    safe = escape("".join(c if c >= " " or c in "\t\n" else f"_x{ord(c):04X}_" for c in text))
    way = draw(st.integers(0, 9))
    if not text:
        return draw(
            st.sampled_from(("", f'<c r="{place}"{style}/>', f'<c r="{place}"{style}></c>'))
        )
    is_number = text.replace(".", "", 1).lstrip("-").isascii() and text.lstrip("-").isdecimal()
    if is_number and way < 6:
        return f'<c r="{place}"{style}><v>{text}</v></c>'
    if way == 6:
        return f'<c r="{place}"{style} t="str"><f>A1&amp;"x"</f><v>{safe}</v></c>'
    if way == 7:
        kinds = ('t="b"><v>1', 't="e"><v>#N/A', 't="d"><v>2024-01-31', "><f>A1</f><v>")
        return f'<c r="{place}"{style} {draw(st.sampled_from(kinds))}</v></c>'
    if way == 8:
        runs = f'<r><t xml:space="preserve">{safe[:0]}</t></r><r><t>{safe}</t></r>'
        return f'<c r="{place}"{style} t="inlineStr"><is>{runs}</is></c>'
    if way % 2:
        strings.append(f'<t xml:space="preserve">{safe}</t>')
        return f'<c r="{place}"{style} t="s"><v>{len(strings) - 1}</v></c>'
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{safe}</t></is></c>'


_Parts = dict[str, str | bytes]


@st.composite
def _dressed(draw: st.DrawFn, parts: _Parts) -> _Parts:
    """The parts as other programs write them: strict, without styles, in another encoding."""
    way = draw(st.integers(0, 9))
    names: Sequence[str] = list(parts)
    if way == 0:
        strict = {MAIN: STRICT, RELS: STRICT_RELS}
        for old, new in strict.items():
            parts = {name: str(content).replace(old, new) for name, content in parts.items()}
    elif way == 1:
        name = draw(st.sampled_from(names))
        declared = '<?xml version="1.0" encoding="UTF-16"?>'
        parts = parts | {name: f"{declared}{parts[name]!s}".encode("utf-16")}
    elif way == 2:
        gone = draw(st.sampled_from(("xl/styles.xml", STRINGS, "_rels/.rels", SHEET)))
        parts = {name: content for name, content in parts.items() if name != gone}
    return parts


def _written(content: str | bytes) -> bytes:
    return content.encode("utf-8", "replace") if isinstance(content, str) else content
