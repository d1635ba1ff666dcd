"""Mistakes in the file of a recipe, with their lines and suggestions."""

from datetime import date

import pytest
from msgspec.structs import replace

from feedtool.check.recipes.recipe import parse_recipe
from feedtool.model.errors import UsageProblem
from tests.check.recipes.conftest import RECIPE

JOIN = '[join.stock]\nfile = "s*"\nkey = { a = "b" }\ntake = { quantity = "c" }\n'
WRONG = {
    "no TOML": (("[names]", "[names"), "at line 9, column 7", "correct the line"),
    "a table's name": (
        ("[columns]", "[colums]"),
        ":4, [colums]: a recipe has no table",
        "columns?",
    ),
    "a key of ours": (("headers", "header"), ":3, [match] header: no key of this name", "headers?"),
    "no kind": (('kind = "offers-upsert"\n', ""), ":1, [match]: kind is missing", "add kind"),
    "no list": (('["Réf", "EAN"]', '"Réf"'), ':3, [match] headers: "Réf" cannot', "a list"),
    "rows": (
        ("[columns]", 'rows = "x"\n[columns]'),
        ':4, [match] rows: "x"',
        "one of: until-blank",
    ),
    "a column's field": (('"quantity"', "3"), ":7, [columns] Stock: 3 is not", "or false"),
    "a column of use": (('"quantity"', "true"), ":7, [columns] Stock: true is not", "or false"),
    "a name": (
        ("cost =", '"co st" ='),
        ":10, [names] co st: this cannot be a short name",
        "letters, digits",
    ),
    "a default": (("= 20", "= [20]"), ":14, [default] taxes.VAT: [20] is not", "a number"),
    "a number of many digits": (
        ("= 20", f"= {'9' * 5000}"),
        "cannot be read: ",
        "correct the line",
    ),
    "no number": (("= 20", "= nan"), ":14, [default] taxes.VAT: NaN is not", "a number"),
    "an expression": (('"cost * 2"', "2"), ":18, [compute] price.price: 2 is not", "in quotes"),
    "its syntax": (
        ("* 2", "* * 2"),
        ":18, [compute] price.price: the expression cannot be read",
        "brackets",
    ),
    "no names": (
        ("\n".join(RECIPE.splitlines()[3:-2]), ""),
        "there is no field or short name cost",
        "in [names]",
    ),
    "its names": (
        ("cost *", "costs *"),
        ":18, [compute] price.price: there is no field or short name costs",
        "cost?",
    ),
    "no table": (
        (RECIPE, f"skip = 1\n{RECIPE}"),
        "[skip]: this must be a table",
        "begin it with [skip]",
    ),
    "a table too few": (
        (RECIPE, f"{RECIPE}[channels]\nDE = 1\n"),
        "[channels.DE]: this must be",
        "[channels",
    ),
    "a condition": (
        (RECIPE, f"{RECIPE}[skip]\nno = true\n"),
        ":20, [skip] no: true",
        "a condition",
    ),
    "a join's key": (
        (RECIPE, f"{RECIPE}{JOIN}mising = 1\n"),
        ":23, [join.stock] mising",
        "missing?",
    ),
    "its choice": (
        (RECIPE, f'{RECIPE}{JOIN}missing = "null"\n'),
        ':23, [join.stock] missing: "null"',
        "use one of: keep, zero, hold",
    ),
    "its age": (
        (RECIPE, f'{RECIPE}{JOIN}too_old = "2 w"\n'),
        ":23, [join.stock] too_old: “2 w” is not an age",
        "26h",
    ),
    "an age of ages": ((RECIPE, f'{RECIPE}{JOIN}too_old = "999999999999d"\n'), "not an age", "26h"),
    "a name with NUL": (
        (RECIPE, RECIPE + JOIN.replace("s*", "a\\u0000/x.csv")),
        ":20, [join.stock] file: no name has",
        "the file's name",
    ),
    "no file": (
        (RECIPE, RECIPE + JOIN.replace('file = "s*"\n', "")),
        ":19, [join.stock]: file is missing",
        "or sheet = … for a sheet of the same workbook",
    ),
    "an empty list of files": (
        (RECIPE, RECIPE + JOIN.replace('"s*"', "[]")),
        ":20, [join.stock] file: [] cannot stand here",
        "must not be blank",
    ),
    "a number as a file": (
        (RECIPE, RECIPE + JOIN.replace('"s*"', "1")),
        ":20, [join.stock] file: 1 cannot",
        "text or a list",
    ),
    "the age of its own sheet": (
        (RECIPE, RECIPE + JOIN.replace('file = "s*"', 'sheet = "a"') + 'too_old = "2h"\n'),
        ":23, [join.stock] too_old: a sheet of the same workbook has no age",
        "take it out",
    ),
    "a pick": (
        (RECIPE, f'{RECIPE}{JOIN}pick = "newest"\n'),
        ":23, [join.stock] pick: “newest” picks no row",
        '"min price"',
    ),
    "a sum of what is not taken": (
        (RECIPE, f'{RECIPE}{JOIN}pick = "sum d"\n'),
        ":23, [join.stock] pick: “d” is not taken",
        "stands in take",
    ),
    "its share": ((RECIPE, f"{RECIPE}{JOIN}at_least = 95\n"), "at_least: 95", "a number <= 1"),
    "what it takes": (
        (RECIPE, RECIPE + JOIN.replace("take", "tke")),
        "tke: no key of this name",
        "take?",
    ),
}


@pytest.mark.parametrize(("change", "place", "hint"), WRONG.values(), ids=WRONG)
def test_mistakes_are_reported_with_their_places(
    change: tuple[str, str], place: str, hint: str
) -> None:
    with pytest.raises(UsageProblem) as caught:
        parse_recipe(RECIPE.replace(*change), "dupont", None, date(2026, 11, 20))
    assert place in caught.value.message
    assert hint in caught.value.hint


def test_a_recipe_without_headers_is_of_sheets_with_all_its_columns() -> None:
    recipe = RECIPE.replace('headers = ["Réf", "EAN"]\n', "").replace('"EAN" =', '"@B" =')
    read = parse_recipe(recipe, "dupont", None, date(2026, 11, 20))
    assert [read.fits("", texts) for texts in (["ref", "STOCK"], ["Réf"])] == [True, False]
    assert read.lacking(["Réf"]) == ["Stock"]


def test_a_recipe_without_headers_fits_only_on_request() -> None:
    recipe = RECIPE.replace('headers = ["Réf", "EAN"]\n', "")
    for header, letters in {"Réf": "A", "EAN": "B", "Stock": "C"}.items():
        recipe = recipe.replace(f'"{header}" =', f'"@{letters}" =')
    read = parse_recipe(recipe, "dupont", None, date(2026, 11, 20))
    assert [item.fits("", ["Foo"]) for item in (read, replace(read, must_fit=True))] == [
        False,
        True,
    ]
