"""Products of the service as rows of a template."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.areas.products.export import EXPORT, PropertyCells
from feedtool.catalog import Catalog, Property
from feedtool.model.errors import NothingToDo, UsageProblem
from feedtool.model.settings import Context
from feedtool.report.file import Exported
from tests import catalogues
from tests.answers import Answers
from tests.answers import exported as export
from tests.catalogues import CATALOG, PROPERTIES, catalog_of, coded, judging
from tests.conftest import checked, codes, gtin

FRENCH = coded("Beige", "Noir", "Bleu", "Marron")
COLOUR, COULEUR = catalogues.COLOUR, replace(catalogues.COLOUR, choices=FRENCH)


CELLS: dict[str, tuple[Property, tuple[str, ...], object]] = {
    "a choice": (COLOUR, ("Black",), "Black"),
    "several": (COLOUR, ("Black", "Blue"), "Black;Blue"),
    "by its code": (COLOUR, ("102",), "Blue"),
    "no choice any more": (COLOUR, ("Mauve",), "Mauve"),
    "a number": (catalogues.LENGTH, ("1.234",), Decimal("1.234")),
    "no number": (catalogues.LENGTH, ("long",), "long"),
    "numbers of which none is thousands": (catalogues.SPEEDS, ("1.234", "50"), "1.2340;50"),
    "a ranged number": (catalogues.STORAGE, ("0.5",), "0.5"),
    "a text with the separator": (catalogues.MATERIAL, ("steel; glass",), "steel; glass"),
    "one of several texts with it": (catalogues.FEATURES, ("a;b", "c"), None),
    "texts": (catalogues.FEATURES, ("a", "b"), "a;b"),
    "nothing": (catalogues.FEATURES, (), None),
}


@pytest.mark.parametrize(("known", "values", "expected"), CELLS.values(), ids=CELLS)
def test_cells_of_values(known: Property, values: tuple[str, ...], expected: object) -> None:
    assert PropertyCells(known).cell(values) == expected


def test_cells_of_files_are_their_addresses() -> None:
    urls = ["https://a.example/1.pdf", "https://a.example/2.jpg"]
    assert PropertyCells(catalogues.LABELS).cell(urls, is_files=True) == ";".join(urls)
    assert PropertyCells(catalogues.LABELS).cell(urls) is None
    assert PropertyCells(COLOUR).cell(urls, is_files=True) is None


def test_a_choice_in_another_language_is_the_same_one() -> None:
    assert PropertyCells(COLOUR, COULEUR).cell(("Noir", "Blue")) == "Black;Blue"


def values(**attributes: list[str]) -> list[dict[str, Any]]:
    return [{"reference": key, "values": texts} for key, texts in attributes.items()]


def product(number: int = 1, category: str = "010101", /, **changes: Any) -> dict[str, Any]:
    """A product that the seller 12 has created."""
    return {
        "gtin": gtin(number),
        "label": "Electric kettle",
        "description": "Boils a litre.",
        "language": "en-US",
        "brand": {"name": "Maison Alder"},
        "category": {"reference": category},
        "pictures": [{"index": 1, "url": "https://shop.example/kettle.jpg"}],
        "attributes": values(**{"3001": ["A"], "3002": ["Black", "Blue"], "3003": ["12.5"]}),
        "sellers": [{"reference": "12", "productReference": f"SKU-{number}", "isCreator": True}],
        **changes,
    }


SHIRT: dict[str, Any] = {
    "category": {"reference": "010102"},
    "groupReference": "G-7",
    "attributes": [],
    "variantAttributes": values(**{"4001": ["M"], "4002": ["Blue"]}),
}


def exported(
    target: Path,
    *pages: list[dict[str, Any]],
    catalog: Catalog | None = CATALOG,
    categories: tuple[str, ...] = (),
) -> Exported:
    context = Context(catalog=lambda _: catalog)
    return export(EXPORT, target, *pages, context=context, category=categories)


def notes(found: Exported) -> str:
    return "\n".join(f"{text} {hint}" for text, hint, _ in found.notes)


def test_categories_that_occur_make_the_columns(tmp_path: Path) -> None:
    target = tmp_path / "products.xlsx"
    found = exported(target, [product(1), product(2, **SHIRT)], [product(3, "1E0203")])
    assert (found.kind, found.rows, found.skipped, found.header_row) == ("products", 3, 0, 2)
    (sheet,) = checked(target, dialect=judging())
    assert sheet.header
    keys = {column.key for column in sheet.header.columns.values()}
    assert {"3001", "4001", "variantGroupReference"} <= keys
    # Of the cup the properties that this catalogue does not give a cup are told, and left out.
    assert codes(sheet) == []
    assert "6 values" not in notes(found)
    assert "3001, 3002, 3003" in notes(found)


OF_OTHERS = "that others created"
OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "another's": ({"sellers": [{"reference": "13", "isCreator": True}]}, OF_OTHERS),
    "completed by the seller": ({"sellers": [{"reference": "12", "isCreator": False}]}, OF_OTHERS),
    "of which little is shown": ({"sellers": None}, OF_OTHERS),
    "without a category": ({"category": None}, "without a category"),
    "of a closed category": (
        {"category": {"reference": "010105"}},
        "of 010105: 010105 (Closed kettles) is not active",
    ),
    "of an unknown category": (
        {"category": {"reference": "999999"}},
        "of 999999: there is no category “999999”",
    ),
    "of a category that was not brought": (
        {"category": {"reference": "010106"}},
        "were not downloaded `feedtool catalog sync` downloads them",
    ),
    "no product at all": ({"gtin": None}, "that cannot be read"),
}


@pytest.mark.parametrize(("changes", "reason"), OTHERS.values(), ids=OTHERS)
def test_products_that_are_left_out(
    tmp_path: Path, changes: Mapping[str, Any], reason: str
) -> None:
    found = exported(tmp_path / "products.xlsx", [product(1), product(2, **changes)])
    assert (found.rows, found.skipped) == (1, 1)
    assert "left out: 1 product" in notes(found)
    assert reason in notes(found)
    assert any(is_loss for _, _, is_loss in found.notes) is ("others" not in reason)


def test_more_pictures_than_usual_have_columns(tmp_path: Path) -> None:
    urls = [{"index": n, "url": f"https://shop.example/{n}.jpg"} for n in range(1, 23)]
    target = tmp_path / "products.xlsx"
    found = exported(target, [product(1, pictures=urls)])
    assert "2 pictures beyond the 20th" in notes(found)
    (sheet,) = checked(target, dialect=judging())
    assert {code for _, code in codes(sheet)} == {"picture-advised"}
    assert sheet.header
    assert sheet.header.index_of("sellerPictureUrls_20")


@pytest.mark.parametrize(
    ("categories", "rows"), [(("010102",), 1), (("0101",), 2), (("010102", "0102"), 1)]
)
def test_only_some_categories_are_exported(
    tmp_path: Path, categories: tuple[str, ...], rows: int
) -> None:
    target = tmp_path / "products.csv"
    pages = [product(1), product(2, **SHIRT)]
    assert exported(target, pages, categories=categories).rows == rows
    assert "SKU-2" in target.read_text("utf-8")


NONE: dict[str, tuple[list[dict[str, Any]], Catalog | None, type[Exception]]] = {
    "the seller has no products": ([], CATALOG, NothingToDo),
    "none of the products was created by the": ([product(sellers=[])], CATALOG, NothingToDo),
    "010105 (Closed kettles) is not": ([product(1, "010105")], CATALOG, UsageProblem),
    "there is no local catalogue": ([], None, UsageProblem),
}


@pytest.mark.parametrize(("message", "items", "known", "kind"), [(k, *v) for k, v in NONE.items()])
def test_an_empty_export_writes_no_file(
    *, tmp_path: Path, message: str, items: list[Any], known: Catalog | None, kind: type[Exception]
) -> None:
    with pytest.raises(kind) as caught:
        exported(tmp_path / "products.xlsx", items, catalog=known)
    assert str(caught.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


def test_the_export_is_in_the_language_of_most_products(tmp_path: Path) -> None:
    french = {**PROPERTIES, "010101": (catalogues.ENERGY, COULEUR, catalogues.LENGTH)}
    known = {"en": CATALOG, "fr": catalog_of(french, language="fr")}
    asked: list[str | None] = []

    def catalogue(language: str | None) -> Catalog:
        asked.append(language)
        return known.get(language or "en", CATALOG)

    noir = values(**{"3001": ["A"], "3002": ["Noir"]})
    pages = [product(number, language="fr-FR", attributes=noir) for number in (1, 2)]
    target = tmp_path / "products.csv"
    context = Context(catalog=catalogue)
    export(EXPORT, target, [*pages, product(3)], context=context)
    assert asked[:2] == [None, "fr"]
    assert [line.count("Noir") for line in target.read_text("utf-8").splitlines()] == [0, 1, 1, 1]
    assert "Noir;Bleu" in target.read_text("utf-8")


def test_a_service_that_knows_no_pages(tmp_path: Path) -> None:
    class Same(Answers):
        """Gives the same full page for each number."""

        def send(self, call: Any) -> Any:
            reply = super().send(call)
            return replace(reply, headers={})

    pages = [[product(1)]] * 3
    answers = Same(*pages)
    context = Context(catalog=lambda _: CATALOG)
    found = export(EXPORT, tmp_path / "products.csv", service=answers, context=context)
    assert (found.rows, len(answers.calls)) == (1, 2)
