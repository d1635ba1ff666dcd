import pytest

from feedtool.areas.products.catalog import Brand, Catalog
from feedtool.areas.products.catalog.lookup import Consulted, from_excerpt, meant, search
from feedtool.areas.products.catalog.model import Listed, Origin
from tests.catalogues import AT, SERVICE, catalog, choices, prop


@pytest.mark.parametrize(
    ("code", "near"), [("0A0I01", ["0A0101"]), ("0a0101", ["0A0101"]), ("kettle", [])]
)
def test_near_categories_take_products(code: str, near: list[str]) -> None:
    assert catalog().near_categories(code)[: len(near) or 1] == near
    assert "0A0103" not in catalog().near_categories("0A0103", most=9)


def test_the_properties_of_a_category() -> None:
    known = catalog({"0A0101": (prop("1"),), "0A0102": (prop("1", label="x"),), "0A0103": ()})
    assert known.properties("0A0101") == (prop("1"),)
    assert known.checked_at("0A0101") == AT
    assert known.fingerprint("0A0101") == known.fingerprint("0A0102")
    assert known.fingerprint("0A0101") != known.fingerprint("0A0103")
    nothing = (known.properties("0B0101"), known.checked_at("0B0101"), known.fingerprint("0B0101"))
    assert nothing == (None, None, None)


@pytest.mark.parametrize(
    ("name", "reference"),
    [("nestle", "1"), ("NESTLÉ", "1"), ("l'oreal", "2"), (" Kettler ", "3"), ("Kettl", None)],
)
def test_a_brand_by_its_name(name: str, reference: str | None) -> None:
    found = catalog().brand(name)
    assert (found.reference if found else None) == reference


@pytest.mark.parametrize(
    ("name", "near"), [("Netsle", ["Nestlé"]), ("loréal", ["L\u2019Oréal"]), ("zzz", [])]
)
def test_near_brands(name: str, near: list[str]) -> None:
    known = catalog()
    assert known.near_brands(name) == known.near_brands(name) == near


def test_all_is_read_once_and_late() -> None:
    read: list[str] = []

    def listed(reference: str) -> Listed | None:
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


KETTLES = (
    prop("3263", is_ranged=True, choices=choices("Beige", "Noir"), allowed_file_types=("pdf",)),
    prop("3264", index=2, unit="cm", is_numeric=True),
)
KNOWN = {"0A0101": KETTLES, "0B0101": (prop("1"),)}


@pytest.fixture
def consulted() -> Consulted:
    """A catalogue in French, and none in Spanish."""
    return Consulted(lambda language: None if language == "es" else catalog(KNOWN))


def again(consulted: Consulted, language: str | None = None) -> Catalog | None:
    excerpt = consulted.excerpt()
    assert excerpt is not None
    return from_excerpt(excerpt)(language)


def test_what_was_asked_is_answered_alike(consulted: Consulted) -> None:
    asked = consulted("fr")
    assert asked is not None
    told = (asked.properties("0A0101"), asked.properties("0A0102"), asked.brand("loreal"))
    near = (asked.near_categories("0A0109"), asked.near_brands("nestl"))
    found = again(consulted, "fr")
    assert found is not None
    assert (found.properties("0A0101"), found.properties("0A0102"), found.brand("loreal")) == told
    assert (found.near_categories("0A0109"), found.near_brands("nestl")) == near
    assert (found.origin, found.categories) == (asked.origin, asked.categories)
    assert found.fingerprint("0A0101") == asked.fingerprint("0A0101")
    assert found.checked_at("0A0101") == asked.checked_at("0A0101")


def test_what_was_not_asked_is_not_kept(consulted: Consulted) -> None:
    asked = consulted(None)
    assert asked is not None
    assert asked.properties("0A0101")
    found = again(consulted)
    assert found is not None
    assert found.properties("0B0101") is None
    assert list(found.brands()) == []


def test_a_language_in_which_there_was_none(consulted: Consulted) -> None:
    assert consulted("es") is None
    assert again(consulted, "es") is None
    assert again(consulted, "fr") is None


def test_it_is_opened_once(consulted: Consulted) -> None:
    assert consulted("fr") is consulted("fr")
    excerpt = consulted.excerpt()
    assert excerpt is not None
    opened = from_excerpt(excerpt)
    assert opened("fr") is opened("fr")


def test_offers_leave_nothing_to_keep(consulted: Consulted) -> None:
    assert consulted.excerpt() is None
