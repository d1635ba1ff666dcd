"""The recipe that a sheet is read by, if any."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.errors import FileProblem, UsageProblem
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.recipes import RecipeFolders
from tests.check.recipes.conftest import HEADER, NOW, RECIPE, bodies, read_by, row
from tests.conftest import Files, offer

LIST = f"{HEADER}\n{row()}\n"
MORE = RECIPE.replace('"EAN"]', '"EAN", "PA HT"]')
ALIASES = "SKU;EAN;Price;Stock;Etat\n"


def read(
    files: Files, path: Path, *, named: str | None = None, **asked: str | None
) -> list[CheckedSheet]:
    """A file read with the folders that are there: of a profile, beside it, and the user's."""
    folders = RecipeFolders(
        lambda: NOW,
        named and str(files.folder / named),
        files.folder / "mine",
        files.folder / "user",
    )
    options = ReadOptions(recipes=folders, **asked)  # type: ignore[arg-type]  # by name
    return check([Input(str(path), path)], options, load())


def recipe_of(files: Files, recipes: Mapping[str, str], **asked: str | None) -> str | None:
    """The path of the recipe by which the list is read."""
    for name, text in recipes.items():
        files.text(text, name)
    (sheet,) = read(files, files.text(LIST, "list.csv"), **asked)
    assert sheet.error is None, sheet.error
    path = sheet.recipe and Path(str(sheet.recipe["path"]))
    return path.relative_to(files.folder).as_posix() if path else None


OTHER = RECIPE.replace('"Réf"', '"Ref."').replace('"EAN"', '"Barcode"')
CHOSEN: dict[str, tuple[list[str], str]] = {
    "the account's": (["mine/a.toml", "recipes/a.toml", "user/a.toml"], "mine/a.toml"),
    "beside it": (["recipes/a.toml", "user/a.toml"], "recipes/a.toml"),
    "the user's": (["user/a.toml"], "user/a.toml"),
}


@pytest.mark.parametrize(("places", "chosen"), CHOSEN.values(), ids=CHOSEN)
def test_folders_are_looked_through_in_order(files: Files, places: list[str], chosen: str) -> None:
    recipes = {place: f"# {place}\n{RECIPE}" for place in places}
    assert recipe_of(files, {**recipes, "mine/b.toml": OTHER}) == chosen


def test_the_recipe_with_more_headers_fits_better(files: Files) -> None:
    recipes = {"recipes/a.toml": RECIPE, "recipes/b.toml": MORE, "recipes/c.toml": OTHER}
    assert recipe_of(files, recipes) == "recipes/b.toml"


def test_only_a_named_recipe_counts(files: Files) -> None:
    recipes = {"recipes/a.toml": RECIPE, "mine/b.toml": MORE, "c.toml": RECIPE}
    assert recipe_of(files, recipes, named="c.toml") == "c.toml"


def test_two_that_fit_equally_well_are_both_named(files: Files) -> None:
    with pytest.raises(UsageProblem, match=r"recipes/a\.toml; .*recipes/b\.toml$") as caught:
        recipe_of(files, {"recipes/a.toml": RECIPE, "recipes/b.toml": RECIPE + "# b\n"})
    assert "--recipe" in caught.value.hint


def test_another_kind_than_the_one_that_was_asked_for(files: Files) -> None:
    files.text(RECIPE, "a.toml")
    with pytest.raises(UsageProblem, match="is of offers-upsert, and --as says offers-update"):
        read(files, files.text(LIST, "list.csv"), named="a.toml", kind="offers-update")


def error_of(files: Files, text: str, *recipes: str, **asked: str | None) -> FileProblem:
    """The error of a list with this header that cannot be read."""
    for number, recipe in enumerate(recipes):
        files.text(recipe, f"recipes/{number}.toml")
    (sheet,) = read(files, files.text(text, "list.csv"), **asked)
    assert sheet.error is not None
    return sheet.error


NEAR = {
    "a header that nobody knows": (
        LIST.replace("PA HT", "Achat"),
        MORE,
        "“PA HT”; new there: “Achat”",
    ),
    "though aliases say what it is": (
        ALIASES + "A;4006381333931;10;5;New\n",
        RECIPE.replace('"Réf", "EAN"', '"SKU", "EAN", "Prix"'),
        "“Prix”; new there: “Price”",
    ),
}


@pytest.mark.parametrize(("text", "recipe", "message"), NEAR.values(), ids=NEAR)
def test_a_renamed_header_is_reported(files: Files, text: str, recipe: str, message: str) -> None:
    error = error_of(files, text, recipe)
    assert error.message.startswith("recipe 0 does not fit: row 1 lacks ")
    assert message in error.message
    assert "--as" in error.hint
    assert "type: feedtool map " in error.hint


