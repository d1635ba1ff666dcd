"""Sheets of products: how they are told from offers, and what the workbook says of them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace
from openpyxl import Workbook, load_workbook
from openpyxl.packaging.custom import StringProperty

from feedtool.areas.products.settings import ProductSettings
from feedtool.model.settings import AccountSettings, Context
from feedtool.model.sheet import CheckedSheet
from tests.catalogues import KETTLES, PROPERTIES, catalog_of, judging, product, shirt
from tests.conftest import (
    Files,
    Rows,
    checked,
    codes,
    gtin,
    offer,
    problems_of,
    properties_of,
    refused,
    update,
)


def stamped(path: Path, **stamps: str) -> Path:
    book = load_workbook(path)
    for name, value in stamps.items():
        properties_of(book).append(StringProperty(name=f"feedtool.{name}", value=value))
    book.save(path)
    return path


def bodies(sheet: CheckedSheet) -> list[dict[str, object]]:
    return [json.loads(item.body) for item in sheet.valid_items()]


KINDS = {
    "products": ([product()], "products"),
    "products of several categories": ([product(1), shirt(2)], "products"),
    "products with a price and a stock": ([product() | {"price": "5", "stock": "1"}], "products"),
    "an Upsert": ([offer()], "offers-upsert"),
    "an Upsert with a title, a brand and a picture": (
        [offer() | {"title": "Lamp", "brand": "Alder", "image 1": "x"}],
        "offers-upsert",
    ),
    "an Update that tells of its products": (
        [update(product__gtin=gtin(1), title="a", description="b", brand="c", quantity="5")],
        "offers-update",
    ),
    "a category beside an offer": ([offer() | {"categoryCode": "010101"}], "offers-upsert"),
}


@pytest.mark.parametrize(("rows", "kind"), KINDS.values(), ids=KINDS)
def test_recognised_from_headers(files: Files, rows: Rows, kind: str) -> None:
    (sheet,) = checked(files.csv(*rows), dialect=judging())
    assert (sheet.error, sheet.kind) == (None, kind)


def test_missing_headers_are_named(files: Files) -> None:
    for row in (product(gtin=None), {"title": "a", "description": "b"}):
        assert refused(files.csv(row), dialect=judging()).code == "header-not-found"
    error = refused(files.csv(product(categoryCode=None)), dialect=judging())
    assert (error.code, "categoryCode" in error.message) == ("header-missing", True)


def test_an_asked_kind_overrides_the_headers(files: Files) -> None:
    path = files.csv(offer() | {"categoryCode": "010101"})
    (sheet,) = checked(path, dialect=judging(), kind="products")
    assert sheet.kind == "products"
    (sheet,) = checked(files.csv(product()), dialect=judging(), kind="offers-update")
    assert sheet.error is not None


LABELS = {
    "en": ["GTIN (EAN)", "Title", "Category code", "Main colour", "Length"],
    "fr": ["EAN/GTIN", "Titre *", "Code catégorie", "MAIN COLOUR", "length (optional)"],
    "legacy": ["EAN", "LongLabel", "CategoryCode", "main colour", "3003"],
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_properties_are_known_by_reference_and_by_label(files: Files, labels: list[str]) -> None:
    row = dict(zip(labels, [gtin(1), "Kettle", "010101", "Blue", "12"], strict=True))
    (sheet,) = checked(files.csv(row), dialect=judging())
    assert sheet.header is not None
    keys = [column.key for column in sheet.header.columns.values()]
    assert keys == ["gtin", "title", "categoryCode", "3002", "3003"]


def test_a_label_of_several_properties_is_unknown(files: Files) -> None:
    other = replace(KETTLES[2], reference="3999")
    known = catalog_of({**PROPERTIES, "1E0203": (other,)})
    rows = [product(1) | {"Length": "12"}, product(2, categoryCode="1E0203") | {"Length": "13"}]
    (sheet,) = checked(files.csv(*rows), dialect=judging(known))
    (problem,) = problems_of(sheet, "unknown-column")
    assert "Length" in problem.message
    (alone,) = checked(files.csv(rows[0]), dialect=judging(known))
    assert problems_of(alone, "unknown-column") == []


def test_a_property_of_another_category_is_one_nevertheless(files: Files) -> None:
    (sheet,) = checked(files.csv(product(p4001="M")), dialect=judging())
    assert codes(sheet) == [(2, "property-unneeded")]
    assert sheet.is_clean()
    assert "4001" not in json.dumps(bodies(sheet))


def test_an_unknown_header_is_reported_with_the_nearest(files: Files) -> None:
    row = product() | {"Main coluor": "Blue", "9999": "x", "my note": "y"}
    (sheet,) = checked(files.csv(row), dialect=judging())
    (problem,) = problems_of(sheet, "unknown-column")
    assert "“Main coluor” in J (did you mean 3002?)" in problem.message
    assert "9999" in problem.message


def test_a_profile_maps_its_own_headers(files: Files) -> None:
    settings = AccountSettings(columns={"Ma couleur": "3002", "Mon code": "categoryCode"})
    row = product(categoryCode=None) | {"Mon code": "010101", "Ma couleur": "Blue"}
    (sheet,) = checked(files.csv(row), dialect=judging(dialect=settings))
    assert sheet.is_clean()
    assert {"propertyReference": "3002", "values": ["102"]} in bodies(sheet)[0]["attributes"]  # type: ignore[operator]  # it is a list


# Without a catalogue.


@pytest.mark.parametrize(
    "dialect", [AccountSettings(), judging(catalog_of({}, ()))], ids=["none", "empty"]
)
def test_a_missing_catalogue_is_one_error(files: Files, dialect: AccountSettings) -> None:
    (sheet,) = checked(files.csv(product(1), product(2)), dialect=dialect)
    assert sheet.error is not None
    assert (sheet.error.code, sheet.error.exit, sheet.kind) == ("catalog-missing", 2, "products")
    assert "feedtool catalog sync" in sheet.error.hint
    assert list(sheet.problems()) == []


def test_the_offers_beside_them_are_read(files: Files) -> None:
    path = files.book({"Products": [product()], "Offers": [offer()]})
    products, offers = checked(path)
    assert products.error is not None
    assert products.error.code == "catalog-missing"
    assert (offers.error, offers.kind, offers.counts().valid) == (None, "offers-upsert", 1)


def test_several_sheets_of_products_are_all_read(files: Files) -> None:
    path = files.book({"Kettles": [product(1)], "Shirts": [shirt(2)], "Again": [product(1)]})
    sheets = checked(path, dialect=judging())
    assert [sheet.sheet for sheet in sheets] == ["Kettles", "Shirts", "Again"]
    assert [one.counts().valid for one in sheets] == [0, 1, 0]
    assert "of offers.xlsx, sheet Again" in problems_of(sheets[0], "duplicate-product")[0].message


def test_the_stamp_goes_before_the_headers(files: Files) -> None:
    shown = {"Products": [product()], "Offers": [offer()]}
    both = files.book(shown, template="products", category="010101")
    sheets = checked(both, dialect=judging())
    assert [sheet.kind for sheet in sheets] == ["products", "offers-upsert"]
    assert [sheet.counts().valid for sheet in sheets] == [1, 1]


BARE = product(1, categoryCode=None)
BLANK = product(1, categoryCode="")
FAULTY = product(2, p3001="", categoryCode=None)
STAMPED: dict[str, tuple[str, list[dict[str, str]], str, str]] = {
    # stamp → rows and codes of problems, categories of the valid rows
    "one for every row": ("010101", [BARE, FAULTY], "3 required-missing", "010101"),
    "a row that names its own": ("010101", [BLANK, shirt(2)], "", "010101 010102"),
    "several are no row's": ("010101,010102", [BLANK], "2 required-missing", ""),
    "unknown": ("020202", [BARE], "2 category-unknown", ""),
    "not active": ("010105", [BARE], "2 category-inactive", ""),
    "of level 2": ("0101", [BARE], "2 category-level", ""),
}


@pytest.mark.parametrize(("category", "rows", "problems", "valid"), STAMPED.values(), ids=STAMPED)
def test_stamped_categories(
    files: Files, category: str, rows: list[dict[str, str]], problems: str, valid: str
) -> None:
    path = files.book({"Products": rows}, template="products", category=category)
    (sheet,) = checked(path, dialect=judging())
    assert " ".join(f"{row} {code}" for row, code in codes(sheet)) == problems
    assert [body["categoryCode"] for body in bodies(sheet)] == valid.split()


def test_the_catalogue_in_the_templates_language_is_asked_for(files: Files) -> None:
    french, asked = catalog_of(PROPERTIES, language="fr"), []

    def catalog(language: str | None) -> object:
        asked.append(language)
        return french

    sheet_of = {"Products": [product(language="")]}
    path = files.book(sheet_of, template="products", language="fr")
    (sheet,) = checked(path, dialect=Context(catalog=catalog))
    assert asked == ["fr"]
    assert bodies(sheet)[0]["language"] == "fr-FR"


# The channel operator's own templates.

CODES = (*[*product()][:6], "3001", "3003")
TITLES = (
    "EAN *",
    "Référence *",
    "Titre *",
    "Description *",
    "Image 1 *",
    "Marque",
    "Classe *",
    "Longueur",
)
NOTES: Sequence[Sequence[str]] = (
    ("mono", "mono", "mono", "mono", "mono", "mono", "ranged", "mono"),
    (),
    ("8 à 14 chiffres", "50 caractères", "132 caractères", "", "https", "", "liste", "cm"),
)


def operator(
    files: Files,
    *rows: Mapping[str, str],
    category: str = "010101",
    place: str = "C1",
    more_notes: Sequence[Sequence[str]] = (),
) -> Path:
    """Code in C1, labels in row 4, codes in the hidden row 5, notes below, data from 9 or 10."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Produits"
    sheet["A1"], sheet[place] = "Catégorie", category
    sheet["A2"] = "Remplissez les colonnes"
    data = [[row.get(key) for key in CODES] for row in rows]
    for number, texts in enumerate((TITLES, CODES, *NOTES, *more_notes, *data), start=4):
        for column, text in enumerate(texts, start=1):
            sheet.cell(number, column, text)
    sheet.row_dimensions[5].hidden = True
    hidden = book.create_sheet("DataValidation")
    hidden.append(["gtin", "title", "categoryCode"])
    hidden.sheet_state = "hidden"
    path = files.folder / "operator.xlsx"
    book.save(path)
    return path


