from typing import Any

import pytest

from feedtool.areas.products.catalog.model import with_paths, within
from tests.catalogues import TREE, category

ALL = {item.reference: item for item in TREE}


@pytest.mark.parametrize(
    ("changes", "takes"), [({}, True), ({"is_active": False}, False), ({"level": 2}, False)]
)
def test_only_active_ones_of_the_deepest_level_take_products(
    changes: dict[str, Any],
    takes: bool,  # noqa: FBT001 - a column of the table
) -> None:
    assert category("0A0101", "Kettles", **changes).takes_products is takes


PATHS = {
    "the labels from the top down": (ALL, "0A0101", "Home > Kitchen > Kettles"),
    "a parent that is not listed": ({"0A0101": ALL["0A0101"]}, "0A0101", "Kettles"),
    "a parent without a label": (
        {"0A": category("0A", ""), "0A01": category("0A01", "Kitchen")},
        "0A01",
        "0A > Kitchen",
    ),
    "a tree that bites its tail": (
        {"0A": category("0A", "A", parent="0B"), "0B": category("0B", "B", parent="0A")},
        "0A",
        "B > A",
    ),
}


@pytest.mark.parametrize(("tree", "code", "path"), PATHS.values(), ids=PATHS)
def test_paths(tree: dict[str, Any], code: str, path: str) -> None:
    assert with_paths(tree)[code].full_path == path


@pytest.mark.parametrize(
    ("wanted", "result"),
    [
        (["0A0101"], {"0A0101"}),
        (["0B"], {"0B", "0B01", "0B0101"}),
        (["0A01", "0B0101"], {"0A01", "0A0101", "0A0102", "0A0103", "0B0101"}),
        (["ZZ"], set()),
        ([], set()),
    ],
)
def test_categories_within_others(wanted: list[str], result: set[str]) -> None:
    assert within(wanted, ALL) == result
