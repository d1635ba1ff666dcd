"""Rows that were not taken say in which later run they were sent again."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from feedtool.model.errors import Interrupted
from feedtool.runs.corrections import write_corrections
from feedtool.runs.resume import results, resume
from tests.conftest import Files, gtin, offer
from tests.runs.test_submit import START, Desk

BAD = {"quantity": "-1"}
TAKEN = {"product__gtin": gtin(1)}
"""The product of another reference: the service rejects it."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home")
    yield made
    made.ledger.close()


def told(desk: Desk, run: int) -> list[tuple[str, str]]:
    """The status of each row, and the last of its messages."""
    (outcome,) = results(run, desk.books, START)
    return [
        (row.status.value, row.messages[-1].text if row.messages else "")
        for row in outcome.every_verdict()
    ]


def rows_to_correct(desk: Desk, run: int, folder: Path) -> list[str]:
    """The references in the workbook of the rows to correct."""
    (outcome,) = write_corrections(run, desk.books, START, out=folder / f"{run}.xlsx")
    if outcome.failed is None:
        return []
    (found,) = desk.submit(outcome.failed).outcomes
    return [row.reference for row in found.every_verdict()]


@pytest.mark.parametrize(
    ("early", "late", "note"),
    [
        (BAD, {}, "Sent again in run 2."),
        (TAKEN, {}, "Sent again in run 2."),
        (BAD, TAKEN, "Sent again in run 2."),
        ({}, {}, ""),
    ],
    ids=["refused here", "rejected", "refused again", "taken"],
)
def test_a_row_keeps_its_answer_and_names_the_later_run(
    desk: Desk, files: Files, early: dict[str, str], late: dict[str, str], note: str
) -> None:
    desk.submit(files.csv(offer(1), offer(2, **early), name="early.csv"))
    before = told(desk, 1)
    desk.submit(files.csv(offer(2, **late), name="late.csv"))
    one, two = told(desk, 1)
    assert one == before[0]
    assert two == ((before[1][0], note) if note else before[1])


def test_a_row_refused_again_is_to_be_corrected_once(
    desk: Desk, files: Files, tmp_path: Path
) -> None:
    rows = (offer(1), offer(2, **BAD), offer(3, **BAD))
    desk.submit(files.csv(*rows, name="early.csv"))
    desk.submit(files.csv(offer(2, **TAKEN), name="late.csv"))
    assert rows_to_correct(desk, 2, tmp_path) == ["SKU-2"]
    assert rows_to_correct(desk, 1, tmp_path) == ["SKU-3"]


def test_a_superseded_row_names_the_later_run(desk: Desk, files: Files) -> None:
    whole = desk.service
    desk.service = replace(whole, stopping=lambda: Interrupted("the line is gone"))
    assert desk.submit(files.csv(offer(1), offer(2), name="early.csv")).stopped
    desk.service = whole
    desk.submit(files.csv(offer(1, price__price="5"), name="late.csv"))
    resume(1, whole, desk.books)
    one, two = told(desk, 1)
    assert one == ("Superseded", "Sent again in run 2.")
    assert two[0] == "Integrated"


@pytest.mark.parametrize(
    ("seller", "row", "stops"),
    [
        ("seller", offer(2), True),
        ("another", offer(2), False),
        ("seller", offer(2, salesChannelId="OTHER"), False),
        ("seller", offer(9), False),
    ],
    ids=["planned and not sent", "another seller", "another channel", "another reference"],
)
def test_what_says_nothing_of_a_row(
    desk: Desk,
    files: Files,
    *,
    seller: str,
    row: dict[str, str],
    stops: bool,
) -> None:
    desk.submit(files.csv(offer(1), offer(2, **BAD), name="early.csv"))
    before = told(desk, 1)
    desk.service = replace(desk.service, seller=seller)
    if stops:
        desk.service = replace(desk.service, stopping=lambda: Interrupted("the line is gone"))
    desk.submit(files.csv(row, name="late.csv"))
    assert told(desk, 1) == before


def test_as_many_rows_as_there_are_name_it(desk: Desk, files: Files) -> None:
    desk.submit(files.csv(offer(0), *(offer(at, quantity="x") for at in range(1, 900))))
    desk.submit(files.csv(*(offer(at) for at in range(1, 900)), name="late.csv"))
    assert told(desk, 1)[1:] == [("Invalid", "Sent again in run 2.")] * 899
