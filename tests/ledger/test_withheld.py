"""Rows held by guards: counted by code when a run is recorded, until they are sent or dropped."""

import pytest

from feedtool.ledger import Ledger
from feedtool.ledger.row_history import HeldCode, count_said
from feedtool.model.nouns import Message, RowResult, Status
from tests.ledger.conftest import NOW, SERVICE

FACTOR, REMOVAL = Message("price-factor", "Too dear."), Message("mass-removal", "Too many.")
NOT_CHOSEN = Message("", "not chosen")
WITHHELD = (
    RowResult(2, "A", Status.HELD, (FACTOR,), "P"),
    RowResult(3, "B", Status.HELD, (FACTOR, REMOVAL), "P"),
    RowResult(3, "B", Status.HELD, (FACTOR, FACTOR), "S"),
    RowResult(4, "C", Status.HELD, (NOT_CHOSEN,), "P"),
    RowResult(5, "D", Status.UNCHANGED, (), "P"),
)


@pytest.fixture
def ledger(ledger: Ledger) -> Ledger:
    for seller in ("one", "two"):
        run = ledger.start_run(now=NOW, seller=seller, service=SERVICE)
        path = f"{seller}.csv"
        ledger.add_file(run, [], path=path, sha256="", kind="a", withheld=WITHHELD)
        ledger.add_file(run, [], path=path, sha256="", kind="a", withheld=WITHHELD[-2:])
    return ledger


def lines_of(codes: list[HeldCode]) -> list[tuple[int, str, str, int]]:
    return [(code.run_id, code.path, code.code, code.rows) for code in codes]


OF_ONE = [(1, "one.csv", "mass-removal", 1), (1, "one.csv", "price-factor", 3)]
OF_TWO = [(2, "two.csv", "mass-removal", 1), (2, "two.csv", "price-factor", 3)]


def test_rows_are_counted_by_the_codes_that_hold_them(ledger: Ledger) -> None:
    assert lines_of(ledger.held.open_codes()) == OF_TWO + OF_ONE
    assert lines_of(ledger.held.open_codes(1)) == OF_ONE


def test_the_rows_of_a_code_are_those_that_it_holds(ledger: Ledger) -> None:
    removal, factor = ledger.held.open_codes(1)
    assert list(ledger.held.rows(removal)) == [WITHHELD[1]]
    assert list(ledger.held.rows(factor)) == [*WITHHELD[:3]]


def test_rows_are_counted_by_their_only_codes(ledger: Ledger) -> None:
    said = count_said(ledger.engine, [1, 2, 9], {(NOT_CHOSEN,), (FACTOR,)})
    assert said == dict.fromkeys((1, 2), len(("2", "4", "4 of the other file")))


def test_held_rows_are_dropped_once(ledger: Ledger) -> None:
    assert ledger.held.drop(2, "price-factor", NOW)
    assert not ledger.held.drop(2, "price-factor", NOW)
    assert not ledger.held.drop(3, "price-factor", NOW)
    assert lines_of(ledger.held.open_codes()) == OF_TWO[:1] + OF_ONE


def test_held_rows_that_were_sent_are_forgotten(ledger: Ledger) -> None:
    ledger.held.settle(ledger.held.open_codes(1)[1:])
    assert lines_of(ledger.held.open_codes()) == OF_TWO + OF_ONE[:1]
