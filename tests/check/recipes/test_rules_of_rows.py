"""The rules of a recipe about rows: left out, not for sale, out of stock, with a warning."""

import json

import pytest

from tests.check.recipes.conftest import HEADER, RECIPE, bodies, read_by, refused_by, row
from tests.conftest import Files

STATUS = RECIPE.replace('cost = "PA HT"', 'cost = "PA HT"\nstatus = "Etat"')
LEFT_OUT = '[not_for_sale]\n"archived {x}" = \'says(status, "archivé", "0")\'\n'
SKIPPED = '[skip]\n"none" = \'says(status, "archivé")\'\n'
EMPTY = '[out_of_stock]\n"out" = \'says(status, "rupture")\'\n'
WARNED = '[warn]\n"hidden" = \'says(status, "caché")\'\n"late" = \'quantity == 0\'\n'
RULES = LEFT_OUT + EMPTY + WARNED

ROWS: dict[str, tuple[str, str, list[object]]] = {
    # Rules, what stands in the status, and what is sent, skipped and warned of.
    "nothing is true": (RULES, "actif", [5, "", []]),
    "a blank": (RULES, "", [5, "", []]),
    "not for sale": (RULES, "Archivé", [None, "archived {x}", []]),
    "a number": (RULES, "0", [None, "archived {x}", []]),
    "left out by the first rule": (SKIPPED + RULES, "archivé", [None, "none", []]),
    "out of stock, of which a later rule knows": (RULES, "RUPTURE", [0, "", ["late"]]),
    "a warning": (RULES, "cache", [5, "", ["hidden"]]),
}


@pytest.mark.parametrize(("rules", "status", "expected"), ROWS.values(), ids=ROWS)
def test_a_rule_decides_on_its_rows(
    files: Files, rules: str, status: str, expected: list[object]
) -> None:
    sheet = read_by(files, STATUS + rules, [row(condition=status)])
    quantities = [body["quantity"] for body in bodies(sheet).values()]
    skipped = [message.text for result in sheet.rows.skipped for message in result.messages]
    warned = [(problem.code, problem.column, problem.message) for problem in sheet.problems()]
    assert [*(quantities or [None]), *(skipped or [""]), [text for *_, text in warned]] == expected
    assert {(code, column) for code, column, _ in warned} <= {
        ("recipe-warning", "E"),
        ("recipe-warning", "D"),
    }


def test_requests_that_withdraw_an_offer_are_ready(files: Files) -> None:
    rows = [row(), row(2, condition="archivé", cost="x")]
    channels = '[channels.SECOND]\n"price.price" = "price.price + 1"\n'
    sheet = read_by(files, STATUS + LEFT_OUT + channels, rows)
    (second, first) = sorted(sheet.rows.withdrawals, key=lambda it: it.item.channel, reverse=True)
    assert [(it.row, it.item.channel, it.item.package_type) for it in (first, second)] == [
        (3, "PRIMARY", "Update"),
        (3, "SECOND", "Update"),
    ]
    assert json.loads(first.item.body) == {"sellerExternalReference": "SKU-2", "quantity": 0}
    assert first.problem == second.problem
    assert first.problem[:7] == (3, 3, "E", "Etat", None, "not-for-sale", "warning")


@pytest.mark.parametrize("rules", [LEFT_OUT, WARNED, EMPTY])
def test_an_undecided_rule_is_a_problem(files: Files, rules: str) -> None:
    sheet = read_by(files, STATUS + rules, [row(condition="#N/A")])
    assert [problem.code for problem in sheet.problems()] == ["recipe-failed"]


def test_a_rule_does_not_supply_a_missing_stock_column(files: Files) -> None:
    recipe = STATUS.replace('"Stock" = "quantity"\n', "")
    assert refused_by(files, recipe + EMPTY).code == "header-missing"


FILL = '[fill_down]\n"Etat" = "Réf"\n'
GROUPS = {
    "the same text": (["A;archivé", "A;", "A;"], [1, 1, 1]),
    "another one": (["A;archivé", "B;", "A;"], [1, 0, 0]),
    "its own status": (["A;archivé", "A;actif", "A;"], [1, 0, 0]),
    "a later one": (["A;", "A;archivé", "A;"], [0, 1, 1]),
    "over many blocks": (["A;archivé", *["A;"] * 2000], [1] * 2001),
    "of a blank": ([";archivé", ";"], [1, 0]),
}


@pytest.mark.parametrize(("lines", "left_out"), GROUPS.values(), ids=GROUPS)
def test_a_blank_takes_the_value_above_it(
    files: Files, lines: list[str], left_out: list[int]
) -> None:
    rows = [f"{text.partition(';')[0]};;10;5;{text.partition(';')[2]}" for text in lines]
    sheet = read_by(files, STATUS + FILL + LEFT_OUT, rows)
    skipped = {result.row for result in sheet.rows.skipped}
    assert [int(number in skipped) for number, _ in enumerate(rows, 2)] == left_out


def test_a_filled_column_needs_its_header(files: Files) -> None:
    error = refused_by(files, STATUS + FILL.replace('"Réf"', '"Nom"'))
    assert "[fill_down] Etat: row 1 has no header “Nom”" in error.message
    assert HEADER.endswith("Etat")
