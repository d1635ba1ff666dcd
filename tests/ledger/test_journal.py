"""Numbers of journal entries are given out once, and what has changed is taken back."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedtool.ledger import Ledger
from feedtool.ledger.journal import CHUNK, Journals
from feedtool.model.nouns import BookedEntry
from tests.ledger.conftest import MOSTLY_SQLITE, SERVICE, on_both

SELLERS = count()


@pytest.fixture
def journals(ledger: Ledger) -> Journals:
    return Journals(ledger.engine, SERVICE, "S1")


def book(journals: Journals, period: str, texts: str, journal: str = "M") -> list[str]:
    """The entries of a period, as `number text` or `number text takes back number`."""
    return [*map(_entry_text, journals.book(journal, period, texts.split(), lambda old: f"-{old}"))]


def _entry_text(entry: BookedEntry) -> str:
    back = f" takes back {entry.reverses}" if entry.reverses else ""
    return f"{entry.number} {entry.text}{back}"


BOOKED: dict[str, list[tuple[str, str, list[str]]]] = {
    "nothing": [("11", "", [])],
    "the same again": [("11", "a b", ["1 a", "2 b"]), ("11", "b a", ["1 a", "2 b"])],
    "what is new comes behind": [("11", "b", ["1 b"]), ("11", "a b", ["1 b", "2 a"])],
    "what has changed": [
        ("11", "a b", ["1 a", "2 b"]),
        ("11", "x b", ["1 a", "2 b", "3 x", "4 -a takes back 1"]),
        ("11", "x b", ["1 a", "2 b", "3 x", "4 -a takes back 1"]),
        ("11", "b a", [*("1 a", "2 b", "3 x", "4 -a takes back 1"), "5 a", "6 -x takes back 3"]),
    ],
    "what is no longer so": [
        ("11", "a b", ["1 a", "2 b"]),
        ("11", "b", ["1 a", "2 b", "3 -a takes back 1"]),
        ("11", "b", ["1 a", "2 b", "3 -a takes back 1"]),
        ("11", "", ["1 a", "2 b", "3 -a takes back 1", "4 -b takes back 2"]),
    ],
    "equals": [
        ("11", "a a", ["1 a", "2 a"]),
        ("11", "a a a", ["1 a", "2 a", "3 a"]),
        ("11", "a a", ["1 a", "2 a", "3 a", "4 -a takes back 3"]),
    ],
    "the same in two periods": [
        ("11", "a b", ["1 a", "2 b"]),
        ("12", "a", ["3 a"]),
        ("11", "a b", ["1 a", "2 b"]),
        ("12", "a", ["3 a"]),
    ],
    "what has moved to another period": [
        ("11", "a b", ["1 a", "2 b"]),
        ("12", "a", ["3 a"]),
        ("11", "b", ["1 a", "2 b", "4 -a takes back 1"]),
        ("12", "a", ["3 a"]),
    ],
}


@on_both("steps", [*BOOKED.values()][::-1], ids=[*BOOKED][::-1])
def test_entries_of_periods(journals: Journals, steps: list[tuple[str, str, list[str]]]) -> None:
    assert [book(journals, period, texts) for period, texts, _ in steps] == [
        expected for *_, expected in steps
    ]


def test_journals_and_sellers_have_numbers_of_their_own(journals: Journals, ledger: Ledger) -> None:
    book(journals, "11", "a")
    assert book(journals, "11", "b", journal="N") == ["1 b"]
    assert book(Journals(ledger.engine, SERVICE, "S2"), "11", "c") == ["1 c"]
    assert book(journals, "11", "a") == ["1 a"]


def test_two_at_once_have_numbers_of_their_own(journals: Journals) -> None:
    begun = Event()

    def slow() -> Iterator[str]:
        begun.set()
        for number in range(100):
            yield f"s{number}"

    with ThreadPoolExecutor() as pool:
        first = pool.submit(lambda: [*journals.book("M", "11", slow(), str)])
        begun.wait()
        second = pool.submit(lambda: [*journals.book("M", "12", map(str, range(100)), str)])
    numbers = [entry.number for entry in first.result() + second.result()]
    assert sorted(numbers) == [*range(1, 201)]


@MOSTLY_SQLITE
def test_many(journals: Journals) -> None:
    """Equal entries that are far apart are found, too."""
    half = [f"k{number}" for number in range(CHUNK + 1)]
    many = " ".join(["x", *half, "x", *half, "y"])
    first = book(journals, "11", many)
    assert [entry.split()[0] for entry in first] == [*map(str, range(1, 2 * CHUNK + 6))]
    assert book(journals, "11", many) == first
    last = book(journals, "11", "x y")
    assert len(last) == 2 * len(first) - 2


@MOSTLY_SQLITE
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4), max_size=5))
def test_entries_sum_up_to_the_last_state(ledger: Ledger, months: list[list[str]]) -> None:
    """Numbers have no gap, entries do not change, and entries not taken back are the last state."""
    journals = Journals(ledger.engine, SERVICE, f"T{next(SELLERS)}")
    before: list[str] = []
    for month in months:
        entries = book(journals, "11", " ".join(month))
        assert entries[: len(before)] == before
        before = entries
    assert [entry.split()[0] for entry in before] == [
        str(number + 1) for number in range(len(before))
    ]
    back = {entry.split()[-1] for entry in before if "takes back" in entry}
    left = [entry for entry in before if "takes" not in entry and entry.split()[0] not in back]
    assert sorted(entry.split()[1] for entry in left) == sorted(months[-1] if months else [])
