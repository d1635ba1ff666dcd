"""After old runs are forgotten all goes on as before; a killed process is followed by the next."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, update

from feedtool.check import Input, ReadOptions
from feedtool.delivery.deadlines import ServiceClock
from feedtool.feeds.selection import SelectionOptions
from feedtool.ledger import tables as t
from feedtool.ledger.database import writing
from feedtool.ledger.lock import hold
from feedtool.ledger.sellers import SellersOverview
from feedtool.model.errors import Stopped, UsageProblem
from feedtool.runs.forget import (
    ForgettingPace,
    Forgotten,
    forget,
    refuse_young,
    remembered_types,
    to_forget,
)
from feedtool.runs.history import every_run
from feedtool.runs.outputs import Outputs
from feedtool.runs.selection import select_rows
from feedtool.runs.submit import plan_only
from feedtool.runs.workspace import kept_inputs, options_of
from tests.conftest import Files, offer
from tests.ledger.conftest import MOSTLY_SQLITE, place, postgresql, server
from tests.runs.conftest import ADDRESS, Desk

__all__ = ["place", "postgresql", "server"]

LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)
BEFORE = datetime(2025, 6, 1, tzinfo=UTC)
NOW = datetime.now(UTC) + timedelta(days=2)
"""Snapshots have the file's own time, and are kept for a day in any case."""
ACCOUNT = (ADDRESS, "seller")


LEDGER = "ledger.sqlite"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a seller with old runs, to be copied."""
    folder = tmp_path_factory.mktemp("old")
    with closing(Desk(folder, folder / LEDGER)) as desk:
        make_old_runs(desk, Files(tmp_path_factory.mktemp("files")))
    return folder


@pytest.fixture
def desk(tmp_path: Path, place: Path | str, files: Files, old: Path) -> Iterator[Desk]:
    """A seller with old runs."""
    home = tmp_path / "home"
    if isinstance(place, Path):
        shutil.copytree(old, home)
        place = home / LEDGER
    else:
        with closing(Desk(home, place)) as begun:
            make_old_runs(begun, files)
    with closing(Desk(home, place)) as desk:
        yield desk


def make_old_runs(desk: Desk, files: Files) -> None:
    """Send offers, change and refuse some, send some again; then all of the runs are old."""
    for rows in (
        [offer(number) for number in range(1, 10)],
        [offer(1, quantity="8"), offer(2, quantity="-1")],
        [offer(3), offer(4)],
        [offer(5)],
    ):
        desk.submit(files.csv(*rows))
    with writing(desk.ledger.engine) as db:
        db.execute(update(t.runs).values(started_at=LONG_AGO))


def forgotten(desk: Desk, *, keep_counts: bool = False, **pace: Any) -> Forgotten:
    how = ForgettingPace(**{"sleep": lambda _: None, **pace})
    return forget(desk.workspace, BEFORE, NOW, how, keep_counts=keep_counts)


def decided(desk: Desk, *paths: Path) -> list[Any]:
    """The decision of `submit --changed-only` on each row of some files, checked one by one."""
    options = SelectionOptions(changed_only=True)
    select = partial(
        select_rows, desk.workspace, reading=ReadOptions(), selection=options, account=ACCOUNT
    )
    plan = partial(plan_only, reading=ReadOptions(), outputs=Outputs(), select=select)
    every = [plan([Input(path.name, path)]) for path in paths]
    return [[*result.every_verdict()] for (result,) in every]


def listed(desk: Desk) -> list[tuple[int, dict[str, int]]]:
    clock = ServiceClock(NOW)
    return [
        (state.run.run_id, {str(status): n for status, n in state.counts.items()})
        for state in every_run(desk.ledger, lambda _: clock)
    ]


def overview(desk: Desk) -> list[Any]:
    of = SellersOverview(desk.ledger.engine, desk.ledger.counts)
    return [*of.states(of.lines(), datetime.now(UTC)), of.figures()]


def snapshots(desk: Desk) -> set[str]:
    return {
        path.name for path in (desk.workspace.snapshots.path_of(needed(desk)[0])).parent.iterdir()
    }


def needed(desk: Desk) -> list[str]:
    return [sha256 for _, sha256 in options_of(4, desk.workspace).snapshots.inputs]


@MOSTLY_SQLITE
def test_changed_rows_are_found_as_before(desk: Desk, files: Files) -> None:
    same = files.csv(*(offer(number) for number in range(3, 10)), name="same.csv")
    other = files.csv(offer(1), offer(2, quantity="4"), offer(20), name="other.csv")
    dear = files.csv(offer(3, price__price="9000"), offer(4), name="dear.csv")
    few = files.csv(offer(7), name="offers.csv")  # its predecessor had as many rows
    before = decided(desk, same, other, dear, few)
    assert forgotten(desk).runs == 3
    assert decided(desk, same, other, dear, few) == before
    statuses = {str(verdict.status) for verdicts in before for verdict in verdicts}
    assert statuses == {"Unchanged", "Valid", "Held"}


@MOSTLY_SQLITE
def test_changed_rows_are_found_without_an_earlier_comparison(desk: Desk, files: Files) -> None:
    """The accepted values are found in packages, which are gone afterwards."""
    path = files.csv(*(offer(number) for number in range(1, 10)))
    forgotten(desk)
    (verdicts,) = decided(desk, path)
    # Rows 1 and 2 were sent with other values since, of which those of 2 were refused.
    assert [str(verdict.status) for verdict in verdicts] == ["Valid"] + ["Unchanged"] * 8


@MOSTLY_SQLITE
def test_the_run_is_named_with_the_day_it_was_forgotten(desk: Desk) -> None:
    forgotten(desk)
    with pytest.raises(UsageProblem) as caught:
        options_of(1, desk.workspace)
    assert f"run 1 was forgotten on {NOW:%Y-%m-%d}" in caught.value.message
    assert "annotated copy" in caught.value.hint
    with pytest.raises(UsageProblem, match="there is no run 9"):
        options_of(9, desk.workspace)


@MOSTLY_SQLITE
@pytest.mark.parametrize("keep_counts", [False, True])
def test_lists_and_the_overview_show_the_remaining_runs(desk: Desk, *, keep_counts: bool) -> None:
    lists, sellers = listed(desk), overview(desk)
    assert [run for run, _ in lists] == [4, 3, 2, 1]
    forgotten(desk, keep_counts=keep_counts)
    assert listed(desk) == (lists if keep_counts else lists[:1])
    if keep_counts:
        assert overview(desk) == sellers
    else:
        assert overview(desk)[0].last == sellers[0].last
        assert overview(desk)[1] == sellers[1]


@MOSTLY_SQLITE
def test_snapshots_go_that_no_other_run_needs(desk: Desk, files: Files) -> None:
    before = snapshots(desk)
    found = forgotten(desk)
    assert found.snapshots == len(before - snapshots(desk)) == 6
    assert kept_inputs(options_of(4, desk.workspace), desk.workspace)
    # The same content again is a run like any other.
    again = files.csv(offer(3), offer(4))
    desk.submit(again)
    assert kept_inputs(options_of(5, desk.workspace), desk.workspace)


@MOSTLY_SQLITE
def test_a_dry_run_only_reports_the_same(desk: Desk) -> None:
    lists, there = listed(desk), snapshots(desk)
    would = to_forget(desk.workspace, BEFORE)
    assert (listed(desk), snapshots(desk)) == (lists, there)
    assert forgotten(desk) == would
    (of,) = would.sellers
    assert ([*of.runs], of.rows, of.first, of.stays) == ([1, 2, 3], 12, LONG_AGO, None)
    assert forgotten(desk) == Forgotten([], 0)


class Killed(Exception):
    """A kill by a signal: the next step is another process's."""


