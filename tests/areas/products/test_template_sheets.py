"""Any template made from any category comes back clean when it is filled by its own rules."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from openpyxl import load_workbook

from feedtool.areas.products.catalog import Necessity, Property
from feedtool.areas.products.feeds import FEED
from feedtool.check.requests import gate
from tests.areas.products.test_feeds import Case, cases
from tests.areas.products.test_template import write_products_template
from tests.catalogues import (
    CATALOG,
    ENERGY,
    KETTLES,
    LENGTH,
    MANDATORY,
    PROPERTIES,
    catalog_of,
    judging,
    product,
    shirt,
)
from tests.conftest import checked, codes, told

KEYS, FIRST = 3, 4


def fill(path: Path, *rows: Mapping[str, str]) -> dict[str, int]:
    """Puts rows below the header, each cell under its key, which gets a column if it has none.

    Returns:
        The number of each key's column.
    """
    book = load_workbook(path)
    sheet = book["Products"]
    places = {str(cell.value): place for place, cell in enumerate(sheet[KEYS], start=1)}
    for number, row in enumerate(rows, start=FIRST):
        for key, text in row.items():
            if key not in places:
                places[key] = len(places) + 1
                sheet.cell(KEYS, places[key], key)
            sheet.cell(number, places[key], text)
    book.save(path)
    return places


@settings(max_examples=12, suppress_health_check=[HealthCheck.filter_too_much])
@given(cases())
def test_any_template_filled_by_its_own_rules_is_clean(case: Case) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "products.xlsx"
        write_products_template(case.catalog, ["010101"], path)
        fill(path, case.row, case.other)
        (sheet,) = checked(path, dialect=judging(case.catalog))
        assert codes(sheet) == []
        assert sheet.header is not None
        assert (sheet.header.headings_row, sheet.counts().valid) == (2, 2)
        for item in sheet.valid_items():
            assert gate(FEED)(json.loads(item.body))


def test_a_template_of_several_categories(tmp_path: Path) -> None:
    path = tmp_path / "products.xlsx"
    write_products_template(CATALOG, ["010101", "010102"], path)
    fill(path, product(1, p3003="12 cm"), shirt(2), shirt(3, p4001="XXL"))
    (sheet,) = checked(path, dialect=judging())
    assert codes(sheet) == [(6, "enum-value")]
    assert sheet.header is not None
    keys = {column.key for column in sheet.header.columns.values()}
    assert {one.reference for one in KETTLES} - {"CDAV"} <= keys


# A template that the catalogue has left behind.

NEW = replace(ENERGY, reference="3999", label="Noise")
CHANGES: dict[str, tuple[tuple[Property, ...], str]] = {
    "a new property": ((*KETTLES, NEW), "without a column are Noise (3999), mandatory"),
    "one that is gone": (KETTLES[:2], "no longer there are 3003, 3004"),
    "one that is mandatory now": (
        tuple(replace(one, necessity=MANDATORY) if one is LENGTH else one for one in KETTLES),
        "mandatory now are Length (3003)",
    ),
    "one that no longer is": (
        (replace(ENERGY, necessity=Necessity.OPTIONAL), *KETTLES[1:]),
        "optional now are Energy class (3001)",
    ),
    "other choices": (
        (replace(ENERGY, choices=ENERGY.choices[1:]), *KETTLES[1:]),
        "other choices have Energy class (3001)",
    ),
    "another unit": (
        tuple(replace(one, unit="mm") if one is LENGTH else one for one in KETTLES),
        "another unit or other values have Length (3003), in mm",
    ),
}


@pytest.mark.parametrize(("now", "message"), CHANGES.values(), ids=CHANGES)
def test_says_what_has_changed_since_it_was_made(
    tmp_path: Path, now: tuple[Property, ...], message: str
) -> None:
    path = tmp_path / "products.xlsx"
    write_products_template(CATALOG, ["010101", "010102"], path)
    fill(path, shirt())
    (sheet,) = checked(path, dialect=judging(catalog_of({**PROPERTIES, "010101": now})))
    (problem,) = told(sheet, "template-outdated")
    _, _, said = problem.message.partition("since this template was made: ")
    assert said.startswith(message)
    assert (";" in said) is False


def test_a_column_that_was_removed_is_not_new(tmp_path: Path) -> None:
    path = tmp_path / "products.xlsx"
    write_products_template(CATALOG, ["010101"], path)
    fill(path, product())
    book = load_workbook(path)
    book["Products"].delete_cols(book["Products"].max_column)
    book.save(path)
    (sheet,) = checked(path, dialect=judging(catalog_of({**PROPERTIES, "010101": (*KETTLES, NEW)})))
    (problem,) = told(sheet, "template-outdated")
    assert problem.message.endswith("made: without a column are Noise (3999), mandatory")
