"""`feedtool template products`: from the local catalogue, and what is said where it cannot be."""

from pathlib import Path

import pytest
from openpyxl import load_workbook

from feedtool.cli import run
from tests.cli.conftest import Feedtool

KETTLES, SHIRTS, CASES = "011B01", "1E0101", "0A0201"
"""A standard category, one with variants, one with more than 2,000 choices."""
ALL = f"{KETTLES},{SHIRTS},{CASES}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with the sandbox's catalogue in English and, in part, in French."""
    place = tmp_path_factory.mktemp("home")
    for language, codes in {"fr": KETTLES, "en": ALL}.items():
        options = ["--sandbox", "--language", language, "--category", codes, "--home", str(place)]
        assert run(["catalog", "sync", *options]) == 0
    return place


def test_makes_a_workbook_for_categories(feedtool: Feedtool, home: Path, tmp_path: Path) -> None:
    ran = feedtool("template products --category", ALL, "--home", home)
    assert ran.code == 0
    catalogue, made = ran.err.splitlines()
    assert catalogue.startswith("catalogue: http://sandbox.invalid/v2 in en, synced 20")
    assert made == "template: products.xlsx"
    book = load_workbook(tmp_path / "products.xlsx")
    stamps = {stamp.name: stamp.value for stamp in book.custom_doc_props.props}  # type: ignore[attr-defined]  # the stubs lag
    assert stamps["feedtool.category"] == ALL
    assert [part.partition(":")[0] for part in stamps["feedtool.fingerprint"].split(",")] == (
        ALL.split(",")
    )
    keys = [cell.value for cell in book["Products"][3]]
    assert "variantGroupReference" in keys
    models = book.defined_names["list_3881"].attr_text
    assert int(models.rpartition("$")[2]) - 1 > 2_000


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize("code", ["011B", "011b,011B01", "01"])
def test_a_higher_category_stands_for_those_in_it(feedtool: Feedtool, code: str) -> None:
    ran = feedtool("template products --category", code)
    assert ran.code == 0
    stamps = {one.name: one.value for one in load_workbook("products.xlsx").custom_doc_props.props}  # type: ignore[attr-defined]  # the stubs lag
    made_for = stamps["feedtool.category"].split(",")
    assert len(made_for) == len(set(made_for)) == (29 if code == "01" else 7)
    assert {one[:4] for one in made_for} >= {"011B"}
    assert {len(one) for one in made_for} == {6}
    assert f"stands for {len(made_for)} categories: {made_for[0]}, " in ran.err


def test_a_category_in_the_environment_is_for_products_alone(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDTOOL_CATEGORY", KETTLES)
    assert feedtool("template offers-upsert").code == 0