def test_another_sheet_is_read_as_without_recipes(files: Files) -> None:
    error = error_of(files, "Libellé;Couleur\nx;y\n", MORE)
    assert "recipe" not in error.message.partition(";")[0]


def test_a_field_that_the_kind_needs_and_the_recipe_lacks(files: Files) -> None:
    error = error_of(files, LIST, RECIPE.replace("preparationTime = 2\n", ""))
    lacks, understood = error.message.split("; row 1 is taken as the header; understood: ")
    assert (error.code, lacks) == (
        "header-missing",
        "recipe 0: offers-upsert needs the column preparationTime",
    )
    assert understood.startswith("“Réf” as sellerExternalReference, “EAN” as product.gtin, “")
    assert "0.toml" in error.hint
    assert "type: feedtool map " in error.hint


def test_a_header_that_a_recipe_does_not_know_may_be_the_field_that_it_lacks(files: Files) -> None:
    recipe = RECIPE.replace("preparationTime = 2\n", "")
    error = error_of(files, LIST.replace("Etat", "Délai"), recipe.replace('"Etat" = false', ""))
    assert "needs the column preparationTime (perhaps “Délai”); row 1 is taken" in error.message
    assert "; not understood: “Délai”" in error.message


def test_a_column_that_a_recipe_does_not_know_is_to_be_named_in_it(files: Files) -> None:
    sheet = read_by(files, RECIPE.replace('"Etat" = false', ""), [row(1)])
    (problem,) = sheet.problems()
    assert problem.code == "unknown-column"
    assert problem.hint.startswith("give it a field in [columns] of ")
    assert problem.hint.endswith("dupont.toml, or false where it is of no use")


def test_a_sheet_with_known_keys_ignores_the_recipe_beside_it(files: Files) -> None:
    """Accepted sheets are sent as before; the account's own recipe counts for any sheet."""
    recipe = """[match]\nkind = "offers-upsert"\nheaders = ["sellerExternalReference"]
[columns]\n"sellerExternalReference" = "sellerExternalReference"\n"product.gtin" = "product.gtin"
[default]\nquantity = 3\ncondition = "New"\npreparationTime = 1\n"taxes.VAT" = 20\n"price.price" = 1
"deliveryModes.TrackedHomeDelivery.cost" = 1\n"deliveryModes.TrackedHomeDelivery.additionalCost" = 1
"""
    path = files.csv(offer(1))
    files.text(recipe, "recipes/a.toml")
    (sheet,) = read(files, path)
    assert (sheet.recipe, bodies(sheet)[2, "PRIMARY"]["quantity"]) == (None, 7)
    files.text(recipe, "mine/a.toml")
    (sheet,) = read(files, path)
    assert bodies(sheet)[2, "PRIMARY"]["quantity"] == 3


SHEETS = {
    "by its name": ('sheet = "tarif*"\n', ["Tarif 2026"]),
    "several by their names": ('sheet = "*t*"\n', ["Tarif 2026", "Autre"]),
    "all that fit": ("", None),
}


@pytest.mark.parametrize(("words", "expected"), SHEETS.values(), ids=SHEETS)
def test_the_sheets_of_a_workbook_that_are_read(
    files: Files, words: str, expected: list[str] | None
) -> None:
    rows = [dict(zip(HEADER.split(";"), row().split(";"), strict=True))]
    path = files.book({"Tarif 2026": rows, "Notes": [{"a": "b"}], "Autre": rows})
    files.text(RECIPE.replace("[columns]", f"{words}[columns]"), "recipes/a.toml")
    sheets = read(files, path)
    if expected is None:
        (sheet,) = sheets
        assert sheet.error is not None
        assert sheet.error.message == "recipe a fits several sheets: Tarif 2026, Autre"
    else:
        assert [sheet.sheet for sheet in sheets] == expected


BROKEN = '[match]\nkind = "offers-upsert\n'


@pytest.mark.parametrize("place", ["recipes/broken.toml", "user/broken.toml"])
def test_a_broken_recipe_stops_only_a_sheet_that_needs_one(files: Files, place: str) -> None:
    files.text(BROKEN, place)
    (sheet,) = read(files, files.csv(offer(1)))
    assert (sheet.error, sheet.counts().valid) == (None, 1)
    with pytest.raises(UsageProblem, match=r"broken\.toml cannot be read"):
        read(files, files.text(LIST, "list.csv"))


def test_a_broken_recipe_of_the_account_counts_for_any_sheet(files: Files) -> None:
    files.text(BROKEN, "mine/broken.toml")
    with pytest.raises(UsageProblem, match=r"broken\.toml cannot be read"):
        read(files, files.csv(offer(1)))
