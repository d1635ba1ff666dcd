"""Forms about the columns of a sheet, judged part by part."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from feedtool.areas.registry import load
from feedtool.check import Input, ReadOptions
from feedtool.check.recipes.recipe import parse_recipe
from feedtool.model.cells import Column, Header
from feedtool.page.columns import ProposedSheet, judge, proposed
from tests.check.recipes.conftest import NOW
from tests.conftest import Files
from tests.page.conftest import SAMPLES
from tests.page.own_sheets import ADDITIONAL, CONDITION, COST, LIST, SHIPPING

PRICE = "default:price.price"


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> ProposedSheet:
    files = Files(tmp_path_factory.mktemp("list"))
    return proposed(Input("list.csv", files.text(LIST, "list.csv")), ReadOptions(), None)


KEYS = """Référence;Prix TTC;Quantité
sellerExternalReference;price.price;quantity
A-1;12,50;3
A-2;13,50;4
"""


def test_a_row_of_keys_below_the_header_is_no_data(files: Files) -> None:
    keyed = proposed(Input("l.csv", files.text(KEYS, "l.csv")), ReadOptions(), None)
    samples = [column.samples for column in keyed.proposal.columns]
    assert samples == [("A-1", "A-2"), ("12,50", "13,50"), ("3", "4")]


def test_nor_are_the_keys_of_a_template() -> None:
    read = Input("offers.xlsx", SAMPLES / "offers-upsert.xlsx")
    first = proposed(read, replace(ReadOptions(), kind="offers-upsert"), None).proposal.columns[0]
    assert first.key
    assert first.key not in first.samples


def test_sure_columns_are_filled_before_any_question(sheet: ProposedSheet) -> None:
    assert sheet.usual == {
        "column:0": "sellerExternalReference",
        "column:1": "product.gtin",
        "column:2": "price.price",
        "column:3": "-",
        "column:4": "quantity",
        "column:5": "condition",
        CONDITION: "",
        "column:6": "taxes.VAT",
        "column:7": "preparationTime",
    }


MISSING = [COST.removeprefix("default:"), ADDITIONAL.removeprefix("default:")]
CASES: dict[str, tuple[dict[str, str], dict[str, str], list[str], bool]] = {
    # What is said beside that: what is wrong, what is missing, and whether it is a recipe.
    "nothing": ({}, {}, MISSING, False),
    "shipping": (SHIPPING, {}, [], True),
    "blank shipping": (dict.fromkeys(SHIPPING, " "), {}, MISSING, False),
    "a column twice": (
        {**SHIPPING, "column:8": "quantity"},
        {"column:8": "quantity has a column already"},
        [],
        False,
    ),
    "no field": (
        {**SHIPPING, "column:8": "colour"},
        {"column:8": "there is no field colour; "},
        [],
        False,
    ),
    "no such column": ({**SHIPPING, "column:99": "quantity"}, {}, [], True),
    "of no use": ({**SHIPPING, "column:8": "-"}, {}, [], True),
    "no number": (
        {**SHIPPING, COST: "free"},
        {COST: f"“free” is not a value of {MISSING[0]}; for example: 4.90"},
        [],
        False,
    ),
    "no condition": (
        {**SHIPPING, CONDITION: "old"},
        {CONDITION: "“old” is not a value of condition; for example: New"},
        [],
        False,
    ),
    "nobody knows the word": ({**SHIPPING, CONDITION: ""}, {}, [], True),
    "a price for all": (
        {**SHIPPING, "column:2": "", PRICE: "9.99"},
        {PRICE: "its values differ from row to row: choose its column"},
        [],
        False,
    ),
    "no price": ({**SHIPPING, "column:2": "-"}, {}, ["price.price"], False),
    "a value beside its column": ({**SHIPPING, "default:quantity": "x"}, {}, [], True),
    "a value of no field": ({**SHIPPING, "default:colour": "red"}, {}, [], True),
}


@pytest.mark.parametrize("case", CASES)
def test_each_part_is_judged(sheet: ProposedSheet, case: str) -> None:
    changes, errors, missing, is_whole = CASES[case]
    judged = judge(sheet, {**sheet.usual, **changes})
    said = {name: str(text)[: len(errors.get(name, ""))] for name, text in judged.errors.items()}
    assert (said, list(judged.missing), judged.is_whole) == (errors, missing, is_whole)


def test_a_missing_word_is_asked(sheet: ProposedSheet) -> None:
    form = {**sheet.usual, **SHIPPING}
    del form[CONDITION]
    assert not judge(sheet, form).is_whole


def test_no_column_is_no_recipe(sheet: ProposedSheet) -> None:
    assert not judge(sheet, {}).is_whole


def test_the_recipe_is_that_of_a_map(sheet: ProposedSheet) -> None:
    form = {**sheet.usual, **SHIPPING, "column:8": "-"}
    file = parse_recipe(judge(sheet, form).recipe_text, "r", None, NOW.date()).file
    assert (file.match.kind, file.columns["Foo"]) == ("offers-upsert", False)
    assert file.values == {"condition": {"2nd choix": "UsedAverageState"}}
    assert file.default == {MISSING[0]: "4.90", MISSING[1]: "2"}


def header(columns: dict[int, str], texts: dict[int, str]) -> Header:
    """A header that the check understands."""
    settings = ReadOptions().dialect
    known = {
        column.key: column for column in load().feeds["offers-upsert"].sheet.understood(settings)
    }
    found: dict[int, Column] = {at: known[key] for at, key in columns.items()}
    reasons = dict.fromkeys(columns, "the profile's [columns] table")
    return Header(1, 1, found, texts, (), frozenset(), reasons)


def test_columns_are_as_the_check_reads_them_and_others_are_not_sure(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(LIST, "utf-8")
    texts = dict(enumerate(LIST.partition("\n")[0].split(";")))
    read = header({0: "sellerExternalReference", 8: "quantity"}, texts)
    sheet = proposed(Input("list.csv", path), replace(ReadOptions(), kind="offers-upsert"), read)
    columns = {column.header: column for column in sheet.proposal.columns}
    assert (columns["Foo"].key, columns["Foo"].reason) == ("quantity", read.reasons[8])
    assert columns["Qté dispo"].key is None
    assert (columns["PV TTC"].key, columns["PV TTC"].confidence) == ("price.price", 84)
    assert sheet.usual == {
        "column:0": "sellerExternalReference",
        "column:3": "-",
        "column:8": "quantity",
    }
