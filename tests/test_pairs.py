from itertools import combinations, product

import pytest

from tests.pairs import pairs, sample

LISTS = [("ab", "cd"), ("ab", "cd", "ef"), ("abc", "de", "fgh", "ij"), ("abcdef", "gh", "ij", "kl")]


@pytest.mark.parametrize("lists", LISTS)
def test_each_pair_is_in_a_row_and_the_rows_are_few(lists: tuple[str, ...]) -> None:
    rows = list(pairs(*lists))
    for (index, first), (other, second) in combinations(enumerate(lists), 2):
        assert {(row[index], row[other]) for row in rows} == set(product(first, second))
    assert len(rows) <= len(set(product(*lists)))
    assert rows == list(pairs(*lists))


def test_a_product_of_four_lists_becomes_a_sixth() -> None:
    assert len(list(pairs("abc", "def", "ghi", "jkl"))) <= 81 // 6


def test_a_sample_has_all_rows_and_the_first_without_a_mark() -> None:
    assert sample([1, "b", (2, 3)], 2) == [1, "b", pytest.param(2, 3, marks=pytest.mark.long)]
    assert sample("ab", 5) == ["a", "b"]
