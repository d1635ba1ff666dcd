"""Rows that guards hold, over all runs: listed, released, sent corrected, dropped."""

import json
from collections.abc import Mapping

import pytest

from feedtool.check import Input, ReadOptions
from feedtool.feeds.selection import (
    EVERY_ROW,
    ChosenRows,
    ReleasedGuard,
    SelectionOptions,
)
from feedtool.model.errors import FileProblem
from feedtool.runs.deliver import Submission, resume
from feedtool.runs.held import HeldGroup, drop, held_group, held_groups, release_of
from feedtool.runs.outputs import Outputs
from feedtool.runs.run_record import RunOptions, RunSnapshots
from feedtool.runs.submit import submit
from feedtool.runs.workspace import options_of
from tests.conftest import Files, offer
from tests.runs.conftest import Desk, statuses

DEAR, DEARER = "1999", "2999"


class Shop:
    """A seller of three offers whose prices then rise too much."""

    def __init__(self, desk: Desk, files: Files) -> None:
        self.desk, self.files = desk, files
        self.send(offer(1), offer(2), offer(3))

    def send(self, *rows: Mapping[str, str], selection: SelectionOptions = EVERY_ROW) -> Submission:
        inputs = [Input("offers.csv", self.files.csv(*rows))]
        return self._submit(inputs, ReadOptions(), selection)

    def _submit(
        self, inputs: list[Input], reading: ReadOptions, selection: SelectionOptions
    ) -> Submission:
        desk = self.desk
        return submit(inputs, reading, Outputs(), desk.session, desk.workspace, selection=selection)

    def release(self, group: HeldGroup, *why: str) -> Submission:
        file, reading, selection = release_of(group, self.desk.workspace, ReadOptions(), *why)
        return self._submit([file], reading, selection)

    def held(self) -> list[tuple[int, str, list[int]]]:
        """Run, code and rows of each group."""
        return [
            (
                group.run.run_id,
                group.code,
                [row.row for sheet in group.sheets for row in sheet.rows],
            )
            for group in held_groups(self.desk.workspace)
        ]


@pytest.fixture
def shop(desk: Desk, files: Files) -> Shop:
    return Shop(desk, files)


def dear(number: int, price: str = DEAR) -> dict[str, str]:
    return offer(number, price__price=price)


def test_the_newest_groups_come_first_with_the_messages_of_rows(shop: Shop) -> None:
    assert shop.held() == []
    shop.send(dear(1), offer(2), dear(3))
    shop.send(offer(3), dear(2))
    assert shop.held() == [(3, "price-factor", [3]), (2, "price-factor", [2])]
    group = held_group(2, "offers.csv", "price-factor", shop.desk.workspace)
    assert group is not None
    ((row,),) = (sheet.rows for sheet in group.sheets)
    assert (row.reference, row.channel, group.rows) == ("SKU-1", "PRIMARY", 1)
    assert "the price goes up from 19.99" in row.messages[0].text


def test_only_released_rows_are_sent_and_no_longer_held(shop: Shop) -> None:
    shop.send(dear(1), offer(2, quantity="3"), dear(3))
    shop.send(dear(2), dear(3, DEARER))
    _, oldest = held_groups(shop.desk.workspace)
    sent = shop.release(oldest)
    assert statuses(sent) == [[(2, "Integrated"), (3, "Held"), (4, "Integrated")]]
    # The third was sent since, from the older file.
    assert shop.held() == [(3, "price-factor", [2])]
    (newest,) = held_groups(shop.desk.workspace)
    assert statuses(shop.release(newest)) == [[(2, "Integrated"), (3, "Held")]]
    assert shop.held() == []
    assert shop.desk.ledger.held.open_codes() == []


def test_releases_are_kept_with_their_user_and_reason(shop: Shop) -> None:
    first = SelectionOptions(released=(ReleasedGuard("file-shrunk", "anna", "half of it is sold"),))
    shop.send(dear(1), offer(2), selection=first)
    (group,) = held_groups(shop.desk.workspace)
    shop.release(group, "bruno", "a new supplier")
    of_runs = [options_of(run, shop.desk.workspace).released for run in (1, 2, 3)]
    assert of_runs == [
        [],
        [("file-shrunk", "anna", "half of it is sold")],
        [
            ("file-shrunk", "anna", "half of it is sold"),
            ("price-factor", "bruno", "a new supplier"),
        ],
    ]


def test_a_killed_run_sends_released_rows_and_keeps_the_reason(shop: Shop) -> None:
    desk, file = shop.desk, Input("offers.csv", shop.files.csv(dear(1), offer(2)))
    guard = ReleasedGuard("price-factor", "anna", "a new supplier")
    options = RunOptions(
        ReadOptions(),
        Outputs(),
        RunSnapshots([(file.name, str(desk.workspace.keep(file).sha256))]),
        sheets=[(file.name, None)],
        selection=SelectionOptions(released=(guard,)),
        who="bruno",
    )
    session = desk.session
    run = desk.ledger.start_run(
        now=session.now(),
        seller=session.seller,
        service=session.address,
        options=json.loads(json.dumps(options.as_json())),
    )
    assert statuses(resume(run, session, desk.workspace)) == [
        [(2, "Integrated"), (3, "Integrated")]
    ]
    assert options_of(run, desk.workspace).released == [guard]


def test_releases_of_old_runs_count_for_their_starter() -> None:
    noted = RunOptions(ReadOptions(), Outputs(), who="anna").as_json()
    noted["sifting"]["released"] = ["price-factor"]
    assert RunOptions.from_json(noted).released == [ReleasedGuard("price-factor", "anna")]


def test_rows_that_were_sent_corrected_are_no_longer_held(shop: Shop) -> None:
    shop.send(dear(1), dear(2))
    shop.send(offer(2))
    assert shop.held() == [(2, "price-factor", [2])]
    assert len(shop.desk.ledger.held.open_codes()) == 1
    shop.send(offer(1))
    assert shop.held() == []
    assert held_group(2, "offers.csv", "price-factor", shop.desk.workspace) is None


def test_dropped_filtered_and_abandoned_runs_are_left_out(shop: Shop) -> None:
    desk = shop.desk
    shop.send(dear(1))
    assert drop(2, "price-factor", desk.workspace, desk.session.now())
    assert not drop(2, "price-factor", desk.workspace, desk.session.now())
    assert shop.held() == []
    # What is dropped stays dropped; a later run is another.
    shop.send(dear(1))
    assert shop.held() == [(3, "price-factor", [2])]
    assert not [*held_groups(desk.workspace, lambda run: run.seller != "seller")]
    # A file that is gone cannot be released.
    (group,) = held_groups(desk.workspace)
    ((_, sha256),) = group.run.options["inputs"]
    desk.workspace.snapshots.path_of(sha256).unlink()
    with pytest.raises(FileProblem):
        release_of(group, desk.workspace, ReadOptions())
    desk.ledger.abandon(3, desk.session.now(), {})
    assert shop.held() == []


def test_rows_not_chosen_need_no_decision(shop: Shop) -> None:
    chosen = SelectionOptions(rows=(ChosenRows("offers.csv", None, "2"),))
    shop.send(dear(1), offer(2), selection=chosen)
    assert shop.held() == [(2, "price-factor", [2])]
