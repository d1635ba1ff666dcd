"""The cells of a product's common fields: what is read, refused, and only told."""

from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.products.columns.common import BrandName, CategoryCode
from feedtool.areas.products.columns.prose import (
    Html,
    Picture,
    Prose,
    Title,
    ending,
    is_address,
    malformed,
)
from feedtool.areas.products.settings import ProductSettings
from feedtool.model.cells import Cell, CellType
from feedtool.model.settings import AccountSettings, Bounds
from tests.catalogues import PROPERTIES, catalog_of, judging
from tests.feeds.columns.conftest import NO_VALUES, number, read, text

PICTURE, TITLE, BRAND, CATEGORY = Picture(1), Title(), BrandName(), CategoryCode()
SHOP = "https://shop.example"
PLAIN = [
    *("Kettle", "5 < 6 and 7 > 3", "Rock & Roll", "AT&T; the company", "Ø 12 cm, 100 % cotton"),
    "caf\u00e9 \U0001f468\u200d\U0001f469",
]
WELL_FORMED = [
    *("no tag at all, 7 > 3", "<p>One</p><p>Two</p>", "<ul><li>a</li><li><b>b</b></li></ul>"),
    *("a<br>b<BR/>c<hr><img src='x.png' alt=\"a > b\">", "<P>case</p>", "<!-- <p> --> x"),
    *("<svg:rect />", '<a href="https://a.example/?x=1&amp;y=2">x</a>'),
]
PASSES: list[tuple[CellType, str]] = [
    (PICTURE, f"{SHOP}/kettle.jpg"),
    (PICTURE, f"{SHOP}/a/b.PNG?size=2"),
    (PICTURE, f"{SHOP}:8443/k%C3%A9ttle.webp#x"),
    (PICTURE, f"{SHOP}/caf\u00e9.jpeg"),
    *((kind, shown) for kind in (TITLE, Prose()) for shown in PLAIN),
    (Prose(), "one\ntwo"),
    *((Html(), shown) for shown in WELL_FORMED),
    (BRAND, "Maison Alder"),
    (CATEGORY, "010101"),
]
ADDRESSES = [
    *("kettle.jpg", r"C:\Pictures\kettle.jpg", "//shop.example/kettle.jpg", "file:///kettle.jpg"),
    *("ftp://shop.example/kettle.jpg", "https://", "https:///kettle.jpg", SHOP, f"{SHOP}/"),
    *(f"{SHOP}/my kettle.jpg", f"{SHOP}/a.jpg {SHOP}/b.jpg", "https://[shop/kettle.jpg"),
    *(f"{SHOP}/\u200bkettle.jpg", f"{SHOP}/{'x' * 2048}"),
]
HTML = [
    *("<b>x</b>", "one<br>two", "one<br/>two", "a </p> b", "Tom &amp; Tim", "&#233;t&#xE9;"),
    "<!--",
]
READ: dict[str, tuple[CellType, Cell, object, str]] = {
    **{shown: (PICTURE, text(shown), None, "url-format") for shown in ADDRESSES},
    "no blank": (PICTURE, text("  "), None, ""),
    "blanks around": (PICTURE, text(f" {SHOP}/a.jpg "), f"{SHOP}/a.jpg", "trimmed"),
    **{
        f"advice: {end}": (PICTURE, text(end), end, "picture-advised")
        for end in ("http://shop.example/kettle.jpg", f"{SHOP}/kettle.tiff", f"{SHOP}/kettle")
    },
    "picture 6": (Picture(6), text(f"{SHOP}/a.jpg"), f"{SHOP}/a.jpg", ""),
    "picture 7": (Picture(7), text(f"{SHOP}/a.jpg"), f"{SHOP}/a.jpg", "picture-advised"),
    **{
        f"{name}: {shown}": (kind, text(shown), shown, "html-not-allowed")
        for name, kind in (("title", TITLE), ("prose", Prose()))
        for shown in HTML
    },
    "a title on two lines": (TITLE, text("one\ntwo"), "one\ntwo", "text-control-chars"),
    "a long description": (Prose(), text("x" * 40_000), "x" * 40_000, "text-too-long"),
    "a number is a title": (TITLE, number("1984"), "1984", ""),
    "a title with blanks": (TITLE, text(" Lamp "), "Lamp", "trimmed"),
    "a blank title": (TITLE, text(" \u00a0"), None, ""),
    "a brand in capitals": (BRAND, text("MAISON ALDER"), "Maison Alder", ""),
    "a brand without accents": (BRAND, text("cafe brume"), "Café Brume", ""),
    "a brand with blanks": (BRAND, text(" Nestlé "), "Nestlé", "trimmed"),
    "an unknown brand": (BRAND, text("Nestlee"), "Nestlee", "brand-unknown"),
    "a long brand": (BRAND, text("x" * 51), "x" * 51, "length-advised brand-unknown"),
    "no brand": (BRAND, text(""), None, ""),
    "a tab in a brand": (BRAND, text("a\tb"), "a\tb", "text-control-chars"),
    "small letters": (CATEGORY, text("1e0203"), "1E0203", ""),
    "with blanks": (CATEGORY, text(" 010101 "), "010101", "trimmed"),
    "a legacy code": (CATEGORY, text("01010155"), "010101", "category-code-cut"),
    "a legacy code of nothing": (
        *(CATEGORY, text("99999955"), None),
        "category-code-cut category-unknown",
    ),
    "zeros lost": (CATEGORY, number("10101"), "010101", "category-padded"),
    "zeros lost of a legacy code": (
        *(CATEGORY, number("1010155"), "010101"),
        "category-padded category-code-cut",
    ),
    "zeros kept by the format": (CATEGORY, number("10101", zeros=6), "010101", ""),
    "no such number": (CATEGORY, number("99999"), None, "category-unknown"),
    "read as a number for good": (CATEGORY, number("1E+203"), None, "precision-lost"),
    "unknown": (CATEGORY, text("010109"), None, "category-unknown"),
    "level 2": (CATEGORY, text("0101"), None, "category-level"),
    "not active": (CATEGORY, text("010105"), None, "category-inactive"),
    "not brought": (CATEGORY, text("010106"), None, "category-not-synced"),
    "a blank category": (CATEGORY, text("\u00a0"), None, ""),
}
EMPTY = judging(catalog_of(PROPERTIES, brands=()))
SETTINGS: dict[str, tuple[CellType, str, object]] = {
    "pictures that others refuse": (
        Picture(9),
        "http://shop.example/kettle.tiff",
        AccountSettings(
            bounds=Bounds(advised_pictures=9),
            records=(ProductSettings(picture_schemes=("https", "http"), picture_types=("tiff",)),),
        ),
    ),
    "a catalogue without brands": (BRAND, "Nestlee", EMPTY),
    "no catalogue for brands": (BRAND, "Nestlee", AccountSettings()),
    "no catalogue for categories": (CATEGORY, "0101ZZ", AccountSettings()),
}


