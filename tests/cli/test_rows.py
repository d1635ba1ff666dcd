"""`submit --rows`: the rows that alone are sent, as they are typed, planned and killed."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Feedtool, applied
from tests.conftest import Files, offer

OFFERS = [offer(1), offer(2), offer(3)]
JSON = ("--sandbox", "--format", "json")


def test_the_rows_that_are_named_are_sent(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(*OFFERS)
    dry = feedtool("submit", path, "--dry-run", "--rows", "3-", *JSON)
    assert (dry.code, dry.statuses) == (0, ["Held", "Valid", "Valid"])
    ran = feedtool("submit", path, "--rows", "3,3", *JSON)
    assert (ran.code, ran.statuses) == (0, ["Held", "Integrated", "Held"])
    assert [it["messages"][0]["message"] for it in ran.only["results"][::2]] == ["not chosen"] * 2
    assert feedtool("results 1").code == 0
    assert not Path("offers.failed.xlsx").exists()
    assert applied() == [("SKU-2", "Upsert")]


def test_a_plan_keeps_them(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(*OFFERS)
    dry = ("--dry-run", "--save-plan", "p")
    assert feedtool("submit", path, "--rows", "2,4", "--sandbox", *dry).code == 0
    ran = feedtool("submit --plan p --rows 2-4")
    assert "--rows was 2,4, and is 2-4" in ran.error()[0]
    assert feedtool("submit --plan p").code == 0
    assert applied() == [("SKU-1", "Upsert"), ("SKU-3", "Upsert")]
    assert json.loads(Path("p").read_text("utf-8").splitlines()[0])["words"]["rows"] == "2,4"


def test_chosen_rows_are_of_one_sheet(feedtool: Feedtool, files: Files) -> None:
    book = files.book({"A": OFFERS, "B": [offer(4)]})
    several = ("submit", book.name, "--sheet", "all", "--rows", "2", "--dry-run")
    assert feedtool(*several).error() == (
        "--rows selects rows of one sheet, and offers.xlsx has A, B",
        "name one of them with --sheet",
    )
    named = feedtool("submit", book, "--sheet", "B", "--rows", "2", "--dry-run", *JSON)
    assert named.statuses == ["Valid"]


REFUSED = {
    "offers.csv other.csv --rows 2": "--rows selects rows of one file, and there are several files",
    "offers.csv --rows 5-2": "“5-2” names no rows",
    "offers.csv --rows 2,900-950": "offers.csv has no rows 900-950",
    "offers.csv --rows 5 --dry-run": "offers.csv has no row 5",
    "offers.csv --rows ,": "name the rows, as in 2-5,9 or 40-",
    "offers.csv --rows 2 --as legacy-offers --purge-and-replace": "--rows and --purge-and-replace",
}


@pytest.mark.parametrize("words", REFUSED)
def test_wrong_choices_are_refused(feedtool: Feedtool, files: Files, words: str) -> None:
    files.csv(*OFFERS)
    files.csv(offer(4), name="other.csv")
    ran = feedtool(f"submit {words} --sandbox")
    assert (ran.code, REFUSED[words] in ran.error()[0]) == (2, True), ran.err
    assert applied() == []
