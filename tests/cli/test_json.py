"""`--format json` and `jsonl`: the names and types that scripts rely on."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import pytest

from tests.cli.conftest import Feedtool
from tests.conftest import Files, offer, update

Shape = Mapping[str, tuple[type, ...]]

CHECKED: Shape = {
    "file": (str,),
    "kind": (str, NoneType),
    "kindReason": (str, NoneType),
    "sheet": (str, NoneType),
    "headerRow": (int, NoneType),
    "rows": (int,),
    "valid": (int,),
    "invalid": (int,),
    "skipped": (int,),
    "error": (dict, NoneType),
    "problems": (list,),
    "warnings": (int,),
}
ERROR: Shape = {"code": (str,), "message": (str,), "hint": (str,)}
PROBLEM: Shape = {
    "row": (int, NoneType),
    "line": (int, NoneType),
    "column": (str, NoneType),
    "header": (str, NoneType),
    "field": (str, NoneType),
    "code": (str,),
    "severity": (str,),
    "value": (str, NoneType),
    "message": (str,),
    "hint": (str,),
}
SUBMITTED: Shape = {**CHECKED, "run": (str, NoneType), "packages": (list,), "results": (list,)}
PACKAGE: Shape = {
    "packageId": (str, NoneType),
    "packageType": (str,),
    "salesChannelId": (str,),
    "state": (str, NoneType),
    "rows": (int,),
    "uploads": (int,),
}
RESULT: Shape = {
    "row": (int,),
    "sellerExternalReference": (str, NoneType),
    "status": (str,),
    "messages": (list,),
}
MESSAGE: Shape = {"resultCode": (str,), "message": (str,)}

SPLIT = {"action": "Upsert", "salesChannelId": ""}


def fits(found: Mapping[str, Any], shape: Shape) -> None:
    """Every promised field is there and of its type; others may be added later."""
    for name, types in shape.items():
        assert type(found[name]) in types, (name, found[name])


@pytest.fixture
def mixed(files: Files) -> Path:
    """Two Upserts, one of them for another channel, a Delete, and a row that is invalid."""
    return files.csv(
        offer(1, colour="red") | SPLIT,
        offer(2) | SPLIT | {"salesChannelId": "SECOND"},
        update(3, action="Delete"),
        offer(4, product__gtin="4006381333932") | SPLIT,
        name="mixed.csv",
    )


def test_validate(feedtool: Feedtool, mixed: Path) -> None:
    ran = feedtool("validate", mixed, "nope.csv", "--format", "json")
    read, missing = ran.json
    fits(read, CHECKED)
    for problem in read["problems"]:
        fits(problem, PROBLEM)
    assert (read["file"], read["kind"]) == (str(mixed), "offers-upsert")
    assert (read["sheet"], read["headerRow"], read["error"]) == (None, 1, None)
    assert (read["rows"], read["valid"], read["invalid"], read["skipped"]) == (4, 3, 1, 0)
    assert read["warnings"] == 1
    assert {one["severity"] for one in read["problems"]} == {"error", "warning"}
    fits(missing, CHECKED)
    fits(missing["error"], ERROR)
    assert missing["error"]["code"] == "file-missing"
    assert (missing["file"], missing["rows"], missing["problems"]) == ("nope.csv", 0, [])


def test_a_problem_word_by_word(feedtool: Feedtool, mixed: Path) -> None:
    problems = feedtool("validate", mixed, "--format", "json").only["problems"]
    wrong = next(one for one in problems if one["severity"] == "error")
    assert {name: wrong[name] for name in PROBLEM if name not in ("message", "hint")} == {
        "row": 5,
        "line": 5,
        "column": "B",
        "header": "product.gtin",
        "field": "product.gtin",
        "code": "gtin-checksum",
        "severity": "error",
        "value": "4006381333932",
    }
    whole = next(one for one in problems if one["severity"] == "warning")
    assert (whole["row"], whole["line"], whole["code"]) == (None, None, "unknown-column")


def test_a_workbook_names_its_sheet_and_has_no_lines(feedtool: Feedtool, files: Files) -> None:
    path = files.book({"Mes offres": [offer(quantity="-1")]})
    read = feedtool("validate", path, "--format", "json").only
    assert read["sheet"] == "Mes offres"
    assert [(one["row"], one["line"], one["column"]) for one in read["problems"]] == [
        (2, None, "I")
    ]


def test_several_kinds_in_a_workbook_are_several_objects(feedtool: Feedtool, files: Files) -> None:
    path = files.book({"New": [offer(1)], "Changed": [update(2, quantity="1")]})
    found = feedtool("validate", path, "--format", "json").json
    assert [(one["file"], one["sheet"], one["kind"]) for one in found] == [
        (str(path), "New", "offers-upsert"),
        (str(path), "Changed", "offers-update"),
    ]


def submitted(one: Mapping[str, Any]) -> None:
    fits(one, SUBMITTED)
    for package in one["packages"]:
        fits(package, PACKAGE)
    for result in one["results"]:
        fits(result, RESULT)
        for message in result["messages"]:
            fits(message, MESSAGE)


def test_a_dry_run(feedtool: Feedtool, mixed: Path) -> None:
    found = feedtool("submit --dry-run", mixed, "--format", "json").only
    submitted(found)
    assert found["run"] is None
    assert found["packages"] == [
        {
            "packageId": None,
            "packageType": kind,
            "salesChannelId": channel,
            "state": None,
            "rows": 1,
            "uploads": 1,
        }
        for kind, channel in (("Upsert", "PRIMARY"), ("Upsert", "SECOND"), ("Delete", "PRIMARY"))
    ]
    assert [
        (one["row"], one["sellerExternalReference"], one["status"]) for one in found["results"]
    ] == [
        (2, "SKU-1", "Valid"),
        (3, "SKU-2", "Valid"),
        (4, "SKU-3", "Valid"),
        (5, "SKU-4", "Invalid"),
    ]
    assert found["results"][3]["messages"][0]["resultCode"] == "gtin-checksum"


def test_the_sandbox(feedtool: Feedtool, mixed: Path) -> None:
    ran = feedtool("submit --sandbox", mixed, "--format", "json")
    found = ran.only
    submitted(found)
    assert ran.code == 1
    assert isinstance(found["run"], str)
    assert [
        (one["packageType"], one["salesChannelId"], one["state"], one["rows"], one["uploads"])
        for one in found["packages"]
    ] == [
        ("Upsert", "PRIMARY", "Integrated", 1, 1),
        ("Upsert", "SECOND", "Integrated", 1, 1),
        ("Delete", "PRIMARY", "Integrated", 1, 1),
    ]
    assert all(one["packageId"] for one in found["packages"])
    assert [(one["row"], one["status"]) for one in found["results"]] == [
        (2, "Integrated"),
        (3, "Integrated"),
        (4, "Rejected"),
        (5, "Invalid"),
    ]
    assert found["results"][0]["messages"][0]["resultCode"] == "8000"


def test_a_file_that_cannot_be_sent_has_an_object_too(feedtool: Feedtool, mixed: Path) -> None:
    for command in (["submit", "--dry-run"], ["submit", "--sandbox"]):
        _, missing = feedtool(*command, mixed, "nope.csv", "--format", "json").json
        submitted(missing)
        assert (missing["packages"], missing["results"]) == ([], [])
        fits(missing["error"], ERROR)


def test_all_problems_are_listed(feedtool: Feedtool, files: Files) -> None:
    path = files.csv(*(offer(number, quantity="-1") for number in range(1500)))
    assert len(feedtool("validate", path, "--format", "json").only["problems"]) == 1500


EVENTS: dict[str, Callable[[Any], None]] = {
    "file": lambda event: fits(event, {"file": (str,), "kind": (str, NoneType)}),
    "problem": lambda event: fits(event, PROBLEM),
    "row": lambda event: fits(event, RESULT),
    "progress": lambda event: fits(event, {"step": (str,)}),
    "summary": lambda event: fits(event, {"rows": (int,), "valid": (int,), "invalid": (int,)}),
}


@pytest.mark.parametrize(
    ("command", "types"),
    [
        (["validate"], {"file", "problem", "summary"}),
        (["submit", "--dry-run"], {"file", "problem", "row", "summary"}),
        (["submit", "--sandbox"], {"file", "problem", "row", "summary", "progress"}),
    ],
    ids=["validate", "dry run", "sandbox"],
)
def test_an_event_a_line(
    feedtool: Feedtool, mixed: Path, command: list[str], types: set[str]
) -> None:
    ran = feedtool(*command, mixed, "--format", "jsonl")
    events = [json.loads(line) for line in ran.out.splitlines()]
    assert {event["type"] for event in events} <= types
    assert types - {event["type"] for event in events} <= {"progress"}
    for event in events:
        EVENTS[event["type"]](event)
    assert events[-1]["type"] == "summary"


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_data_alone_goes_to_stdout(feedtool: Feedtool, mixed: Path, form: str) -> None:
    ran = feedtool("submit --sandbox", mixed, "--report", "report.csv", "--format", form)
    for line in ran.out.splitlines() if form == "jsonl" else [ran.out]:
        json.loads(line)
    assert "report" in ran.err
