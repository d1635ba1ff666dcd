"""Only chosen rows are sent, of any kind."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from feedtool.check import Input, ReadOptions
from feedtool.feeds.selection import ChosenRows, SelectionOptions
from feedtool.model.disk_list import Spool
from feedtool.model.errors import UsageProblem
from feedtool.model.nouns import Item, RowResult, Status
from feedtool.model.sheet import VALID, CheckedSheet
from feedtool.report.sheet_result import exit_code
from feedtool.runs.corrections import results_to_correct
from feedtool.runs.deliver import Submission, resume
from feedtool.runs.outputs import Outputs
from feedtool.runs.row_results import rows_to_correct
from feedtool.runs.run_record import RunOptions, RunSnapshots
from feedtool.runs.selection import NoSuchRows, as_condition, withhold_unchosen
from feedtool.runs.submit import submit
from tests.conftest import Files, checked, offer
from tests.runs.conftest import Desk, statuses

NOT_CHOSEN, NOT_WHOLE = "not chosen", "not chosen with all other rows of its request"


def ship(order: str, line: int, number: str = "P", **cells: str) -> dict[str, str]:
    keys = {"orderId": order, "lineId": f"{order}-{line}", "action": "Ship"}
    return {**keys, "carrierName": "C", "parcelNumber": f"{number}-{order}", **cells}


OFFERS = [offer(1), offer(2), offer(3)]
ORDERS = [ship("O", 1), ship("O", 2), ship("P", 1)]

CASES: Mapping[
    str, tuple[str | None, Sequence[Mapping[str, str]], str, list[int], dict[int, str]]
] = {
    "one of three": (None, OFFERS, "3", [3], {2: NOT_CHOSEN, 4: NOT_CHOSEN}),
    "all": (None, OFFERS, "2-", [2, 3, 4], {}),
    "none": (None, OFFERS, "", [], dict.fromkeys((2, 3, 4), NOT_CHOSEN)),
    "a legacy zip": ("legacy-offers", OFFERS, "2-3", [2, 3], {4: NOT_CHOSEN}),
    "what is invalid is nobody's choice": (
        None,
        [offer(1, quantity="-1"), offer(2)],
        "2",
        [],
        {3: NOT_CHOSEN},
    ),
    "an order's whole request": ("orders", ORDERS, "2-3", [2], {4: NOT_CHOSEN}),
    "a part of one": (
        "orders",
        ORDERS,
        "3-4",
        [4],
        {2: NOT_CHOSEN, 3: NOT_WHOLE},
    ),
}


def sheet_of(
    files: Files, kind: str | None, rows: Sequence[Mapping[str, str]], chosen: str
) -> CheckedSheet:
    (sheet,) = checked(files.csv(*rows, name="rows.csv"), kind=kind)
    assert sheet.error is None, sheet.error
    withhold_unchosen([sheet], [ChosenRows("rows.csv", None, chosen)])
    return sheet


@pytest.mark.parametrize(("kind", "rows", "chosen", "sent", "withheld"), CASES.values(), ids=CASES)
def test_the_others_are_withheld(
    files: Files,
    kind: str | None,
    rows: Sequence[Mapping[str, str]],
    chosen: str,
    sent: list[int],
    withheld: dict[int, str],
) -> None:
    sheet = sheet_of(files, kind, rows, chosen)
    assert [item.row for item in sheet.valid_items()] == sent
    results = list(sheet.not_sent())
    assert {result.row: result.messages[0].text for result in results} == withheld
    assert {(it.status, it.messages[0].code) for it in results} <= {("Held", "")}
    assert (sheet.selected.unchosen, sheet.selected.held) == (len(withheld), 0)


def test_a_row_of_several_requests_is_withheld_once_for_each_channel() -> None:
    sheet = CheckedSheet("a.csv")
    for row in (2, 3):
        sheet.rows.marks[row] = VALID
    one = Item(2, "A", "P", "R", "", b"")
    for item in (one, one._replace(channel="S", number=1), one._replace(number=2)):
        sheet.rows.items.append(item._replace(further_rows=(3,) if item.number == 2 else ()))
    withhold_unchosen([sheet], [ChosenRows("a.csv", None, "")])
    assert [(it.row, it.channel) for it in sheet.not_sent()] == [(2, "P"), (2, "S"), (3, "P")]
    others = Spool(RowResult)
    others.append(RowResult(2, "R", Status.HELD, (), "P"))
    others.append(RowResult(3, "R", Status.HELD, (), "S"))
    sheet.selected.withhold(Spool(Item), others)
    every = [(2, "P"), (2, "S"), (3, "P"), (3, "S")]
    assert [(it.row, it.channel) for it in sheet.not_sent()] == every


def test_a_choice_of_one_sheet_leaves_out_the_others(files: Files) -> None:
    path = files.book({"A": OFFERS, "B": [offer(4)]})
    sheets = checked(path, sheets=("all",))
    withhold_unchosen(sheets, [ChosenRows(path.name, "B", "2")])
    assert [[item.row for item in sheet.valid_items()] for sheet in sheets] == [[], [2]]


def test_one_of_several_sheets_must_be_named(files: Files) -> None:
    path = files.book({"A": OFFERS, "B": [offer(4)]})
    with pytest.raises(UsageProblem, match=r"offers\.xlsx has A, B"):
        withhold_unchosen(checked(path, sheets=("all",)), [ChosenRows(path.name, None, "2")])


ABSENT = {
    "900-950": "rows.csv has no rows 900-950",
    "2,7": "rows.csv has no row 7",
    "3-90,95-": "rows.csv has no rows 95-",
    "1": "rows.csv has no row 1",
}


@pytest.mark.parametrize("rows", ABSENT)
def test_the_error_of_missing_rows_names_the_existing_ones(files: Files, rows: str) -> None:
    (sheet,) = checked(files.csv(*OFFERS, name="rows.csv"))
    with pytest.raises(NoSuchRows) as raised:
        withhold_unchosen([sheet], [ChosenRows("rows.csv", None, rows)])
    assert raised.value.message == ABSENT[rows]
    assert raised.value.hint == "its rows are 2 to 4; blank ones do not count"


def test_the_error_names_a_chosen_sheet(files: Files) -> None:
    sheets = checked(files.book({"A": OFFERS, "B": []}), sheets=("all",))
    with pytest.raises(NoSuchRows, match=r"offers.xlsx “A” has no row 9"):
        withhold_unchosen(sheets, [ChosenRows("offers.xlsx", "A", "9")])


def test_no_part_of_a_purge_is_chosen() -> None:
    with pytest.raises(UsageProblem, match="the rest would be removed"):
        withhold_unchosen([CheckedSheet("a.csv", purges=True)], [ChosenRows("a.csv", None, "2")])


def submitted(desk: Desk, path: Path, rows: str, *, changed_only: bool = False) -> Submission:
    chosen = (ChosenRows(path.name, None, rows),)
    selection = SelectionOptions(changed_only=changed_only, rows=chosen)
    inputs = [Input(path.name, path)]
    return submit(
        inputs, ReadOptions(), Outputs(), desk.session, desk.workspace, selection=selection
    )


def test_rows_not_chosen_are_held_and_need_no_correction(desk: Desk, files: Files) -> None:
    submission = submitted(desk, files.csv(*OFFERS), "3")
    assert statuses(submission) == [[(2, "Held"), (3, "Integrated"), (4, "Held")]]
    assert list(rows_to_correct(submission.outcomes[0])) == []
    assert exit_code(submission.outcomes) == 0
    again = submitted(desk, files.csv(*OFFERS), "3", changed_only=True)
    assert statuses(again) == [[(2, "Held"), (3, "Unchanged"), (4, "Held")]]
    assert exit_code(again.outcomes) == 9
    dear = files.csv(offer(1), offer(2, price__price="1999"), offer(3))
    guarded = submitted(desk, dear, "3-4")
    assert statuses(guarded) == [[(2, "Held"), (3, "Held"), (4, "Integrated")]]
    assert list(rows_to_correct(guarded.outcomes[0])) == []
    assert guarded.outcomes[0].held == {"price-factor": 1}
    assert exit_code(guarded.outcomes) == 1


@pytest.mark.parametrize(("rows", "to_correct"), [("2", []), ("2-3", [3]), ("3-4", [3, 4])])
def test_only_chosen_wrong_rows_are_to_be_corrected(
    desk: Desk, files: Files, rows: str, to_correct: list[int]
) -> None:
    wrong = files.csv(offer(1), offer(2, quantity="-1"), offer(3, quantity="x"))
    (outcome,) = submitted(desk, wrong, rows).outcomes
    assert list(rows_to_correct(outcome)) == to_correct
    (of_run,) = results_to_correct(1, desk.workspace)
    assert list(rows_to_correct(of_run)) == to_correct


def test_a_killed_run_goes_on_with_only_the_chosen_rows(desk: Desk, files: Files) -> None:
    path = files.csv(*OFFERS)
    kept = desk.workspace.keep(Input(path.name, path))
    selection = SelectionOptions(rows=(ChosenRows(path.name, None, "2,4"),))
    options = RunOptions(
        ReadOptions(),
        Outputs(),
        RunSnapshots([(path.name, str(kept.sha256))]),
        sheets=[(path.name, None)],
        selection=selection,
    )
    noted = json.loads(json.dumps(options.as_json()))
    assert RunOptions.from_json(noted).selection == selection
    session = desk.session
    run = desk.ledger.start_run(
        now=session.now(), seller=session.seller, service=session.address, options=noted
    )
    submission = resume(run, session, desk.workspace)
    assert statuses(submission) == [[(2, "Integrated"), (3, "Held"), (4, "Integrated")]]


def test_a_run_of_before_rows_were_chosen_has_sent_all() -> None:
    noted = RunOptions(ReadOptions(), Outputs()).as_json()
    del noted["sifting"]["rows"]
    assert RunOptions.from_json(noted).selection == SelectionOptions()


CONDITIONS = {
    "": [],
    "2-5": [ChosenRows("a.csv", None, "2-5")],
    "B: 2-5; C: 9": [ChosenRows("a.xlsx", "B", "2-5"), ChosenRows("a.xlsx", "C", "9")],
    "a.csv: 2; b.csv: 3": [ChosenRows("a.csv", None, "2"), ChosenRows("b.csv", None, "3")],
}


@pytest.mark.parametrize("text", CONDITIONS)
def test_a_plan_names_them(text: str) -> None:
    assert as_condition(CONDITIONS[text]) == text
