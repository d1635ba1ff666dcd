"""The steps of a row: cell, list of values, default, join, expression, channels, skipping."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import pytest

from feedtool.areas.registry import load
from feedtool.check.files import check
from feedtool.check.read_options import Input, ReadOptions
from feedtool.runs.recipes import RecipeFolders
from tests.conftest import Files

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
SHEET = """Réf;EAN;PA HT;Stock;Etat
A;4006381333931;10,50;12;2nd choix
B;3017620422003;;1;
C;5901234123457;#N/A;3;Neuf
"""
STOCK = "ref;dispo\nA;9\n"
RECIPE = """
[match]
kind = "offers-upsert"
headers = ["Réf", "EAN"]
[columns]
"Réf" = "sellerExternalReference"
"EAN" = "product.gtin"
"Stock" = "quantity"
"Etat" = "condition"
[names]
cost = "PA HT"
[values.condition]
"2nd choix" = "UsedAverageState"
[default]
condition = "New"
preparationTime = 2
"taxes.VAT" = 20
"deliveryModes.TrackedHomeDelivery.cost" = 4.90
"deliveryModes.TrackedHomeDelivery.additionalCost" = 0
[compute]
"price.price" = "cost * 2 if cost > 5 else cost / 0"
quantity = "quantity - 2"
[skip]
"no stock" = "quantity < 0"
[join.stock]
file = "stock.csv"
key = { "Réf" = "ref" }
take = { quantity = "dispo" }
missing = "keep"
[channels.SECOND]
"price.price" = "price.price + 1"
skip = "quantity < 3"
"""
Explained = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]
ROWS: Mapping[int, Explained] = {
    2: {
        "sellerExternalReference": ("A", [("A2 “Réf”", "A")]),
        "condition": (
            "UsedAverageState",
            [("E2 “Etat”", "2nd choix"), ("[values.condition]", "UsedAverageState")],
        ),
        "quantity": (
            "7",
            [
                ("D2 “Stock”", "12"),
                ("join by A2 “Réf”", "9"),
                ("quantity", "9"),
                ("quantity - 2", "7"),
            ],
        ),
        "price.price": (
            "21",
            [
                ("cost = C2 “PA HT”", "10,50"),
                ("cost > 5", "true"),
                ("cost * 2", "21"),
                ("cost * 2 if cost > 5 else cost / 0", "21"),
            ],
        ),
        "price.price[SECOND]": ("22", [("price.price", "21"), ("price.price + 1", "22")]),
        "skip[SECOND]": ("false", [("quantity", "7"), ("quantity < 3", "false")]),
        "skip “no stock”": ("false", [("quantity", "7"), ("quantity < 0", "false")]),
    },
    3: {
        "condition": ("New", [("E3 “Etat”", "blank"), ("[default]", "New")]),
        "quantity": (
            "-1",
            [
                ("D3 “Stock”", "1"),
                ("join by A3 “Réf”", "not there; its own is kept"),
                ("quantity", "1"),
                ("quantity - 2", "-1"),
            ],
        ),
        "price.price": (
            "no value",
            [
                ("cost = C3 “PA HT”", "blank"),
                ("cost * 2 if cost > 5 else cost / 0", "cost is blank, not a number"),
            ],
        ),
        "price.price[SECOND]": ("no value", [("price.price", "no value")]),
        "skip “no stock”": ("true", [("quantity", "-1"), ("quantity < 0", "true")]),
    },
    4: {
        "price.price": (
            "no value",
            [
                ("cost = C4 “PA HT”", "#N/A"),
                ("cost * 2 if cost > 5 else cost / 0", "cost is the cell shows #N/A, not a number"),
            ],
        )
    },
    1: {},
    9: {},
}


def explained(files: Files, recipe: str, row: int) -> Explained:
    path = files.text(SHEET, "list.csv")
    files.text(STOCK, "stock.csv")
    named = str(files.text(recipe, "dupont.toml"))
    options = ReadOptions(recipes=RecipeFolders(lambda: NOW, named), explain_row=row)
    (sheet,) = check([Input(str(path), path)], options, load())
    assert sheet.explained, sheet.error
    assert sheet.explained.row == row
    return {field: (value, steps) for field, value, steps in sheet.explained.fields}


@pytest.mark.parametrize("row", ROWS)
def test_each_field_shows_its_steps(files: Files, row: int) -> None:
    fields = explained(files, RECIPE, row)
    assert {field: fields[field] for field in ROWS[row]} == ROWS[row]
    assert bool(fields) is bool(ROWS[row])


def test_a_join_that_holds_a_file_names_the_reason(files: Files) -> None:
    fields = explained(files, RECIPE.replace('"keep"', '"hold"'), 3)
    value, steps = fields["quantity"]
    assert value == "no value"
    assert steps[1][1].startswith("stock.csv has no value for this row")


def test_a_sheet_without_a_recipe_shows_its_cells(files: Files) -> None:
    path = files.text("sellerExternalReference;price.price;quantity\nA; 5,00 ;2\n", "own.csv")
    options = ReadOptions(kind="offers-update", explain_row=2)
    (sheet,) = check([Input(str(path), path)], options, load())
    assert sheet.explained
    assert sheet.explained.fields[1] == (
        *("price.price", "5,00"),
        [("B2 “price.price”", "5,00")],
    )