def test_an_operators_template_is_recognised(files: Files) -> None:
    path = operator(files, product(1), product(2, p3001="Z", p3003="12 cm"))
    (sheet,) = checked(path, dialect=judging())
    assert sheet.header is not None
    assert (sheet.sheet, sheet.kind) == ("Produits", "products")
    assert (sheet.header.row, sheet.header.headings_row, sheet.header.after) == (5, 4, 8)
    assert codes(sheet) == [(10, "enum-value")]
    assert [one["categoryCode"] for one in bodies(sheet)] == ["010101"]


def test_its_data_may_begin_a_row_later(files: Files) -> None:
    for notes in (("Exemple : EAN", "REF", "Titre", "", ""), ("obligatoire", "obligatoire")):
        (sheet,) = checked(operator(files, product(1), more_notes=[notes]), dialect=judging())
        assert (codes(sheet), sheet.counts().rows) == ([], 1)


def test_a_first_row_with_a_mistake_is_no_note(files: Files) -> None:
    mistakes = {"12345678": "gtin-checksum", "400638133393X": "gtin-format"}
    for first, code in (mistakes | {"": "required-missing"}).items():
        (sheet,) = checked(operator(files, product(1, gtin=first)), dialect=judging())
        assert codes(sheet) == [(9, code)]


def test_its_category_may_be_a_legacy_code_and_is_checked(files: Files) -> None:
    (sheet,) = checked(operator(files, product(1), category="01010155"), dialect=judging())
    assert [body["categoryCode"] for body in bodies(sheet)] == ["010101"]
    (sheet,) = checked(operator(files, product(1), category="020202"), dialect=judging())
    assert codes(sheet) == [(9, "category-unknown")]


def test_a_profile_names_headers_of_other_templates(files: Files) -> None:
    own = judging(
        dialect=AccountSettings().having(ProductSettings(operator_category="B2", operator_notes=6))
    )
    more = [("obligatoire",), (), ("voir l'aide",)]
    path = operator(files, product(1), product(2, p3001="Z"), place="B2", more_notes=more)
    (sheet,) = checked(path, dialect=own)
    assert codes(sheet) == [(13, "enum-value")]
    assert [one["categoryCode"] for one in bodies(sheet)] == ["010101"]
    error = refused(path, dialect=judging())
    assert "categoryCode" in error.message
