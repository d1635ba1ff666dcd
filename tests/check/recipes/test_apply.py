"""A recipe applied to a sheet, in the order of its tables."""

import pytest

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions, check
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Status
from tests.check.recipes.conftest import (
    HEADER,
    RECIPE,
    bodies,
    read_by,
    refused_by,
    row,
    stock_file,
)
from tests.conftest import Files, codes

JOIN = """[join.stock]
file = "stock-*.csv"
key = { "Réf" = "ref" }
take = { quantity = "free" }
"""
COMPUTE, SKIP = '[compute]\nquantity = "quantity + 1"\n', '[skip]\n"few" = "quantity < 7"\n'
VALUES, DEFAULT = '[values.quantity]\n"many" = 40\n', "[default]\nquantity = 30\n"
EXPORT = "sellerExternalReference;price.price;quantity;offerState;isBestOffer"
OF_EXPORT = """[match]
kind = "offers-update"
[columns]
sellerExternalReference = "sellerExternalReference"
[names]
state = "offerState"
[compute]
quantity = '7 if says(state, "Active") else 0'
"""
CHANNELS = '[channels.SECOND]\n"price.price" = "price.price + quantity"\n'


def with_tables(*tables: str) -> str:
    """The recipe with these tables, and those that it has gone on with."""
    recipe = RECIPE
    for text in tables:
        name, _, rest = text.partition("\n")
        known = f"{name}\n"
        recipe = recipe.replace(known, known + rest) if known in recipe else recipe + text
    return recipe


def test_columns_that_an_export_adds_are_read_by_names(files: Files) -> None:
    rows = ["A-1;9,90;120;Active;", "A-2;9,90;120;Inactive;true"]
    sheet = read_by(files, OF_EXPORT, rows, EXPORT)
    assert list(bodies(sheet).values()) == [
        {"sellerExternalReference": "A-1", "quantity": 7},
        {"sellerExternalReference": "A-2", "quantity": 0},
    ]
    (problem,) = sheet.problems()
    assert problem.message.startswith("not sent: “price.price” in B")
    assert "offerState" not in problem.message
    assert "isBestOffer" not in problem.message


def test_columns_that_an_export_adds_hide_no_default(files: Files) -> None:
    path = files.text(f"{EXPORT}\nA-1;;3;Active;\nA-2;;4;Active;true\n", "list.csv")
    options = ReadOptions(defaults={"preparationTime": 2})
    (sheet,) = check([Input(str(path), path)], options, load())
    assert [body["preparationTime"] for body in bodies(sheet).values()] == [2, 2]
    assert codes(sheet) == []


ORDER = {
    "the column": ((), "5", 5),
    "values of the column": ((VALUES,), "many", 40),
    "the default where it is blank": ((DEFAULT,), "", 30),
    "no default where it is not": ((DEFAULT,), "5", 5),
    "the joined sheet wins over the column": ((JOIN,), "5", 20),
    "and over the default": ((DEFAULT, JOIN), "", 20),
    "what is computed wins over that": ((JOIN, COMPUTE), "5", 21),
    "and is computed of values": ((VALUES, COMPUTE), "many", 41),
    "a row is skipped by what is computed": ((COMPUTE, SKIP), "6", 7),
}


@pytest.mark.parametrize(("tables", "stock", "quantity"), ORDER.values(), ids=ORDER)
def test_each_table_comes_after_the_one_before(
    files: Files, tables: tuple[str, ...], stock: str, quantity: int
) -> None:
    stock_file(files, "ref;free\nSKU-1;20\n")
    sheet = read_by(files, with_tables(*tables), [row(stock=stock)])
    (body,) = bodies(sheet).values()
    assert body["quantity"] == quantity


def test_channels_come_last(files: Files) -> None:
    recipe = with_tables(JOIN, COMPUTE, CHANNELS)
    stock_file(files, "ref;free\nSKU-1;20\n")
    sheet = read_by(files, recipe, [row()])
    prices = {channel: body["price"]["price"] for (_, channel), body in bodies(sheet).items()}
    assert prices == {"PRIMARY": 20, "SECOND": 41}
    assert {body["quantity"] for body in bodies(sheet).values()} == {21}


def test_a_skipped_row_names_its_reason(files: Files) -> None:
    sheet = read_by(files, with_tables(SKIP), [row(1), row(2, stock="9")])
    (skipped,) = sheet.rows.skipped
    assert (skipped.row, skipped.reference, skipped.status) == (2, "SKU-1", Status.SKIPPED)
    assert [message.text for message in skipped.messages] == ["few"]
    assert list(bodies(sheet)) == [(3, "PRIMARY")]


def test_a_row_with_an_undecided_skip_rule_is_not_sent(files: Files) -> None:
    sheet = read_by(files, with_tables(SKIP), [row(stock="n/a")])
    assert codes(sheet) == [(2, "number-format"), (2, "recipe-failed")]
    assert [problem.column for problem in sheet.problems()] == ["D", "D"]


