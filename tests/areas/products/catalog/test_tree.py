from __future__ import annotations

import pytest

from feedtool.areas.products.catalog.tree import with_paths, within
from tests.areas.products.catalog.conftest import TREE, category

ALL = {one.reference: one for one in TREE}


def test_a_path_has_the_labels_from_the_top_down() -> None:
    found = with_paths(ALL)
    assert found["0A0101"].full_path == "Home > Kitchen > Kettles"
    assert found["0A"].path == ("Home",)


def test_a_parent_that_is_not_listed_is_left_out() -> None:
    assert with_paths({"0A0101": ALL["0A0101"]})["0A0101"].path == ("Kettles",)


def test_without_a_label_its_code_stands_there() -> None:
    tree = {"0A": category("0A", ""), "0A01": category("0A01", "Kitchen")}
    assert with_paths(tree)["0A01"].path == ("0A", "Kitchen")


def test_a_tree_that_bites_its_tail_ends() -> None:
    tree = {"0A": category("0A", "A", parent="0B"), "0B": category("0B", "B", parent="0A")}
    assert with_paths(tree)["0A"].path == ("B", "A")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["0A0101"], {"0A0101"}),
        (["0B"], {"0B", "0B01", "0B0101"}),
        (["0A01", "0B0101"], {"0A01", "0A0101", "0A0102", "0A0103", "0B0101"}),
        (["ZZ"], set()),
        ([], set()),
    ],
)
def test_what_is_in_a_category(wanted: list[str], found: set[str]) -> None:
    assert within(wanted, ALL) == found
