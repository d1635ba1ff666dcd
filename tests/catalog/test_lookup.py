import pytest

from feedtool.catalog import Brand, Catalog
from feedtool.catalog.lookup import (
    CatalogRecorder,
    from_excerpt,
    search,
    similar_names,
)
from feedtool.catalog.model import CheckedProperties, Origin
from tests.catalogues import AT, SERVICE, catalog, choices, prop


def test_near_categories_take_products() -> None:
    known = catalog()
    assert [known.near_categories(code)[:1] for code in ("0A0I01", "kettle")] == [["0A0101"], []]
    assert "0A0103" not in known.near_categories("0A0103")


def test_the_properties_of_a_category() -> None:
    known = catalog({"0A0101": (prop("1"),), "0A0102": (prop("1", label="x"),), "0A0103": ()})
    assert known.properties("0A0101") == (prop("1"),)
    assert known.checked_at("0A0101") == AT
    assert known.fingerprint("0A0101") == known.fingerprint("0A0102")
    assert known.fingerprint("0A0101") != known.fingerprint("0A0103")
    nothing = (known.properties("0B0101"), known.checked_at("0B0101"), known.fingerprint("0B0101"))
    assert nothing == (None, None, None)


@pytest.mark.parametrize(
    ("name", "known", "near"),
    [
        ("NESTLÉ", "Nestlé", ["Nestlé"]),
        ("l'oreal", "L\u2019Oréal", ["L\u2019Oréal"]),
        ("Netsle", None, ["Nestlé"]),
        ("zzz", None, []),
    ],
)
def test_a_brand_by_its_name(name: str, known: str | None, near: list[str]) -> None:
    every = catalog()
    brand = every.brand(name)
    assert (brand and brand.name) == known
    assert every.near_brands(name) == every.near_brands(name) == near


def test_all_is_read_once_and_late() -> None:
    read: list[str] = []

    def listed(reference: str) -> CheckedProperties | None:
        read.append(reference)
        return None

    def brands() -> list[Brand]:
        read.append("brands")
        return []

    known = Catalog(Origin(SERVICE, "en", None), {}, listed, brands)
    assert read == []
    for _ in range(2):
        assert known.properties("0A0101") is None
        assert known.brand("x") is None
    assert read == ["0A0101", "brands"]


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
    "words of a path": ("seeds garden", ["0B0101"]),
    "a word of two": ("submarine seeds", ["0B0101"]),
    "the most words of three": ("kettle of kitchen submarines", ["0A0101", "0A0103"]),
    "the rarer of two words first": (
        "kettles by nestle",
        ["Nestlé", "0A0101", "Kettler", "0A0103"],
    ),
    "a plural": ("electric kettles", ["0A0101", "Kettler", "0A0103"]),
    "words of a brand in any order": ("ltd kettler", ["Kettler"]),
    "short words alone": ("of de", []),
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
def test_similar_names_are_suggested(text: str, near: str) -> None:
    assert similar_names(catalog(), text)[0] == near


KETTLES = (
    prop("3263", is_ranged=True, choices=choices("Beige", "Noir"), allowed_file_types=("pdf",)),
    prop("3264", index=2, unit="cm", is_numeric=True),
)
KNOWN = {"0A0101": KETTLES, "0B0101": (prop("1"),)}


@pytest.fixture
def consulted() -> CatalogRecorder:
    """A catalogue in French, and none in Spanish."""
    return CatalogRecorder(lambda language: None if language == "es" else catalog(KNOWN))


def again(consulted: CatalogRecorder, language: str | None = None) -> Catalog | None:
    opened = from_excerpt(consulted.excerpt() or b"")
    assert opened(language) is opened(language)
    return opened(language)


def test_recorded_questions_are_answered_alike(consulted: CatalogRecorder) -> None:
    def answers(known: Catalog | None) -> list[object]:
        assert known is not None
        codes = ("0A0101", "0A0102")
        return [
            *map(known.properties, codes),
            *map(known.fingerprint, codes),
            *map(known.checked_at, codes),
            *(known.brand("loreal"), known.near_categories("0A0109"), known.near_brands("nestl")),
            *(known.origin, known.categories),
        ]

    assert consulted.excerpt() is None
    assert answers(consulted("fr")) == answers(again(consulted, "fr"))
    assert consulted("fr") is consulted("fr")


def test_unasked_entries_are_not_recorded(consulted: CatalogRecorder) -> None:
    assert (asked := consulted(None)) is not None
    assert asked.properties("0A0101")
    assert (found := again(consulted)) is not None
    assert (found.properties("0B0101"), list(found.brands())) == (None, [])
    assert consulted("es") is None
    assert again(consulted, "es") is None
    assert again(consulted, "fr") is None
