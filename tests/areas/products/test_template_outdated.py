"""The stamp of a template against the catalogue as it is now."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from feedtool.areas.products.catalog import Property
from tests.areas.products.test_sheets import stamped
from tests.catalogues import CATALOG, ENERGY, PROPERTIES, catalog_of, judging, product
from tests.conftest import Files, checked, told

CODE = "template-outdated"
KETTLES = f"010101:{CATALOG.fingerprint('010101')}"
SHIRTS = f"010102:{CATALOG.fingerprint('010102')}"


def template(files: Files, row: Mapping[str, str], categories: str, fingerprint: str) -> Path:
    stamps = {"template": "products", "category": categories, "fingerprint": fingerprint}
    return stamped(files.book({"Products": [row]}), **stamps)


WHOLE = product() | {one.reference: "" for one in PROPERTIES["010101"]} | {"3001": "A"}

PASSES = {
    "as it was": ("010101", KETTLES),
    "of two categories": ("010101,010102", f"{KETTLES},{SHIRTS}"),
    "without a fingerprint": ("010101", ""),
    "of a category that is gone": ("010101,020202", f"{KETTLES},020202:0123"),
    "nonsense": ("010101", "0123"),
}


@pytest.mark.parametrize(("categories", "fingerprint"), PASSES.values(), ids=PASSES)
def test_passes(files: Files, categories: str, fingerprint: str) -> None:
    (sheet,) = checked(template(files, WHOLE, categories, fingerprint), dialect=judging())
    assert told(sheet, CODE) == []


def test_another_language_has_other_fingerprints(files: Files) -> None:
    path = template(files, WHOLE, "010101", "010101:0123")
    assert CATALOG.language == "en"
    (sheet,) = checked(stamped(path, language="fr"), dialect=judging())
    assert told(sheet, CODE) == []


def test_a_long_list_goes_on_in_further_stamps(files: Files) -> None:
    path = template(files, WHOLE, "010101", KETTLES)
    stamped(path, **{"category.2": "010102", "fingerprint.2": "010102:0123"})
    (sheet,) = checked(path, dialect=judging())
    assert [one.value for one in told(sheet, CODE)] == ["010102"]


NEW = replace(ENERGY, reference="3999", label="Noise")
CHANGES = {
    "new properties": ((*PROPERTIES["010101"], NEW), "Noise (3999), mandatory"),
    "properties that are gone": ((ENERGY,), "no longer there are 3002, 3003"),
    "other choices": (
        tuple(
            replace(one, choices=one.choices[1:]) if one is ENERGY else one
            for one in PROPERTIES["010101"]
        ),
        "what is possible or needed",
    ),
}


@pytest.mark.parametrize(("properties", "message"), CHANGES.values(), ids=CHANGES)
def test_says_what_changed(files: Files, properties: tuple[Property, ...], message: str) -> None:
    now = catalog_of({**PROPERTIES, "010101": properties})
    path = template(files, WHOLE, "010101,010102", f"{KETTLES},{SHIRTS}")
    (sheet,) = checked(path, dialect=judging(now))
    problems = [one for one in told(sheet, CODE) if one.value == "010101"]
    assert len(problems) == 1
    assert (problems[0].row, problems[0].severity) == (None, "warning")
    assert message in problems[0].message
    assert "--category 010101" in problems[0].hint
