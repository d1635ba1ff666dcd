"""Numbers of journal entries are given out once, and what has changed is taken back."""

from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from feedtool.ledger import Ledger
from feedtool.ledger.journal import CHUNK, Journals
from feedtool.model.entry import BookedEntry, DraftEntry
from tests.ledger.conftest import SERVICE

SELLERS = count()


@pytest.fixture
def journals(ledger: Ledger) -> Journals:
    return Journals(ledger.engine, SERVICE, "S1")


def book(journals: Journals, period: str = "11", journal: str = "M", **drafts: str) -> list[str]:
    """The entries of a period, as `number text` or `number text takes back number`."""
    entries = journals.book(
        journal,
        period,
        [DraftEntry(*draft) for draft in drafts.items()],
        lambda old, new: f"-{old}+{new}",
    )
    return [_told(entry) for entry in entries]


def _told(entry: BookedEntry) -> str:
    back = f" takes back {entry.reverses}" if entry.reverses else ""
    return f"{entry.number} {entry.text}{back}"


def test_the_same_again_is_the_same(journals: Journals) -> None:
    first = book(journals, a="1", b="2")
    assert first == ["1 1", "2 2"]
    assert book(journals, b="2", a="1") == first


def test_what_is_new_comes_behind(journals: Journals) -> None:
    book(journals, b="2")
    assert book(journals, a="1", b="2") == ["1 2", "2 1"]


def test_what_has_changed_is_taken_back_and_booked_anew(journals: Journals) -> None:
    book(journals, a="1", b="2")
    changed = ["1 1", "2 2", "3 -1+9 takes back 1", "4 9"]
    assert book(journals, a="9", b="2") == changed
    assert book(journals, a="9", b="2") == changed
    assert book(journals, a="1")[4:] == ["5 -9+1 takes back 4", "6 1"]


def test_what_has_moved_to_another_period_is_taken_back_there(journals: Journals) -> None:
    book(journals, a="1", b="2")
    assert book(journals, "12", a="3") == ["3 -1+3 takes back 1", "4 3"]
    assert book(journals, b="2") == ["1 1", "2 2"]


def test_journals_and_sellers_have_numbers_of_their_own(journals: Journals, ledger: Ledger) -> None:
    book(journals, a="1")
    assert book(journals, journal="N", a="1") == ["1 1"]
    assert book(Journals(ledger.engine, SERVICE, "S2"), a="2") == ["1 2"]
    assert book(journals) == ["1 1"]


def test_many(journals: Journals) -> None:
    many = {f"k{number}": "x" for number in range(2 * CHUNK + 1)}
    assert [entry.split()[0] for entry in book(journals, **many)] == [
        str(number) for number in range(1, 2 * CHUNK + 2)
    ]


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.sampled_from("12"), max_size=3), max_size=5)
)
def test_what_is_booked_comes_to_what_is_so_last(
    ledger: Ledger, months: list[dict[str, str]]
) -> None:
    """No gap, no entry that changes; and what is not taken back is each key's last text."""
    journals = Journals(ledger.engine, SERVICE, f"T{next(SELLERS)}")
    before: list[str] = []
    last: dict[str, str] = {}
    for month in months:
        entries = book(journals, **month)
        assert entries[: len(before)] == before
        before = entries
        last |= month
    assert [entry.split()[0] for entry in before] == [str(at + 1) for at in range(len(before))]
    back = {entry.split()[-1] for entry in before if "takes back" in entry}
    left = [entry for entry in before if "takes" not in entry and entry.split()[0] not in back]
    assert sorted(entry.split()[1] for entry in left) == sorted(last.values())
