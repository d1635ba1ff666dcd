"""A row for several channels: by a recipe, and by columns of a template's own sheet."""

import pytest

from feedtool.model.errors import UsageProblem
from tests.check.recipes.conftest import RECIPE, bodies, read_by, row
from tests.conftest import Files, checked, codes, offer

SECOND = "price.price[SECOND]"
RULES = """
[channels.SECOND]
"price.price" = "price.price + 1"
skip = "quantity < 3"
"""


def prices(files: Files, *values: tuple[str, str], key: str = "price.price") -> dict[str, float]:
    """The price on each channel of a row with these in its columns."""
    price = {"price__price": None} if key != "price.price" else {}
    sheet = checked(files.csv({**offer(1, **price), **dict(values)}))[0]
    return {channel: body["price"]["price"] for (_, channel), body in bodies(sheet).items()}


COLUMNS = {
    "a price of its own": ([(SECOND, "25.50")], {"PRIMARY": 19.99, "SECOND": 25.5}),
    "none there": ([(SECOND, "")], {"PRIMARY": 19.99}),
    "two more": (
        [(SECOND, "25.50"), ("price.price[DE]", "30")],
        {"PRIMARY": 19.99, "SECOND": 25.5, "DE": 30},
    ),
    "its own channel's": ([("price.price[PRIMARY]", "25")], {"PRIMARY": 25}),
    "a footnote": ([("Notes [1]", "25")], {"PRIMARY": 19.99}),
}


@pytest.mark.parametrize(("values", "expected"), COLUMNS.values(), ids=COLUMNS)
def test_a_template_has_a_column_for_a_channel(
    files: Files, values: list[tuple[str, str]], expected: dict[str, float]
) -> None:
    assert prices(files, *values) == expected


def test_a_sheet_may_have_only_prices_of_channels(files: Files) -> None:
    assert prices(files, (SECOND, "25"), key=SECOND) == {"SECOND": 25}


def test_a_wrong_channel_price_is_reported_at_its_column_and_holds_the_row(files: Files) -> None:
    rows = [{**offer(n), SECOND: price} for n, price in enumerate(["x", "0.001", "9"], start=1)]
    (sheet,) = checked(files.csv(*rows))
    assert [(problem.row, problem.field) for problem in sheet.problems()] == [
        (2, SECOND),
        (3, SECOND),
    ]
    assert list(bodies(sheet)) == [(4, "PRIMARY"), (4, "SECOND")]


def test_different_stock_of_a_row_for_two_channels_is_reported_once(files: Files) -> None:
    rows = [
        {**offer(n, product__gtin=offer(1)["product.gtin"], quantity=str(n)), SECOND: "25"}
        for n in (1, 2)
    ]
    (sheet,) = checked(files.csv(*rows))
    rows_told = [problem.row for problem in sheet.problems() if problem.code == "stock-differs"]
    assert rows_told == [2, 3]


def test_a_rule_of_a_recipe_makes_a_price_of_the_first(files: Files) -> None:
    sheet = read_by(files, RECIPE + RULES, [row(1), row(2, stock="2")])
    sent = {
        place: (body["price"]["price"], body["quantity"]) for place, body in bodies(sheet).items()
    }
    assert sent == {(2, "PRIMARY"): (20, 5), (2, "SECOND"): (21, 5), (3, "PRIMARY"): (20, 2)}


def test_a_column_of_a_recipe_may_be_of_a_channel(files: Files) -> None:
    recipe = RECIPE.replace('"Etat" = false', '"Etat" = "price.price[DE]"')
    sheet = read_by(files, recipe, [row(1, condition="33,10"), row(2, condition="?")])
    assert {channel: body["price"]["price"] for (_, channel), body in bodies(sheet).items()} == {
        "PRIMARY": 20,
        "DE": 33.1,
    }
    assert codes(sheet) == [(3, "number-format")]


def test_products_have_no_channels(files: Files) -> None:
    recipe = """[match]\nkind = "products"\nheaders = ["Réf"]
[columns]\n"EAN" = "gtin"\n"PA HT" = "title[DE]"\n"""
    with pytest.raises(
        UsageProblem, match=r"title\[DE\] cannot be: Products have no sales channels"
    ):
        read_by(files, recipe, [row()])
