import pytest

from feedtool.areas.products.catalog import Brand
from feedtool.areas.products.catalog.search import meant, search
from tests.catalogues import catalog

FOUND = {
    "a code": ("0A0101", ["0A0101"]),
    "a code in small letters": ("0a0101", ["0A0101"]),
    "what codes begin with": ("0B", ["0B", "0B0101", "0B01"]),
    "a label before a label that has it, then brands, then what is not active": (
        "kettle",
        ["0A0101", "Kettler", "0A0103"],
    ),
    "an accent less": ("cafe", ["0A0102"]),
    "a word of a label": ("machines", ["0A0102"]),
    "a part of a word": ("chin", ["0A0102"]),
    "a path": ("home > kitchen >", ["0A0102", "0A0101", "0A01", "0A0103"]),
    "words of a path": ("home seeds", []),
    "words in any order": ("kettles home", ["0A0101", "0A0103"]),
    "a label before paths": ("kitchen", ["0A01", "0B01", "0B0101", "0A0102", "0A0101", "0A0103"]),
    "a brand": ("nestle", ["Nestlé"]),
    "a brand's reference": ("3", ["Kettler"]),
    "nothing": ("submarine", []),
    "blanks": ("  ", []),
}


@pytest.mark.parametrize(("text", "found"), FOUND.values(), ids=FOUND)
def test_the_best_first(text: str, found: list[str]) -> None:
    results = search(catalog(), text)
    assert [item.name if isinstance(item, Brand) else item.reference for item in results] == found


@pytest.mark.parametrize(
    ("text", "near"), [("ketles", "Kettles"), ("0A0I01", "0A0101"), ("nesle", "Nestlé")]
)
def test_what_may_be_meant(text: str, near: str) -> None:
    assert meant(catalog(), text)[0] == near
