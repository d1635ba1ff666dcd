"""A dry run that is saved and sent later unchanged, without any command."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from feedtool.check import Input, ReadOptions
from feedtool.feeds.memory import Effects
from feedtool.feeds.selection import ChosenRows, ReleasedGuard, SelectionOptions
from feedtool.runs.deliver import Submission
from feedtool.runs.outputs import Outputs
from feedtool.runs.plan_file import Account, PlanUnfit, load
from feedtool.runs.submit import PlanBasis, plan_only, run_of_plan, submit, with_recording
from tests.conftest import Files, offer
from tests.runs.conftest import ADDRESS, Desk, statuses

OURS = Account(ADDRESS, "seller")
CHOSEN = SelectionOptions(rows=(ChosenRows("offers.csv", None, "2-3"),))


class Planner:
    """A seller who plans, looks at what would happen, and sends just that."""

    def __init__(self, desk: Desk, files: Files) -> None:
        self.desk, self.files = desk, files
        self.read = [Input("offers.csv", files.csv(offer(1), offer(2), offer(3)))]
        self.reading = with_recording(ReadOptions(), files.folder / "kept")
        self.place = files.folder / "plan.jsonl"
        self.basis = PlanBasis(self.reading, CHOSEN, OURS)
        self.shown: list[dict[str, dict[str, Any]]] = []

    def show(self, effects: Mapping[str, Effects]) -> None:
        self.shown.append({channel: effect.as_json() for channel, effect in effects.items()})

    def plan(self) -> list[list[tuple[int, str]]]:
        """Makes the plan; the status of each row."""
        workspace, basis, now = self.desk.workspace, self.basis, self.desk.session.now()
        known = basis.accepted(workspace)
        results = plan_only(
            self.read,
            self.reading,
            Outputs(),
            plan_file=basis.writer(self.read, self.place, known, self.show, now, {}),
            select=basis.select(workspace),
        )
        return statuses(Submission(results))

    def send(self, basis: PlanBasis | None = None) -> list[list[tuple[int, str]]]:
        """Sends the plan, or nothing."""
        workspace, plan, basis = self.desk.workspace, load(self.place), basis or self.basis
        kept = plan.recipes(self.files.folder / "kept", ["offers.csv"])
        submission = submit(
            self.read,
            replace(self.reading, recipes=kept),
            Outputs(),
            self.desk.session,
            workspace,
            plan_file=basis.verifier(plan, basis.accepted(workspace), self.show),
            selection=basis.selection,
        )
        return statuses(submission)


@pytest.fixture
def planner(desk: Desk, files: Files) -> Planner:
    return Planner(desk, files)


def test_a_saved_plan_is_sent(planner: Planner) -> None:
    assert planner.plan() == [[(2, "Valid"), (3, "Valid"), (4, "Held")]]
    assert run_of_plan(load(planner.place), planner.desk.ledger) is None
    assert planner.send() == [[(2, "Integrated"), (3, "Integrated"), (4, "Held")]]
    assert run_of_plan(load(planner.place), planner.desk.ledger) == 1
    assert [effects["PRIMARY"]["unknown"] for effects in planner.shown] == [2, 2]


def test_effects_compare_with_accepted_values(planner: Planner) -> None:
    planner.plan()
    planner.send()
    planner.files.csv(offer(1, price__price="18"), offer(2), offer(3))
    planner.plan()
    assert (planner.shown[-1]["PRIMARY"]["changed"], len(planner.shown)) == (1, 3)
    assert planner.shown[-1]["PRIMARY"]["pricesDown"]["count"] == 1


OTHERS: Mapping[str, tuple[dict[str, Any], str]] = {
    "other rows": ({"selection": replace(CHOSEN, rows=())}, "--rows was 2-3, and is not set"),
    "a guard released": (
        {"selection": replace(CHOSEN, released=(ReleasedGuard("price-factor"),))},
        "--release price-factor was not set, and is set",
    ),
    "only what has changed": (
        {"selection": replace(CHOSEN, changed_only=True)},
        "--changed-only was not set, and is set",
    ),
    "all or nothing": ({"is_all_or_nothing": True}, "--all-or-nothing was not set, and is set"),
    "another seller": ({"account": Account(ADDRESS, "other")}, "the seller was seller"),
    "another recipe": ({"recipe": "mine.toml"}, "--recipe was not set, and is mine.toml"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_plan_with_another_basis_is_not_sent(planner: Planner, name: str) -> None:
    changes, reason = OTHERS[name]
    planner.plan()
    with pytest.raises(PlanUnfit, match=reason):
        planner.send(replace(planner.basis, **changes))
    assert planner.desk.ledger.run_ids() == []


def test_without_an_account_no_accepted_values_are_known(planner: Planner) -> None:
    basis = replace(planner.basis, account=Account())
    assert not basis.is_account_known
    assert basis.accepted(planner.desk.workspace)() is None
    assert planner.basis.accepted(None)() is None
    planner.basis = basis
    assert planner.plan() == [[(2, "Valid"), (3, "Valid"), (4, "Held")]]


def test_the_plan_file_stays_unchanged(planner: Planner) -> None:
    planner.plan()
    Path(planner.files.folder / "offers.csv").write_text("changed", "utf-8")
    with pytest.raises(PlanUnfit, match=r"the file offers\.csv was changed"):
        planner.send()
