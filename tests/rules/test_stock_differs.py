from collections.abc import Sequence

import pytest

from tests.conftest import Files, checked, gtin, offer, told, update
from tests.rules.conftest import Find

CODE = "stock-differs"


def same_product(*quantities: str, **changes: str) -> list[dict[str, str]]:
    return [
        offer(number, product__gtin=gtin(1), quantity=quantity, **changes)
        for number, quantity in enumerate(quantities)
    ]


PASSES = {
    "one row": same_product("5"),
    "the same stock": same_product("5", "5", "5.0"),
    "another product": [offer(1, quantity="5"), offer(2, quantity="6")],
    "another condition": [
        *same_product("5", condition="New"),
        *same_product("6", condition="UsedLikeNew"),
    ],
    "a refused stock": same_product("5", "many"),
    "Updates do not name their product": [
        update(1, product__gtin=gtin(1), quantity="5"),
        update(2, product__gtin=gtin(1), quantity="6"),
    ],
}
FAILS = {
    "two rows": (same_product("5", "6"), [2, 3]),
    "one of three differs": (same_product("5", "5", "6"), [2, 3, 4]),
    "on two channels": (
        [*same_product("5", salesChannelId="PRIMARY"), *same_product("6", salesChannelId="SECOND")],
        [2, 3],
    ),
    "by product reference": (
        [
            offer(1, product__gtin="", product__reference="R", quantity="5"),
            offer(2, product__gtin="", product__reference="R", quantity="6"),
        ],
        [2, 3],
    ),
    "the condition in another writing": (
        [*same_product("5", condition="new"), *same_product("6", condition="Neuf")],
        [2, 3],
    ),
}


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(find: Find, rows: Sequence[dict[str, str]]) -> None:
    assert find(CODE, *rows) == []


@pytest.mark.parametrize(("rows", "numbers"), FAILS.values(), ids=FAILS)
def test_fails(find: Find, rows: Sequence[dict[str, str]], numbers: list[int]) -> None:
    problems = find(CODE, *rows)
    assert [problem.row for problem in problems] == numbers
    assert {(problem.field, problem.severity) for problem in problems} == {("quantity", "warning")}


def test_each_names_a_row_that_differs(find: Find) -> None:
    first, second, third = find(CODE, *same_product("5", "5", "6"))
    assert "stock 5 here and 6 in row 4" in first.message
    assert "stock 5 here and 6 in row 4" in second.message
    assert "stock 6 here and 5 in row 2" in third.message
    assert [problem.value for problem in (first, second, third)] == ["5", "5", "6"]


def test_over_several_files_and_the_rows_stay_valid(files: Files) -> None:
    one = files.csv(*same_product("5"), name="one.csv")
    two = files.csv(offer(9, product__gtin=gtin(1), quantity="6"), name="two.csv")
    first, second = checked(one, two)
    assert "row 2 of two.csv" in told(first, CODE)[0].message
    assert "row 2 of one.csv" in told(second, CODE)[0].message
    assert first.is_clean()
    assert second.is_clean()
