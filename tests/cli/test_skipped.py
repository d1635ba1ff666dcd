"""Totals and repeated headers: skipped and told, in every command, unless `--as-row` takes them."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, Ran
from tests.conftest import Files, offer

TOTAL = offer(3, sellerExternalReference="Total")
REASON = "this row is a total by its reference"


@pytest.fixture
def file(files: Files) -> Path:
    """Two offers, and a row below them that is none."""
    return files.csv(offer(1), offer(2), TOTAL)


def statuses(ran: Ran) -> list[str]:
    return [row["status"] for row in ran.only["results"]]


def counted(ran: Ran) -> list[int]:
    return [ran.only[name] for name in ("rows", "valid", "invalid", "skipped", "warnings")]


def test_a_total_is_skipped_with_its_reason(feedtool: Feedtool, file: Path) -> None:
    ran = feedtool("submit", file, "--sandbox", "--format", "json")
    assert (ran.code, statuses(ran)) == (0, ["Integrated", "Integrated", "Skipped"])
    assert counted(ran) == [3, 2, 0, 1, 1]
    assert [package["rows"] for package in ran.only["packages"]] == [2]
    last = ran.only["results"][-1]
    assert (last["row"], last["sellerExternalReference"]) == (4, "Total")
    (message,) = last["messages"]
    assert message["resultCode"] == "not-a-row"
    assert message["message"].startswith(REASON)
    copy = file.with_name("offers.result.csv").read_text("utf-8").splitlines()
    assert ",Skipped," in copy[3]
    assert copy[3].count(REASON) == 1
    assert copy[3].endswith(",not-a-row")


def test_it_is_told_for_people(feedtool: Feedtool, file: Path) -> None:
    ran = feedtool("validate", file)
    assert ran.code == 0
    assert "3 rows: 2 valid, 0 invalid, 1 skipped, 1 warning\n" in ran.out
    assert f"offers.csv:4 “Total”: {REASON}" in ran.out
    assert ran.out.splitlines()[-1] == "3 rows: 2 valid, 0 invalid, 1 skipped, 1 warning."
    ran = feedtool("submit", file, "--sandbox")
    assert ran.out.splitlines()[-1] == "3 rows: 2 Integrated, 1 Skipped, 1 warning. Run 1."
    assert "1 Skipped" in feedtool("status 1").out


@pytest.mark.parametrize(
    "command",
    [("validate",), ("submit", "--sandbox"), ("submit", "--dry-run")],
    ids=["validate", "submit", "dry run"],
)
def test_with_nothing_else_there_is_nothing_to_do(
    feedtool: Feedtool, files: Files, command: Sequence[str]
) -> None:
    ran = feedtool(*command, files.csv(TOTAL), "--format", "json")
    assert (ran.code, counted(ran)) == (9, [1, 0, 0, 1, 1])


@pytest.mark.parametrize(
    "words",
    [["--as-row", "4"], ["--as-row", "9,4"], ["--as-row", "9", "--as-row=4"]],
    ids=["a number", "a list", "repeated"],
)
def test_a_row_is_taken_if_that_is_said(
    feedtool: Feedtool, file: Path, words: Sequence[str]
) -> None:
    ran = feedtool("submit", file, "--sandbox", "--format", "json", *words)
    assert (ran.code, statuses(ran)) == (0, ["Integrated"] * 3)
    assert counted(ran) == [3, 3, 0, 0, 0]
    again = feedtool("results 1 --format json")
    assert again.only["results"] == ran.only["results"]


def test_a_plan_keeps_which_rows_are_taken(feedtool: Feedtool, file: Path) -> None:
    making = ("--sandbox", "--dry-run", "--as-row", "4", "--save-plan", "plan")
    assert feedtool("submit", file, *making).code == 0
    head = json.loads(Path("plan").read_text("utf-8").splitlines()[0])
    assert head["settings"]["--as-row"] == [4]
    other = feedtool("submit --plan plan --as-row 3")
    assert other.code == 2
    assert "--as-row was [4], and is [3, 4]" in other.error()[0]
    ran = feedtool("submit --plan plan --format json")
    assert (ran.code, statuses(ran)) == (0, ["Integrated"] * 3)


def test_a_converted_file_is_without_it(feedtool: Feedtool, file: Path) -> None:
    ran = feedtool("convert", file, "out.xlsx", "--format", "json")
    assert ran.code == 1
    assert f"left out: {REASON} (row 4)" in ran.err
    assert feedtool("convert", file, "all.json", "--as-row", "4").code == 0
    assert counted(feedtool("validate out.xlsx --format json")) == [2, 2, 0, 0, 0]
