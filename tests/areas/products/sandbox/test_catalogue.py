"""Brands, categories and their properties, and the file that they are read from."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from feedtool.areas.products.sandbox.catalogue import FILE, CatalogueCategory, Use, catalogue
from tests.sandbox.desk import Desk

ROOT = Path(__file__).parents[4]
SHIRTS = "1E0101"
PHONE_CASES = "0A0201"


def test_the_file_equals_a_freshly_made_one(tmp_path: Path) -> None:
    run_path(str(ROOT / "samples/make_catalogue.py"))["write_all"](tmp_path)
    made = (tmp_path / "catalogue.json").read_bytes()
    assert made == FILE.read_bytes(), "run `python samples/make_catalogue.py`"
    assert len(made) < 400_000


# What there must be some of, so that whoever reads the catalogue meets it.
CATEGORIES: dict[str, Callable[[CatalogueCategory], object]] = {
    "inactive": lambda category: category.level == 3 and not category.is_active,
    "brand mandatory": lambda category: category.is_brand_mandatory,
    "brand optional": lambda category: category.level == 3 and not category.is_brand_mandatory,
    "variant": lambda category: category.is_variant,
    "not translated": lambda category: len(category.label) == 1,
    "leading zero": lambda category: re.fullmatch("0[0-9]{5}", category.reference),
    "like 1E+101": lambda category: re.fullmatch("[0-9]+E[0-9]+", category.reference),
    "letters": lambda category: re.search("[A-Z]{1}$", category.reference),
    "over a hundred properties": lambda category: len(category.uses) > 100,
}

USES: dict[str, Callable[[Use], object]] = {
    "ranged, multiple": lambda use: bool(use.known.choices) and use.known.is_multiple,
    "ranged, numeric": lambda use: bool(use.known.choices) and use.known.is_numeric,
    "numeric, unit": lambda use: use.known.is_numeric and use.known.unit,
    "numeric, no unit": lambda use: use.known.is_numeric and not use.known.unit,
    "numeric, multiple": lambda use: use.known.is_numeric and use.known.is_multiple,
    "text, multiple": lambda use: not use.known.choices and use.known.is_multiple,
    "variation": lambda use: use.known.is_variation and not use.known.is_size,
    "size": lambda use: use.known.is_variation and use.known.is_size,
    "file": lambda use: len(use.known.file_types) == 1,
    "file, several types": lambda use: len(use.known.file_types) > 1,
    "not translated": lambda use: len(use.known.label) == 1,
    "over 2,000 choices": lambda use: len(use.known.choices) > 2000,
    "a choice that looks like a date": lambda use: ("1/2",) in use.known.choices,
    "a choice that looks like a number": lambda use: ("36",) in use.known.choices,
}


def test_there_are_categories_and_properties_of_every_kind() -> None:
    categories = catalogue().categories.values()
    uses = [use for category in categories for use in category.uses]
    assert [kind for kind, is_one in CATEGORIES.items() if not any(map(is_one, categories))] == []
    assert [kind for kind, is_one in USES.items() if not any(map(is_one, uses))] == []
    assert {category.level for category in categories} == {1, 2, 3}
    assert {use.necessity for use in uses} == {"Mandatory", "Recommended", "Optional"}


def test_the_catalogue_is_sound() -> None:
    known = catalogue()
    assert len({brand.reference for brand in known.brands}) == len(known.brands) >= 100
    assert len(known.categories) >= 300
    for category in known.categories.values():
        assert all(parent in known.categories for parent in category.parents)
        assert bool(category.uses) == (category.level == 3)
        kinds = {use.known.is_size for use in category.uses if use.known.is_variation}
        assert kinds == ({True, False} if category.is_variant else set())
        for use in category.uses:
            choices = use.known.choices
            for language in range(3):
                named = [choice[min(language, len(choice) - 1)] for choice in choices]
                assert len(set(named)) == len(named)


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    """A desk whose catalogue is only read."""
    with Desk() as desk:
        yield desk


def test_brands_in_pages(desk: Desk) -> None:
    first = desk.ask("GET", "/brands", headers={"SellerId": None})
    assert first.json["items"][0] == {"brandReference": "1001"}
    assert len(first.json["items"]) == 25
    assert first.headers["Link"] == ('<http://sandbox.invalid/v2/brands?pageIndex=2>; rel="next"')
    brands = list(desk.pages("/brands", {"fields": "name", "pageSize": 40}))
    assert len(brands) == len(catalogue().brands)
    assert brands[0] == {"brandReference": "1001", "name": "Maison Alder"}
    assert [int(brand["brandReference"]) for brand in brands] == sorted(
        {int(brand["brandReference"]) for brand in brands}
    )


def test_categories_in_pages(desk: Desk) -> None:
    found: list[Any] = []
    for index in range(1, 99):
        query = {"pageIndex": index, "pageSize": 100}
        answer = desk.ask("GET", "/categories", query=query, headers={"SellerId": None})
        assert (answer.status, answer.json["itemsPerPage"]) == (200, 100)
        assert "Link" not in answer.headers
        if not answer.json["items"]:
            break
        found += answer.json["items"]
    assert [category["categoryReference"] for category in found] == sorted(catalogue().categories)
    assert len(desk.ask("GET", "/categories").json["items"]) == 25


PAGES: list[tuple[str, list[tuple[str, str]]]] = [
    *((query, []) for query in ("pageIndex=1&pageSize=1", "pageIndex=999999", "unknown=1")),
    ("pageSize=100000", []),
    *((f"pageIndex={index}", [("ER400", "pageIndex")]) for index in (0, -1)),
    *((f"pageSize={size}", [("ER400", "pageSize")]) for size in (0, "many", "")),
    *((f"fields={name}", [("ER400-179", "Fields[0]")]) for name in ("", "name1")),
    ("fields=none,isActive1,", [("ER400-179", f"Fields[{place}]") for place in range(3)]),
]


@pytest.mark.parametrize("path", ["/brands", "/categories"])
@pytest.mark.parametrize(("query", "errors"), PAGES)
def test_asking_for_pages(desk: Desk, path: str, query: str, errors: list[tuple[str, str]]) -> None:
    answer = desk.ask("GET", path, query=query)
    assert answer.status == (400 if errors else 200)
    assert not errors or answer.reasons == errors


CASES: dict[str, Any] = {
    "categoryReference": PHONE_CASES,
    "label": "Coques de téléphone",
    "level": 3,
    "isActive": True,
    "parentReference": "0A02",
    "parentReferences": ["0A", "0A02"],
    "isBrandMandatory": False,
    "isVariant": False,
    "isTranslated": True,
}


ABOVE = CASES | {
    "categoryReference": "0A",
    "label": "Phones and computing",
    "level": 1,
    "parentReference": None,
    "parentReferences": [],
    "isBrandMandatory": None,
}
SPANISH = "Fundas de teléfono"


@pytest.mark.parametrize(
    ("accepted", "language", "label"),
    [
        *((accepted, "fr-FR", CASES["label"]) for accepted in (None, "FR", "de")),
        ("EN", "en-US", "Phone cases"),
        ("es-ES", "es-ES", SPANISH),
    ],
)
def test_the_language_is_french_by_default(
    desk: Desk, accepted: str | None, language: str, label: str
) -> None:
    headers = {"Accept-Language": accepted, "SellerId": None}
    for path in ("/categories", "/categories/01", "/categories/010203/properties"):
        assert desk.ask("GET", path, headers=headers).headers["Content-Language"] == language
    answer = desk.ask("GET", f"/categories/{PHONE_CASES}", headers=headers)
    assert answer.json == CASES | {"label": label}
    assert desk.ask("GET", "/categories/0A", headers={"Accept-Language": "EN"}).json == ABOVE


REFERENCES = {
    **dict.fromkeys(("01", "0102", "010203"), 200),
    **dict.fromkeys(("XX", "010299"), 404),
    **dict.fromkeys(("0", "010", "01020304", "0a", "0-", "\u0660\u0661"), 400),
}


@pytest.mark.parametrize("path", ["/categories/{}", "/categories/{}/properties"])
@pytest.mark.parametrize(("reference", "status"), REFERENCES.items())
def test_category_references(desk: Desk, path: str, reference: str, status: int) -> None:
    answer = desk.ask("GET", path.format(reference))
    assert answer.status == status
    assert status != 400 or answer.reasons == [("ER400-2108", "Reference")]


SORTED = {
    **dict.fromkeys(("reference", "level", "parentReference,reference"), "01"),
    "label": "Acrylic paints",
    "isActive,label": "Aquariums",
    "isBrandMandatory,level": "01",
    **dict.fromkeys(("name", "label,desc", "", "label,")),
}


@pytest.mark.parametrize(("sort", "first"), SORTED.items())
def test_sorting(desk: Desk, sort: str, first: str | None) -> None:
    headers = {"Accept-Language": "EN"}
    answer = desk.ask("GET", "/categories", query={"sort": sort}, headers=headers)
    assert answer.status == (200 if first else 400)
    if first:
        item = answer.json["items"][0]
        assert first in {item["categoryReference"], item["label"]}


def properties(desk: Desk, reference: str, language: str = "EN") -> dict[str, Any]:
    answer = desk.ask(
        "GET", f"/categories/{reference}/properties", headers={"Accept-Language": language}
    )
    return {entry["label"]: entry for entry in answer.json["items"]}


def test_properties_of_a_category(desk: Desk) -> None:
    shirts = properties(desk, SHIRTS)
    size = shirts["Size"]
    assert size.pop("propertyReference").isdigit()
    assert {"XL", "36", "3-4 years"} <= set(size.pop("choices"))
    assert size == {
        "index": size["index"],
        "necessity": "Recommended",
        "label": "Size",
        "unit": None,
        "isRanged": True,
        "isNumeric": False,
        "isMultiple": False,
        "isVariation": True,
        "isSize": True,
        "allowedFileTypes": [],
        "isTranslated": True,
    }
    assert shirts["Size guide"]["allowedFileTypes"] == ["jpg", "png", "pdf"]
    assert shirts["Net weight"]["unit"] == "kg"
    indexes = sorted(entry["index"] for entry in shirts.values())
    assert indexes == list(range(10, 10 * len(indexes) + 1, 10))
    assert "3-4 años" in properties(desk, SHIRTS, "ES")["Talla"]["choices"]
    assert len(properties(desk, PHONE_CASES)["Compatible models"]["choices"]) == 2250
    assert properties(desk, "01") == {}
