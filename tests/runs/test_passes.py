"""Records of a seller after a command that sends has ended."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select

from feedtool.ledger.database import reading
from feedtool.ledger.tables import sellers
from feedtool.model.errors import FeedtoolError, Interrupted, NotAuthorised, Stopped, UsageProblem
from feedtool.runs.deliver import note_pass
from tests.conftest import Files, offer
from tests.runs.conftest import ADDRESS, Desk

NAMES = ("service", "seller", "run_id", "passes", "failures", "exit_code")


def noted(desk: Desk) -> list[tuple[object, ...]]:
    with reading(desk.ledger.engine) as db:
        return [tuple(row) for row in db.execute(select(*(sellers.c[name] for name in NAMES)))]


def send(desk: Desk, path: Path, *, is_all_or_nothing: bool = False) -> None:
    with note_pass(desk.session, desk.workspace) as passing:
        passing.end(desk.submit(path, is_all_or_nothing=is_all_or_nothing))


def test_a_pass_is_noted_with_its_run(desk: Desk, files: Files) -> None:
    for number in (1, 2):
        send(desk, files.csv(offer(number)))
    assert noted(desk) == [(ADDRESS, "seller", 2, 2, 0, None)]


def test_without_a_run_no_pass_is_noted(desk: Desk, files: Files) -> None:
    send(desk, files.csv(offer(1), offer(2, quantity="x")), is_all_or_nothing=True)
    assert noted(desk) == []


TROUBLES: list[tuple[FeedtoolError, int, int | None]] = [
    (UsageProblem("no such option"), 1, None),
    (Stopped("Ctrl-C"), 1, None),
    (Interrupted("no answer"), 2, 5),
    (NotAuthorised("wrong token"), 3, 4),
    (Stopped("Ctrl-C"), 3, 4),
]
"""An error, the passes that are noted then, and their exit code."""


def test_only_troubles_of_the_account_are_noted(desk: Desk, files: Files) -> None:
    send(desk, files.csv(offer(1)))
    for error, passes, exit_code in TROUBLES:
        with pytest.raises(type(error)), note_pass(desk.session, desk.workspace):
            raise error
        assert noted(desk) == [(ADDRESS, "seller", 1, passes, passes - 1, exit_code)], error


@pytest.mark.parametrize("is_asked_to_stop", [False, True])
def test_a_stopped_delivery_is_noted_unless_stopped_by_request(
    desk: Desk, files: Files, *, is_asked_to_stop: bool
) -> None:
    lost, path = Interrupted("the line is gone"), files.csv(offer(1))
    desk.session = replace(desk.session, stopping=lambda: lost if is_asked_to_stop else None)
    with note_pass(desk.session, desk.workspace) as passing:
        passing.end(replace(desk.submit(path), stopped=lost))
    (found,) = noted(desk)
    assert found[3:] == ((0, 0, None) if is_asked_to_stop else (1, 1, 5))
