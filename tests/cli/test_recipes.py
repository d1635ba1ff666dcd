"""A merchant's own list on the command line: its recipe, its defaults, a plan, a conversion."""

from pathlib import Path

import pytest

from tests.check.recipes.conftest import HEADER, RECIPE, row
from tests.cli.conftest import Feedtool, applied
from tests.conftest import Files, offer

JOIN = """[join.stock]
file = "stock-*.csv"
key = { "Réf" = "ref" }
take = { quantity = "free" }
"""
LAST = "preparationTime = 2\n"


def supplier(files: Files, recipe: str = RECIPE + JOIN, *rows: str) -> Path:
    """A list with its recipe and the stock that it joins."""
    files.text(recipe, "recipes/dupont.toml")
    files.text("ref;free\nSKU-1;20\nSKU-2;20\n", "stock-1.csv")
    return files.text("\n".join([HEADER, *(rows or (row(1), row(2)))]) + "\n", "list.csv")


def test_the_first_line_counts_fields_of_recipe_and_defaults(
    feedtool: Feedtool, files: Files
) -> None:
    supplier(files, RECIPE.replace(LAST, ""))
    ran = feedtool("validate list.csv --default preparationTime=3")
    first = (
        "list.csv  offers-upsert (recipe dupont; 5 fields from it; 1 field from defaults), header"
    )
    assert (ran.code, ran.out.startswith(first)) == (0, True), ran.out
    ran = feedtool("submit list.csv --sandbox --format json --default preparationTime=3")
    assert ran.only["recipe"]["defaults"] == ["preparationTime"]
    ran = feedtool("results 1 --format json")
    assert ran.only["recipe"]["fields"][-1] == "price.price"
    assert ran.only["kindReason"] == "recipe dupont; 5 fields from it; 1 field from defaults"


def test_a_sheet_without_a_recipe_has_no_word_of_one(feedtool: Feedtool, files: Files) -> None:
    files.text(f"sellerExternalReference;product.gtin\n{row()}\n", "list.csv")
    assert "recipe" not in feedtool("validate list.csv --format json").only


DEFAULTS = {
    "no value": ("--default quantity=", "--default quantity= has no value", "FIELD=VALUE"),
    "no field": ("--default quantty=3", "--default names “quantty”", "did you mean quantity?"),
    "no such value": (
        "--default quantity=x",
        "the default of quantity: “x” is not",
        "type the number",
    ),
    "no recipe": ("--recipe nope.toml", "the recipe nope.toml cannot be read", ""),
    "no preset": ("--recipe preset:shopfy", "there is no preset “shopfy”", "shopify?"),
}


@pytest.mark.parametrize(("options", "message", "hint"), DEFAULTS.values(), ids=DEFAULTS)
def test_wrong_options_are_refused(
    feedtool: Feedtool, files: Files, options: str, message: str, hint: str
) -> None:
    supplier(files)
    ran = feedtool(f"validate list.csv {options}")
    assert (ran.code, message in ran.err, hint in ran.err) == (2, True, True), ran.err


def test_a_default_of_a_template_is_checked_once_its_kind_is_known(
    feedtool: Feedtool, files: Files
) -> None:
    files.csv(offer(1, condition=None))
    ran = feedtool("validate offers.csv --default condition=New")
    assert (ran.code, "every required column is there; 1 field from defaults" in ran.out) == (
        0,
        True,
    )
    ran = feedtool("validate offers.csv --default condition=Nwe")
    assert (ran.code, ran.error()[0][:33]) == (2, "the default of condition: “Nwe” i")


def test_a_profile_has_recipes_and_defaults(feedtool: Feedtool, files: Files) -> None:
    supplier(files, RECIPE.replace(LAST, "")).rename(files.folder / "other.csv")
    (files.folder / "recipes").rename(files.folder / "shop")
    settings = '[profile.shop]\nrecipes = "shop"\n[profile.shop.default]\n'
    files.text(f"{settings}preparationTime = 4\n", "feedtool.toml")
    ran = feedtool("validate other.csv --profile shop")
    assert (ran.code, "(recipe dupont; " in ran.out) == (0, True), ran.out
    assert feedtool("validate other.csv").code == 3
    files.text(f"{settings}preparationTim = 4\n", "feedtool.toml")
    ran = feedtool("validate other.csv --profile shop")
    assert ran.error() == (
        "the profile's [default] names “preparationTim”, and there is no such field",
        "did you mean preparationTime?",
    )


def test_a_plan_is_sent_by_its_recipe(feedtool: Feedtool, files: Files) -> None:
    supplier(files, RECIPE.replace(LAST, "") + JOIN)
    made = "submit list.csv --sandbox --dry-run --save-plan plan.jsonl"
    ran = feedtool(f"{made} --default preparationTime=3 --recipe recipes/dupont.toml")
    assert ran.code == 0, ran.err
    (files.folder / "recipes" / "dupont.toml").unlink()
    files.text("ref;free\nSKU-1;30\n", "stock-2.csv")
    ran = feedtool("submit --plan plan.jsonl --default preparationTime=4")
    assert "default preparationTime was 3, and is 4" in ran.error()[0]
    ran = feedtool("submit --plan plan.jsonl --recipe other.toml")
    assert "--recipe was recipes/dupont.toml, and is other.toml" in ran.error()[0]
    files.text("x", "recipes/dupont.toml")
    assert feedtool("submit --plan plan.jsonl").code == 0
    assert [reference for reference, _ in applied()] == ["SKU-1", "SKU-2"]
    assert feedtool("runs --format json").json[0]["run"] == "1"


def test_rows_of_a_recipe_can_be_converted(feedtool: Feedtool, files: Files) -> None:
    rules = (
        '[skip]\n"none left" = "quantity == 0"\n[channels.DE]\n"price.price" = "price.price + 1"\n'
    )
    supplier(files, RECIPE + rules, row(1), row(2, stock="0"))
    ran = feedtool("convert list.csv out.csv --recipe recipes/dupont.toml")
    assert (ran.code, ran.said) == (0, "")  # what is to be skipped is no loss
    assert ran.out == (
        "out.csv  offers-upsert, 2 rows, 1 left out\n  1 row left out by the recipe: none left\n"
    )
    header, *lines = Path("out.csv").read_text("utf-8-sig").splitlines()
    columns = [header.split(",").index(key) for key in ("price.price", "salesChannelId")]
    assert [[line.split(",")[at] for at in columns] for line in lines] == [
        ["20.00", ""],
        ["21.00", "DE"],
    ]
    ran = feedtool("convert list.csv out.csv --recipe recipes/dupont.toml --yes --format json")
    assert (ran.only["skippedBecause"], ran.only["losses"]) == ({"none left": 1}, [])


def test_a_recipe_that_skips_all_rows_writes_no_file(feedtool: Feedtool, files: Files) -> None:
    supplier(files, RECIPE + '[skip]\n"none left" = "quantity == 0"\n', row(1, stock="0"))
    ran = feedtool("convert list.csv out.csv")
    assert (ran.code, ran.out.startswith("nothing written")) == (9, True)
