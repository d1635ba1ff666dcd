"""Requests of rows of products, with any content."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from feedtool.areas.products.columns.attribute import PropertyCell
from feedtool.areas.products.columns.properties import enrich
from feedtool.areas.products.feeds import FEED, product_cells
from feedtool.areas.products.settings import ProductSettings
from feedtool.areas.registry import load
from feedtool.catalog import Necessity, Property, PropertyChoice
from feedtool.check.requests import validator_of
from feedtool.check.rules import all_rules
from feedtool.feeds.columns import ColumnReader, InvalidValue
from feedtool.feeds.feed import Row, SheetColumns
from feedtool.model.cells import Cell, Kind
from feedtool.model.nouns import Severity
from feedtool.model.settings import AccountSettings
from tests import catalogues
from tests.catalogues import PROPERTIES, catalog_of, category, judging, product, prop, shirt
from tests.conftest import Sent, gtin


def test_a_whole_product(sent: Sent) -> None:
    row = shirt(
        sellerPictureUrls_3="https://shop.example/3.png",
        gtinReference="G",
        richMarketingDescription="<p>Soft</p>",
        p4003="Long; wide",
        language="english",
    )
    assert sent(row, dialect=judging()) == {
        "gtin": gtin(1),
        "sellerProductReference": "SKU-1",
        "title": "Electric kettle",
        "description": "Boils a litre in three minutes.",
        "sellerPictureUrls": [
            {"index": 1, "url": "https://shop.example/kettle.jpg"},
            {"index": 3, "url": "https://shop.example/3.png"},
        ],
        "brand": "Maison Alder",
        "categoryCode": "010102",
        "language": "en-US",
        "attributes": [
            {"propertyReference": "4001", "values": ["101"]},
            {"propertyReference": "4002", "values": ["102"]},
            {"propertyReference": "4003", "values": ["Long; wide"]},
        ],
        "richMarketingDescription": "<p>Soft</p>",
        "gtinReference": "G",
        "variantGroupReference": "SHIRT-7",
    }


LANGUAGES = [
    *(("en", "", "en-US"), ("fr", "", "fr-FR"), ("es", "", "es-ES"), ("fr", "es", "es-ES")),
    *(("fr", "Français", "fr-FR"), ("fr", "EN-us", "en-US")),
]


@pytest.mark.parametrize(("catalogue", "written", "language"), LANGUAGES)
def test_a_row_that_names_no_language_is_in_the_catalogues(
    sent: Sent, catalogue: str, written: str, language: str
) -> None:
    dialect = judging(catalog_of(PROPERTIES, language=catalogue))
    assert sent(product(language=written), dialect=dialect)["language"] == language


def test_settings_set_mandatory_fields_and_the_form_of_the_gtin(sent: Sent) -> None:
    few = judging(
        dialect=AccountSettings(gtin_as="number", records=(ProductSettings(product_fields=()),))
    )
    row = {"gtin": gtin(1), "categoryCode": "1E0203"}
    assert sent(row, dialect=few) == row | {"gtin": int(gtin(1)), "language": "en-US"}


LAID_FLAT: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "a product": (
        """{"gtin": "96385074", "title": "Kettle", "categoryCode": "011B01", "sellerPictureUrls":
        [{"index": 2, "url": "https://a.example/1.jpg"}], "attributes": [{"propertyReference": "1",
        "values": ["Red", "Blue"]}, {"propertyReference": "2", "values": [3.5]}]}""",
        {
            "gtin": "96385074",
            "title": "Kettle",
            "categoryCode": "011B01",
            "sellerPictureUrls_2": "https://a.example/1.jpg",
            "1": "Red;Blue",
            "2": "3.5",
        },
        [],
    ),
    "files": (
        '{"attributes": [{"propertyReference": "9", "files": [{"index": 1, "url": "https://b"}]}]}',
        {"9": "https://b"},
        [],
    ),
    **{
        given: (f'{{"attributes": [{given}]}}', {}, ["attributes[0]"])
        for given in (
            '{"propertyReference": "9", "values": ["a;b", "c"]}',
            '{"values": ["a"]}',
            '{"propertyReference": "9", "values": [{}]}',
        )
    },
    "a picture beyond all columns": (
        '{"sellerPictureUrls": [{"index": 21, "url": "https://b"}]}',
        {},
        ["sellerPictureUrls[0]"],
    ),
    "what is no field of a product": ('{"Navigation": "a"}', {}, ["Navigation"]),
}


@pytest.mark.parametrize(("body", "cells", "left"), LAID_FLAT.values(), ids=LAID_FLAT)
def test_a_request_laid_flat(body: str, cells: dict[str, str], left: list[str]) -> None:
    result = product_cells(json.loads(body, parse_float=Decimal), AccountSettings())
    assert {key: cell.text for key, cell in result.cells.items()} == cells
    assert [path for path, _ in result.left] == left


# Any category, filled by its own rules.

NAMES = st.text("abcdeéß XY-'", min_size=1, max_size=8).map(str.strip).filter(bool)
WORDS = st.text("abcdefghijk ", min_size=1, max_size=12).map(str.strip).filter(bool)
NUMBERS = st.decimals(-9999, 9999, places=1).map(lambda number: f"{number.normalize():f}")


LISTS = st.lists(NAMES, min_size=2, max_size=6, unique_by=lambda name: name.casefold())
CHOICES = LISTS.filter(lambda names: not any(name.upper().startswith("C") for name in names)).map(
    lambda names: tuple(PropertyChoice(f"C{place}", name) for place, name in enumerate(names))
)


@st.composite
def a_property(draw: st.DrawFn) -> Property:
    kind = draw(st.sampled_from(["text", "number", "choice", "file"]))
    return prop(
        label=draw(WORDS),
        necessity=draw(st.sampled_from(Necessity)),
        is_multiple=draw(st.booleans()),
        is_numeric=kind == "number",
        unit=draw(st.sampled_from([None, "cm", "kg", "g/m²"])) if kind == "number" else None,
        is_ranged=kind == "choice",
        choices=draw(CHOICES) if kind == "choice" else (),
        allowed_file_types=("pdf", "png") if kind == "file" else (),
    )


def _values(draw: st.DrawFn, one: Property) -> list[str]:
    """Values for a cell of a property, as people write them."""
    count = draw(st.integers(1, 3)) if one.is_multiple else 1
    if one.allowed_file_types:
        kind = draw(st.sampled_from(one.allowed_file_types))
        return [f"https://shop.example/{place}.{kind}" for place in range(count)]
    if one.is_ranged:
        choice = st.sampled_from(one.choices)
        writing = st.one_of(choice.map(lambda c: c.label.swapcase()), choice.map(lambda c: c.code))
        return [draw(writing) for _ in range(count)]
    if one.is_numeric:
        unit = draw(st.sampled_from(["", f" {one.unit}"])) if one.unit else ""
        return [draw(NUMBERS) + unit for _ in range(count)]
    return [draw(WORDS) for _ in range(count)]


VARIATIONS = (
    replace(catalogues.SIZE, reference="4901"),
    replace(catalogues.SHADE, reference="4902"),
)
GROUP = "variantGroupReference"
VARIANT = {GROUP: "SHIRT-7", "4901": "M", "4902": "Blue"}


class Case:
    """A category, and a row that it finds right."""

    def __init__(
        self, properties: tuple[Property, ...], row: Mapping[str, str], *, is_variant: bool
    ) -> None:
        self.properties, self.row, self.is_variant = properties, row, is_variant
        # Of another product; a variant differs from the first, too.
        self.other = {**row, "gtin": gtin(2), "sellerProductReference": "B"}
        if is_variant:
            self.other["4901"] = "L"
        kinds = {"is_brand_mandatory": True, "is_variant": is_variant}
        old = category("010105", "Old", is_active=False)
        categories = (category("010101", "Made up", **kinds), category("0101", "Above"), old)
        self.catalog = catalog_of({"010101": properties, "010105": properties}, categories, ())

    def __repr__(self) -> str:
        return f"{self.row} by {self.properties}"


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any category, its mandatory properties filled and some of the others."""
    drawn = draw(st.lists(a_property(), min_size=1, max_size=6))
    properties = tuple(
        replace(one, reference=str(5000 + place), index=place) for place, one in enumerate(drawn)
    )
    filled = {
        one.reference: draw(st.sampled_from([";", " ; "])).join(_values(draw, one))
        for one in properties
        if one.is_mandatory or draw(st.booleans())
    }
    if is_variant := draw(st.booleans()):
        properties += VARIATIONS
        filled |= VARIANT
    return Case(properties, product(p3001=None) | filled, is_variant=is_variant)


