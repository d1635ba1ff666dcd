from collections.abc import Sequence

import pytest

from tests.catalogues import judging, product, shirt
from tests.conftest import Files, checked, gtin, offer, told
from tests.rules.conftest import Find

CODE = "duplicate-product"

PASSES = {
    "all differ": [product(1), product(2)],
    "case matters in references": [
        product(1, sellerProductReference="A"),
        product(2, sellerProductReference="a"),
    ],
    "no references at all": [
        product(1, sellerProductReference=""),
        product(2, sellerProductReference=""),
    ],
    "a refused GTIN": [product(1, gtin="1234"), product(2, gtin="1234")],
    "offers may repeat a GTIN": [offer(1), offer(2, product__gtin=gtin(1))],
}
FAILS = {
    "the same GTIN": ([product(1), product(2, gtin=gtin(1))], [(2, "gtin"), (3, "gtin")]),
    "the same GTIN with zeros in front": (
        [product(1, gtin="036000291452"), product(2, gtin="0036000291452")],
        [(2, "gtin"), (3, "gtin")],
    ),
    "the same reference": (
        [product(1), product(2, sellerProductReference=" SKU-1")],
        [(2, "sellerProductReference"), (3, "sellerProductReference")],
    ),
    "both": (
        [product(1), product(1)],
        [(row, field) for row in (2, 3) for field in ("gtin", "sellerProductReference")],
    ),
    "an invalid row counts too": (
        [product(1), product(1, title="", sellerProductReference="B")],
        [(2, "gtin"), (3, "gtin")],
    ),
    "in other categories": ([product(1), shirt(2, gtin=gtin(1))], [(2, "gtin"), (3, "gtin")]),
}


@pytest.mark.parametrize("rows", PASSES.values(), ids=PASSES)
def test_passes(find: Find, rows: Sequence[dict[str, str]]) -> None:
    assert find(CODE, *rows, dialect=judging()) == []


@pytest.mark.parametrize(("rows", "places"), FAILS.values(), ids=FAILS)
def test_fails_in_every_row(
    find: Find, rows: Sequence[dict[str, str]], places: list[tuple[int, str]]
) -> None:
    problems = find(CODE, *rows, dialect=judging())
    assert sorted((one.row or 0, str(one.field)) for one in problems) == places
    assert {one.severity for one in problems} == {"error"}


def test_over_several_files_the_others_are_named_with_their_file(files: Files) -> None:
    one = files.csv(product(1), product(2), name="one.csv")
    two = files.csv(product(3, gtin=gtin(2)), name="two.csv")
    first, second = checked(one, two, dialect=judging())
    assert "row 2 of two.csv" in told(first, CODE)[0].message
    assert "row 3 of one.csv" in told(second, CODE)[0].message
    assert (first.counts().valid, first.counts().invalid) == (1, 1)


def test_a_sheet_that_is_read_twice_doubles_nothing(find: Find) -> None:
    rows = [product(1, p3003="1,234"), product(2, p3003="9,5")]
    assert find(CODE, *rows, dialect=judging()) == []
