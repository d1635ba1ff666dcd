"""The memory of repeated keys, against a plain dict."""

import pickle
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.feeds import occurrences as module
from feedtool.feeds.occurrences import Occurrences, RowPlace

KEYS = st.lists(
    st.tuples(
        st.text(st.sampled_from("ab\0é\ud800😀"), max_size=3),
        st.integers(0, 2**20),
        st.integers(1, 2**32 - 1),
    ),
    max_size=40,
)


def filled(entries: list[tuple[str, int, int]]) -> Occurrences:
    occurrences = Occurrences()
    for entry in entries:
        occurrences.add(*entry)
    return occurrences


def naive(entries: list[tuple[str, int, int]]) -> list[tuple[int, str, list[int]]]:
    groups = defaultdict(list)
    for index, (key, _, _) in enumerate(entries):
        groups[key].append(index)
    return [
        (index, key, groups[key])
        for index, (key, _, _) in enumerate(entries)
        if len(groups[key]) > 1
    ]


def repeated(occurrences: Occurrences) -> list[tuple[int, str, list[int]]]:
    found = list(occurrences.repeated())
    assert all(len(group) == len(list(group)) for _, _, group in found)
    return [(index, key, list(group)) for index, key, group in found]


def assert_equal(occurrences: Occurrences, entries: list[tuple[str, int, int]]) -> None:
    """Fail unless the entries are all, with the repeated keys that a dict finds."""
    assert len(occurrences) == len(entries)
    assert repeated(occurrences) == naive(entries)
    assert [occurrences.place(index) for index in range(len(entries))] == [
        RowPlace(sheet, row) for _, sheet, row in entries
    ]


@given(KEYS, KEYS, st.data())
def test_repeated_keys_equal_those_of_a_dict(
    before: list[tuple[str, int, int]], after: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    occurrences = filled(before)
    assert_equal(occurrences, before)
    # Entries of another process follow.
    occurrences.extend(pickle.loads(pickle.dumps(filled(after))))  # noqa: S301  # just made
    assert_equal(occurrences, before + after)
    # Rewound entries are forgotten.
    kept = data.draw(st.integers(0, len(before)))
    occurrences.rewind(kept)
    for entry in after:
        occurrences.add(*entry)
    assert_equal(occurrences, before[:kept] + after)


@pytest.mark.parametrize(
    ("together", "count"), [(1 << 10, 2200), pytest.param(1 << 16, 140_000, marks=pytest.mark.long)]
)
def test_keys_in_many_parts(monkeypatch: pytest.MonkeyPatch, together: int, count: int) -> None:
    monkeypatch.setattr(module, "_TOGETHER", together)
    entries = [(str(number % (count // 3 + 7)), 0, number + 1) for number in range(count)]
    assert repeated(filled(entries)) == naive(entries)


def test_long_keys_are_compared_whole() -> None:
    alike = "é" * 200
    entries = [(alike + tail, 0, row) for row, tail in enumerate(("a", "b", "a", ""), 1)]
    found = repeated(filled(entries))
    assert [(index, group) for index, _, group in found] == [(0, [0, 2]), (2, [0, 2])]
    assert {key for _, key, _ in found} == {"é" * 128 + "…"}


def test_keys_of_one_hash_are_distinguished(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [(key, 0, row) for row, key in enumerate("abcabdeab", 1)]
    monkeypatch.setattr(module, "hash", len, raising=False)
    assert repeated(filled(entries)) == naive(entries)