ROUND = "write round({}, {}) in "
COMPUTED = {
    "decimals": (
        '"price.price" = "cost * 1.237"',
        "price.price = cost * 1.237: 12.38237 has more than two decimals",
        ROUND.format("cost * 1.237", 2),
    ),
    "a part of a piece": (
        'quantity = "quantity / 2"',
        "quantity = quantity / 2: 2.5 is not a whole number",
        ROUND.format("quantity / 2", 0),
    ),
    "a text": (
        '"price.price" = "cost + \'a\'"',
        "price.price = cost + 'a': “10,01a” is not a number",
        "correct the cell, or see ",
    ),
    "out of range": (
        '"price.price" = "-cost"',
        "price.price = -cost: -10.01",
        "correct the cell, or see ",
    ),
}


@pytest.mark.parametrize(("formula", "message", "hint"), COMPUTED.values(), ids=COMPUTED)
def test_the_error_of_a_computed_value_names_its_expression(
    files: Files, formula: str, message: str, hint: str
) -> None:
    recipe = RECIPE.replace('"price.price" = "cost * 2"', formula)
    recipe = recipe if "price.price" in formula else recipe + '"price.price" = "2"\n'
    sheet = read_by(files, recipe, [row(1, cost="10,01")])
    (problem,) = (problem for problem in sheet.problems() if problem.row)
    assert problem.message.startswith(message), problem.message
    assert problem.hint.startswith(hint)
    assert "dupont.toml:" in problem.hint
    assert (problem.column, problem.value) == ("D" if "quantity" in formula else "C", None)


def test_the_error_of_a_channel_s_computed_value_names_its_expression(files: Files) -> None:
    recipe = with_tables(CHANNELS).replace("cost * 2", "cost * 2.0001")
    messages = [problem.message for problem in read_by(files, recipe, [row(1)]).problems()]
    assert [message.partition(": ")[0] for message in messages][:1] == [
        "price.price = cost * 2.0001"
    ]


@pytest.mark.parametrize(("cost", "column"), [("", "C"), ("n/a", "C")])
def test_a_failed_computation_is_a_problem_of_its_source_cell(
    files: Files, cost: str, column: str
) -> None:
    sheet = read_by(files, with_tables(CHANNELS), [row(1, cost), row(2)])
    (problem,) = list(sheet.problems())  # said once, though the other channel needs it, too
    assert (problem.row, problem.column, problem.code) == (2, column, "recipe-failed")
    assert "cost * 2" in problem.message
    assert [number for number, _ in bodies(sheet)] == [3, 3]


@pytest.mark.parametrize(
    ("rows", "sent"), [('rows = "until-blank"\n', [2]), ("", [2, 5])], ids=["until blank", "all"]
)
def test_a_default_makes_no_row_of_a_blank_one(files: Files, rows: str, sent: list[int]) -> None:
    recipe = RECIPE.replace("headers =", f"{rows}headers =")
    sheet = read_by(files, recipe, [row(1), ";;;;", " ; ;;;", row(2)])
    assert [number for number, _ in bodies(sheet)] == sent
    assert codes(sheet) == []


def test_equal_numbers_with_different_texts_are_distinguished(files: Files) -> None:
    """1.0 and 1 are equal, and different texts."""
    recipe = RECIPE.replace("[names]", '[names]\nstate = "Etat"')
    recipe += "quantity = \"1 if lower(state) == '1.0' else 2\"\n"
    sheet = read_by(files, recipe, [row(1, condition="1"), row(2, condition="1.0")])
    assert [body["quantity"] for body in bodies(sheet).values()] == [2, 1]


@pytest.mark.parametrize(("other", "price"), [("9,50", 24.69), ("9.50", 24690), ("9", None)])
def test_the_other_cells_of_a_column_settle_its_decimals(
    files: Files, other: str, price: float | None
) -> None:
    sheet = read_by(files, RECIPE, [row(1, "12,345"), row(2, other)])
    prices = [body["price"]["price"] for (at, _), body in bodies(sheet).items() if at == 2]
    assert prices == ([] if price is None else [price])
    if price is None:
        (problem,) = list(sheet.problems())
        assert "cost: 12,345 could mean 12345 or 12.345" in problem.message


def test_a_rate_with_a_percent_sign_is_a_number(files: Files) -> None:
    recipe = RECIPE.replace('"PA HT"', '"PA HT"\nrate = "Etat"').replace('"Etat" = false\n', "")
    recipe = recipe.replace("cost * 2", "round(cost * (1 + rate / 100), 2)")
    sheet = read_by(files, recipe, [row(1, condition="19%"), row(2, condition="5,5 %")])
    assert [body["price"]["price"] for body in bodies(sheet).values()] == [11.9, 10.55]


