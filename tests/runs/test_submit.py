"""The feature list in its order: check, plan, deliver, write."""

from pathlib import Path
from shutil import rmtree

import pytest
from msgspec.structs import replace

from feedtool.check import Input, ReadOptions
from feedtool.delivery.events import Event
from feedtool.ledger import Ledger
from feedtool.model.errors import Interrupted, NotAuthorised, UsageProblem
from feedtool.model.settings import AccountSettings, PackageLimits
from feedtool.report.sheet_result import exit_code
from feedtool.runs.outputs import Outputs
from feedtool.runs.submit import plan_only, submit
from tests.conftest import Files, offer
from tests.pairs import sample
from tests.runs.conftest import Desk, statuses


def test_every_row_of_every_file_has_its_answer(desk: Desk, files: Files) -> None:
    one = files.csv(offer(1), offer(2, quantity="-1"), name="one.csv")
    two = files.csv(offer(3), name="two.csv")
    submission = desk.submit(one, files.folder / "nope.csv", two)
    assert statuses(submission) == [[(2, "Integrated"), (3, "Invalid")], [], [(2, "Integrated")]]
    assert [len(outcome.packages) for outcome in submission.outcomes] == [1, 0, 1]
    assert len({package.package_id for one in submission.outcomes for package in one.packages}) == 2
    assert len({outcome.run for outcome in submission.outcomes}) == 1
    assert exit_code(submission.outcomes, submission.stopped) == 3


def test_a_stopped_delivery_reports_all_known_results(files: Files) -> None:
    desk = Desk(files.folder / "home", is_known=False)
    target = files.folder / "copy.csv"
    path = files.csv(offer(1), offer(2, quantity="-1"))
    submission = desk.submit(path, outputs=Outputs({"offers.csv": target}))
    assert isinstance(submission.stopped, NotAuthorised)
    assert [status for _, status in statuses(submission)[0]] == ["Pending", "Invalid"]
    assert not target.exists()
    assert exit_code(submission.outcomes, submission.stopped) == 4
    # The token is tried before anything is written down: there is nothing to go on with.
    assert desk.ledger.run_ids() == []
    desk.close()


@pytest.mark.parametrize("when", sample(["created", "committed", "closed", "upload", "results"], 3))
def test_the_state_folder_is_deleted_in_mid_run(tmp_path: Path, files: Files, when: str) -> None:
    desk, home = Desk(tmp_path / "home"), tmp_path / "home"

    def delete(event: Event) -> None:
        if event.kind == when:
            rmtree(home, ignore_errors=True)

    with Ledger(home / "ledger.sqlite") as ledger:
        workspace = replace(desk.workspace, ledger=ledger)
        inputs = [Input("offers.csv", files.csv(offer(1)))]
        outputs = Outputs({"offers.csv": files.folder / "copy.csv"})
        with pytest.raises(Interrupted, match=r"ledger\.sqlite is gone: ") as caught:
            submit(inputs, ReadOptions(), outputs, desk.session, workspace, on_event=delete)
    assert "may be in force without a record" in caught.value.hint
    assert not home.exists()
    desk.close()


def test_all_or_nothing_sends_no_rows(desk: Desk, files: Files) -> None:
    good = files.csv(offer(1), name="good.csv")
    bad = files.csv(offer(2), offer(3, quantity="-1"), name="bad.csv")
    submission = desk.submit(good, bad, is_all_or_nothing=True)
    assert statuses(submission) == [[(2, "Held")], [(2, "Held"), (3, "Invalid")]]
    assert all(outcome.run is None and outcome.packages == [] for outcome in submission.outcomes)
    unreadable = desk.submit(good, files.folder / "nope.csv", is_all_or_nothing=True)
    assert statuses(unreadable)[0] == [(2, "Held")]


def test_the_run_is_reported_before_any_request(desk: Desk, files: Files) -> None:
    inputs = [Input("offers.csv", files.csv(offer(1), offer(2)))]
    begun: list[tuple[int, list[str]]] = []

    def note(run: int) -> None:
        (file,) = desk.ledger.files(run)
        begun.append((run, [result.status.value for result in desk.ledger.verdicts(file.file)]))

    def send() -> None:
        submit(inputs, ReadOptions(), Outputs(), desk.session, desk.workspace, on_begun=note)

    send()
    assert begun == [(1, ["Pending", "Pending"])]
    files.csv(offer(1, quantity="-1"))
    send()
    assert [run for run, _ in begun] == [1, 2]


def test_without_waiting_rows_are_pending(desk: Desk, files: Files) -> None:
    submission = desk.submit(files.csv(offer()), wait=False)
    assert statuses(submission) == [[(2, "Pending")]]
    assert exit_code(submission.outcomes, submission.stopped) == 6


def test_without_a_place_for_the_answer_no_row_is_sent(desk: Desk, files: Files) -> None:
    path = files.csv(offer())
    files.text("mine", "other.csv")
    for name in ("offers.csv", "other.csv", "nowhere/copy.csv"):
        outputs = Outputs({"offers.csv": files.folder / name})
        with pytest.raises(UsageProblem):
            desk.submit(path, outputs=outputs)
        assert desk.ledger.run_ids() == [], name
    (item,) = statuses(desk.submit(path))
    assert item == [(2, "Integrated")]


@pytest.mark.parametrize(
    ("limits", "count", "packages"),
    [
        (PackageLimits(upload=2, package=10), 11, [(10, 5), (1, 1)]),
        pytest.param(PackageLimits(), 50_001, [(50_000, 500), (1, 1)], marks=pytest.mark.long),
    ],
)
def test_rows_are_planned_as_packages_and_uploads(
    files: Files, limits: PackageLimits, count: int, packages: list[tuple[int, int]]
) -> None:
    rows = (f"SKU-{number},7" for number in range(count))
    path = files.text("\n".join(("sellerExternalReference,quantity", *rows)))
    reading = ReadOptions(AccountSettings(limits=limits))
    (result,) = plan_only([Input("offers.csv", path)], reading, Outputs())
    assert [(package.rows, package.uploads) for package in result.packages] == packages
    assert {(package.package_id, package.state) for package in result.packages} == {(None, None)}
    assert (result.run, result.is_submitted) == (None, True)
