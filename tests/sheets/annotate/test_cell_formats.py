"""The formats that our cells need, among the workbook's own."""

import re
from operator import mul

import pytest
from lxml import etree

from feedtool.sheets.annotate.cell_formats import (
    COLOURS,
    LOOKS,
    FormatIndexes,
    Style,
    add_styles,
    empty_styles,
)
from tests.corpus.made import MAIN

FONTS = '<fonts count="1"><font><sz val="10"/><color theme="1"/><name val="Arial"/></font></fonts>'
CELLS = '<cellXfs count="1"><xf numFmtId="0"/></cellXfs>'
STYLE_SHEETS = {
    "usual": FONTS + CELLS + '<cellStyles/><dxfs count="0"/><tableStyles count="0"/>',
    "with formats of theirs": FONTS + CELLS + '<dxfs count="1"><dxf><fill/></dxf></dxfs>',
    "without conditional formats": FONTS + CELLS + "<colors/>",
    "without counts": FONTS.replace(' count="1"', "") + CELLS.replace(' count="1"', ""),
    "without anything": "",
    "a bold first font": '<fonts><font><b/><sz val="10"/></font></fonts>' + CELLS,
}


def sheet(inner: str) -> bytes:
    return f'<styleSheet xmlns="{MAIN}">{inner}</styleSheet>'.encode()


def lists(data: bytes) -> dict[str, list[etree._Element]]:
    return {etree.QName(part).localname: list(part) for part in etree.fromstring(data)}


@pytest.mark.parametrize("inner", STYLE_SHEETS.values(), ids=STYLE_SHEETS)
def test_formats_are_appended_once_with_their_parts(inner: str) -> None:
    data, styles = add_styles(sheet(inner), "styles.xml")
    assert add_styles(data, "styles.xml") == (data, styles)
    for part in etree.fromstring(data):
        assert part.get("count", str(len(part))) == str(len(part))
    found = lists(data)
    assert all(found[name] for name in ("fonts", "fills", "borders", "cellStyleXfs", "cellXfs"))
    cells, fonts = found["cellXfs"], found["fonts"]
    for style in styles.cells.keys() - {"number"}:
        cell = cells[styles.cells[style]]
        assert (cell.get("numFmtId"), cell.get("quotePrefix")) == ("49", "1")
    bold = fonts[int(cells[styles.cells["heading"]].get("fontId") or 0)]
    assert bold.find(f"{{{MAIN}}}b") is not None
    fill = found["fills"][int(cells[styles.cells["bad"]].get("fillId") or 0)]
    assert b"FFC7CE" in etree.tostring(fill)
    assert b"wrapText" in etree.tostring(cells[styles.cells["message"]])
    assert b"FFC7CE" in etree.tostring(found["dxfs"][styles.colours["error"]])
    assert b"FFEB9C" in etree.tostring(found["dxfs"][styles.colours["warning"]])


@pytest.mark.parametrize("style", [style for style, look in LOOKS.items() if look.fill])
def test_letters_contrast_with_the_fill_of_their_cell(style: Style) -> None:
    look = LOOKS[style]
    colours = (match[1] for text in look.font if (match := re.search('rgb="(.*)"', text)))
    assert contrast(next(colours), look.fill) >= ENOUGH


@pytest.mark.parametrize("pair", COLOURS.values(), ids=COLOURS)
def test_letters_contrast_in_guilty_cells(pair: tuple[str, str]) -> None:
    assert contrast(*pair) >= ENOUGH


ENOUGH = 4.5
"""The contrast of WCAG 2.2, level AA."""


def contrast(*colours: str) -> float:
    darker, lighter = sorted(map(luminance, colours))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(argb: str) -> float:
    shares = (int(argb[at : at + 2], 16) / 255 for at in (2, 4, 6))
    linear = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return sum(map(mul, linear, (0.2126, 0.7152, 0.0722)), 0.0)


def test_the_order_of_the_schema_is_kept() -> None:
    data, _ = add_styles(sheet("<numFmts/>" + CELLS + "<tableStyles/><extLst/>"), "styles.xml")
    assert list(lists(data)) == [
        *("numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "dxfs"),
        *("tableStyles", "extLst"),
    ]


@pytest.mark.parametrize("root", ["<styleSheet xmlns='{}'/>", "<x:styleSheet xmlns:x='{}'/>"])
def test_a_part_with_only_a_root(root: str) -> None:
    data, styles = add_styles(root.format(MAIN).encode(), "styles.xml")
    assert add_styles(data, "styles.xml") == (data, styles)
    assert lists(data)["cellXfs"][styles.cells["text"]].get("numFmtId") == "49"


def test_their_formats_keep_their_indexes_and_bytes() -> None:
    theirs = FONTS + CELLS + "<dxfs><dxf>\n<fill/></dxf></dxfs><extLst><ext uri='1'/></extLst>"
    data, _ = add_styles(sheet(theirs), "styles.xml")
    for kept in (
        FONTS[17:-8],
        CELLS[19:-10],
        "<dxf>\n<fill/></dxf>",
        "<extLst><ext uri='1'/></extLst>",
    ):
        assert kept.encode() in data


def test_a_format_is_recognised_however_another_program_writes_it() -> None:
    data, styles = add_styles(sheet(FONTS + CELLS), "styles.xml")
    text = (
        b'<xf applyNumberFormat="1" borderId="0" fillId="0" fontId="0" numFmtId="49" '
        b'quotePrefix="1" xfId="0"/>'
    )
    assert text in data
    rewritten = data.replace(
        text,
        b"<xf numFmtId='49' fontId='0' fillId='0' borderId='0' xfId='0' quotePrefix='1' "
        b"applyNumberFormat='1'></xf>",
    )
    assert add_styles(rewritten, "styles.xml") == (rewritten, styles)


def test_a_prefix_is_taken() -> None:
    data = f'<x:styleSheet xmlns:x="{MAIN}"><x:cellXfs count="0"/></x:styleSheet>'.encode()
    patched, styles = add_styles(data, "styles.xml")
    assert lists(patched)["cellXfs"][styles.cells["text"]].get("numFmtId") == "49"
    assert all(part.prefix == "x" for part in etree.fromstring(patched).iter())


def test_a_workbook_without_styles_gets_some() -> None:
    data, styles = add_styles(empty_styles(MAIN), "styles.xml")
    assert isinstance(styles, FormatIndexes)
    assert styles.cells["text"] > 0, "the first format is that of all cells without one"
    assert lists(data)["cellXfs"][0].get("numFmtId") == "0"