def killed_at_commits(desk: Desk) -> Callable[[int, bool], int]:
    """Forgets until the n-th commit, or just after it; how many there were."""

    def go_on(last: int, is_before: bool) -> int:  # noqa: FBT001  # a table's column
        done = count(1)
        numbers: list[int] = []

        def commit(_: Any) -> None:
            numbers.append(next(done))
            if is_before and numbers[-1] == last:
                raise Killed

        def stopping() -> None:
            if not is_before and len(numbers) >= last:
                raise Killed

        event.listen(desk.ledger.engine, "commit", commit)
        try:
            forgotten(desk, keep_counts=True, stopping=stopping, rows=5)
        except Killed:
            return last
        finally:
            event.remove(desk.ledger.engine, "commit", commit)
        return 0

    return go_on


# Before a commit all is as after the commit before it, so that the long run alone does both.
@MOSTLY_SQLITE
@pytest.mark.parametrize(
    "is_before",
    [
        pytest.param(False, id="after"),
        pytest.param(True, id="before", marks=pytest.mark.long),
    ],
)
def test_the_next_process_continues_after_a_kill_at_any_step(
    desk: Desk, files: Files, *, is_before: bool
) -> None:
    path = files.csv(offer(1), offer(3), offer(20), name="any.csv")
    lists, sellers, rows = listed(desk), overview(desk), decided(desk, path)
    kill = killed_at_commits(desk)
    killed = 0
    for last in count(1):
        # Each time one step further than the last time, from wherever that was left.
        if not kill(last, is_before):
            break
        killed += 1
        assert (listed(desk), overview(desk)) == (lists, sellers)
        assert decided(desk, path) == rows
    assert killed >= 4
    assert to_forget(desk.workspace, BEFORE) == Forgotten([], 0)
    assert snapshots(desk) == {*needed(desk), str(options_of(4, desk.workspace).snapshots.checked)}


@MOSTLY_SQLITE
def test_forgetting_stops_between_two_steps(desk: Desk) -> None:
    steps = iter([None, None, Stopped("stopped", "go on")])
    with pytest.raises(Stopped):
        forgotten(desk, stopping=lambda: next(steps))
    assert forgotten(desk).runs == 3


@MOSTLY_SQLITE
def test_one_at_a_time_forgets(desk: Desk) -> None:
    engine = desk.ledger.engine
    with (
        hold(engine, "", "forget", command="forget", now=NOW),
        pytest.raises(UsageProblem, match=r"being forgotten already, by process \d+ on ") as told,
    ):
        forgotten(desk)
    assert "wait" in told.value.hint
    assert forgotten(desk).runs == 3


@MOSTLY_SQLITE
def test_others_can_use_the_ledger_meanwhile(desk: Desk) -> None:
    slept: list[float] = []
    forgotten(desk, sleep=slept.append)
    assert len(slept) >= 5
    assert min(slept) > 0


def test_the_ledger_remembers_each_guarded_request() -> None:
    assert remembered_types() == {"Gesture", "Invoices", "OutboundShipment", "Return"}


@pytest.mark.parametrize(("days", "is_refused"), [(0.9, True), (6.9, True), (7, False)])
def test_young_runs_are_not_forgotten(days: float, *, is_refused: bool) -> None:
    if is_refused:
        with pytest.raises(UsageProblem, match="at least 7 days"):
            refuse_young(timedelta(days=days))
    else:
        refuse_young(timedelta(days=days))
