"""A recipe applied to a sheet, in the order of its tables."""

from collections.abc import Sequence
from datetime import UTC, datetime

from feedtool.areas.registry import load
from feedtool.check.files import check
from feedtool.check.read_options import Input, ReadOptions
from feedtool.model.sheet import CheckedSheet
from feedtool.runs.recipes import RecipeFolders
from tests.conftest import Files

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
HEADER = "Réf;EAN;PA HT;Stock"
RECIPE = """
[match]
kind = "offers-upsert"
headers = ["Réf", "EAN"]
[columns]
"Réf" = "sellerExternalReference"
"EAN" = "product.gtin"
"Stock" = "quantity"
[names]
cost = "PA HT"
[default]
condition = "New - New"
preparationTime = 2
"taxes.VAT" = 20
"deliveryModes.TrackedHomeDelivery.cost" = 4.90
"deliveryModes.TrackedHomeDelivery.additionalCost" = 0
[compute]
"price.price" = "ends(cost * 1.2 + 3, 0.99)"
"""


def checked_by(files: Files, recipe: str, rows: Sequence[str]) -> CheckedSheet:
    """A sheet of these rows as a recipe makes it."""
    path = files.text("\n".join([HEADER, *rows]) + "\n", "list.csv")
    named = files.text(recipe, "dupont.toml")
    options = ReadOptions(recipes=RecipeFolders(lambda: NOW, str(named)))
    (sheet,) = check([Input(path.name, path)], options, load())
    return sheet


def test_a_blank_in_a_sum_is_a_problem_of_the_row_at_the_cell_it_came_from(files: Files) -> None:
    sheet = checked_by(files, RECIPE, ["A;4006381333931;;5", "B;4006381333931;10;5"])
    (problem,) = [item for item in sheet.problems() if item.code == "recipe-failed"]
    assert (problem.row, problem.column) == (2, "C")
