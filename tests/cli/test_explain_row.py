"""`validate --explain-row`: how each field of a row came about, and what would be sent."""

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

SHEET = """Ref;EAN;Price;Stock
A;4006381333931;10,00;12
B;3017620422003;;1
C;5901234123457;7;0
"""
RECIPE = """
[match]
kind = "offers-update"
headers = ["Ref", "EAN"]
[columns]
"Ref" = "sellerExternalReference"
"EAN" = false
"Stock" = "quantity"
[names]
price = "Price"
[compute]
"price.price" = "price + 1"
[skip]
"no stock" = "quantity == 0"
[channels.SECOND]
"price.price" = "price.price * 2"
"""
SHOWN = {
    2: """list.csv: row 2
  Ref (sellerExternalReference) = A
    A2 “Ref”  A
  Stock (quantity) = 12
    D2 “Stock”  12
  Price (VAT included) (price.price) = 11
    price = C2 “Price”  10,00
    price + 1           11
  price.price[SECOND] = 22
    price.price      11
    price.price * 2  22
  skip “no stock” = false
    quantity       12
    quantity == 0  false
  Would be sent to PRIMARY: {"sellerExternalReference":"A","price":{"price":11},"quantity":12}
  Would be sent to SECOND: {"sellerExternalReference":"A","price":{"price":22},"quantity":12}

""",
    3: """    price + 1           price is blank, not a number
  price.price[SECOND] = no value
    price.price  no value
  skip “no stock” = false
    quantity       1
    quantity == 0  false
  error[recipe-failed] C3 Price (VAT included): price.price = price + 1: price is blank, not a \
number (price is C “Price”)
    help: correct the cell, or see own.toml:12, [compute] price.price

""",
    4: """  Skipped: no stock

""",
    7: """list.csv: row 7: nothing stands there

""",
}


@pytest.fixture(autouse=True)
def sheet(files: Files) -> None:
    files.text(SHEET, "list.csv")
    files.text(RECIPE, "own.toml")


@pytest.mark.parametrize("row", SHOWN)
def test_text(feedtool: Feedtool, row: int) -> None:
    ran = feedtool(f"validate list.csv --recipe own.toml --explain-row {row}")
    assert ran.out.endswith(SHOWN[row])


OWN = """list.csv: row 3
  sellerExternalReference = B
    A3 “sellerExternalReference”  B
  price.price = -1
    C3 “price.price”  -1
  error[number-range] C3 price.price: -1 must be above 0
    help: correct the number

"""


def test_only_filled_fields_and_own_problems_are_explained(
    feedtool: Feedtool, files: Files
) -> None:
    rows = "A;;2;x;1\nB;;-1;;2\nC;;3;4;\n"
    files.text(f"sellerExternalReference;campaign;price.price;quantity;Note\n{rows}", "list.csv")
    ran = feedtool("validate list.csv --explain-row 3")
    assert (ran.code, ran.out) == (1, OWN)
    whole = feedtool("validate list.csv --explain-row 3 -v").out
    assert whole.startswith(OWN)
    assert "D2 quantity" in whole
    with_copy = feedtool("validate list.csv --explain-row 3 --annotate").out
    assert "Annotated copy: list.result.csv" in with_copy


def test_fields_are_called_as_the_template_calls_them(feedtool: Feedtool, files: Files) -> None:
    files.csv(offer(1, quantity="-1"), name="a.csv")
    feedtool("convert a.csv a.xlsx --language fr")
    out = feedtool("validate a.xlsx --explain-row 3 --language fr").out
    assert "\n  Stock (quantity) = -1\n" in out, out
    assert "erreur[number-range] Y3 Stock\u00a0: -1" in out, out


def test_json(feedtool: Feedtool) -> None:
    command = "validate list.csv --recipe own.toml --format json --explain-row"
    row = feedtool(f"{command} 2").only["explained"]
    assert (row["row"], row["skipped"]) == (2, None)
    assert row["fields"][2] == {
        "field": "price.price",
        "value": "11",
        "steps": [
            {"what": "price = C2 “Price”", "value": "10,00"},
            {"what": "price + 1", "value": "11"},
        ],
    }
    assert [(entry["channel"], entry["request"]["price"]) for entry in row["requests"]] == [
        ("PRIMARY", {"price": 11}),
        ("SECOND", {"price": 22}),
    ]
    assert feedtool(f"{command} 4").only["explained"]["skipped"] == "no stock"
    assert "explained" not in feedtool("validate list.csv --recipe own.toml --format json").only
