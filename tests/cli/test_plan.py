"""`submit --save-plan` and `--plan`: exactly what was planned, or nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from feedtool.areas.registry import sandbox_parts
from feedtool.sandbox import Sandbox
from tests.areas.offers.sandbox.records import applied_requests
from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer

STATE = Path("home/sandbox.sqlite")
PLAN = Path("plan.jsonl")


def applied() -> list[str | None]:
    """The references that the service has integrated."""
    if not STATE.exists():
        return []
    with Sandbox(sandbox_parts(), STATE) as sandbox:
        return [one.reference for one in applied_requests(sandbox)]


def head() -> dict[str, Any]:
    found = json.loads(PLAN.read_text("utf-8").splitlines()[0])
    assert isinstance(found, dict)
    return found


@pytest.fixture
def file(files: Files) -> Path:
    return files.csv(offer(1), offer(2, quantity="-1"), offer(3))


@pytest.fixture
def planned(feedtool: Feedtool, file: Path) -> Path:
    """A plan for the sandbox."""
    ran = feedtool("submit", file.name, "--dry-run", "--sandbox", "--save-plan", PLAN)
    assert ran.code == 1, ran.err
    assert "plan: saved as plan.jsonl" in ran.err
    assert applied() == []
    return PLAN


def test_a_plan_is_sent_without_anything_else(feedtool: Feedtool, planned: Path) -> None:
    ran = feedtool("submit --plan", planned)
    assert ran.code == 1, ran.err
    assert "Rows: 1 Invalid, 2 Integrated" in ran.out
    assert applied() == ["SKU-1", "SKU-3"]
    assert Path("offers.result.csv").exists()


def test_a_plan_is_sent_once(feedtool: Feedtool, planned: Path) -> None:
    assert feedtool("submit --plan", planned).code == 1
    ran = feedtool("submit --plan", planned)
    assert ran.code == 2
    assert ran.error()[0] == "the plan plan.jsonl was sent before, by run 1"
    assert len(applied()) == 2
    assert feedtool("submit --plan", planned, "--yes").code == 1
    assert len(applied()) == 4


def test_it_says_what_the_numbers_mean_before_it_sends(feedtool: Feedtool, planned: Path) -> None:
    line = "plan: PRIMARY: 2 offers, of which nothing is known: no run here has had them accepted"
    ran = feedtool("submit --plan", planned, "--token", "wrong")
    assert ran.code == 4
    assert ran.err.index(line) < ran.err.index("error: ")


def test_whether_it_still_fits(feedtool: Feedtool, planned: Path, file: Path) -> None:
    assert feedtool("submit --plan", planned, "--dry-run").code == 1
    assert feedtool("submit --plan", planned, file.absolute(), "--dry-run").code == 1
    file.write_text(file.read_text() + "\n")
    assert feedtool("submit --plan", planned, "--dry-run").code == 2
    assert applied() == []


REFUSED = {
    "another kind": (("--as", "offers-update"), "--as was not set, and is offers-update"),
    "another channel": (("--channel", "SECOND"), "--channel was PRIMARY, and is SECOND"),
    "all or nothing": (("--all-or-nothing",), "--all-or-nothing was not set, and is set"),
    "another seller": (("--seller", "9"), "the seller was sandbox, and is 9"),
}


@pytest.mark.parametrize(("options", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_typed_otherwise_is_refused(
    feedtool: Feedtool, planned: Path, options: tuple[str, ...], said: str
) -> None:
    ran = feedtool("submit --plan", planned, *options)
    message, hint = ran.error()
    assert (ran.code, message) == (2, f"the plan plan.jsonl no longer fits: {said}")
    assert hint == "nothing was sent; make the plan again with --dry-run --save-plan"
    assert applied() == []


def test_a_file_that_was_changed(feedtool: Feedtool, planned: Path, files: Files) -> None:
    files.csv(offer(1, price__price="1"), offer(3))
    ran = feedtool("submit --plan", planned)
    assert ran.code == 2
    assert ran.error()[0].endswith("no longer fits: the file offers.csv was changed")
    Path("offers.csv").unlink()
    ran = feedtool("submit --plan", planned)
    assert ran.code == 2
    assert ran.error()[0].endswith("no longer fits: offers.csv cannot be read")
    assert applied() == []


def test_nothing_that_says_where_a_token_goes_is_taken_from_a_plan(
    feedtool: Feedtool, file: Path
) -> None:
    account = ("--base-url", "https://a.example/v2", "--seller", "1")
    feedtool("submit", file, "--dry-run", *account, "--save-plan", PLAN)
    assert head()["words"] == {}
    ran = feedtool("submit --plan", PLAN, "--token", "t")
    assert ran.error()[0] == "there is no account to send to"


def test_all_rows_against_a_profile_that_says_otherwise(feedtool: Feedtool, file: Path) -> None:
    Path("feedtool.toml").write_text("[profile.shop]\nchanged_only = true\n")
    options = ("--sandbox", "--profile", "shop", "--all-rows")
    feedtool("submit", file, "--dry-run", *options, "--save-plan", PLAN)
    assert head()["words"]["changed_only"] is False
    assert feedtool("submit --plan", PLAN).code == 1
    assert applied() == ["SKU-1", "SKU-3"]


def test_a_plan_is_made_or_sent(feedtool: Feedtool, planned: Path) -> None:
    ran = feedtool("submit --dry-run --save-plan p --plan", planned)
    assert (ran.code, "contradict each other" in ran.error()[0]) == (2, True)
