"""Addresses of pictures: what is none is refused, what peers do not take is told."""

import pytest

from feedtool.areas.products.columns.prose import Picture, ending, is_address
from feedtool.model.cells import Cell
from feedtool.model.settings import AccountSettings, Bounds
from tests.feeds.columns.conftest import NO_VALUES, read, text

PASSES = [
    "https://shop.example/kettle.jpg",
    "https://shop.example/a/b.PNG?size=2",
    "https://shop.example:8443/k%C3%A9ttle.webp#x",
    "https://shop.example/caf\u00e9.jpeg",
]
FAILS = [
    *("kettle.jpg", r"C:\Pictures\kettle.jpg", "//shop.example/kettle.jpg", "file:///kettle.jpg"),
    *("ftp://shop.example/kettle.jpg", "https://", "https:///kettle.jpg", "https://shop.example"),
    *("https://shop.example/", "https://shop.example/my kettle.jpg"),
    *("https://shop.example/a.jpg https://shop.example/b.jpg", "https://[shop/kettle.jpg"),
    *("https://shop.example/\u200bkettle.jpg", "https://shop.example/" + "x" * 2048),
]
ADVISED = {
    "http://shop.example/kettle.jpg": "http://",
    "https://shop.example/kettle.tiff": ".tiff",
    "https://shop.example/kettle": "no type",
}


@pytest.mark.parametrize("url", PASSES)
def test_passes(url: str) -> None:
    assert read(Picture(1), text(url)) == (url, (), "")


@pytest.mark.parametrize("url", FAILS)
def test_fails(url: str) -> None:
    assert read(Picture(1), text(url))[:2] == (None, ("url-format",))


@pytest.mark.parametrize(("url", "why"), ADVISED.items(), ids=ADVISED)
def test_advice_keeps_no_row_back(url: str, why: str) -> None:
    assert read(Picture(1), text(url))[:2] == (url, ("picture-advised",))
    del why


def test_more_pictures_than_peers_take() -> None:
    url = PASSES[0]
    assert read(Picture(6), text(url)).codes == ()
    assert read(Picture(7), text(url)).codes == ("picture-advised",)


def test_what_is_advised_is_a_setting() -> None:
    own = AccountSettings(
        picture_schemes=("https", "http"),
        picture_types=("tiff",),
        bounds=Bounds(advised_pictures=9),
    )
    assert read(Picture(9), text("http://shop.example/kettle.tiff"), own).codes == ()


@pytest.mark.parametrize(("code", "cell"), NO_VALUES.items(), ids=NO_VALUES)
def test_no_text(code: str, cell: Cell) -> None:
    assert read(Picture(1), cell).codes == (code,)


def test_blanks() -> None:
    assert read(Picture(1), text("  ")) == (None, (), "")
    assert read(Picture(1), text(f" {PASSES[0]} "))[:2] == (PASSES[0], ("trimmed",))


def test_endings() -> None:
    assert [ending(url) for url in ("https://a.b/c.PDF", "https://a.b/c", "https://a.b/c.d/e")] == [
        "pdf",
        "",
        "",
    ]
    assert not is_address("http://a.b/c", ("https",))