def test_a_column_may_be_named_by_its_letters_and_an_optional_one_may_lack(files: Files) -> None:
    recipe = RECIPE.replace('"Stock" =', '"@D" =').replace(
        "[names]", '"Struck" = "price.originPrice"\n[names]'
    )
    (body,) = bodies(read_by(files, recipe, [row()])).values()
    assert (body["quantity"], body["price"].get("originPrice")) == (5, None)


def test_a_copy_with_answers_is_read_as_its_original(files: Files) -> None:
    header = f"{HEADER};feedtool status;feedtool message;feedtool code"
    sheet = read_by(files, RECIPE, [f"{row()};Rejected;x;y"], header)
    assert sheet.header is not None
    assert sheet.header.own == {5, 6, 7}
    assert codes(sheet) == []


def test_fields_from_recipe_and_defaults_are_counted(files: Files) -> None:
    stock_file(files, "ref;free\nSKU-1;20\n", hours=3)
    options = ReadOptions(
        defaults={"preparationTime": "4", "price.originPrice": "90", "title": "x"}
    )
    sheet = read_by(files, with_tables(JOIN), [row(1), row(2)], asked=options)
    assert sheet.kind_reason == (
        "recipe dupont; 7 fields from it; 1 field from defaults;"
        " 1 of 2 rows are in stock-1.csv (3 h old)"
    )
    assert sheet.recipe is not None
    assert sheet.recipe["defaults"] == ["price.originPrice"]
    assert sheet.recipe["joins"] == [
        {"name": "stock", "file": "stock-1.csv", "hoursOld": 3.0, "rows": 2, "found": 1}
    ]
    assert bodies(sheet)[2, "PRIMARY"]["preparationTime"] == 4


UNFIT = {
    "a name's header": (("PA HT", "PA H.T. net"), ":10, [names] cost: row 1 has no header"),
    "a key's header": (
        ('"Stock"', '"Bestand"'),
        "quantity has no column here: row 1 has no header",
    ),
}


@pytest.mark.parametrize(("change", "message"), UNFIT.values(), ids=UNFIT)
def test_a_header_that_an_expression_needs_is_asked_for(
    files: Files, change: tuple[str, str], message: str
) -> None:
    error = refused_by(files, RECIPE.replace(*change) + 'quantity = "quantity + 1"\n')
    assert (error.code, message in error.message) == ("header-not-found", True)


WRONG = {
    "no such field": (('"product.gtin"', '"product.gtn"'), "[columns] EAN", "product.gtin?"),
    "of a value": (("[names]", "[values.conditon]\n[names]"), "[values.conditon]", "condition?"),
    "of a default": (("condition =", "conditon ="), "[default] conditon", "condition?"),
    "two columns": (
        ("[names]", '"PA HT" = "quantity"\n[names]'),
        "quantity has two",
        "one of the two lines",
    ),
    "the stock of a channel": (
        ("[names]", '"PA HT" = "quantity[DE]"\n[names]'),
        "all channels share one stock",
        "take it out",
    ),
    "the reference on a channel": (
        ("[names]", '"PA HT" = "sellerExternalReference[DE]"\n[names]'),
        "is of the row",
        "take it out",
    ),
    "letters that are none": (('"Stock"', '"@4"'), "“@4” names no column", "“@C”"),
    "a value that its field cannot have": (
        ("[names]", '[values.condition]\nold = "Olde"\n[names]'),
        ":10, [values.condition] old: “Olde” is not one of",
        "",
    ),
    "a default": (('"New"', '"Nwe"'), ":12, [default] condition: “Nwe”", "did you mean New"),
    "no such kind": (("offers-upsert", "offers-upset"), "[match] kind", "offers-upsert?"),
}


@pytest.mark.parametrize(("change", "message", "hint"), WRONG.values(), ids=WRONG)
def test_everything_that_a_recipe_names_must_exist(
    files: Files, change: tuple[str, str], message: str, hint: str
) -> None:
    with pytest.raises(UsageProblem) as caught:
        read_by(files, RECIPE.replace(*change), [row()])
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_the_error_of_a_field_without_a_source_names_no_header(files: Files) -> None:
    recipe = RECIPE.replace("[default]", '[default]\n"price.floor" = ""')
    error = refused_by(files, recipe.replace("cost * 2", "price.floor * 2"))
    assert error.message.endswith("price.floor has no column here, and no default")


def test_a_missing_value_that_a_recipe_makes_is_to_be_looked_at_in_the_recipe(files: Files) -> None:
    blank = RECIPE.replace('"cost * 2"', '"none if cost > 5 else cost"')
    (problem,) = read_by(files, blank, [row(1)]).problems()
    assert (problem.code, problem.column) == ("required-missing", "C")
    assert problem.hint == "see with --explain-row 2 where the recipe takes it from"