@pytest.mark.parametrize(("kind", "shown"), PASSES)
def test_passes(kind: CellType, shown: str) -> None:
    assert read(kind, text(shown), judging()) == (shown, (), "")


@pytest.mark.parametrize(("kind", "cell", "value", "codes"), READ.values(), ids=map(ascii, READ))
def test_read(kind: CellType, cell: Cell, value: object, codes: str) -> None:
    assert read(kind, cell, judging())[:2] == (value, tuple(codes.split()))


@pytest.mark.parametrize("kind", [PICTURE, TITLE, CATEGORY], ids=["picture", "title", "category"])
@pytest.mark.parametrize(("code", "cell"), NO_VALUES.items(), ids=NO_VALUES)
def test_no_value(code: str, cell: Cell, kind: CellType) -> None:
    assert read(kind, cell, judging()).codes == (code,)


@pytest.mark.parametrize(("kind", "shown", "own"), SETTINGS.values(), ids=SETTINGS)
def test_problems_depend_on_settings(kind: CellType, shown: str, own: Any) -> None:
    assert read(kind, text(shown), own) == (shown, (), "")


def test_the_nearest_is_suggested() -> None:
    assert read(BRAND, text("Nestlee"), judging()).hint == "did you mean Nestlé?"
    assert "010101 (Kettles)" in read(CATEGORY, text("O10101"), judging()).hint


def test_endings() -> None:
    urls = ("https://a.b/c.PDF", "https://a.b/c", "https://a.b/c.d/e")
    assert [ending(url) for url in urls] == ["pdf", "", ""]
    assert not is_address("http://a.b/c", ("https",))


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\x85", "\x01", "\ufffe"], ids=ascii)
def test_invisible_characters_are_refused(hidden: str) -> None:
    shown = f"Boils a litre\nin three{hidden} minutes"
    for kind in (Prose(), Html()):
        assert read(kind, text(shown)).codes == ("text-control-chars",)
    (fault,) = Prose().faults(shown)
    assert f"three<U+{ord(hidden):04X}> minutes" in fault.message


@pytest.mark.parametrize(
    ("kind", "length"), [(TITLE, 132), (Prose(), 2000), (Html(), 5000)], ids=["t", "d", "html"]
)
def test_lengths_of_peers_are_advice(kind: Prose, length: int) -> None:
    assert read(kind, text("x" * length)).codes == ()
    longer = "x" * (length + 1)
    hint = f"shorten it if the service refuses it, or raise bounds.{kind.advised}"
    assert read(kind, text(longer)) == (longer, ("length-advised",), hint)
    more: dict[str, Any] = {kind.advised: length + 1}
    settings = AccountSettings(bounds=replace(Bounds(), **more))
    assert read(kind, text(longer), settings).codes == ()


MALFORMED = {
    "<p>One": "<p> is never closed",
    "<ul><li>Quiet</ul>": "</ul> closes what is not open: <li> is still open",
    "One</p>": "</p> closes what is not open: nothing is open",
    "5 < 6": "`<` begins no tag",
    "<p": "`<` begins no tag",
    '<a href="x>y</a>': "`<` begins no tag",
    "<b><i>x</b></i>": "</b> closes what is not open: <i> is still open",
}


@pytest.mark.parametrize(("shown", "why"), MALFORMED.items(), ids=MALFORMED)
def test_html_that_does_not_fit(shown: str, why: str) -> None:
    found = malformed(shown)
    assert found is not None
    assert found[0].startswith(why)
    assert read(Html(), text(shown)).codes == ("html-malformed",)


@pytest.mark.parametrize("piece", ["<a", '<a "', "<a '", "<!--", "<a>", "&a", '<a b="<'])
def test_hostile_html_takes_no_time(piece: str) -> None:
    malformed(piece * 8000)
    read(Prose(), text(piece * 8000))
