from collections.abc import Mapping

import pytest

from tests.conftest import gtin, offer, update
from tests.rules.conftest import Find

CODE = "identity-not-sent"

PASSES = {
    "the reference alone": update(price__price="1.00"),
    "blank identity": update(quantity="1", product__reference="", product__gtin=""),
    "an Upsert sends it": offer(),
}
FAILS = {
    "a GTIN": (update(quantity="1", product__gtin=gtin(1)), "product.gtin"),
    "a product reference": (
        update(quantity="1", product__reference="REF-1"),
        "product.reference",
    ),
    "a condition": (update(quantity="1", condition="New", action="Update"), "condition"),
}


@pytest.mark.parametrize("row", PASSES.values(), ids=PASSES)
def test_passes(find: Find, row: Mapping[str, str]) -> None:
    assert find(CODE, row) == []


@pytest.mark.parametrize(("row", "field"), FAILS.values(), ids=FAILS)
def test_fails(find: Find, row: Mapping[str, str], field: str) -> None:
    (problem,) = find(CODE, row)
    assert (problem.row, problem.field, problem.severity) == (None, field, "warning")


def test_it_is_said_once_for_a_sheet(find: Find) -> None:
    rows = [
        update(number, quantity="1", product__gtin=gtin(number), product__reference="R")
        for number in range(1, 6)
    ]
    assert len(find(CODE, *rows)) == 1
