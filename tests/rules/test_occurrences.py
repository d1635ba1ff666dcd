"""The memory of repeated keys, against a plain dict."""

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from feedtool.rules._occurrences import Occurrences, Place

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


@given(KEYS)
def test_it_finds_what_a_dict_finds(entries: list[tuple[str, int, int]]) -> None:
    occurrences = filled(entries)
    assert len(occurrences) == len(entries)
    assert list(occurrences.repeated()) == naive(entries)
    assert [occurrences.place(index) for index in range(len(entries))] == [
        Place(sheet, row) for _, sheet, row in entries
    ]


@given(KEYS, KEYS, st.data())
def test_what_was_rewound_was_never_there(
    before: list[tuple[str, int, int]], after: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    kept = data.draw(st.integers(0, len(before)))
    occurrences = filled(before)
    occurrences.rewind(kept)
    for entry in after:
        occurrences.add(*entry)
    assert list(occurrences.repeated()) == naive(before[:kept] + after)


def test_equal_hashes_are_not_equal_keys() -> None:
    """Python gives -1 and -2 one hash; texts have no such pair that is known, so a text is made."""

    class Colliding(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return 1

    occurrences = Occurrences()
    for row, key in enumerate(("a", "b", "a"), 1):
        occurrences.add(Colliding(key), 0, row)
    assert [index for index, _, _ in occurrences.repeated()] == [0, 2]