def judged(
    case: Case, row: Mapping[str, str]
) -> tuple[set[tuple[str, str]], dict[str, Any] | None]:
    """The places and codes of what is wrong in a row, and the request if it is valid."""
    context = judging(case.catalog)
    keys = {*row, *(one.reference for one in case.properties)}
    types = {column.key: column.type for column in FEED.sheet.understood(context.settings)}
    values: dict[str, Any] = {}
    found, refused = [], set()
    for key in keys:
        kind = types.get(key, PropertyCell())
        value = kind.read(Cell(Kind.TEXT, row.get(key, "")), ColumnReader(kind, context))
        if isinstance(value, InvalidValue):
            found += [(key, fault) for fault in value.faults]
            refused |= {key} if value.is_refused else set()
            value = value.value
        values[key] = value
    sheet = SheetColumns(context, frozenset(keys), ())
    made, told = enrich(sheet)(Row(2, FEED, "", values, frozenset(refused), sheet))
    rules = [
        rule.check
        for rule in all_rules(load())
        if rule.check and "products" in (rule.kinds or ["products"])
    ]
    found += [(str(fault.field), fault) for fault in told]
    found += [(str(fault.field), fault) for check in rules for fault in check(made)]
    errors = {
        (key, fault.code.name) for key, fault in found if fault.code.severity is Severity.ERROR
    }
    return errors, None if errors else FEED.requests.make(made)


