"""A template's stamps against the present catalogue."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from openpyxl import load_workbook

from feedtool.catalog import Property
from feedtool.model.nouns import Problem
from tests.areas.products.test_sheets import stamped
from tests.areas.products.test_template import fill, write_products_template
from tests.catalogues import (
    CATALOG,
    ENERGY,
    KETTLES,
    LENGTH,
    MANDATORY,
    OPTIONAL,
    PROPERTIES,
    catalog_of,
    judging,
    product,
    shirt,
)
from tests.conftest import Files, checked, problems_of

KETTLES_STAMP = f"010101:{CATALOG.fingerprint('010101')}"
BOTH = ("010101,010102", f"{KETTLES_STAMP},010102:{CATALOG.fingerprint('010102')}")
ROW = product() | {item.reference: "" for item in KETTLES} | {"3001": "A"}


def template(files: Files, categories: str, fingerprint: str, **more: str) -> Path:
    """A workbook with a stamp of only fingerprints."""
    stamps = {"template": "products", "category": categories, "fingerprint": fingerprint}
    return files.book({"Products": [ROW]}, **stamps, **more)


def outdated(path: Path, kettles: tuple[Property, ...] = KETTLES) -> list[Problem]:
    """The problems of a template if kettles have these properties now."""
    now = judging(catalog_of({**PROPERTIES, "010101": kettles}))
    (sheet,) = checked(path, dialect=now)
    return problems_of(sheet, "template-outdated")


PASSES: dict[str, tuple[str, str, dict[str, str]]] = {
    "as it was": ("010101", KETTLES_STAMP, {}),
    "of two categories": (*BOTH, {}),
    "without a fingerprint": ("010101", "", {}),
    "of a category that is gone": ("010101,020202", f"{KETTLES_STAMP},020202:0123", {}),
    "nonsense": ("010101", "0123", {}),
    "in another language, which has others": ("010101", "010101:0123", {"language": "fr"}),
}


@pytest.mark.parametrize(("categories", "fingerprint", "more"), PASSES.values(), ids=PASSES)
def test_passes(files: Files, categories: str, fingerprint: str, more: dict[str, str]) -> None:
    assert outdated(template(files, categories, fingerprint, **more)) == []


def test_a_long_list_goes_on_in_further_stamps(files: Files) -> None:
    path = template(files, "010101", KETTLES_STAMP)
    stamped(path, **{"category.2": "010102", "fingerprint.2": "010102:0123"})
    assert [problem.value for problem in outdated(path)] == ["010102"]


NEW = (*KETTLES, replace(ENERGY, reference="3999", label="Noise"))
OTHER = (replace(ENERGY, choices=ENERGY.choices[1:]), *KETTLES[1:])
# By fingerprints alone, as templates once told no more.
FINGERPRINTS = {
    "new properties": (NEW, "Noise (3999), required"),
    "properties that are gone": ((ENERGY,), "no longer there: 3002, 3003"),
    "other choices": (OTHER, "what is possible or required"),
}


@pytest.mark.parametrize(("now", "message"), FINGERPRINTS.values(), ids=FINGERPRINTS)
def test_fingerprints_show_that_something_changed(
    files: Files, now: tuple[Property, ...], message: str
) -> None:
    (problem,) = outdated(template(files, *BOTH), now)
    assert (problem.row, problem.value, problem.severity) == (None, "010101", "warning")
    assert (message in problem.message, "--category 010101" in problem.hint) == (True, True)


def length(now: Property) -> tuple[Property, ...]:
    return tuple(now if item is LENGTH else item for item in KETTLES)


CHANGES: dict[str, tuple[Property, ...]] = {
    "without a column: Noise (3999), required": NEW,
    "no longer there: 3003, 3004": KETTLES[:2],
    "now required: Length (3003)": length(replace(LENGTH, necessity=MANDATORY)),
    "now optional: Energy class (3001)": (replace(ENERGY, necessity=OPTIONAL), *KETTLES[1:]),
    "with other choices: Energy class (3001)": OTHER,
    "with another unit or other values: Length (3003), in mm": length(replace(LENGTH, unit="mm")),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A template of today, filled."""
    path = tmp_path_factory.mktemp("filled") / "products.xlsx"
    write_products_template(CATALOG, ["010101", "010102"], path)
    fill(path, shirt())
    return path


@pytest.mark.parametrize(("message", "now"), CHANGES.items(), ids=CHANGES)
def test_the_problem_names_changes_since_the_template_was_made(
    filled: Path, message: str, now: tuple[Property, ...]
) -> None:
    (problem,) = outdated(filled, now)
    _, _, said = problem.message.partition("since this template was made: ")
    assert said.startswith(message)
    assert ";" not in said


def test_a_column_that_was_removed_is_not_new(tmp_path: Path) -> None:
    path, other = tmp_path / "products.xlsx", tmp_path / "again" / "products.xlsx"
    other.parent.mkdir()
    for target in (path, other):
        write_products_template(CATALOG, ["010101"], target)
    assert path.read_bytes() == other.read_bytes()
    fill(path, product())
    book = load_workbook(path)
    book["Products"].delete_cols(book["Products"].max_column)
    book.save(path)
    (problem,) = outdated(path, NEW)
    assert problem.message.endswith("made: without a column: Noise (3999), required")
