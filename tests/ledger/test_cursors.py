"""Items of a cursor are known once their file is in its place, and not before."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from feedtool.ledger import Ledger
from feedtool.ledger.cursors import CHUNK, Advance, CursorName, Cursors
from tests.ledger.conftest import MOSTLY_SQLITE, NOW, SERVICE

NAME = CursorName(SERVICE, "S1", "toys", "default")
HOUR = timedelta(hours=1)


@pytest.fixture
def cursors(ledger: Ledger) -> Cursors:
    return Cursors(ledger.engine)


def intend(
    cursors: Cursors, versions: Mapping[str, str], hours: int = 0, name: CursorName = NAME
) -> int:
    at = NOW + hours * HOUR
    move = Advance("--new", at - HOUR, at)
    return cursors.intend(name, move, versions, target="a.csv", sha256="abc", now=at)


def known(cursors: Cursors, *keys: str) -> dict[str, str]:
    cursor = cursors.find(NAME)
    return cursors.known(cursor.cursor, keys) if cursor else {}


def test_a_file_that_is_placed_is_known_and_moves_the_cursor(cursors: Cursors) -> None:
    assert (cursors.find(NAME), cursors.next_batch()) == (None, 1)
    batch = intend(cursors, {"A": "1", "B": "1"})
    cursor = cursors.find(NAME)
    assert cursor is not None
    assert (cursor.since, cursor.position, known(cursors, "A", "B")) == (NOW - HOUR, None, {})
    (meant,) = cursors.unsettled(cursor.cursor)
    assert (meant.batch, meant.target, meant.sha256, meant.things) == (batch, "a.csv", "abc", 2)
    cursors.settle(batch, is_placed=True)
    assert cursors.unsettled(cursor.cursor) == []
    assert known(cursors, "A", "B", "C") == {"A": "1", "B": "1"}
    moved = cursors.find(NAME)
    assert moved is not None
    assert (moved.position, moved.reconciled_at) == (NOW, NOW)
    assert cursors.next_batch() == batch + 1


def test_a_file_that_was_never_placed_is_as_if_it_had_not_been(cursors: Cursors) -> None:
    cursors.settle(intend(cursors, {"A": "1"}), is_placed=True)
    before = cursors.find(NAME)
    batch = intend(cursors, {"A": "2", "B": "2"}, 1)
    cursors.settle(batch, is_placed=False)
    assert known(cursors, "A", "B") == {"A": "1"}
    assert (cursors.find(NAME), cursors.next_batch()) == (before, batch + 1)


def test_the_last_version_is_the_known_one(cursors: Cursors) -> None:
    for hour, version in enumerate(("9", "10", "9")):
        cursors.settle(intend(cursors, {"A": version}, hour), is_placed=True)
        assert known(cursors, "A") == {"A": version}


def test_a_cursor_advances_without_new_items(cursors: Cursors) -> None:
    cursors.advance(NAME, Advance("--new", NOW, NOW), NOW)
    cursors.advance(NAME, Advance("--new", NOW, None, NOW + HOUR), NOW + HOUR)
    cursor = cursors.find(NAME)
    assert cursor is not None
    assert (cursor.position, cursor.reconciled_at, cursor.filters) == (NOW, NOW + HOUR, "--new")


def test_a_cursor_rewinds_to_the_start_of_the_first_later_file(cursors: Cursors) -> None:
    for hour in range(3):
        cursors.settle(intend(cursors, {f"A{hour}": "1", "B": str(hour)}, hour), is_placed=True)
    cursor = cursors.find(NAME)
    assert cursor is not None
    assert cursors.rewind(cursor.cursor, NOW + HOUR) == 3
    back = cursors.find(NAME)
    assert back is not None
    assert (back.position, back.since) == (NOW, NOW - HOUR)
    assert known(cursors, "A0", "A1", "A2", "B") == {"A0": "1", "B": "0"}


@MOSTLY_SQLITE  # whose limit is the lower one
def test_more_keys_than_a_statement_takes(cursors: Cursors) -> None:
    versions = {f"A{number}": "1" for number in range(CHUNK + 1)}
    cursors.settle(intend(cursors, versions), is_placed=True)
    assert known(cursors, *versions) == versions


def test_each_has_its_own(cursors: Cursors) -> None:
    other = NAME._replace(name="books")
    cursors.settle(intend(cursors, {"A": "1"}), is_placed=True)
    cursors.settle(intend(cursors, {"A": "1", "B": "1"}, name=other), is_placed=True)
    intend(cursors, {"C": "1"}, name=other)
    assert known(cursors, "A", "B") == {"A": "1"}
    states = cursors.listed("toys")
    assert [(state.cursor.name, state.batches, state.things) for state in states] == [
        *(("books", 1, 2), ("default", 1, 1)),
    ]
    assert cursors.listed("parcels") == []
