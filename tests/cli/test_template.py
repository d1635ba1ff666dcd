"""`feedtool template products`: from the local catalogue, and what is said where it cannot be."""

from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.cli.conftest import Feedtool
from tests.conftest import properties_of


@pytest.mark.usefixtures("catalogue")
@pytest.mark.parametrize(
    ("code", "count"),
    [
        *(("011B01,1E0101,0A0201", 3), ("011b,011B01", 7)),
        *(pytest.param(*it, marks=pytest.mark.long) for it in (("011B", 7), ("01", 29))),
    ],
)
def test_makes_a_workbook_for_categories(feedtool: Feedtool, code: str, count: int) -> None:
    """A higher category includes those below it; the third has more than 2,000 choices."""
    ran = feedtool("template products --category", code)
    assert ran.code == 0
    first, *_, last = ran.said.splitlines()
    assert first.startswith("catalogue: http://sandbox.invalid/v2 in en, synced 20")
    assert last == "template: products.xlsx"
    book = load_workbook("products.xlsx")
    stamps = {stamp.name: stamp.value for stamp in properties_of(book).props}
    made_for = stamps["feedtool.category"].split(",")
    assert len(made_for) == len(set(made_for)) == count
    assert {len(name) for name in made_for} == {6}
    if count > 3:
        assert {name[:4] for name in made_for} >= {"011B"}
        assert f"includes {count} categories: {made_for[0]}, " in ran.err
    else:
        prints = stamps["feedtool.fingerprint"].split(",")
        assert [part.partition(":")[0] for part in prints] == made_for
        assert "variantGroupReference" in [cell.value for cell in book["Products"][3]]
        assert int(book.defined_names["list_3881"].attr_text.rpartition("$")[2]) - 1 > 2_000


def test_a_category_in_the_environment_only_affects_products(
    feedtool: Feedtool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FEEDTOOL_CATEGORY", "011B01")
    assert feedtool("template offers-delete").code == 0


ACCOUNTS = {
    "": "--sandbox",
    "--profile shop": "--profile shop",
    "--profile shop --sandbox": "--profile shop --sandbox",
    "--base-url https://service.example": "",
}


@pytest.mark.parametrize("typed", ACCOUNTS)
def test_the_first_sheet_gives_the_command_that_sends_it(feedtool: Feedtool, typed: str) -> None:
    Path("feedtool.toml").write_text("[profile.shop]\n", "utf-8")
    assert feedtool("template offers-delete", *typed.split()).code == 0
    guide = load_workbook("offers-delete.xlsx").worksheets[0]
    texts = [str(cell.value) for (cell,) in guide["A1:A40"]]
    assert f"feedtool submit offers-delete.xlsx {ACCOUNTS[typed]}".rstrip() in texts
