"""What later runs say of rows that an earlier one has given up, or has said nothing of."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from feedtool.model.errors import Interrupted
from feedtool.runs.resume import results, resume
from tests.conftest import Files, offer
from tests.test_run import START, Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home")
    yield made
    made.ledger.close()


def test_a_superseded_row_says_what_came_of_the_later_one(desk: Desk, files: Files) -> None:
    whole = desk.service
    desk.service = replace(whole, stopping=lambda: Interrupted("the line is gone"))
    assert desk.submit(files.csv(offer(1), offer(2), name="early.csv")).stopped
    desk.service = whole
    desk.submit(files.csv(offer(1, price__price="5"), name="late.csv"))
    resume(1, whole, desk.books)
    (found,) = results(1, desk.books, START)
    one, two = found.every_verdict()
    assert (one.status, two.status) == ("Superseded", "Integrated")
    assert [message.text for message in one.messages] == [
        "Not sent: a later run has sent this reference.",
        "Sent again in run 2, as Upsert: row 2 of late.csv, Integrated.",
    ]
    assert len(two.messages) == 1


def test_what_a_later_run_has_only_planned_is_no_answer(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(1), offer(2, quantity="-1"), name="early.csv"))
    desk.service = replace(desk.service, stopping=lambda: Interrupted("the line is gone"))
    desk.submit(files.csv(offer(2), name="late.csv"))
    (found,) = results(1, desk.books, START)
    assert [one.status for one in found.every_verdict()] == ["Integrated", "Invalid"]


def test_nor_is_what_another_seller_has_sent(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(1), offer(2, quantity="-1"), name="early.csv"))
    desk.service = replace(desk.service, seller="another")
    desk.submit(files.csv(offer(2), name="late.csv"))
    (found,) = results(1, desk.books, START)
    assert [one.status for one in found.every_verdict()] == ["Integrated", "Invalid"]


def test_as_many_rows_as_there_are_find_their_answers(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(0), *(offer(at, quantity="x") for at in range(1, 900))))
    desk.submit(files.csv(*(offer(at) for at in range(1, 900)), name="late.csv"))
    (found,) = results(1, desk.books, START)
    assert {one.status.value for one in found.every_verdict()} == {"Integrated"}
