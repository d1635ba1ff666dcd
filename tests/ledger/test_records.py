"""Runs as they are listed: numbers, a page after the other, and what they consist of."""

from datetime import timedelta

import pytest
from sqlalchemy import update

from feedtool.ledger import Ledger
from feedtool.ledger import tables as t
from feedtool.ledger.database import writing
from feedtool.ledger.records import SellerKey, seller_key
from feedtool.model.nouns import Status
from tests.ledger.conftest import NOW, SERVICE, add_run, item
from tests.ledger.test_row_history import close

ONE, TWO = seller_key(SERVICE, "S1"), seller_key(SERVICE, "S2")


@pytest.fixture
def many(ledger: Ledger) -> Ledger:
    """Six runs of two sellers in turns."""
    for number in range(6):
        run, _ = add_run(ledger, [item(3), item(4)], seller=f"S{number % 2 + 1}")
        add_run(ledger, [item(3)], run_id=run, path="b")
    return ledger


PAGES: list[tuple[int, int | None, set[SellerKey] | None, list[int]]] = [
    (9, None, None, [6, 5, 4, 3, 2, 1]),
    (2, None, None, [6, 5]),
    (2, 5, None, [4, 3]),
    (9, 1, None, []),
    (2, None, {ONE}, [5, 3]),
    (9, 5, {ONE}, [3, 1]),
    (9, 5, {ONE, TWO}, [4, 3, 2, 1]),
    (9, None, set(), []),
]


def test_the_newest_come_first(many: Ledger) -> None:
    for limit, before, of, numbers in PAGES:
        assert many.pages.numbers(limit, before=before, of=of) == numbers


def test_later_runs_of_a_seller_are_found(many: Ledger) -> None:
    nobody = seller_key(SERVICE, "S3")
    assert [many.pages.last_of(seller)[0] for seller in (ONE, TWO, nobody)] == [5, 6, 0]
    assert [many.pages.next_of(ONE, after) for after in (0, 1, 5)] == [1, 3, None]
    later = NOW + timedelta(seconds=1)
    many.counts.note(3, later)
    assert many.pages.last_of(ONE) == (5, later)


def test_runs_are_read_with_all_that_they_consist_of(many: Ledger) -> None:
    found = many.pages.rows([5, 2])
    assert [*found] == [2, 5]
    for number, rows in found.items():
        assert rows.run == many.run(number)
        assert rows.files == many.files(number)
        assert rows.packages == many.read_packages(number)


def test_runs_with_open_rows_or_missing_copies_may_continue(many: Ledger) -> None:
    assert many.pages.may_go_on() == [1, 2, 3, 4, 5, 6]
    with writing(many.engine) as db:
        db.execute(update(t.packages).values(phase="closed"))
    for run in range(1, 6):
        many.counts.note(run, NOW)
    # With the last of each seller the others of theirs are counted.
    assert many.pages.may_go_on() == []
    many.add_output(3, "copy.csv", "", NOW)
    assert many.pages.may_go_on() == [3]


def test_runs_are_found_by_a_text_of_their_options(ledger: Ledger) -> None:
    for plan in ("sha256:ab", "sha256:abc", None):
        ledger.start_run(now=NOW, seller="S1", service=SERVICE, options={"plan": plan})
    assert sorted(ledger.pages.with_option_text("sha256:ab")) == [1, 2]
    assert ledger.pages.with_option_text("%") == []


def test_noted_counts_equal_the_statuses_of_rows(ledger: Ledger) -> None:
    for number in range(3):
        run, _ = add_run(ledger, [item(3), item(4)])
        if number:
            close(ledger, run, Status.INTEGRATED, Status.REJECTED)
        if number < 2:
            ledger.counts.note(run, NOW)
    found = ledger.counts.of([1, 2, 3])
    assert {run: count.statuses for run, count in found.items()} == {
        run: ledger.statuses(run) for run in (1, 2, 3)
    }
    assert [found[run].is_finished for run in (1, 2, 3)] == [False, True, True]
