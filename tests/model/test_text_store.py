"""Texts by index, in memory and on disk, against a plain list."""

import pickle
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedtool.model import disk_list
from feedtool.model.disk_list import TextStore

HELD, PAGE = 300, 64
"""Bytes of a store that is held in memory, and of a page of its file, where stores are small."""
LARGE = st.binary(max_size=4).map(lambda text: text * (HELD // 3))
TEXTS = st.lists(st.one_of(st.binary(max_size=9), LARGE), max_size=9)


@mock.patch.multiple(disk_list, HELD=HELD, _PAGE=PAGE)
@given(TEXTS, TEXTS, st.data())
def test_a_store_behaves_like_a_list(
    before: list[bytes], after: list[bytes], data: st.DataObject
) -> None:
    kept = data.draw(st.integers(0, len(before)))
    store = TextStore(before)
    store.truncate(kept)
    for text in after:
        store.extend([text])
    expected = before[:kept] + after
    assert list(store) == expected
    assert (len(store), store.size) == (len(expected), sum(map(len, expected)))
    assert list(pickle.loads(pickle.dumps(store))) == expected  # noqa: S301  # just made


@pytest.mark.parametrize("index", [-1, 2, 1 << 40])
def test_index_outside_is_refused(index: int) -> None:
    with pytest.raises(IndexError):
        TextStore([b"a", b"b"])[index]


def test_texts_on_disk_are_found_in_any_order() -> None:
    store = TextStore()
    for number in range(0, 400_000, 1000):
        store.extend([b"text %09d" % text for text in range(number, number + 1000)])
    assert store.size > disk_list.HELD_TEXTS
    wanted = [*range(0, 400_000, 997), *range(399_999, 0, -991)]
    assert [store[index] for index in wanted] == [b"text %09d" % index for index in wanted]
