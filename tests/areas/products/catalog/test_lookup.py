import pytest

from feedtool.areas.products.catalog import Brand, Catalog
from feedtool.areas.products.catalog.model import Listed, Origin
from tests.catalogues import AT, SERVICE, catalog, prop


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