@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])
@given(cases())
def test_a_row_filled_by_its_category_s_rules_fits_the_schema(case: Case) -> None:
    assert_accepted_by_schema(case)


@pytest.mark.long
@settings(max_examples=1500, suppress_health_check=[HealthCheck.filter_too_much])
@given(cases())
def test_rows_of_many_categories_fit_the_schema(
    case: Case,
) -> None:
    assert_accepted_by_schema(case)


def assert_accepted_by_schema(case: Case) -> None:
    errors, request = judged(case, case.row)
    assert errors == set()
    assert request is not None
    assert validator_of(FEED)(request)
    sent = {one["propertyReference"]: one for one in request.get("attributes", [])}
    assert sent.keys() == {one.reference for one in case.properties if one.reference in case.row}
    for one in case.properties:
        if one.is_ranged and one.reference in sent:
            codes = {choice.code for choice in one.choices}
            assert set(sent[one.reference]["values"]) <= codes
        assert ("files" in sent.get(one.reference, {})) is bool(
            one.allowed_file_types and one.reference in sent
        )


COMMON_MISTAKES = (
    ("gtin", "required-missing", ""),
    ("gtin", "gtin-format", "40063813339"),
    ("gtin", "gtin-checksum", "4006381333932"),
    ("gtin", "precision-lost", "8,8E+12"),
    ("sellerProductReference", "required-missing", ""),
    ("sellerProductReference", "reference-format", "a|b"),
    ("title", "required-missing", ""),
    ("title", "html-not-allowed", "<b>x</b>"),
    ("title", "text-control-chars", "two\nlines"),
    ("title", "formula-error", "#N/A"),
    ("description", "required-missing", ""),
    ("description", "html-not-allowed", "black &amp; steel"),
    ("richMarketingDescription", "html-malformed", "<ul><li>Quiet</ul>"),
    ("sellerPictureUrls_1", "required-missing", ""),
    ("sellerPictureUrls_1", "url-format", "kettle.jpg"),
    ("sellerPictureUrls_3", "url-format", "C:\\kettle.jpg"),
    ("brand", "required-missing", ""),
    ("categoryCode", "category-unknown", "020202"),
    ("categoryCode", "category-level", "0101"),
    ("categoryCode", "category-inactive", "010105"),
    ("language", "enum-value", "German"),
    ("gtinReference", "reference-format", "a|b"),
    ("CDAV", "field-retired", "1"),
)
"""Key, code, and what is written there."""


def mistakes_in(case: Case) -> list[tuple[str, str, str]]:
    """Each single mistake that can be made in a case: its key, its code, what is written."""
    found = [*COMMON_MISTAKES]
    for one in case.properties:
        found += [(one.reference, code, text) for code, text in mistakes(one).items()]
    if case.is_variant:
        found += [(key, "variant-incomplete", "") for key in VARIANT]
    else:
        found.append((GROUP, "variant-not-allowed", "SHIRT-7"))
    return found


def mistakes(one: Property) -> dict[str, str]:
    """Wrong cells of a property, by the code of the problem."""
    found = {"formula-error": "#N/A", "text-control-chars": "a\u202eb"}
    if one.is_mandatory:
        found["required-missing"] = ""
    if one.allowed_file_types:
        del found["text-control-chars"]
        found |= {"url-format": "manual.pdf", "file-type": "https://shop.example/a.docx"}
        if not one.is_multiple:
            found["single-value"] = "https://shop.example/a.pdf;https://shop.example/b.pdf"
    elif one.is_ranged:
        del found["text-control-chars"]
        found["enum-value"] = "Zzz no choice"
        if not one.is_multiple:
            found["single-value"] = ";".join(choice.label for choice in one.choices[:2])
    elif one.is_numeric:
        del found["text-control-chars"]
        found |= {"number-format": "many", "unit-differs": "12 lightyears"}
        found["number-ambiguous"] = "1,234"
        if not one.is_multiple:
            found["single-value"] = "12;13"
    return found


@settings(max_examples=15, suppress_health_check=[HealthCheck.filter_too_much])
@given(cases(), st.data())
def test_each_single_mistake_is_found_in_its_cell(case: Case, data: st.DataObject) -> None:
    assert_mistake_found(case, data)


@pytest.mark.long
@settings(max_examples=1500, suppress_health_check=[HealthCheck.filter_too_much])
@given(cases(), st.data())
def test_each_of_many_mistakes_is_found_in_its_cell(case: Case, data: st.DataObject) -> None:
    assert_mistake_found(case, data)


def assert_mistake_found(case: Case, data: st.DataObject) -> None:
    key, code, text = data.draw(st.sampled_from(mistakes_in(case)))
    errors, request = judged(case, {**case.row, key: text})
    assert errors == {(key, code)}
    assert request is None
